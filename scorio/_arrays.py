"""Array types, each defined once, and read-only arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Counts = NDArray[np.int64]
Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]
LARGEST_REWARD = 1e100  # a double holds its square
LARGEST_WEIGHT = 1e155  # scores are linear in weights, and intervals are computed on a smaller scale
P = ParamSpec("P")
T = TypeVar("T")
A = TypeVar("A", bound=NDArray[Any])


def read_only(array: A) -> A:
    """Return the array, made read-only."""
    array.setflags(write=False)
    return array


def underflow_is_zero(function: Callable[P, T]) -> Callable[P, T]:
    """Return the function with underflow ignored, whatever the user's ``np.seterr`` says.

    Tails of distributions underflow by intention; overflow, division by zero and invalid values do not occur.
    """

    @functools.wraps(function)
    def calculated(*args: P.args, **options: P.kwargs) -> T:
        with np.errstate(under="ignore"):
            return function(*args, **options)

    return calculated


def finite_list(values: Any) -> Vector | None:
    """Return a non-empty list of finite numbers as an array; None for anything else."""
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return numbers if numbers.ndim == 1 and numbers.size and np.isfinite(numbers).all() else None
