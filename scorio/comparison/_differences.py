"""Intervals of the differences between models, and which of them exclude zero.

For two models with independent posteriors the interval is built from the interval of each model (the method of
variance estimates recovery; Zou and Donner 2008). With ``down`` and ``up`` the distances from a posterior mean to the
ends of its interval,

    lo = d - sqrt(down_1^2 + up_2^2),    hi = d + sqrt(up_1^2 + down_2^2)

which keeps the skewness of posteriors near 0 and 1, and is ``d -+ z sigma`` for normal ones. For paired differences
the interval is Student's. What trials leave open of both models (``_open_reach``) is added to both reaches.
Differences of any number of models cost a few array operations per pair.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .._arrays import LARGEST_REWARD, Flags, Vector, read_only
from .._special import ndtr, ndtri, stdtr, stdtrit
from ..errors import OutcomeError
from ..inference import CATEGORICAL, Interval, Level
from ._few_trials import FewTrials
from ._joint import Joint, SummedJoint, Which, independent, with_one_more_of_all
from ._open_reach import OpenReach, summed_reach
from ._overall import Pull, added_reach

_NORMAL = 1e9  # degrees of freedom from which on Student's t is normal
_LEAST_DEGREES = 3.0  # Student's t with fewer has a variance that is infinite, or hardly estimated


@dataclass(frozen=True, eq=False)
class Differences:
    """The differences between models at one level.

    ``down`` and ``up`` are the distances from each posterior mean to the ends of its interval; without them the
    interval of a difference is that of ``joint``, a normal or a Student t. ``few`` holds outcomes of few trials, and
    ``left_open`` what trials leave open, which is in none of these.
    """

    joint: Joint
    level: Level
    down: Vector | None = None
    up: Vector | None = None
    few: FewTrials | None = None
    left_open: OpenReach | None = None

    def scaled(self, factor: float) -> Differences:
        """Return the differences where the values of the second of two models are multiplied by ``factor``."""
        if factor == 1.0:
            return self
        by = np.array([1.0, factor])
        reaches = [None if each is None else read_only(by * each) for each in (self.down, self.up)]
        is_open = None if self.left_open is None else self.left_open.scaled(by)
        return replace(self, joint=self.joint.scaled(by), down=reaches[0], up=reaches[1], few=None, left_open=is_open)

    def reach(self, i: Which, j: Which) -> tuple[Any, Any]:
        """Return how far the interval of the difference between ``i`` and ``j`` extends below it and above it."""
        below, above = self.reach_of_errors(i, j)
        if self.left_open is None:
            return below, above
        down, up, _ = self.left_open
        return below + down[i] + up[j], above + up[i] + down[j]

    def reach_of_errors(self, i: Which, j: Which) -> tuple[Any, Any]:
        """Return the same without what trials leave open."""
        if self.down is None or self.up is None:
            both = self.unit * self._sd_of_errors(i, j)
            return both, both
        below, above = np.hypot(self.down[i], self.up[j]), np.hypot(self.up[i], self.down[j])
        if self.few is None:
            return below, above
        gap = self.joint.mu[i] - self.joint.mu[j]
        least = self.unit * np.abs(gap) / self.few.z_most(i, j)  # an interval that is narrower claims too much
        return np.where(gap > 0, np.maximum(below, least), below), np.where(gap < 0, np.maximum(above, least), above)

    def p_better(self, i: Which, j: Which) -> Any:
        """Return P(``i`` is better than ``j``), by the side of the interval that faces zero."""
        if self.down is not None:
            return self._by_reach(i, j)
        if self.left_open is not None:
            return stdtr(self.joint.df, self.statistic(i, j))
        return self.joint.beats(i, j)

    def _by_reach(self, i: Which, j: Which) -> Any:
        return ndtr(self.statistic(i, j))

    def statistic(self, i: Which, j: Which) -> Any:
        """Return the difference over its standard deviation on the side that faces zero: infinite where that is nil."""
        below, above = self.reach(i, j)
        gap, below, above = np.broadcast_arrays(self.joint.mu[i] - self.joint.mu[j], below, above)
        side = np.where(gap > 0, below, above)
        certain = np.where(gap > 0, np.inf, np.where(gap < 0, -np.inf, 0.0))
        return self.unit * np.divide(gap, side, out=certain, where=side > 0)

    def sd(self, i: Which, j: Which) -> Any:
        """Return the standard deviation of the difference, with one for what trials leave open."""
        own = self._sd_of_errors(i, j)
        if self.left_open is None:
            return own
        more = self.left_open.variance(self.unit)
        return np.sqrt(own**2 + more[i] + more[j])

    def _sd_of_errors(self, i: Which, j: Which) -> Any:
        """Return the standard deviation of errors; the deviations of models with ends of their own have their share."""
        kept = 1.0 if self.left_open is None or self.down is not None else self.left_open.kept
        return kept * self.joint.sd(i, j)

    def spread(self, i: Which, j: Which) -> Any:
        """Return the standard deviation of errors, which for Student's t is larger than its scale."""
        degrees = max(self.joint.df, _LEAST_DEGREES)
        inflation = math.sqrt(degrees / (degrees - 2.0)) if math.isfinite(degrees) else 1.0
        return inflation * self._sd_of_errors(i, j)

    def for_draws(self) -> Joint:
        """Return the joint posterior for draws and ranks, in which no two models draw alike.

        It is wider where trials are so few that the leader would be ahead by more than they allow, and by what trials
        leave open.
        """
        if self.left_open is not None:
            return self.joint.for_draws().widened(self.left_open.variance(self.unit))
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
        return self.level.critical(self.joint.df)

    def is_better(self, i: Which, j: Which, margin: float = 0.0) -> Flags:
        """Return whether the interval of the difference lies above ``-margin``."""
        return np.asarray(self.joint.mu[i] - self.joint.mu[j] + margin > self.reach(i, j)[0])


