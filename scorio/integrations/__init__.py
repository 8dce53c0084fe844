"""Other tools: plug-ins for evaluation tools and pytest, which these tools import, and results as others publish them.

Nothing here is imported together with scorio.
"""

__all__: list[str] = []
