"""Plug-ins for evaluation tools; each is imported by its tool alone, and by nothing here."""
