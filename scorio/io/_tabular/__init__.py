"""Tables of outcomes: columns, rows and counts by DuckDB."""
