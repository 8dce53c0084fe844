"""Intervals of the differences between models, and which of them exclude zero.

For two models with independent posteriors the interval is built from the interval of each model (the method of
variance estimates recovery; Zou and Donner 2008). With ``down`` and ``up`` the distances from a posterior mean to the
ends of its interval,

    lo = d - sqrt(down_1^2 + up_2^2),    hi = d + sqrt(up_1^2 + down_2^2)

which keeps the skewness of posteriors near 0 and 1, and is ``d -+ z sigma`` for normal ones. For paired differences
the interval is Student's. Differences of any number of models cost a few array operations per pair.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._arrays import LARGEST_REWARD, Flags, Vector, read_only
from .._special import ndtr
from ..errors import OutcomeError
from ..inference import Interval
from ..inference._interval import CATEGORICAL
from ._exact_pairs import FewTrials
from ._joint import Joint, Which, independent

_LEAST_DEGREES = 3.0  # Student's t with fewer has a variance that is infinite, or hardly estimated


@dataclass(frozen=True, eq=False)
class Differences:
    """The differences between models at one confidence level, or at one of many looks.

    ``error`` is the probability of both tails: that of ``confidence``, unless it is given for looks.
    ``down`` and ``up`` are the distances from each posterior mean to the ends of its interval; without them the
    interval of a difference is that of ``joint``, a normal or a Student t. ``few`` holds outcomes of few trials.
    ``variance_degrees`` are those of each model's own variance, where a normal ``joint`` rests on estimates of it.
    """

    joint: Joint
    confidence: float
    down: Vector | None = None
    up: Vector | None = None
    error: float | None = None
    few: FewTrials | None = None
    variance_degrees: Vector | None = None

    def reach(self, i: Which, j: Which) -> tuple[Any, Any]:
        """Return how far the interval of the difference between ``i`` and ``j`` extends below it and above it."""
        if self.down is None or self.up is None:
            both = self.unit * self.joint.sd(i, j)
            return both, both
        below, above = np.hypot(self.down[i], self.up[j]), np.hypot(self.up[i], self.down[j])
        if self.few is None:
            return below, above
        gap = self.joint.mu[i] - self.joint.mu[j]
        least = self.unit * np.abs(gap) / self.few.z_most(i, j)  # an interval that is narrower claims too much
        return np.where(gap > 0, np.maximum(below, least), below), np.where(gap < 0, np.maximum(above, least), above)

    def p_better(self, i: Which, j: Which) -> Any:
        """Return P(``i`` is better than ``j``), by the side of the interval that faces zero."""
        return self.joint.beats(i, j) if self.down is None else self._by_reach(i, j)

    def _by_reach(self, i: Which, j: Which) -> Any:
        return ndtr(self.statistic(i, j))

    def statistic(self, i: Which, j: Which) -> Any:
        """Return the difference over its standard deviation on the side that faces zero: infinite where that is nil."""
        below, above = self.reach(i, j)
        gap, below, above = np.broadcast_arrays(self.joint.mu[i] - self.joint.mu[j], below, above)
        side = np.where(gap > 0, below, above)
        certain = np.where(gap > 0, np.inf, np.where(gap < 0, -np.inf, 0.0))
        return self.unit * np.divide(gap, side, out=certain, where=side > 0)

    def spread(self, i: Which, j: Which) -> Any:
        """Return the standard deviation of the difference, which for Student's t is larger than its scale."""
        degrees = max(self.joint.df, _LEAST_DEGREES)
        inflation = math.sqrt(degrees / (degrees - 2.0)) if math.isfinite(degrees) else 1.0
        return inflation * self.joint.sd(i, j)

    def for_draws(self) -> Joint:
        """Return the joint posterior for draws and ranks, in which no two models draw alike.

        It is wider where trials are so few that the leader would be ahead by more than they allow.
        """
        if self.few is None:
            return self.joint.for_draws()
        leader, models = int(np.argmax(self.joint.mu)), np.arange(len(self.joint.mu))
        gap, sd = self.joint.mu[leader] - self.joint.mu, np.asarray(self.joint.sd(leader, models))
        allowed = self.few.z_most(leader, models)
        wider = np.divide(gap, sd * allowed, out=np.zeros_like(gap), where=sd > 0.0).max()
        return replace(self.joint, own=read_only(self.joint.own * max(float(wider), 1.0) ** 2))

    @property
    def unit(self) -> float:
        """How many standard deviations to either side the intervals reach."""
        return self.joint.reach(self.confidence, self.error)

    def is_better(self, i: Which, j: Which, margin: float = 0.0) -> Flags:
        """Return whether the interval of the difference lies above ``-margin``."""
        return np.asarray(self.joint.mu[i] - self.joint.mu[j] + margin > self.reach(i, j)[0])


def independent_differences(
    intervals: Sequence[Interval],
    confidence: float,
    error: float | None = None,
    few: FewTrials | None = None,
) -> Differences:
    """Return the differences between models with these intervals, each from its own posterior.

    ``few`` bounds them if trials are few.

    Normal intervals of categories are ``mu -+ z sigma``; all others have ends of their own.

    >>> intervals = [Interval(0.6, 0.03, 0.541, 0.659), Interval(0.5, 0.04, 0.422, 0.578)]
    >>> independent_differences(intervals, 0.95).is_better(0, 1).item()
    True
    """
    mu, sigma, lo, hi = np.array([tuple(each) for each in intervals]).T
    if sigma.max() > LARGEST_REWARD:
        problem = f"differences of rewards above {LARGEST_REWARD:g} have no variance that a number can hold"
        raise OutcomeError(problem, hint="divide the weights by the largest")
    joint = independent(mu, sigma)
    if intervals[0].shape == "normal" and intervals[0].rewards == CATEGORICAL:
        return Differences(joint, confidence, error=error)
    return Differences(joint, confidence, mu - lo, hi - mu, error, few)
