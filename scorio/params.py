"""Declared field checks: what a parameter may be is data, and the message is generated from it."""

import math
import operator
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from ._base.arrays import LARGEST_REWARD
from ._base.words import unknown
from .errors import ParameterError

__all__ = [
    "Check",
    "check_fields",
    "check_result",
    "choice",
    "count",
    "decimals",
    "finite",
    "generator",
    "nonnegative",
    "one_of",
    "open_unit",
    "optional",
    "param",
    "positive",
    "seed",
    "simplex",
    "unit",
    "weights",
]

_REQUIRED: Any = object()
_RNG = "None, an integer >= 0 or a numpy Generator"
_LONGEST = 80  # characters of a value in an error


@dataclass(frozen=True, slots=True)
class Check:
    """What a value must be, in words, and the conversion that returns it or raises TypeError or ValueError.

    A conversion returns the very object it was given when that is already in its stored form.
    """

    says: str
    convert: Callable[[Any], Any]

    def __call__(self, name: str, value: Any) -> Any:
        """Return ``value`` in its stored form, or raise a ParameterError that names the parameter."""
        try:
            return self.convert(value)
        except OverflowError:
            raise ParameterError(f"must be {self.says}, and not so large; got {value!r}", argument=name) from None
        except (TypeError, ValueError):
            got = " ".join(repr(value).split())  # an array has many lines
            got = got if len(got) <= _LONGEST else f"{got[:_LONGEST]} .."
            raise ParameterError(f"must be {self.says}; got {got}", argument=name) from None


def choice(kind: str, value: Any, choices: Collection[str]) -> str:
    """Return ``value`` if it is one of the choices; the error names them, and the one that may be meant."""
    if not isinstance(value, str) or value not in choices:
        raise ParameterError(unknown(kind, value, choices))
    return value


def check_result(maker: str, name: str, value: Any, *kinds: type) -> None:
    """Raise a ParameterError if an argument is not a result of the function, or an object of the class, that is named.

    >>> check_result("scorio.compare", "result", 3, int)
    """
    if not isinstance(value, kinds):
        problem = f"must be a {' or '.join(kind.__name__ for kind in kinds)}, made by {maker}(...)"
        raise ParameterError(f"{problem}; got {value.__class__.__name__}", argument=name)


def param(check: Callable[[str, Any], Any], *, default: Any = _REQUIRED) -> Any:
    """Declare a dataclass field whose value is checked when the object is made."""
    metadata = {"check": check}
    return field(metadata=metadata) if default is _REQUIRED else field(default=default, metadata=metadata)


def check_fields(made: Any) -> None:
    """Put the fields that a frozen dataclass declared with ``param`` in their stored form, or raise."""
    kind = made.__class__
    checks = kind.__dict__.get("_checks_of_fields")
    if checks is None:  # kept by the class itself, so that a class which nobody uses any more can go
        checks = kind._checks_of_fields = _checks_of(kind)
    for name, default, check, convert in checks:
        value = getattr(made, name)
        if value is default:
            continue
        try:
            stored = convert(value)
        except (TypeError, ValueError, OverflowError):
            stored = check(name, value)  # which says what is wrong
        if stored is not value:
            object.__setattr__(made, name, stored)


def _checks_of(kind: Any) -> tuple[tuple[str, Any, Callable[[str, Any], Any], Callable[[Any], Any]], ...]:
    """Return the name, the default, the check and the conversion of each field that was declared with ``param``."""
    declared = ((part.name, part.default, part.metadata.get("check")) for part in fields(kind))
    return tuple(
        (name, default, check, check.convert if isinstance(check, Check) else partial(check, name))
        for name, default, check in declared
        if check is not None
    )


def _converted_if(convert: Callable[[Any], Any], holds: Callable[[Any], bool]) -> Callable[[Any], Any]:
    """Return a conversion that takes the values of another one for which a condition holds."""

    def checked(value: Any) -> Any:
        converted = convert(value)
        if not holds(converted):
            raise ValueError
        return converted

    return checked


def _number(value: Any) -> Any:
    if type(value) is float and math.isfinite(value):  # the usual case, without a look-up of abstract types
        return value
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError
    if not math.isfinite(value):
        raise ValueError
    return value.item() if isinstance(value, np.generic) else value


def _float(value: Any) -> float:
    return float(_number(value))


def _integer(value: Any) -> int:
    if isinstance(value, (bool, np.bool_)):
        raise TypeError
    return operator.index(value)


def _at_least_one(value: Any) -> int:
    number = value if type(value) is int else _integer(value)
    if number < 1:
        raise ValueError
    if number >= 1 << 31:
        raise OverflowError
    return number


def _open_unit(value: Any) -> float:
    number = value if type(value) is float else _float(value)
    if not 0.0 < number < 1.0:
        raise ValueError
    return number


def _vector(value: Any) -> tuple[float, ...]:
    if type(value) is tuple and set(map(type, value)) <= {float} and all(map(math.isfinite, value)):
        return value
    if type(value) not in (list, tuple) and (
        isinstance(value, (str, bytes)) or not isinstance(value, (Sequence, np.ndarray))
    ):
        raise TypeError
    finite = math.isfinite
    return tuple([number if type(number) is float and finite(number) else _float(number) for number in value])


def _seed(value: Any) -> int:
    if value is None or isinstance(value, np.random.Generator):
        return int(np.random.default_rng(value).integers(2**32))
    number = _integer(value)
    if number < 0:
        raise ValueError
    return number


def generator(rng: int | np.random.Generator | None) -> np.random.Generator:
    """Return a generator: ``rng`` itself, one seeded by a number, or a fresh one for None."""
    is_ready = rng is None or isinstance(rng, np.random.Generator)
    return np.random.default_rng(rng if is_ready else seed("rng", rng))


def _has_usual_size(vector: tuple[float, ...]) -> bool:
    largest = max(map(abs, vector), default=0.0)
    return len(vector) >= 2 and (largest == 0.0 or 1.0 / LARGEST_REWARD <= largest <= LARGEST_REWARD)


def _is_simplex(vector: tuple[float, ...]) -> bool:
    return len(vector) >= 1 and min(vector) >= 0 and math.fsum(vector) <= 1 + 1e-12


def one_of(choices: Collection[str]) -> Callable[[str, Any], str]:
    """Return the check of a field that has one of these values."""

    def check(name: str, value: Any) -> str:
        return value if isinstance(value, str) and value in choices else choice(name, value, choices)

    return check


def optional(check: Check) -> Check:
    """Return the same check, with None allowed."""
    return Check(f"None or {check.says}", lambda value: None if value is None else check.convert(value))


count: Check = Check("an integer, at least 1", _at_least_one)
decimals: Check = Check("an integer from 0 to 17", _converted_if(_integer, lambda number: 0 <= number <= 17))
positive: Check = Check("a positive number", _converted_if(_number, lambda number: number > 0))
finite: Check = Check("a finite number", _float)
nonnegative: Check = Check("a number, at least 0", _converted_if(_float, lambda number: number >= 0))
unit: Check = Check("a number in [0, 1]", _converted_if(_float, lambda number: 0 <= number <= 1))
open_unit: Check = Check("a number strictly between 0 and 1", _open_unit)
seed: Check = Check(_RNG, _seed)  # of which a generator and None give one
weights: Check = Check(
    f"at least two numbers, one per category, the largest between {1.0 / LARGEST_REWARD:g} and {LARGEST_REWARD:g}",
    _converted_if(_vector, _has_usual_size),
)
simplex: Check = Check("finite numbers >= 0 that sum to at most 1", _converted_if(_vector, _is_simplex))
