"""Rows of the tables of an analysis of factors: components that are few, and flat records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._contrasts import Estimate
from ._parts import Component


def shortened(components: Sequence[Component]) -> list[Component]:
    """Return the components with those of three dimensions and more as one row, if there are several."""
    high = [each for each in components if each.name.count(" x ") > 1]
    if len(high) < 2:
        return list(components)
    positive = [max(each.variance, 0.0) for each in high]
    rest = Component("interactions of three and more", sum(positive), None, None, sum(each.share for each in high))
    kept = [each for each in components if each not in high]
    return [*kept[:-1], rest, kept[-1]] if len(kept) > 1 else [*kept, rest]


def nested(row: Any) -> Any:
    """Return named tuples within named tuples as dictionaries."""
    if hasattr(row, "_asdict"):
        return {name: nested(value) for name, value in row._asdict().items()}
    return row


def record(
    part: str, term: str, level: str | None, other: str | None, these: Estimate | None, like: Estimate | None
) -> dict[str, Any]:
    """Return one row of a table as a flat record."""
    mine, theirs = these or (None,) * 4, like or (None,) * 4
    numbers = dict(zip(("value", "lo", "hi", "p_value"), mine, strict=True))
    if part in ("margin", "cell"):
        numbers["p_value"] = None  # that a score is 0 is no question
    more = {"p_corrected": None, "like_lo": theirs[1], "like_hi": theirs[2], "like_p_corrected": None}
    return {"part": part, "term": term, "level": level, "other": other, **numbers, **more}
