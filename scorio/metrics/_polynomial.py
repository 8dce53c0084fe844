"""Functions of the success rate as polynomials, whose scores have no bias.

The score of a metric that is no polynomial of the rate, such as Geom@k, is biased. But a smooth function is a
polynomial of a degree not far above ``k`` to many digits, and a polynomial of degree ``d`` is the expected credit of a
draw of ``d`` trials: its score over the draws from a question's trials has no bias.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .._arrays import Vector, read_only
from .._kernels import rate_integrals

MOST_TRIALS = 128  # of a draw; solving for the credits takes some 20 ms there
_STEPS = (0.75, 1.0, 1.5, 2.0, 3.0, 4.0)  # degrees that are tried, in multiples of k
_LEAST_STRENGTH = 1e-7  # of a direction of the credits, relative to the strongest: others would only make them large
_RANGE = 0.01  # by which credits may leave the range of the function

Function = Callable[[Vector, Vector], Vector]  # of p and q = 1 - p


class NearCredit(NamedTuple):
    """Credits of a draw of ``len(values) - 1`` trials, and how far from the function the expected credit can be."""

    values: Vector
    error: float


def near_credit(function: Function, degree: int) -> NearCredit:
    """Return the credits whose expectation is nearest to a function of the rate, and equal to it at rates of 0 and 1.

    >>> near = near_credit(lambda p, q: np.sqrt(p * (2 - p)) * p, 8)
    >>> near.values.round(3).tolist()[:3], near.error < 5e-4
    ([0.0, 0.018, 0.176], True)
    """
    p, q = _rates(4 * degree + 8)
    share = np.arange(degree + 1) / degree
    credit = np.array(function(share, 1.0 - share))
    basis = np.array([_expected(unit, p, q) for unit in np.eye(degree + 1)[1:-1]]).reshape(degree - 1, len(p)).T
    missing = function(p, q) - _expected(credit, p, q)
    credit[1:-1] += np.linalg.lstsq(basis, missing, rcond=_LEAST_STRENGTH)[0]
    p, q = _rates(16 * degree + 33)
    return NearCredit(read_only(credit), float(np.abs(function(p, q) - _expected(credit, p, q)).max()))


def nearest(of_degree: Callable[[int], NearCredit], k: int, trials: int, tolerance: float) -> NearCredit | None:
    """Return the credits of the fewest trials, at most ``trials``, whose error is within the tolerance, if any are.

    ``k`` is the budget of the function, which changes no faster than a polynomial of about that degree.
    """
    if tolerance < _LEAST_STRENGTH:  # finer than credits are known
        return None
    most = min(trials, MOST_TRIALS)
    for degree in sorted({max(round(step * k), 2) for step in _STEPS}):
        if degree > most:
            return None
        near = of_degree(degree)
        low, high = sorted((near.values[0], near.values[-1]))
        margin = _RANGE * (high - low)
        if near.error <= tolerance and low - margin <= near.values.min() <= near.values.max() <= high + margin:
            return near
    return None


def _rates(count: int) -> tuple[Vector, Vector]:
    """Return rates at equal distances of the angle whose squared sine they are, where polynomials need them."""
    angle = (np.arange(count) + 0.5) * (np.pi / 2.0 / count)
    return np.sin(angle) ** 2, np.cos(angle) ** 2


def _expected(credit: Vector, p: Vector, q: Vector) -> Vector:
    """Return the expected credit at each rate."""
    values = np.empty(len(p))
    rate_integrals.values(np.ascontiguousarray(credit), p, q, values)
    return values
