"""Where a curve crosses a rate, with an interval: the values that the likelihood does not reject, within the data.

The curve maximises a likelihood: that of the outcomes with what the penalty for few trials adds to either of them,
which is held at the fit, less the ridge. Of the curves with the logit ``t`` at the value ``h``, ``t + b (x - h)``,
the best one loses some of it. Twice the loss is the square of a signed root whose variance the sandwich knows:

    z(h)^2 = 2 (l(fit) - max_b l(t + b (x - h))) naive(h) / robust(h),

with the variances of ``intercept + slope h`` by the information and by the covariance of the fit. To first order it is
the square of Wald's statistic, which Fieller's theorem inverts. But where the slope is uncertain, that one grows too
slowly (Hauck and Donner 1977), and intervals for a crossing are too wide; those of the likelihood are shorter and cover
as they should (Williams 1986).

A value is in the interval unless ``z`` exceeds Student's quantile, with the degrees of freedom that the covariance has
there. Nothing is claimed beyond the smallest and the largest value of a question: an end out there is infinite, and so
is a crossing. Where the values that are not rejected lie apart from each other, because the slope cannot be told from
0, both ends are infinite.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .._arrays import Vector
from .._special import brentq, expit
from ..inference import Level
from ._logistic import Logistic, LogisticError

_PLACES = 32  # values between which ends are looked for
_STEPS = 60  # of Newton's method
_LARGEST_STEP = 4.0  # of the linear predictor at the farthest value
_LEAST = 1e-300  # variance to divide by
_FITTED = 1e-10  # change of the slope, in units of the linear predictor, at which it is found


def crossing(curve: Logistic, error: LogisticError, rate: float, level: Level) -> tuple[float, float, float]:
    """Return where the curve crosses a rate on the scale of ``x``, and the ends of its interval.

    The crossing is infinite where it lies beyond the data, with the sign of the side, and NaN without a slope.
    """
    raw, span = curve.place_of(rate), (float(curve.x.min()), float(curve.x.max()))
    if math.isnan(raw):
        return (math.inf if curve.is_unanimous else math.nan), -math.inf, math.inf
    likelihood, target = _Likelihood.of(curve), math.log(rate / (1.0 - rate))

    def excess(place: float) -> float:
        critical = level.critical(error.degrees(np.array([1.0, place])))
        return likelihood.statistic(curve.parameters, error.covariance, target, place) - critical

    lo, hi = _ends(excess, raw, span)
    return raw if span[0] <= raw <= span[1] else math.copysign(math.inf, raw - span[0]), lo, hi


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


@dataclass(frozen=True)
class _Likelihood:
    """What the likelihood is made of: values, outcomes from 0 to 1, their weights and the ridge; its information."""

    x: Vector
    y: Vector
    weights: Vector
    ridge: float
    information: Vector

    @classmethod
    def of(cls, curve: Logistic) -> _Likelihood:
        """Return the likelihood that a curve maximises."""
        added = curve.added
        some = curve.share * (1.0 + added)
        return cls(curve.x, (curve.y + 0.5 * added) / (1.0 + added), some, curve.ridge, curve.information(some))

    def statistic(self, parameters: Vector, covariance: Vector, target: float, h: float) -> float:
        """Return by how many standard errors the curve differs from those that have the logit ``target`` at ``h``."""
        contrast, (intercept, slope) = np.array([1.0, h]), parameters
        moved = np.linalg.solve(self.information, contrast)
        naive, robust = float(contrast @ moved), float(contrast @ covariance @ contrast)
        start = slope - float(moved[1]) * (intercept + slope * h - target) / naive  # of the quadratic approximation
        best = self._best_slope(self.x - h, target, start)
        loss = self._likelihood(intercept + slope * self.x, slope) - self._likelihood(
            target + best * (self.x - h), best
        )
        return float(np.sqrt(max(2.0 * loss, 0.0) * naive / max(robust, _LEAST)))

    def _likelihood(self, eta: Vector, slope: float) -> float:
        return float(np.sum(self.weights * (self.y * eta - np.logaddexp(0.0, eta)))) - 0.5 * self.ridge * slope**2

    def _best_slope(self, distance: Vector, target: float, start: float) -> float:
        """Return the slope of the best curve through the point, by Newton's method with steps that are not too long."""
        slope, farthest = start, float(np.abs(distance).max())
        for _ in range(_STEPS):
            p = np.asarray(expit(target + slope * distance))
            score = float(np.sum(self.weights * (self.y - p) * distance)) - self.ridge * slope
            curvature = float(np.sum(self.weights * p * (1.0 - p) * distance**2)) + self.ridge
            limit = _LARGEST_STEP / farthest
            step = min(max(score / max(curvature, 1e-300), -limit), limit)
            slope += step
            if abs(step) * farthest < _FITTED:
                break
        return slope
