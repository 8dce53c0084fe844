"""What is known at one level of the values of several models, and of weighted sums of them such as differences.

For models with independent posteriors the interval of a sum is built from the interval of each (the method of
variance estimates recovery; Zou and Donner 2008). With ``down`` and ``up`` the distances from a posterior mean to the
ends of its interval, that of a difference is

    lo = d - sqrt(down_1^2 + up_2^2),    hi = d + sqrt(up_1^2 + down_2^2)

which keeps the skewness of posteriors near 0 and 1, and is ``d -+ z sigma`` for normal ones. For sums of models on the
same questions, which are a draw, the interval is Student's. What trials leave open (``_overall``) is added to the
reaches of all parts. Sums of any number of models cost a few array operations per part.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import numpy as np

from .._arrays import Flags, Vector, read_only
from .._choices import CATEGORICAL
from .._special import ndtri, stdtr, stdtrit
from ..inference import BEYOND, Interval, Level, within
from ._difference_law import DifferenceLaw
from ._few_trials import FewTrials
from ._joint import (
    Form,
    Joint,
    SummedJoint,
    difference,
    independent,
    pair_of,
    sides,
    squares,
    total,
    weighted,
    with_one_more_of_all,
)
from ._overall import OpenReach, Pull, added_reach, summed_reach

_NORMAL = 1e9  # degrees of freedom from which on Student's t is normal
_LEAST_DEGREES = 3.0  # Student's t with fewer has a variance that is infinite, or hardly estimated


@dataclass(frozen=True, eq=False)
class Stack:
    """The values of models at one level.

    ``down`` and ``up`` are the distances from each posterior mean to the ends of its interval; without them the
    interval of a sum is that of ``joint``, a normal or a Student t. ``few`` holds outcomes of few trials, and
    ``left_open`` what trials leave open, which is in none of these. ``correlation`` is that of values of the same
    trials; without it, values with ends of their own are independent.
    """

    joint: Joint
    level: Level
    down: Vector | None = None
    up: Vector | None = None
    few: FewTrials | None = None
    left_open: OpenReach | None = None
    correlation: Vector | None = None

    def value(self, form: Form) -> Any:
        """Return the mean of the sum."""
        return total(form, self.joint.mu)

    def reach(self, form: Form) -> tuple[Any, Any]:
        """Return how far the interval of the sum extends below it and above it."""
        below, above = self.reach_of_errors(form)
        if self.left_open is None:
            return below, above
        low, high = sides(form, self.left_open.below, self.left_open.above)
        return below + sum(low), above + sum(high)

    def reach_of_errors(self, form: Form) -> tuple[Any, Any]:
        """Return the same without what trials leave open."""
        if self.down is None or self.up is None:
            both = self.unit * self._sd_of_errors(form)
            return both, both
        low, high = sides(form, self.down, self.up)
        below, above = self._together(form, low), self._together(form, high)
        pair = None if self.few is None else pair_of(form)
        if self.few is None or pair is None:
            return below, above
        gap = self.value(form)
        least = self.unit * np.abs(gap) / self.few.z_most(*pair)  # an interval that is narrower claims too much
        return np.where(gap > 0, np.maximum(below, least), below), np.where(gap < 0, np.maximum(above, least), above)

    def _together(self, form: Form, reaches: Sequence[Any]) -> Any:
        """Return the reach of the sum from those of its parts: as standard deviations add up."""
        if self.correlation is None:
            return reduce(np.hypot, reaches)
        signed = np.array([np.sign(factor) * reach for (factor, _), reach in zip(form, reaches, strict=True)])
        places = np.array([which for _, which in form])
        shares = self.correlation[places[:, None], places]
        return np.sqrt(max(float(signed @ shares @ signed), 0.0))

    def law(self, form: Form) -> DifferenceLaw:
        """Return the law of one sum, with the one-sided bounds of this level."""
        below, above = map(float, self.reach(form))
        mean, degrees = float(self.value(form)), float(self.joint.degrees(form))
        return DifferenceLaw(mean, below, above, float(self.sd(form)), self.level.tail, degrees)

    def intervals(self, like: Sequence[Interval], bounds: Sequence[tuple[float, float]]) -> list[Interval]:
        """Return the interval of each model within its bounds; ``like`` has what else these intervals are."""
        form = ((1.0, np.arange(len(like))),)
        mean, (below, above), sigma = self.value(form), self.reach(form), self._sd_of_errors(form)
        is_open = 0.0 * mean if self.left_open is None else self.left_open.below + self.left_open.above
        numbers = np.column_stack([mean, below, above, sigma + is_open / (2.0 * self.unit), is_open]).tolist()
        intervals = []
        for interval, ends, (mean, below, above, sigma, is_open) in zip(like, bounds, numbers, strict=True):
            mu, shape = within(ends, mean), BEYOND if is_open else interval.shape
            lo, hi = within(ends, mu - below), within(ends, mu + above)
            intervals.append(replace(interval, mu=mu, sigma=sigma, lo=lo, hi=hi, shape=shape))
        return intervals

    def p_above(self, form: Form) -> Any:
        """Return P(the sum is above 0), by the side of the interval that faces zero."""
        return stdtr(self.joint.df, self.statistic(form))

    def statistic(self, form: Form) -> Any:
        """Return the sum over its standard deviation on the side that faces zero: infinite where that is nil."""
        below, above = self.reach(form)
        mean, below, above = np.broadcast_arrays(self.value(form), below, above)
        side = np.where(mean > 0, below, above)
        certain = np.where(mean > 0, np.inf, np.where(mean < 0, -np.inf, 0.0))
        return self.unit * np.divide(mean, side, out=certain, where=side > 0)

    def sd(self, form: Form) -> Any:
        """Return the standard deviation of the sum, with one for what trials leave open."""
        errors = self._sd_of_errors(form)
        if self.left_open is None:
            return errors
        return np.sqrt(errors**2 + squares(form, self.left_open.variance(self.unit)))

    def _sd_of_errors(self, form: Form) -> Any:
        """Return the standard deviation of errors; the deviations of models with ends of their own have their share."""
        kept = 1.0 if self.left_open is None or self.down is not None else self.left_open.kept
        return kept * self.joint.sd(form)

    def spread(self, form: Form) -> Any:
        """Return the standard deviation of errors, which for Student's t is larger than its scale."""
        degrees = max(self.joint.df, _LEAST_DEGREES)
        inflation = math.sqrt(degrees / (degrees - 2.0)) if math.isfinite(degrees) else 1.0
        return inflation * self._sd_of_errors(form)

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
        gap, sd = self.joint.mu[leader] - self.joint.mu, np.asarray(self.joint.sd(difference(leader, models)))
        allowed = self.few.z_most(leader, models)
        wider = np.divide(gap, sd * allowed, out=np.zeros_like(gap), where=sd > 0.0).max()
        return replace(self.joint, alone=read_only(self.joint.alone * max(float(wider), 1.0) ** 2))

    @property
    def unit(self) -> float:
        """How many standard deviations to either side the intervals reach."""
        return self.level.critical(self.joint.df)

    def is_better(self, i: Any, j: Any, margin: float = 0.0) -> Flags:
        """Return whether the interval of the difference between ``i`` and ``j`` lies above ``-margin``."""
        form = difference(i, j)
        return np.asarray(self.value(form) + margin > self.reach(form)[0])


