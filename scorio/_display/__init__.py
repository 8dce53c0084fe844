"""Text tables, plurals and shortened lists."""
