r"""The weighted sum of what is known about several tasks: overall scores, their intervals and their differences.

Tasks have questions of their own, so their posteriors are independent and the cumulants of the weighted parts add up.
With ``v_t`` the variance of the part of task ``t``, ``V = sum v_t``, and an interval of the part that reaches
``below_t`` and ``above_t`` from its mean,

    asymmetry  a_t = above_t - below_t                    A = sum v_t a_t / V          (third cumulants)
    excess     e_t = (above_t + below_t)/2 - z sqrt(v_t)  E = sum v_t^1.5 e_t / V^1.5  (fourth cumulants)
    reach      z sqrt(V) + E -+ A/2

which is the Cornish-Fisher expansion with the cumulants read off the intervals: one task keeps its interval, and many
tasks tend to a normal law.

A learned prior pulls the posterior mean of a small task a little, and the pulls of many similar tasks add up while
their errors cancel. Scores have no bias, so the pulls ``p_t``, weighted posterior means minus weighted scores, show it.
Pulls in random directions would make the squared sum ``P^2 = (sum p_t)^2`` about ``Q = sum p_t^2``; what exceeds it is
taken for bias, as by James and Stein: the share ``c = max(0, 1 - Q / P^2)`` of ``P`` is taken out. The scatter of the
pulls around a common bias, ``sum (p_t - w_t P)^2``, times ``c^2`` is added to the variance. For one task the share is
zero.

Differences for the population and differences of single trials, Student's t on a task, have the degrees of freedom of
Welch and Satterthwaite.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Vector, read_only
from .._special import stdtr, stdtrit
from ..inference import Interval
from ..inference._interval import CATEGORICAL, two_sided_z, within
from ..inference._prior import PriorLike, is_learned
from ..metrics import Metric
from ..outcomes import OutcomeMatrix
from ._differences import Differences
from ._joint import Joint, Which, independent

_NORMAL = 1e9  # degrees of freedom from which on Student's t is normal


class Pull(NamedTuple):
    """What is taken out of the overall mean of each model, and the variance that this adds, (L,) each."""

    bias: Vector
    variance: Vector


def pulls(metric: Metric, models: Sequence[OutcomeMatrix], mu: Sequence[float] | Vector, prior: PriorLike) -> Vector:
    """Return how far the posterior mean of each model on a task is from its score; 0 where a score shows no bias."""
    if not (is_learned(prior) and metric.is_mean_over_questions):
        return np.zeros(len(models))
    usable = [_has_score(metric, outcomes) for outcomes in models]
    rows = zip(models, mu, usable, strict=True)
    return np.array([mean - metric.observed(outcomes) if is_usable else 0.0 for outcomes, mean, is_usable in rows])


def _has_score(metric: Metric, outcomes: OutcomeMatrix) -> bool:
    """Return whether the score is an estimate without bias of what the posterior is about."""
    if outcomes.is_adaptive or outcomes.prior_counts is not None:
        return False
    return outcomes.min_trials >= metric.required_trials


def pull(pulls_of_tasks: Vector, weights: Vector) -> Pull:
    """Return the part of the weighted sum of pulls (T, L) that is bias.

    >>> pull(np.array([[0.02, 0.02], [0.02, -0.02]]), np.array([0.5, 0.5]))
    Pull(bias=array([0.01, 0.  ]), variance=array([0., 0.]))
    """
    column = weights[:, None]
    weighted = column * pulls_of_tasks
    total, squares = weighted.sum(axis=0), (weighted**2).sum(axis=0)
    noise = np.divide(squares, total**2, out=np.ones_like(total), where=total != 0.0)
    share = np.maximum(0.0, 1.0 - noise)
    return Pull(share * total, share**2 * ((weighted - column * total) ** 2).sum(axis=0))


def added_reach(spread: Vector, below: Vector, above: Vector, z: float, more: Any = 0.0) -> tuple[Any, Any]:
    """Return how far the interval of a sum reaches below and above its mean.

    The parts are along the first axis, with standard deviations ``spread``; ``more`` is a further normal variance.

    >>> below, above = added_reach(np.array([0.1, 0.1]), np.array([0.1, 0.2]), np.array([0.3, 0.2]), 2.0)
    >>> round(float(below), 4), round(float(above), 4)
    (0.2328, 0.3328)
    """
    variance = (spread**2).sum(axis=0) + more
    asymmetry = (spread**2 * (above - below)).sum(axis=0)
    excess = (spread**3 * ((above + below) / 2.0 - z * spread)).sum(axis=0)
    has_width = variance > 0.0
    safe = np.where(has_width, variance, 1.0)
    middle = z * np.sqrt(variance) + excess / safe**1.5
    tilt = asymmetry / safe / 2.0
    return np.maximum(middle - tilt, 0.0)[()], np.maximum(middle + tilt, 0.0)[()]


def overall_intervals(
    parts: Sequence[Sequence[Interval]],
    weights: Vector,
    corrected: Pull,
    bounds: Sequence[tuple[float, float]],
    z: Any = None,
) -> tuple[Interval, ...]:
    """Return the interval of the weighted sum for each model; ``parts`` are by task and then by model.

    ``z`` is how many standard deviations a normal interval reaches, by model: that of the confidence level by default.
    """
    numbers = np.array([[tuple(each) for each in models] for models in parts])  # (T, L, 4)
    mu, sigma, lo, hi = np.moveaxis(numbers, 2, 0)
    column = weights[:, None]
    z = two_sided_z(parts[0][0].confidence) if z is None else z
    below, above = column * (mu - lo), column * (hi - mu)
    if _is_normal(parts[0][0]):
        below = above = z * column * sigma
    down, up = added_reach(column * sigma, below, above, z, corrected.variance)
    means = weights @ mu - corrected.bias
    spread = np.sqrt(((column * sigma) ** 2).sum(axis=0) + corrected.variance)
    intervals = []
    for i, first in enumerate(parts[0]):
        mean = within(bounds[i], float(means[i]))
        ends = within(bounds[i], mean - float(down[i])), within(bounds[i], mean + float(up[i]))
        intervals.append(first._replace(mu=mean, sigma=float(spread[i]), lo=ends[0], hi=ends[1]))
    return tuple(intervals)


def _is_normal(interval: Interval) -> bool:
    return interval.shape == "normal" and interval.rewards == CATEGORICAL


@dataclass(frozen=True, eq=False)
class SummedJoint(Joint):
    """The joint posterior of weighted sums over tasks; each task has its own law, normal or Student's."""

    tasks: tuple[Joint, ...] = ()
    weights: tuple[float, ...] = ()
    bias: tuple[float, ...] = ()  # of each model, taken out of the weighted sums
    added: Vector = field(default_factory=lambda: np.zeros(1))  # the variance that this adds, by model

    @property
    def _weighted(self) -> list[tuple[float, Joint]]:
        return list(zip(self.weights, self.tasks, strict=True))

    def sd(self, i: Which, j: Which) -> Any:
        """Return the standard deviation of the difference between models ``i`` and ``j``."""
        return np.sqrt(self._variances(i, j).sum(axis=0) + self.added[i] + self.added[j])

    def _variances(self, i: Which, j: Which) -> Vector:
        """Return the weighted variance of the difference on each task, (T, ..).

        A task on which the difference does not vary between questions adds nothing, because the others vary more than
        they should, and the sum is right on average. The noise of trials takes the place if it varies on no task.
        """
        shown = np.array([weight**2 * part.shown_variance(i, j) for weight, part in self._weighted])
        noise = np.array([(weight * part.sd(i, j)) ** 2 for weight, part in self._weighted])
        return np.where(shown.sum(axis=0) > 0.0, shown, noise)

    def degrees(self, i: Which, j: Which) -> Any:
        """Return the degrees of freedom of the difference, by Welch and Satterthwaite."""
        variances = self._variances(i, j)
        total = variances.sum(axis=0)
        freedom = np.array([part.df for part in self.tasks]).reshape(-1, *[1] * (variances.ndim - 1))
        share = (variances**2 / freedom).sum(axis=0)
        return np.divide(total**2, share, out=np.full_like(total, np.inf), where=share > 0.0)

    def beats(self, i: Which, j: Which) -> Any:
        """Return P(model ``i`` has the higher mean than ``j``), with Welch's degrees of freedom."""
        gap, sd = np.broadcast_arrays(self.mu[i] - self.mu[j], self.sd(i, j))
        certain = np.where(gap > 0, np.inf, np.where(gap < 0, -np.inf, 0.0))
        return stdtr(self.degrees(i, j), np.divide(gap, sd, out=certain, where=sd > 0))

    def for_draws(self) -> Joint:
        """Return the joint posterior in which no two models draw alike."""
        parts = tuple(part.for_draws() for part in self.tasks)
        return replace(self, tasks=parts)

    def draw(self, n: int, rng: np.random.Generator) -> Vector:
        """Return ``n`` draws of all overall means, (n, L)."""
        drawn = sum(weight * part.draw(n, rng) for weight, part in self._weighted) - np.array(self.bias)
        if self.added.any():
            drawn = drawn + rng.standard_normal((n, len(self.mu))) * np.sqrt(self.added)
        return np.asarray(drawn)


