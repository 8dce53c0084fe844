"""The built-in formats, one module per tool."""
