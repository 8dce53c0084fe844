"""Checks of a file's content: each returns the value, or raises an error that says what was expected."""

from __future__ import annotations

from typing import Any, NoReturn

from ..errors import OutcomeError

_LONGEST = 60  # characters of a value that a message shows


class within:  # noqa: N801 - reads as part of a statement, and costs less than a generator would
    """Add a place to every ``OutcomeError`` that is raised inside the block."""

    __slots__ = ("_place",)

    def __init__(self, place: object) -> None:
        self._place = place

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OutcomeError):
            raise error.at(str(self._place)) from None


def mapping(value: Any, name: str) -> dict[str, Any]:
    """Return a JSON object."""
    return value if isinstance(value, dict) else _fail(value, name, "an object")


def items(value: Any, name: str) -> list[Any]:
    """Return a JSON list."""
    return value if isinstance(value, list) else _fail(value, name, "a list")


def label(value: Any, name: str) -> str:
    """Return a name or a whole number as text."""
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        _fail(value, name, "a name or a whole number")
    return str(value)


def maybe_label(value: Any, name: str) -> str | None:
    """Return a name, a number or a truth value as text; None stays None."""
    return None if value is None else str(value) if isinstance(value, (bool, float)) else label(value, name)


def whole(value: Any, name: str) -> int:
    """Return a whole number from 0 to 2**53."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 1 << 53:
        _fail(value, name, "a whole number")
    return value


def shown(value: Any) -> str:
    """Return a value as messages show it, cut off where it is long."""
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}.."


def _fail(value: Any, name: str, expected: str) -> NoReturn:
    raise OutcomeError(f"{name} must be {expected}; got {shown(value)}")
