"""Where a curve crosses a rate, with an interval: the values that the likelihood does not reject, within the data.

A value is in the interval unless the curve differs from all curves that cross the rate there by more than ``t``
standard errors (``Profile.statistic``), with the degrees of freedom that the covariance has there. Nothing is claimed
beyond the smallest and the largest value of a question: an end out there is infinite, and so is a crossing. Where the
values that are not rejected lie apart from each other, because the slope cannot be told from 0, both ends are infinite.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .._special import brentq
from ..inference import Level
from ._logistic import Logistic, LogisticError
from ._profile import Profile

_PLACES = 32  # values between which ends are looked for


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


def crossing(curve: Logistic, error: LogisticError, rate: float, level: Level) -> Crossing:
    """Return where the curve crosses a rate."""
    target, span = math.log(rate / (1.0 - rate)), (float(curve.x.min()), float(curve.x.max()))
    if curve.y.min() == curve.y.max() and curve.y.min() in (0.0, 1.0):  # no slope, whatever the fit says
        return Crossing(math.inf, -math.inf, math.inf, math.nan, 1.0)
    intercept, slope = curve.parameters
    if slope == 0.0:
        return Crossing(math.nan, -math.inf, math.inf, math.nan, 1.0)
    raw = float((target - intercept) / slope)
    profile, covariance = Profile.of(curve), error.covariance

    def excess(place: float) -> float:
        critical = level.critical(error.degrees(np.array([1.0, place])))
        return profile.statistic(curve.parameters, covariance, target, place) - critical

    lo, hi = _ends(excess, raw, span)
    inside = raw if span[0] <= raw <= span[1] else math.copysign(math.inf, raw - span[0])
    return Crossing(inside, lo, hi, raw, error.degrees(np.array([1.0, raw])))


def _ends(excess: Callable[[float], float], raw: float, span: tuple[float, float]) -> tuple[float, float]:
    """Return the ends of the part of the data that is not rejected; an end beyond the data is infinite.

    Where all of the data is rejected, the crossing lies beyond them, on the side of the estimate.
    """
    places = np.linspace(*span, _PLACES)
    if span[0] < raw < span[1]:
        places = np.union1d(places, raw)
    inside = np.array([excess(float(place)) <= 0.0 for place in places])
    if not inside.any():
        return (span[1], math.inf) if raw > span[1] else (-math.inf, span[0])
    first, last = int(np.argmax(inside)), len(places) - 1 - int(np.argmax(inside[::-1]))
    is_one = bool(inside[first : last + 1].all())
    is_on_its_side = span[0] <= raw <= span[1] or (inside[-1] if raw > span[1] else inside[0])
    if not (is_one and is_on_its_side):
        return -math.inf, math.inf
    lo = -math.inf if first == 0 else brentq(excess, places[first - 1], places[first])
    hi = math.inf if last == len(places) - 1 else brentq(excess, places[last], places[last + 1])
    return lo, hi
