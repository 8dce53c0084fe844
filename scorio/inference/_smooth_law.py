"""A smooth distribution with a given center and interval, for densities and for draws.

It is normal if the interval is symmetric. Otherwise it is a shifted lognormal distribution ``c + s (exp(k Z) - 1)``
with ``Z`` standard normal: its median is the center, and its central interval has the given ends, because
``(exp(k z) - 1) / (1 - exp(-k z)) = exp(k z)`` is the ratio of the longer side to the shorter one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .._arrays import Vector

_SYMMETRIC = 1e-6  # skewness below which the interval counts as symmetric
_LEAST_SIDE = 1e-6  # the shorter side is at least this share of the longer one


@dataclass(frozen=True)
class SmoothLaw:
    """The distribution with median ``center`` whose quantiles at ``Phi(-z)`` and ``Phi(z)`` are ``lo`` and ``hi``.

    >>> law = SmoothLaw(0.5, 0.4, 0.7, 1.96)
    >>> sample = law.draws(100_000, np.random.default_rng(0))
    >>> [round(float(each), 2) for each in np.quantile(sample, [0.025, 0.5, 0.975])]
    [0.4, 0.5, 0.7]
    """

    center: float
    lo: float
    hi: float
    z: float

    def _shape(self) -> tuple[float, float, float]:
        """Return the skewness, the scale, and the direction of the longer side; the skewness is 0 for a normal."""
        sides = (self.center - self.lo, self.hi - self.center)
        long = max(sides)
        short = max(min(sides), _LEAST_SIDE * long)
        skewness = math.log(long / short) / self.z if long > 0.0 else 0.0
        if skewness < _SYMMETRIC:
            return 0.0, (short + long) / (2.0 * self.z), 1.0
        return skewness, long / math.expm1(skewness * self.z), math.copysign(1.0, sides[1] - sides[0])

    def density(self, x: Vector) -> Vector:
        """Return the density at ``x``; the interval must have a width."""
        skewness, scale, direction = self._shape()
        if skewness == 0.0:
            z, slope = (x - self.center) / scale, np.full_like(x, 1.0 / scale)
        else:
            argument = np.maximum(1.0 + direction * (x - self.center) / scale, np.finfo(float).tiny)
            z, slope = np.log(argument) / skewness, 1.0 / (skewness * scale * argument)
        return np.asarray(np.exp(-0.5 * np.minimum(z * z, 1400.0)) * slope / math.sqrt(2.0 * math.pi))

    def draws(self, n: int, rng: np.random.Generator) -> Vector:
        """Return ``n`` draws."""
        skewness, scale, direction = self._shape()
        z = rng.standard_normal(n)
        if skewness == 0.0:
            return self.center + scale * z
        return np.asarray(self.center + direction * scale * np.expm1(skewness * z))
