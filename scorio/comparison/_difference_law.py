"""What is known of a difference: its mean, one-sided bounds, and probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._special import ndtri, stdtr
from ._comparison import Comparison
from ._joint import quantile_of


@dataclass(frozen=True)
class DifferenceLaw:
    """A difference with ``below`` and ``above``, the distances to its one-sided bounds at ``error``.

    With finite ``df`` it is a Student t with the scale ``sd``. Otherwise each side is that of a normal distribution
    whose bound lies at that distance. ``share`` is the part of the variance that comes from the first model.

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
    share: float = math.nan

    @property
    def lo(self) -> float:
        """The lower one-sided bound."""
        return self.mean - self.below

    @property
    def hi(self) -> float:
        """The upper one-sided bound."""
        return self.mean + self.above

    def p_at_most(self, limit: float) -> float:
        """Return the probability of a difference of at most ``limit``; it is ``error`` where ``limit`` is ``lo``."""
        gap = limit - self.mean
        side = self.above if gap > 0.0 else self.below
        if side <= 0.0:
            return 1.0 if gap > 0.0 else 0.0 if gap < 0.0 else 0.5
        return float(stdtr(self.df, critical_value(self.df, 2.0 * self.error) * gap / side))

    def p_at_least(self, limit: float) -> float:
        """Return the probability of a difference of at least ``limit``; it is ``error`` where ``limit`` is ``hi``."""
        return DifferenceLaw(-self.mean, self.above, self.below, self.sd, self.error, self.df).p_at_most(-limit)

    def effort(self, limit: float, chance: float) -> float:
        """Return how many times as much data tell the difference from ``limit``, with this ``chance``.

        The present mean is taken for the true difference. Infinite if the mean is the limit.
        """
        room, side = self.mean - limit, self.below if self.mean > limit else self.above
        if room == 0.0:
            return math.inf
        normal = -float(ndtri(self.error))
        return ((normal + float(ndtri(chance))) / normal * side / room) ** 2

    def effort_of_first(self, limit: float, chance: float) -> float:
        """Return the same where only the first model gets more data: infinite if that cannot be enough."""
        left = 1.0 / self.effort(limit, chance) - (1.0 - self.share) if self.effort(limit, chance) else math.inf
        return self.share / left if left > 0.0 else math.inf


def law_of(result: Comparison, error: float, share: float = math.nan) -> DifferenceLaw:
    """Return the law of a comparison at the confidence ``1 - 2 error``."""
    below, above = result.difference - result.lo, result.hi - result.difference
    return DifferenceLaw(result.difference, below, above, result.sigma, error, result.degrees, share)


def critical_value(df: float, error: float) -> float:
    """Return the two-sided critical value of a normal or Student's statistic.

    >>> round(critical_value(math.inf, 0.05), 2), round(critical_value(10.0, 0.05), 2)
    (1.96, 2.23)
    """
    return -float(quantile_of(df, error / 2.0))


def holm(p: Sequence[float]) -> list[float]:
    """Return p-values that are corrected for their number by Holm's method.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    steps = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    corrected = np.empty(len(values))
    corrected[order] = np.minimum(steps, 1.0)
    return [float(each) for each in corrected]