@dataclass(frozen=True, eq=False)
class OverallDifferences(Differences):
    """The differences between the overall scores of models, from the differences on each task."""

    tasks: tuple[Differences, ...] = ()
    weights: Vector = field(default_factory=lambda: np.ones(1))
    added: Vector = field(default_factory=lambda: np.zeros(1))  # the variance that taking out bias adds, by model

    def reach(self, i: Which, j: Which) -> tuple[Any, Any]:
        """Return how far the interval of the difference between ``i`` and ``j`` extends below it and above it."""
        if isinstance(self.joint, SummedJoint):
            tail = (1.0 - self.confidence if self.error is None else self.error) / 2.0
            both = -stdtrit(np.minimum(self.joint.degrees(i, j), _NORMAL), tail) * self.joint.sd(i, j)
            return both, both
        parts = [np.broadcast_arrays(each.spread(i, j), *each.reach(i, j)) for each in self.tasks]
        weights = self.weights.reshape(-1, *[1] * parts[0][0].ndim)
        spread, below, above = (weights * np.array(each) for each in zip(*parts, strict=True))
        return added_reach(spread, below, above, self.unit, self.added[i] + self.added[j])

    def p_better(self, i: Which, j: Which) -> Any:
        """Return P(``i`` is better than ``j``), by the side of the interval that faces zero."""
        return self.tasks[0].p_better(i, j) if len(self.tasks) == 1 else self._by_reach(i, j)

    def degrees(self, i: Which, j: Which) -> Any:
        """Return the degrees of freedom of the difference; infinite if it is normal."""
        return self.joint.degrees(i, j) if isinstance(self.joint, SummedJoint) else math.inf


def overall_differences(tasks: Sequence[Differences], weights: Vector, corrected: Pull) -> OverallDifferences:
    """Return the differences between overall scores; ``corrected`` is that of the means of ``tasks``."""
    joints = tuple(each.joint for each in tasks)
    mu = np.sum([weight * each.mu for weight, each in zip(weights, joints, strict=True)], axis=0) - corrected.bias
    own = np.sum([weight**2 * each.own for weight, each in zip(weights, joints, strict=True)], axis=0)
    if all(each.is_independent for each in joints):
        joint = independent(mu, np.sqrt(own + corrected.variance))
    else:
        shared = np.concatenate([weight * each.shared for weight, each in zip(weights, joints, strict=True)], axis=1)
        moved, added = tuple(map(float, corrected.bias)), read_only(corrected.variance)
        scale = tuple(map(float, weights))
        joint = SummedJoint(
            read_only(mu), read_only(shared), read_only(own), math.inf, None, joints, scale, moved, added
        )
    about: dict[str, Any] = {"weights": weights, "added": corrected.variance, "error": tasks[0].error}
    return OverallDifferences(joint, tasks[0].confidence, tasks=tuple(tasks), **about)
