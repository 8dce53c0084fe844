"""Feedback on a trial that was given several times under one name: by several judges, or people, or again."""

from collections.abc import Iterable
from typing import Any

from ...errors import OutcomeError
from .._request import Request
from ..checks import shown


def agreed(values: Iterable[Any], what: str, request: Request) -> float | None:
    """Return the outcome that all feedback says; None if none of it has a value. ``what`` names it in the error."""
    found = {request.outcome(value) for value in values} - {None}
    if len(found) > 1:
        hint = "keep one of them, such as that of one judge or person, or of the last evaluation"
        raise OutcomeError(f"{what} with different values, {shown(sorted(found, key=str))}", hint=hint)
    return next(iter(found), None)
