"""The names of rows that are one model under different conditions."""

from __future__ import annotations

from collections.abc import Mapping

MODEL = "model"  # the condition that holds the model's own name


def row_name(model: str, settings: Mapping[str, object]) -> str:
    """Return the name of a model under settings.

    >>> row_name("m", {"temperature": 0.5, "prompt": "short"})
    'm [temperature=0.5, prompt=short]'
    """
    return f"{model} [{', '.join(f'{name}={value}' for name, value in settings.items())}]"