def independent_stack(
    intervals: Sequence[Interval], level: Level, few: FewTrials | None = None, left_open: OpenReach | None = None
) -> Stack:
    """Return the values of models with these intervals, each from its own posterior.

    ``few`` bounds differences if trials are few, and ``left_open`` is the part of each that is no error. Normal
    intervals of categories are ``mu -+ z sigma``; all others have ends of their own.

    >>> intervals = [Interval(0.6, 0.03, 0.541, 0.659), Interval(0.5, 0.04, 0.422, 0.578)]
    >>> independent_stack(intervals, Level(0.95)).is_better(0, 1).item()
    True
    """
    mu, sigma, lo, hi = np.array([(model.mu, model.sigma, model.lo, model.hi) for model in intervals]).T
    if left_open is not None:
        below, above, _ = left_open
        sigma = np.maximum(sigma - (below + above) / (2.0 * level.critical()), 0.0)
        down, up = np.maximum(mu - lo - below, 0.0), np.maximum(hi - mu - above, 0.0)
        return Stack(independent(mu, sigma), level, down, up, few, left_open)
    joint = independent(mu, sigma)
    if intervals[0].shape == "normal" and intervals[0].rewards == CATEGORICAL:
        return Stack(joint, level)
    return Stack(joint, level, mu - lo, hi - mu, few)


