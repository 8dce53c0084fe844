"""Where a curve crosses a rate, with an interval: Fieller's theorem within the range of the data.

A value ``x`` is in the interval unless ``a + b x`` differs from the logit of the rate by more than ``t`` standard
errors. The ends are roots of a quadratic equation, whatever the ratio ``-a / b`` does where the slope is small: where
the slope cannot be told from 0, one end or both are infinite. Nothing is claimed beyond the smallest and the largest
value of a question: an end out there is infinite, and so is a crossing.
"""

import math
from typing import NamedTuple

import numpy as np

from .._arrays import Vector
from ..inference import Level
from ._logistic import LogisticFit

_ROUNDS = 3  # of degrees of freedom that are those at the ends


class Crossing(NamedTuple):
    """Where a curve crosses a rate on the scale of ``x``, and the ends of its interval.

    ``x`` is infinite where the crossing lies beyond the data, with the sign of the side, and NaN without a slope.
    ``raw`` is that of the formula all the same.
    """

    x: float
    lo: float
    hi: float
    raw: float
    degrees: float


def crossing(fit: LogisticFit, rate: float, level: Level, span: tuple[float, float]) -> Crossing:
    """Return where the curve crosses a rate; ``span`` is the smallest and the largest value."""
    target = math.log(rate / (1.0 - rate))
    intercept, slope = fit.parameters
    if slope == 0.0:
        return Crossing(math.nan, -math.inf, math.inf, math.nan, 1.0)
    raw = float((target - intercept) / slope)
    degrees = fit.degrees(np.array([1.0, raw]))
    ends = found = (raw, raw)
    for _ in range(_ROUNDS):
        lo, hi = (level.critical(fit.degrees(np.array([1.0, end]))) for end in ends)
        found = (_ends(fit, target, lo, span)[0], _ends(fit, target, hi, span)[1])
        ends = (found[0] if math.isfinite(found[0]) else raw, found[1] if math.isfinite(found[1]) else raw)
    lo, hi = found
    lo = -math.inf if lo <= span[0] else min(lo, span[1])
    hi = math.inf if hi >= span[1] else max(hi, span[0])
    inside = raw if span[0] <= raw <= span[1] else math.copysign(math.inf, raw - span[0])
    return Crossing(inside, lo, hi, raw, degrees)


def _ends(fit: LogisticFit, target: float, critical: float, span: tuple[float, float]) -> tuple[float, float]:
    """Return the ends of the part of Fieller's set that holds the estimate."""
    (a, b), cov, square = fit.parameters, fit.covariance, critical**2
    quadratic = b * b - square * cov[1, 1]
    linear = 2.0 * ((a - target) * b - square * cov[0, 1])
    constant = (a - target) ** 2 - square * cov[0, 0]
    root = linear * linear - 4.0 * quadratic * constant
    if root < 0.0 or quadratic == 0.0:
        return -math.inf, math.inf
    first, second = sorted(
        ((-linear - math.sqrt(root)) / (2.0 * quadratic), (-linear + math.sqrt(root)) / (2.0 * quadratic))
    )
    if quadratic > 0.0:
        return first, second
    above = (target - a) / b >= second  # the set is all but the values between the roots
    if above:
        return (second, math.inf) if first < span[0] else (-math.inf, math.inf)
    return (-math.inf, first) if second > span[1] else (-math.inf, math.inf)


def log_influence(fit: LogisticFit, raw: float) -> Vector:
    """Return what each cluster contributes to the error of the crossing, to first order."""
    return np.asarray(-(fit.influence @ np.array([1.0, raw])) / fit.parameters[1])
