"""Plug-ins for evaluation tools, trainers and pytest, which import them.

Nothing here is imported together with scorio.
"""

__all__: list[str] = []