@dataclass(frozen=True, eq=False)
class SummedStack(Stack):
    """The overall values of models, weighted sums over tasks, from their values on each task."""

    tasks: tuple[Stack, ...] = ()
    weights: Vector = field(default_factory=lambda: np.ones((1, 1)))  # of each task for each model, (T, L)
    added: Vector = field(default_factory=lambda: np.zeros(1))  # the variance that taking out bias adds, by model

    def reach_of_errors(self, form: Form) -> tuple[Any, Any]:
        """Return how far the interval of the sum extends below it and above it, but for what is left open."""
        if isinstance(self.joint, SummedJoint):
            degrees = np.minimum(self.joint.degrees(form), _NORMAL)
            both = -stdtrit(degrees, self.level.tail) * self._sd_of_errors(form)
            return both, both
        parts = [(task, weighted(form, weights)) for task, weights in zip(self.tasks, self.weights, strict=True)]
        numbers = [np.broadcast_arrays(task.spread(part), *task.reach_of_errors(part)) for task, part in parts]
        spread, below, above = (np.array(column) for column in zip(*numbers, strict=True))
        return added_reach(spread, below, above, self.unit, squares(form, self.added))

    def _sd_of_errors(self, form: Form) -> Any:
        if self.left_open is None or not isinstance(self.joint, SummedJoint):
            return self.joint.sd(form)
        kept = np.array([1.0 if task.left_open is None else task.left_open.kept for task in self.tasks])
        return replace(self.joint, weights=self.joint.weights * kept[:, None]).sd(form)

    def statistic(self, form: Form) -> Any:
        """Return the normal statistic that has the p-value of the sum, whose degrees of freedom are its own."""
        statistic = super().statistic(form)
        if not isinstance(self.joint, SummedJoint):
            return statistic
        degrees = np.minimum(self.joint.degrees(form), _NORMAL)
        students = statistic * (-stdtrit(degrees, self.level.tail) / self.unit)
        return -np.sign(students) * ndtri(stdtr(degrees, -np.abs(students)))


def summed_stack(tasks: Sequence[Stack], weights: Vector, corrected: Pull) -> Stack:
    """Return overall values from those on each task; ``corrected`` is that of the means of ``tasks``.

    ``weights`` are those of each task for each model, (T, L). The values of one task are its own.
    """
    if len(tasks) == 1:
        return tasks[0]
    joints = with_one_more_of_all([task.joint for task in tasks])
    mu = np.sum([weight * law.mu for weight, law in zip(weights, joints, strict=True)], axis=0) - corrected.bias
    alone = np.sum([weight**2 * law.alone for weight, law in zip(weights, joints, strict=True)], axis=0)
    if all(law.is_independent for law in joints):
        joint = independent(mu, np.sqrt(alone + corrected.variance))
    else:
        effects = [weight[:, None] * law.shared for weight, law in zip(weights, joints, strict=True)]
        least = 2.0 * math.prod(law.least_p / 2.0 for law in joints)
        mu, shared, alone, moved, added = map(
            read_only, (mu, np.concatenate(effects, axis=1), alone, corrected.bias, corrected.variance)
        )
        parts: dict[str, Any] = {"tasks": joints, "weights": weights, "bias": moved, "added": added}
        joint = SummedJoint(mu, shared, alone, math.inf, None, least, **parts)
    left_open = summed_reach([task.left_open for task in tasks], weights)
    about: dict[str, Any] = {"weights": weights, "added": corrected.variance, "left_open": left_open}
    return SummedStack(joint, tasks[0].level, tasks=tuple(tasks), **about)


def placed(stack: Stack, places: Sequence[int], count: int) -> Stack:
    """Return the values at these places among ``count`` models; the others are 0, with certainty."""
    if list(places) == list(range(count)):
        return stack

    def spread(values: Any) -> Any:
        if values is None:
            return None
        wider = np.zeros((count, *values.shape[1:]))
        wider[list(places)] = values
        return read_only(wider)

    def of_joint(joint: Any) -> Any:
        if joint is None:
            return None
        arrays = {name: spread(getattr(joint, name)) for name in ("mu", "shared", "alone", "trial_noise")}
        return replace(joint, **arrays, observed=of_joint(joint.observed))

    of_stack = {name: spread(getattr(stack, name)) for name in ("down", "up")}
    left_open = stack.left_open
    if left_open is not None:
        left_open = OpenReach(spread(left_open.below), spread(left_open.above), left_open.kept)
    correlation = stack.correlation
    if correlation is not None:
        correlation = np.eye(count)
        correlation[np.ix_(places, places)] = stack.correlation
    about: dict[str, Any] = {"few": None, "left_open": left_open, "correlation": correlation}
    return replace(stack, joint=of_joint(stack.joint), **of_stack, **about)
