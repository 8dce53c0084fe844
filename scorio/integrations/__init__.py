"""Plug-ins for evaluation tools and trainers, which import them.

Nothing here is imported together with scorio.
"""

__all__: list[str] = []
