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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._base.arrays import Flags, Vector, read_only
from .._base.choices import BEYOND, CATEGORICAL
from .._base.special import ndtri, stdtr, stdtrit
from ..inference import Interval
from ..inference._interval import within
from ..inference._level import Level
from ._difference_law import DifferenceLaw
from ._few_trials import FewTrials
from ._joint import (
    Form,
    Joint,
    Part,
    difference,
    independent,
    over,
    pair_of,
    sides,
    squares,
    total,
    with_one_more_of_all,
)
from ._overall import OpenReach, Pull, added_reach, summed_reach, together

_ROUNDING = 1e-12  # of factors
_NORMAL = 1e9  # degrees of freedom from which on Student's t is normal


@dataclass(frozen=True, eq=False)
class Stack:
    """The values of models at one level.

    ``down`` and ``up`` are the distances from each posterior mean to the ends of its interval; without them the
    interval of a sum is that of ``joint``, a normal or a Student t. ``few`` holds outcomes of few trials, and
    ``left_open`` what trials leave open, which is in none of these. Values with ends of their own are independent.
    Weighted sums over tasks whose values are independent have ``parts``, the values on each task. ``least`` gives the
    values by the posteriors of single trials, whose spread between questions says nothing of a model that never
    succeeded.
    """

    joint: Joint
    level: Level
    down: Vector | None = None
    up: Vector | None = None
    few: FewTrials | None = None
    left_open: OpenReach | None = None
    parts: tuple[Part, ...] = ()
    least: Callable[[], Stack] | None = None

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
        if self.parts:
            rows = [(part.law, part.form(form)) for part in self.parts]
            numbers = [np.broadcast_arrays(task.joint.sd(part), *task.reach_of_errors(part)) for task, part in rows]
            spread, below, above = map(np.array, zip(*numbers, strict=True))
            return added_reach(spread, below, above, self.unit)
        if self.down is None or self.up is None:
            both = self._critical(form) * self.joint.sd(form)
            return both, both
        low, high = sides(form, self.down, self.up)
        below, above = together(low), together(high)
        pair = None if self.few is None else pair_of(form)
        if self.few is None or pair is None:
            return below, above
        gap = self.value(form)
        least = self.unit * np.abs(gap) / self.few.z_most(*pair)  # an interval that is narrower claims too much
        return np.where(gap > 0, np.maximum(below, least), below), np.where(gap < 0, np.maximum(above, least), above)

    def law(self, form: Form) -> DifferenceLaw:
        """Return the law of one sum, with the one-sided bounds of this level."""
        below, above = map(float, self.reach(form))
        mean, degrees = float(self.value(form)), float(self.joint.degrees(form))
        return DifferenceLaw(mean, below, above, float(self.sd(form)), self.level.tail, degrees)

    def widest_law(self, form: Form) -> DifferenceLaw:
        """Return the same with no reach shorter than that of the posteriors: in a ratio, questions do not cancel."""
        law = self.law(form)
        if self.least is None:
            return law
        below, above = map(float, self.least().reach(form))
        return replace(law, below=max(law.below, below), above=max(law.above, above))

    def is_contrast(self, form: Form) -> bool:
        """Return whether the factors of the sum add up to 0, on each task."""
        if parts := self.parts or self.joint.parts:
            return all(abs(sum(factor for factor, _ in part.form(form))) < _ROUNDING for part in parts)
        return bool(abs(sum(factor for factor, _ in form)) < _ROUNDING)

    def intervals(self, like: Sequence[Interval], bounds: Sequence[tuple[float, float]]) -> list[Interval]:
        """Return the interval of each model within its bounds; ``like`` has what else these intervals are."""
        form = ((1.0, np.arange(len(like))),)
        mean, (below, above), sigma = self.value(form), self.reach(form), self.joint.sd(form)
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
        """Return the sum over its standard deviation on the side that faces zero: infinite where that is nil.

        Over tasks with laws of their own it is the normal number with the p-value of the sum.
        """
        below, above = self.reach(form)
        mean, below, above = np.broadcast_arrays(self.value(form), below, above)
        students = self._critical(form) * over(mean, np.where(mean > 0, below, above))
        if not self.joint.parts:
            return students
        return -np.sign(students) * ndtri(stdtr(self._degrees(form), -np.abs(students)))

    def sd(self, form: Form) -> Any:
        """Return the standard deviation of the sum, with one for what trials leave open."""
        errors = self.joint.sd(form)
        if self.left_open is None:
            return errors
        return np.sqrt(errors**2 + squares(form, self.left_open.variance(self.unit)))

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

    def _critical(self, form: Form) -> Any:
        """Return the same for one sum, whose degrees of freedom are its own over tasks with laws of their own."""
        return -stdtrit(self._degrees(form), self.level.tail) if self.joint.parts else self.unit

    def _degrees(self, form: Form) -> Any:
        return np.minimum(self.joint.degrees(form), _NORMAL)

    def is_better(self, i: Any, j: Any, margin: float = 0.0) -> Flags:
        """Return whether the interval of the difference between ``i`` and ``j`` lies above ``-margin``."""
        form = difference(i, j)
        return np.asarray(self.value(form) + margin > self.reach(form)[0])


def independent_stack(
    intervals: Sequence[Interval], level: Level, few: FewTrials | None = None, left_open: OpenReach | None = None
) -> Stack:
    """Return the values of models with these intervals, each from its own posterior.

    ``few`` bounds differences if trials are few, and ``left_open`` is the part of each width that more questions would
    not shrink. Normal intervals of categories are ``mu -+ z sigma``; all others keep the ends of their interval.

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


def summed_stack(parts: Sequence[Part], corrected: Pull) -> Stack:
    """Return overall values from those on each task; ``corrected`` is that of the means of the tasks.

    What taking out bias adds to the variance counts as one more task.
    """
    level, plain = parts[0].law.level, [part._replace(law=part.law.joint) for part in parts]
    joints = with_one_more_of_all(plain)
    mu = sum(total(part.of_models, part.law.mu) for part in joints) - corrected.bias
    summed: dict[str, Any] = {"left_open": summed_reach(parts)}
    if all(part.law.is_independent for part in joints):
        variance = sum(squares(part.of_models, part.law.alone) for part in joints) + corrected.variance
        return Stack(independent(mu, np.sqrt(variance)), level, parts=plus(parts, corrected.variance, level), **summed)
    effects = np.hstack([part.weights[:, None] * part.law.shared[part.places] for part in joints])
    least = 2.0 * math.prod(part.law.least_p / 2.0 for part in joints)
    mu, effects, added = map(read_only, (mu, effects, corrected.variance))
    return Stack(Joint(mu, effects, added, math.inf, least_p=least, parts=tuple(joints)), level, **summed)


def plus(parts: Sequence[Part], variance: Vector, level: Level) -> tuple[Part, ...]:
    """Return the parts of independent sums with a further variance of each model, which counts as one more task."""
    if not variance.any():
        return tuple(parts)
    more = Stack(independent(np.zeros(len(variance)), np.sqrt(variance)), level)
    return (*parts, Part(more, np.ones(len(variance)), np.arange(len(variance))))
