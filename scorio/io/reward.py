"""Outcomes as tools and people write them, as rewards."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ..errors import OutcomeError
from .expect import shown

LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
_ABSENT = {"", "na", "n/a", "nan", "none", "null", "<na>"}


def reward(value: Any, levels: Mapping[str, float]) -> float | None:
    """The reward a written outcome stands for, None where it stands for none.

    Numbers and truth values are themselves; C, P, I, N are correct, partial, incorrect and no answer; true, yes, false
    and no are words for 1 and 0. ``levels`` gives further words their reward.

    >>> [reward(value, {"good": 0.75}) for value in ("C", "P", "false", "0.25", True, "good", "NaN", None)]
    [1.0, 0.5, 0.0, 0.25, 1.0, 0.75, None, None]
    """
    if value is None:
        return None
    if isinstance(value, (bool, int, float)):
        return _finite(value)
    if not isinstance(value, str):
        raise OutcomeError(f"an outcome must be a number, a truth value or a word; got {shown(value)}")
    return _of_text(value.strip(), levels)


class Rewards:
    """The rewards of one column, where outcomes are numbers throughout, or words throughout.

    A column that is a ``share`` is known by its name alone to hold numbers from 0 to 1.
    """

    def __init__(self, levels: Mapping[str, float], share: str = "") -> None:
        self._levels = levels
        self._share = share
        self._known: dict[str | None, float | None] = {}
        self._first: dict[bool, str] = {}

    def __call__(self, written: str | None) -> float | None:
        """The reward of one outcome as it is written."""
        if written not in self._known:
            self._known[written] = self._checked(written)
        return self._known[written]

    def _checked(self, written: str | None) -> float | None:
        found = reward(written, self._levels)
        if written is not None and found is not None and written.strip() not in self._levels:
            self._demand_share(written, found)
            self._first.setdefault(_is_number(written), written)
        if len(self._first) > 1:
            raise OutcomeError(
                f"outcomes are words and numbers at once, {self._first[False]!r} and {self._first[True]!r}:"
                " give the words a reward with levels={...}"
            )
        return found

    def _demand_share(self, written: str, found: float) -> None:
        if self._share and not 0 <= found <= 1:
            raise OutcomeError(
                f"{self._share!r} is {written}, which is not from 0 to 1: name its column with metric=... if it is a"
                ' reward, or that of the trials with fields={"trials": ...} if it is a count'
            )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _of_text(text: str, levels: Mapping[str, float]) -> float | None:
    if text in levels:
        return _finite(levels[text])
    if text in LETTERS:
        return LETTERS[text]
    lower = text.lower()
    if lower in _ABSENT:
        return None
    if lower in _WORDS:
        return _WORDS[lower]
    if "_" not in text and _is_number(text):
        return _finite(float(text))
    raise OutcomeError(
        f"{shown(text)} is no outcome: numbers, true/false, yes/no and C/P/I/N are;"
        f" give other words a reward with levels={{{shown(text)}: 1.0}}"
    )


def _finite(value: float) -> float | None:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if math.isinf(number):
        raise OutcomeError("an outcome is infinite")
    return None if math.isnan(number) else number + 0.0
