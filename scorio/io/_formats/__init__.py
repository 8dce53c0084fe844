"""The readers of tools and tables: each module has the formats of one tool, or of a family of them."""
