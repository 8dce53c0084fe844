"""The law of a difference: its mean, one-sided bounds, and probabilities; and the ends of a ratio."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._base.arrays import Vector
from .._base.special import ndtri, stdtr
from ..inference._level import Level, quantile_of
from ._overall import added_reach, together


@dataclass(frozen=True)
class DifferenceLaw:
    """A difference with ``below`` and ``above``, the distances to its one-sided bounds at ``error``.

    With finite ``df`` it is a Student t with the scale ``sd``. Otherwise each side is that of a normal distribution
    whose bound lies at that distance.

    >>> law = DifferenceLaw(0.0, 0.02, 0.02, 0.01216, error=0.05)
    >>> round(law.p_at_most(-0.02), 3), round(law.p_at_least(0.0), 3)
    (0.05, 0.5)
    """

    mean: float
    below: float
    above: float
    sd: float
    error: float
    df: float = math.inf

    @classmethod
    def of_sum(cls, laws: Sequence[DifferenceLaw]) -> DifferenceLaw:
        """Return the law of the sum of independent numbers, whose bounds are at the same error."""
        numbers = np.array([(law.mean, law.sd, law.below, law.above) for law in laws])
        mean, sd, below, above = numbers.T
        error = laws[0].error
        down, up = added_reach(sd, below, above, Level.of_error(2.0 * error).critical())
        return cls(float(mean.sum()), float(down), float(up), float(np.sqrt((sd**2).sum())), error)

    @staticmethod
    def ends_of_ratio(difference: Callable[[float], DifferenceLaw], start: float) -> tuple[float, float]:
        """Return the ends of a ratio (Fieller 1954), from the law of the difference ``a - c b`` for any ``c``.

        The interval of that difference falls with ``c``: the ends are where it begins and ceases to include 0.

        >>> lo, hi = DifferenceLaw.ends_of_ratio(lambda c: DifferenceLaw(2.0 - c, 0.5, 1.0, 0.4, 0.025), 0.5)
        >>> round(lo, 9), round(hi, 9)
        (1.5, 3.0)
        """
        lo = _where_it_falls_to_zero(lambda c: difference(c).lo, start)
        return lo, _where_it_falls_to_zero(lambda c: difference(c).hi, start)

    @property
    def lo(self) -> float:
        """The lower one-sided bound."""
        return self.mean - self.below

    @property
    def hi(self) -> float:
        """The upper one-sided bound."""
        return self.mean + self.above

    @property
    def _critical(self) -> float:
        return -float(quantile_of(self.df, self.error))

    def cdf(self, x: Any) -> Any:
        """Return the probability of a difference of at most ``x``; it is ``error`` where ``x`` is ``lo``."""
        return self._chance(np.asarray(x, dtype=np.float64) - self.mean, self.below, self.above)

    def _chance(self, gap: Any, below: float, above: float) -> Any:
        """Return the probability of at most ``gap`` more than the mean, of a law that reaches so far to either side."""
        side = np.where(gap > 0.0, above, below)
        certain = np.where(gap == 0.0, 0.5, gap > 0.0)
        safe = np.where(side > 0.0, side, 1.0)
        return np.where(side > 0.0, stdtr(self.df, self._critical * gap / safe), certain)[()]

    def icdf(self, p: Any) -> Any:
        """Return the difference that has the probability ``p`` below it."""
        t = quantile_of(self.df, p)
        return self.mean + np.where(t > 0.0, self.above, self.below) * t / self._critical

    def draws(self, n: int, rng: np.random.Generator) -> Vector:
        """Return ``n`` draws."""
        return np.asarray(self.icdf(rng.random(n)))

    def p_at_most(self, limit: float) -> float:
        """Return the probability of a difference of at most ``limit``."""
        return float(self.cdf(limit))

    def p_at_least(self, limit: float) -> float:
        """Return the probability of a difference of at least ``limit``; it is ``error`` where ``limit`` is ``hi``."""
        return float(self._chance(self.mean - limit, self.above, self.below))

    def times(self, factor: float) -> DifferenceLaw:
        """Return the law of the number times a factor, which is not negative."""
        return replace(self, **{name: factor * getattr(self, name) for name in ("mean", "below", "above", "sd")})

    def minus(self, other: DifferenceLaw, correlation: float = 0.0) -> DifferenceLaw:
        """Return the law of this number less another: distances combine as correlated deviations do.

        >>> one, other = DifferenceLaw(0.7, 0.3, 0.1, 0.1, 0.025), DifferenceLaw(0.5, 0.2, 0.4, 0.1, 0.025)
        >>> law = one.minus(other)
        >>> round(law.below, 3), round(law.above, 3)
        (0.5, 0.224)
        """
        sides = ((self.below, other.above), (self.above, other.below), (self.sd, other.sd))
        shares = np.array([[1.0, correlation], [correlation, 1.0]])
        below, above, sd = (float(together([one, -theirs], shares)) for one, theirs in sides)
        return replace(self, mean=self.mean - other.mean, below=below, above=above, sd=sd)

    def effort(self, limit: float, chance: float) -> float:
        """Return how many times as much data tell the difference from ``limit``, with this ``chance``.

        The present mean is taken for the true difference. Infinite if the mean is the limit.
        """
        room, side = self.mean - limit, self.below if self.mean > limit else self.above
        if room == 0.0:
            return math.inf
        normal = -float(ndtri(self.error))
        return ((normal + float(ndtri(chance))) / normal * side / room) ** 2


_LARGEST = 1e6  # a solution further away counts as unbounded
_STEPS = 60  # of the bisection


def _where_it_falls_to_zero(of: Callable[[float], float], start: float) -> float:
    """Return the largest number at which a falling function is still positive: infinite if there is no end."""
    step = max(abs(start), 1.0)
    low, high = (start, start + step) if of(start) > 0.0 else (start - step, start)
    while of(high) > 0.0:
        low, high = high, high + 2.0 * (high - low)
        if high > _LARGEST:
            return math.inf
    while not of(low) > 0.0:
        low, high = low - 2.0 * (high - low), low
        if low < -_LARGEST:
            return -math.inf
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if of(middle) > 0.0 else (low, middle)
    return (low + high) / 2.0
