"""An estimate whose error is Student's t: one place for its interval, its p-value and Satterthwaite's degrees."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from .._special import stdtr
from ._level import Level


def satterthwaite(parts: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """Return the sum of independent variances and its degrees of freedom, from those of each.

    A sum of none, or of variances that are 0, has one degree of freedom.

    >>> satterthwaite([(1.0, 9.0), (1.0, 9.0), (0.0, 2.0)])
    (2.0, 18.0)
    """
    not_zero = [(variance, degrees) for variance, degrees in parts if variance != 0.0]
    total = float(sum(variance for variance, _ in not_zero))
    return total, total**2 / float(sum(variance**2 / degrees for variance, degrees in not_zero)) if not_zero else 1.0


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
        return 2.0 * float(stdtr(self.degrees, -t))
