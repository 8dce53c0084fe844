"""Content taken for what it must be, or one line that says what was expected."""

from __future__ import annotations

from typing import Any, NoReturn

from ..errors import OutcomeError

_SHOWN = 60


class within:  # noqa: N801 - reads as part of a statement, and costs less than a generator would
    """Errors raised inside name the place."""

    __slots__ = ("_place",)

    def __init__(self, place: object) -> None:
        self._place = place

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OutcomeError):
            raise type(error)(f"{self._place}: {error}") from None


def mapping(value: Any, what: str) -> dict[str, Any]:
    """A JSON object."""
    return value if isinstance(value, dict) else _fail(value, what, "an object")


def items(value: Any, what: str) -> list[Any]:
    """A JSON list."""
    return value if isinstance(value, list) else _fail(value, what, "a list")


def label(value: Any, what: str) -> str:
    """A name or a whole number, as text."""
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        _fail(value, what, "a name or a whole number")
    return str(value)


def maybe_label(value: Any, what: str) -> str | None:
    """A name, a number or a truth value, as text; None stays None."""
    return None if value is None else str(value) if isinstance(value, (bool, float)) else label(value, what)


def whole(value: Any, what: str) -> int:
    """A whole number from 0 to 2**53."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 1 << 53:
        _fail(value, what, "a whole number")
    return value


def shown(value: Any) -> str:
    """A value in a message, cut where it is long."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}.."


def _fail(value: Any, what: str, expected: str) -> NoReturn:
    raise OutcomeError(f"{what} must be {expected}; got {shown(value)}")
