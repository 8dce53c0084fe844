"""The likelihood of a curve that must cross a rate at a given value, beside that of the fitted curve.

The curve maximises a likelihood: that of the outcomes with what the penalty for few trials adds to either of them,
which is held at the fit, less the ridge. Of the curves with the logit ``t`` at the value ``h``, ``t + b (x - h)``,
the best one loses some of it. Twice the loss is the square of a signed root whose variance the sandwich knows:

    z(h)^2 = 2 (l(fit) - max_b l(t + b (x - h))) naive(h) / robust(h),

with the variances of ``intercept + slope h`` by the information and by the covariance of the fit. To first order it is
the square of Wald's statistic, which Fieller's theorem inverts. But where the slope is uncertain, that one grows too
slowly (Hauck and Donner 1977), and intervals for a crossing are too wide; those of the likelihood are shorter and cover
as they should (Williams 1986).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import Vector
from .._special import expit
from ._logistic import Logistic

_STEPS = 60  # of Newton's method
_LARGEST_STEP = 4.0  # of the linear predictor at the farthest value
_LEAST = 1e-300  # variance to divide by
_FITTED = 1e-10  # change of the slope, in units of the linear predictor, at which it is found


@dataclass(frozen=True)
class Profile:
    """What the likelihood is made of: values, outcomes from 0 to 1, their weights and the ridge; its information."""

    x: Vector
    y: Vector
    weights: Vector
    ridge: float
    information: Vector

    @classmethod
    def of(cls, curve: Logistic) -> Profile:
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
