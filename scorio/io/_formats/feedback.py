"""Feedback on a trial that was given several times under one name: by several judges, or people, or again."""

from collections.abc import Mapping, Sequence
from typing import Any

from .._request import Request
from .._walk import At
from ..checks import shown


def agreed(row: At, values: Mapping[str, Sequence[Any]], name: str, noun: str, request: Request) -> float | None:
    """Return the outcome that all feedback of a name says; None if none of it has a value.

    ``noun`` is what the tool calls feedback.
    """
    with row.here:
        outcomes = {request.outcome(value) for value in values.get(name, ())} - {None}
    if len(outcomes) > 1:
        what = f"it has {noun} {shown(name)} with different values, {shown(sorted(outcomes, key=str))}"
        raise row.fault(what, hint="keep one of them, such as that of one judge or person, or of the last evaluation")
    return next(iter(outcomes), None)