def independent_differences(
    intervals: Sequence[Interval], level: Level, few: FewTrials | None = None, left_open: OpenReach | None = None
) -> Differences:
    """Return the differences between models with these intervals, each from its own posterior.

    ``few`` bounds them if trials are few, and ``left_open`` is the part of each that is no error. Normal intervals of
    categories are ``mu -+ z sigma``; all others have ends of their own.

    >>> intervals = [Interval(0.6, 0.03, 0.541, 0.659), Interval(0.5, 0.04, 0.422, 0.578)]
    >>> independent_differences(intervals, Level(0.95)).is_better(0, 1).item()
    True
    """
    mu, sigma, lo, hi = np.array([tuple(each) for each in intervals]).T
    if sigma.max() > LARGEST_REWARD:
        problem = f"differences of rewards above {LARGEST_REWARD:g} have no variance that a number can hold"
        raise OutcomeError(problem, hint="divide the weights by the largest")
    if left_open is not None:
        below, above, _ = left_open
        sigma = np.maximum(sigma - (below + above) / (2.0 * level.critical()), 0.0)
        down, up = np.maximum(mu - lo - below, 0.0), np.maximum(hi - mu - above, 0.0)
        return Differences(independent(mu, sigma), level, down, up, few, left_open)
    joint = independent(mu, sigma)
    if intervals[0].shape == "normal" and intervals[0].rewards == CATEGORICAL:
        return Differences(joint, level)
    return Differences(joint, level, mu - lo, hi - mu, few)


@dataclass(frozen=True, eq=False)
class OverallDifferences(Differences):
    """The differences between the overall scores of models, from the differences on each task."""

    tasks: tuple[Differences, ...] = ()
    weights: Vector = field(default_factory=lambda: np.ones(1))
    added: Vector = field(default_factory=lambda: np.zeros(1))  # the variance that taking out bias adds, by model

    def reach_of_errors(self, i: Which, j: Which) -> tuple[Any, Any]:
        """Return how far the interval of the difference extends below it and above it, but for what is left open."""
        if isinstance(self.joint, SummedJoint):
            degrees = np.minimum(self.joint.degrees(i, j), _NORMAL)
            both = -stdtrit(degrees, self.level.tail) * self._sd_of_errors(i, j)
            return both, both
        parts = [np.broadcast_arrays(each.spread(i, j), *each.reach_of_errors(i, j)) for each in self.tasks]
        weights = self.weights.reshape(-1, *[1] * parts[0][0].ndim)
        spread, below, above = (weights * np.array(each) for each in zip(*parts, strict=True))
        return added_reach(spread, below, above, self.unit, self.added[i] + self.added[j])

    def _sd_of_errors(self, i: Which, j: Which) -> Any:
        if self.left_open is None or not isinstance(self.joint, SummedJoint):
            return self.joint.sd(i, j)
        kept = [1.0 if each.left_open is None else each.left_open.kept for each in self.tasks]
        return replace(self.joint, weights=tuple(np.multiply(self.joint.weights, kept))).sd(i, j)

    def statistic(self, i: Which, j: Which) -> Any:
        """Return the normal statistic that has the p-value of the difference, whose degrees of freedom are its own."""
        found = super().statistic(i, j)
        if not isinstance(self.joint, SummedJoint):
            return found
        degrees = np.minimum(self.joint.degrees(i, j), _NORMAL)
        students = found * (-stdtrit(degrees, self.level.tail) / self.unit)
        return -np.sign(students) * ndtri(stdtr(degrees, -np.abs(students)))

    def p_better(self, i: Which, j: Which) -> Any:
        """Return P(``i`` is better than ``j``), by the side of the interval that faces zero."""
        return self._by_reach(i, j)


def overall_differences(tasks: Sequence[Differences], weights: Vector, corrected: Pull) -> Differences:
    """Return the differences between overall scores; ``corrected`` is that of the means of ``tasks``.

    Those of one task are its own.
    """
    if len(tasks) == 1:
        return tasks[0]
    joints = with_one_more_of_all([each.joint for each in tasks])
    mu = np.sum([weight * each.mu for weight, each in zip(weights, joints, strict=True)], axis=0) - corrected.bias
    own = np.sum([weight**2 * each.own for weight, each in zip(weights, joints, strict=True)], axis=0)
    if all(each.is_independent for each in joints):
        joint = independent(mu, np.sqrt(own + corrected.variance))
    else:
        shared = np.concatenate([weight * each.shared for weight, each in zip(weights, joints, strict=True)], axis=1)
        moved, added = tuple(map(float, corrected.bias)), read_only(corrected.variance)
        least = 2.0 * math.prod(each.least_p / 2.0 for each in joints)
        mu, shared, own = map(read_only, (mu, shared, own))
        parts: dict[str, Any] = {"tasks": joints, "weights": tuple(map(float, weights))}
        joint = SummedJoint(mu, shared, own, math.inf, None, least, bias=moved, added=added, **parts)
    left_open = summed_reach([each.left_open for each in tasks], weights)
    about: dict[str, Any] = {"weights": weights, "added": corrected.variance, "left_open": left_open}
    return OverallDifferences(joint, tasks[0].level, tasks=tuple(tasks), **about)
