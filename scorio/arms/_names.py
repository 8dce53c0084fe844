"""Which arm is the baseline, and which a placebo, by their names."""

import re
from collections.abc import Sequence

_WORDS = "without|baseline|control|vanilla|unset|no[ _-]?skills?|old[ _-]?skill"
_BASELINE = re.compile(rf"(?<![a-z])({_WORDS})(?![a-z])", re.IGNORECASE)
_PLACEBO = re.compile(r"(?<![a-z])(placebo|dummy|sham)(?![a-z])", re.IGNORECASE)


def baseline_of(models: Sequence[str]) -> str | None:
    """Return the only model whose name says that it is the baseline of the others, or None.

    >>> baseline_of(["with_skill", "without_skill"]), baseline_of(["gpt-x", "gpt-y"])
    ('without_skill', None)
    """
    named = [model for model in models if _BASELINE.search(model)]
    return named[0] if len(named) == 1 < len(models) else None


def placebo_of(models: Sequence[str]) -> str | None:
    """Return the only model whose name says that it is a placebo, or None."""
    named = [model for model in models if _PLACEBO.search(model)]
    return named[0] if len(named) == 1 else None
