"""A posterior as a weighted mixture of components that are known by mean and variance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv, betaln

Vector = NDArray[np.float64]
_COMPONENTS = 16  # that a quantile is taken of
_TOLERANCE = 1e-6  # of a quantile, relative
_TINY = 1e-15  # and absolute


@dataclass(frozen=True)
class Mixture:
    """Components with weights that add to 1."""

    weight: Vector
    mean: Vector
    variance: Vector

    @classmethod
    def single(cls, mean: float, sd: float) -> Mixture:
        """One component."""
        return cls(np.ones(1), np.array([mean]), np.array([sd]) ** 2)

    @property
    def mu(self) -> float:
        """The mean."""
        return float(self.weight @ self.mean)

    @property
    def sigma(self) -> float:
        """The standard deviation: within components and between them."""
        between = self.weight @ (self.mean - self.mu) ** 2
        return float(np.sqrt(self.weight @ self.variance + between))

    def scaled(self, offset: float, gain: float) -> Mixture:
        """The mixture of ``offset + gain x``."""
        return Mixture(self.weight, offset + gain * self.mean, gain**2 * self.variance)

    def quantiles(self, chances: tuple[float, float], low: float, high: float) -> tuple[float, float]:
        """Quantiles, every component a Beta on ``[low, high]`` with its mean and variance."""
        few, width = self._few(), high - low
        a, b = matched_beta((few.mean - low) / width, few.variance / width**2)
        whole = matched_beta((self.mu - low) / width, (self.sigma / width) ** 2)
        found = [low + width * _quantile(few.weight, a, b, chance, betaincinv(*whole, chance)) for chance in chances]
        return found[0], found[1]

    def _few(self) -> Mixture:
        """Neighbours by mean joined to one component, so that each of those has about as much weight."""
        if len(self.weight) <= _COMPONENTS:
            return self
        order = np.argsort(self.mean)
        weight, mean = self.weight[order], self.mean[order]
        group = np.minimum((np.cumsum(weight) - 0.5 * weight) * _COMPONENTS, _COMPONENTS - 1).astype(np.intp)
        total: Vector = np.bincount(group, weight, _COMPONENTS).astype(np.float64)
        occupied = total > 0.0
        share = weight / total[group]
        centre: Vector = np.bincount(group, share * mean, _COMPONENTS).astype(np.float64)
        away: Vector = mean - centre[group]
        spread = np.bincount(group, share * (self.variance[order] + away**2), _COMPONENTS).astype(np.float64)
        return Mixture(total[occupied], centre[occupied], spread[occupied])


def matched_beta(mean: Vector | float, variance: Vector | float) -> tuple[Vector, Vector]:
    """Parameters of the Beta with this mean and variance, both kept where such a Beta exists."""
    mean = np.clip(mean, 1e-100, 1.0 - 1e-16)
    room = mean * (1.0 - mean)
    strength = room / np.clip(variance, 1e-12 * room, (1.0 - 1e-9) * room) - 1.0
    return mean * strength, (1.0 - mean) * strength


def _quantile(weight: Vector, a: Vector, b: Vector, chance: float, start: float) -> float:
    """From a first guess, by Newton steps that halve where they would leave the bracket; near 1, from 1."""
    if start > 0.5:
        return 1.0 - _quantile(weight, b, a, 1.0 - chance, 1.0 - start)
    low, high, at = 0.0, 1.0, float(start)
    log_scale = betaln(a, b)
    while high - low > max(_TOLERANCE * high, _TINY):
        excess = float(weight @ betainc(a, b, at)) - chance
        low, high = (low, at) if excess > 0.0 else (at, high)
        slope = (
            float(weight @ np.exp((a - 1.0) * np.log(at) + (b - 1.0) * np.log1p(-at) - log_scale)) if at > 0.0 else 0.0
        )
        step = at - excess / slope if slope > 0.0 else low
        if abs(step - at) < 0.1 * _TOLERANCE * at:
            break
        at = step if low < step < high else 0.5 * (low + high) if low > 0.01 * high else 0.1 * high
    return at
