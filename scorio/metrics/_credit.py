"""Credit vectors, functions of ``k``: what a draw of ``k`` trials with ``j = 0..k`` successes is worth."""

import functools
import math
from collections.abc import Callable, Sequence

import numpy as np

from .._arrays import Vector, read_only


def _kept(function: Callable[[int], Vector]) -> Callable[[int], Vector]:
    """Return the function with its last results kept, read-only: small calls ask for the same ``k`` again and again."""

    @functools.lru_cache(maxsize=16)
    def kept(k: int) -> Vector:
        return read_only(function(k))

    return functools.update_wrapper(kept, function)


def quota(k: int, tau: float) -> int:
    """Return ``max(1, ceil(tau k))`` as if ``tau`` were an exact decimal number.

    >>> quota(25, 0.28)
    7
    """
    j = math.floor(tau * k)
    return max(1, j + (tau > j / k))


def majority(k: int) -> int:
    """Return the smallest number of successes that is more than half of ``k``."""
    return k // 2 + 1


def half(k: int) -> int:
    """Return ``ceil(k / 2)``, the number of successes above which mG-Pass@k gives credit."""
    return (k + 1) // 2


def at_least(k: int, hits: int) -> Vector:
    """Return 1 for ``hits`` successes or more, otherwise 0.

    >>> at_least(3, 2)
    array([0., 0., 1., 1.])
    """
    return (np.arange(k + 1) >= hits).astype(np.float64)


def excess(k: int) -> Vector:
    """Return ``(2/k) max(j - ceil(k/2), 0)``, the credit of mG-Pass@k.

    >>> excess(4)
    array([0. , 0. , 0. , 0.5, 1. ])
    """
    return np.maximum(np.arange(k + 1) - half(k), 0) * (2.0 / k)


@_kept
def trapezoid(k: int) -> Vector:
    """Return the normalized area under Pass@1..Pass@k as a credit of the number of successes among ``k``.

    With ``j`` successes among ``k``, ``sum_i P(no success in the first i draws) = (k - j) / (j + 1)``; the half weights
    of the trapezoid rule at both ends subtract ``(k - j) / 2k``.

    >>> trapezoid(2)
    array([0.  , 0.75, 1.  ])
    """
    if k == 1:
        return np.array([0.0, 1.0])
    j = np.arange(1, k + 1)
    credit = np.zeros(k + 1)
    credit[1:] = 1.0 - (k - j) / (k - 1.0) * (1.0 / (j + 1.0) - 1.0 / (2.0 * k))
    return credit


@_kept
def trapezoid_steps(k: int) -> Vector:
    """Return the differences of ``trapezoid(k)``, each to full precision.

    >>> trapezoid_steps(2)
    array([0.75, 0.25])
    """
    if k == 1:
        return np.ones(1)
    r = np.arange(1, k + 1)
    steps = ((k + 1.0) / (r * (r + 1.0)) - 1.0 / (2.0 * k)) / (k - 1.0)
    steps[0] = 0.5 + 1.0 / (2.0 * k)
    return steps


def cumulative(weights: Sequence[float]) -> Vector:
    """Return ``w_1 + ... + w_j`` for ``j = 0..k``, the credit of a threshold spectrum.

    >>> cumulative([0.25, 0.5])
    array([0.  , 0.25, 0.75])
    """
    return np.concatenate(([0.0], np.cumsum(np.asarray(weights, dtype=np.float64))))
