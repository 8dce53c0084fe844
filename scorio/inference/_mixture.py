"""A posterior as a weighted mixture of components that are known by mean and variance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._kernels import beta_mixture

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Mixture:
    """Components with weights that add to 1."""

    weight: Vector
    mean: Vector
    variance: Vector

    @classmethod
    def single(cls, mean: float, sd: float) -> Mixture:
        """Return a mixture of one component."""
        with np.errstate(under="ignore"):
            return cls(np.ones(1), np.array([mean]), np.array([sd]) ** 2)

    @property
    def mu(self) -> float:
        """The mean."""
        return beta_mixture.moments(self.weight, self.mean, self.variance)[0]

    @property
    def sigma(self) -> float:
        """The standard deviation: within components and between them."""
        return beta_mixture.moments(self.weight, self.mean, self.variance)[1]

    def scaled(self, offset: float, gain: float) -> Mixture:
        """Return the distribution of ``offset + gain x``."""
        with np.errstate(under="ignore"):
            return Mixture(self.weight, offset + gain * self.mean, gain**2 * self.variance)

    def quantiles(self, chances: tuple[float, float], low: float, high: float) -> tuple[float, float]:
        """Return quantiles; each component is a Beta distribution on ``[low, high]`` with its mean and variance."""
        values = np.empty(len(chances))
        beta_mixture.quantiles(self.weight, self.mean, self.variance, low, high, np.array(chances), values)
        return float(values[0]), float(values[1])

    def equal_tailed(self, tail: float, low: float, high: float) -> tuple[float, float]:
        """Return the quantiles at ``tail`` and ``1 - tail``, however small ``tail`` is."""
        if tail > 1e-9:  # where 1 - tail keeps enough digits
            return self.quantiles((tail, 1.0 - tail), low, high)
        mirrored = Mixture(self.weight, low + high - self.mean, self.variance)
        (bottom, _), (top, _) = self.quantiles((tail, 0.5), low, high), mirrored.quantiles((tail, 0.5), low, high)
        return bottom, low + high - top


def matched_beta(mean: Vector | float, variance: Vector | float) -> tuple[Vector, Vector]:
    """Parameters of the Beta with this mean and variance, both kept where such a Beta exists."""
    mean = np.clip(mean, 1e-100, 1.0 - 1e-16)
    room = mean * (1.0 - mean)
    strength = room / np.clip(variance, 1e-12 * room, (1.0 - 1e-9) * room) - 1.0
    return mean * strength, (1.0 - mean) * strength
