"""Plug-ins for evaluation tools and pytest; each is imported only by its tool or by users, never by scorio itself."""

__all__: list[str] = []
