"""The level of an interval or a test: how sure it is, alone or at one of many looks."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from .._base.special import betaln, log_ndtr, ndtri, stdtr, stdtrit
from ..params import open_unit

_LEAST_ERROR = 1e-290  # smaller probabilities are known by their normal deviate
_LARGEST_LOG = 700.0  # a double holds its exponential


class Level(NamedTuple):
    """A confidence, and ``error``, the probability of both tails together where it is not ``1 - confidence``.

    At one of many looks, ``error`` is smaller than ``1 - confidence``, so that all looks together have the confidence.
    ``z`` is then its normal deviate, which a number holds even where ``error`` is too small for one.

    >>> round(Level(0.95).critical(), 3), round(Level(0.95).critical(10.0), 3), round(Level(0.95, 0.01).critical(), 3)
    (1.96, 2.228, 2.576)
    """

    confidence: float
    error: float | None = None
    z: float = math.inf

    @classmethod
    def of_error(cls, error: float) -> Level:
        """Return the level with this probability of both tails."""
        return cls(1.0 - error, error)

    @property
    def tail(self) -> float:
        """The probability of one tail."""
        return (1.0 - open_unit("confidence", self.confidence) if self.error is None else self.error) / 2.0

    def critical(self, df: float = math.inf) -> float:
        """Return how many standard deviations to either side are within the level, by Student's t.

        With infinite ``df`` that is the normal distribution.
        """
        if self.error is None:
            if math.isinf(df):
                return _two_sided_z(self.confidence)
            return float(stdtrit(df, (1.0 + open_unit("confidence", self.confidence)) / 2.0))
        if self.error < _LEAST_ERROR:
            return self.z if math.isinf(df) else _far_out(df, self.z)
        return -float(quantile_of(df, self.error / 2.0))


def _far_out(df: float, z: float) -> float:
    """Return Student's deviate whose tail is that of ``z`` standard deviations of a normal distribution.

    The tail beyond ``t`` is ``x^a / (2 a B(a, 1/2))`` with ``a = df/2`` and ``x = df / (df + t^2)``, to within a factor
    of ``sqrt(1 - x)``, which far out hardly moves ``t``. So ``log x`` is found from the logarithm of the tail.
    """
    a = df / 2.0
    log_ratio = -(float(log_ndtr(-z)) + math.log(2.0 * a) + float(betaln(a, 0.5))) / a
    return math.sqrt(df * math.expm1(log_ratio)) if log_ratio < _LARGEST_LOG else math.inf


def quantile_of(df: float, p: Any) -> Any:
    """Return quantiles of Student's t, which is normal with infinite ``df``."""
    return ndtri(p) if math.isinf(df) else stdtrit(df, p)


@lru_cache(maxsize=64)
def _two_sided_z(confidence: float) -> float:
    return float(ndtri((1.0 + open_unit("confidence", confidence)) / 2.0))


def satterthwaite(variances: Any, degrees: Any) -> tuple[Any, Any]:
    """Return the sum of independent variances, along their first axis, and its degrees of freedom, from those of each.

    This is the rule of Welch and Satterthwaite. A sum of none, or of variances that are 0, has one degree of freedom.

    >>> total, freedom = satterthwaite([1.0, 1.0, 0.0], [9.0, 9.0, 2.0])
    >>> float(total), float(freedom)
    (2.0, 18.0)
    """
    parts = np.asarray(variances, dtype=np.float64)
    freedom = np.reshape(np.asarray(degrees, dtype=np.float64), (-1, *[1] * (parts.ndim - 1)))
    total = parts.sum(axis=0)
    parts = parts / np.where(total > 0.0, total, 1.0)  # whose squares a number holds
    share = np.divide(parts**2, freedom, out=np.zeros_like(parts), where=parts != 0.0).sum(axis=0)
    return total[()], np.divide(1.0, share, out=np.where(total > 0.0, np.inf, 1.0), where=share > 0.0)[()]


def two_sided(above: float) -> float:
    """Return the two-sided p-value of 0 from the probability of a number above it."""
    return 2.0 * min(above, 1.0 - above)


def p_of_statistic(statistic: Any, df: float = math.inf) -> Any:
    """Return the two-sided p-value of Student's statistic, which is normal with infinite ``df``."""
    return 2.0 * stdtr(df, -np.abs(statistic))


class Student(NamedTuple):
    """A value, the standard deviation of its error, and the degrees of freedom of that.

    >>> student = Student(2.0, 0.8, 9.0)
    >>> round(student.reach(Level(0.95)), 3), round(student.p_value, 3)
    (1.81, 0.034)
    """

    value: float
    sd: float
    degrees: float

    def reach(self, level: Level) -> float:
        """Return how far the interval reaches to either side."""
        return level.critical(self.degrees) * self.sd

    @property
    def p_value(self) -> float:
        """The two-sided p-value of a true value of 0."""
        t = abs(self.value) / self.sd if self.sd > 0.0 else math.inf if self.value else 0.0
        return float(p_of_statistic(t, self.degrees))
