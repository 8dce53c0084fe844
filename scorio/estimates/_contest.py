"""Models of which sums are wanted, such as differences: on one task or several, at one level or one of many looks.

Let ``n_t`` be the trials per question of task ``t``, and ``v_t / n_t`` the variance of its weighted part. The
information about the overall score is ``1 / sum(v_t / n_t)``. The covariance of the estimate at a look with every
later one is the variance of the later one, in whatever order the tasks get their trials. So the boundary of one task
holds for the sum if it is taken at the number of trials ``n`` of every task that would give this information. It lies
between the fewest and the most trials of any task: the boundary is the wider one of both ends, because between them
it falls, or falls and then rises.

Where statements are about runs like these, the noise of runs is added at the level that is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TypeVar

import numpy as np

from .._base.arrays import Vector, cached_property, read_only
from .._base.choices import AUTO, RANDOM
from ..inference import Interval, Looks
from ..inference._level import Level
from ..inference._run_noise import RunNoise
from ..inference._terms import Terms
from ..metrics import Metric
from ..metrics._checks import prior_or_default
from ..metrics._runs import RunSums, run_sums, warn_of_runs
from ..metrics._shapes import check_binomial, left_open
from ..outcomes import OutcomeMatrix
from ._few_trials import are_single_trials, few_trials, paired_by_trial
from ._joint import Part, difference, paired_by_question, warn_of_few_clusters
from ._overall import OpenReach, open_reach, pull
from ._stack import Stack, independent_stack, plus, summed_stack

_FEWEST = attrgetter("min_trials")
T = TypeVar("T", bound=Terms)


def settled(terms: T, metric: Metric, models: Sequence[OutcomeMatrix]) -> T:
    """Return the terms with the prior and the shape that the metric has for these models where none was given.

    Looks are refused where nothing that is said about the metric stays valid at each of them. Warns if the runs of a
    model differ, unless the terms say how runs are taken, and if few clusters are to tell of the population.
    """
    metric.check_looks(terms.looks)
    if terms.target == "population":
        if terms.shape == "binomial":  # of which the intervals of these questions would say the same
            check_binomial(metric, models[0], terms.target)
        warn_of_few_clusters(models[0])
    if terms.runs == AUTO:
        warn_of_runs(metric, models)
    return terms.settled(prior_or_default(metric, terms.prior, models, terms.target))


@dataclass(frozen=True)
class TaskContest:
    """Models on one task, each by its metric; ``paired`` says whether they have the same questions."""

    metrics: Sequence[Metric]
    models: Sequence[OutcomeMatrix]
    terms: Terms
    paired: bool = True

    @property
    def metric(self) -> Metric:
        """The metric of the first model, which is that of all where models are compared."""
        return self.metrics[0]

    def stack(self, level: Level, intervals: Sequence[Interval] | None = None) -> Stack:
        """Return the models' values at this level; ``intervals`` of the models need not be computed again."""
        metrics, models, prior = self.metrics, self.models, self.terms.assumed
        if self.paired and len(models) > 1 and self.terms.target == "population":
            joint = paired_by_question(metrics, models, prior)
            opening = self.left_open([level] * len(models), joint.mu)
            joint = joint if opening is None else replace(joint, kept=opening.kept)
            return Stack(joint, level, left_open=opening)
        if self.paired and are_single_trials(metrics, models, prior):
            joint = paired_by_trial(metrics, models, prior)
            return Stack(joint, level, least=lambda: independent_stack(self._intervals(level), level))
        few = few_trials(metrics, models) if level.error is None and self.terms.target == "questions" else None
        of_models = intervals or self._intervals(level)
        opening = self.left_open([level] * len(models), np.array([model.mu for model in of_models]))
        return independent_stack(of_models, level, few, opening)

    def left_open(self, levels: Sequence[Level], mu: Vector) -> OpenReach | None:
        """Return what trials leave open of each model around its mean, at its level; None if that is nothing."""
        if not self.terms.assumed.is_learned:
            return None
        if min(map(_FEWEST, self.models)) >= max([metric.required_trials for metric in dict.fromkeys(self.metrics)]):
            return None
        rows, target = zip(self.metrics, self.models, levels, strict=True), self.terms.target
        return open_reach([left_open(metric, metric.admit(model), level, target) for metric, model, level in rows], mu)

    def _intervals(self, level: Level) -> list[Interval]:
        about, pairs = self.terms.interval_options, zip(self.metrics, self.models, strict=True)
        return [metric.interval_at(model, level, **about) for metric, model in pairs]

    def pulls(self, mu: Sequence[float] | Vector) -> Vector:
        """Return how far the posterior mean of each model is from its score; 0 where a score shows no bias."""
        pulls = np.zeros(len(self.models))
        if not self.terms.assumed.is_learned:
            return pulls
        for at, (metric, outcomes, mean) in enumerate(zip(self.metrics, self.models, mu, strict=True)):
            has_score = not outcomes.is_adaptive and outcomes.prior_counts is None  # without bias
            if has_score and metric.is_mean_over_questions and outcomes.min_trials >= metric.required_trials:
                pulls[at] = mean - metric.observed(outcomes)
        return pulls

    def supports(self) -> Vector:
        """Return the least and the greatest value of each model, (L, 2)."""
        pairs = zip(self.metrics, self.models, strict=True)
        return np.array([metric.support(model) for metric, model in pairs], dtype=np.float64)


@dataclass(frozen=True)
class Contest:
    """Models on tasks: their weighted sums, with the ``weights`` of each task for each model, (T, L).

    ``places`` are those of a task's models among all, where tasks do not have the same models in the same order. One
    task alone has the weight 1, and its numbers are its own.
    """

    tasks: Sequence[TaskContest]
    weights: Vector
    places: Sequence[Sequence[int]] | None = None

    @classmethod
    def of(cls, tasks: Sequence[TaskContest], shares: Sequence[float] | Vector) -> Contest:
        """Return the same models on each of the tasks, which have these shares in the sum of every model."""
        return cls(tasks, np.repeat(np.asarray(shares)[:, None], len(tasks[0].models), axis=1))

    @cached_property
    def spans(self) -> Vector:
        """The fewest and the most trials per question at which each two models are judged, (L, L, 2).

        On one task, these are twice the trials of the model with fewer; on several, the most are those of any model.
        """
        trials = np.array([[outcomes.mean_trials for outcomes in task.models] for task in self.tasks], np.float64)
        fewest, most = trials.min(axis=0), trials.max(axis=0)
        fewer = np.minimum.outer(fewest, fewest)
        return np.stack([fewer, fewer if len(self.tasks) == 1 else np.maximum.outer(most, most)], axis=-1)

    def levels(self, looks: Looks) -> list[Level]:
        """Return the level of each model's interval at this look."""
        levels = []
        for outcomes in zip(*(task.models for task in self.tasks), strict=True):
            trials = [float(matrix.mean_trials) for matrix in outcomes]
            levels.append(looks.widest_level((min(trials), max(trials))))
        return levels

    def stack(self, level: Level) -> Stack:
        """Return the overall values at this level."""
        return self.with_runs(self.summed([task.stack(level) for task in self.tasks]))

    def with_runs(self, stack: Stack) -> Stack:
        """Return the values about runs like these, if that is asked for, else the same: all show how runs differ."""
        if self.tasks[0].terms.runs != RANDOM:
            return stack
        return with_run_noise(stack, RunSums.noise_of_differences(self._run_sums))

    @property
    def run_noise(self) -> list[RunNoise] | None:
        """The noise that runs add to the overall score of each model; None where trials are taken as independent."""
        return RunSums.noise_of_models(self._run_sums) if self.tasks[0].terms.runs == RANDOM else None

    @cached_property
    def _run_sums(self) -> list[RunSums]:
        sums: list[list[RunSums]] = [[] for _ in self.weights.T]
        weights: list[list[float]] = [[] for _ in self.weights.T]
        for task, shares, places in zip(self.tasks, self.weights, self._places, strict=True):
            for metric, outcomes, place in zip(task.metrics, task.models, places, strict=True):
                sums[place].append(run_sums(metric, outcomes))
                weights[place].append(1.0 if len(self.tasks) == 1 else float(shares[place]))
        return [RunSums.weighted(parts, np.array(weight)) for parts, weight in zip(sums, weights, strict=True)]

    @property
    def _places(self) -> Sequence[Sequence[int]]:
        return self.places or [range(self.weights.shape[1])] * len(self.tasks)

    def summed(self, parts: Sequence[Stack]) -> Stack:
        """Return the overall values from those on each task."""
        if len(parts) == 1:
            return parts[0]
        pulls, on_tasks = np.zeros(self.weights.shape), np.zeros(self.weights.shape, dtype=np.intp)
        for at, (task, part, places) in enumerate(zip(self.tasks, parts, self._places, strict=True)):
            pulls[at, list(places)] = task.pulls(part.joint.as_observed.mu)
            on_tasks[at, list(places)] = np.arange(len(places))
        is_mean = (self.weights >= 0.0).all(axis=0) | (self.weights <= 0.0).all(axis=0)  # pulls in one direction
        corrected = pull(np.where(is_mean, pulls, 0.0), self.weights)
        whole = summed_stack([Part(*row) for row in zip(parts, self.weights, on_tasks, strict=True)], corrected)
        if all(part.least is None for part in parts):
            return whole
        return replace(whole, least=lambda: self.summed([part.least() if part.least else part for part in parts]))

    def intervals(
        self, of_tasks: Sequence[Sequence[Interval]], levels: Sequence[Level], bounds: Sequence[tuple[float, float]]
    ) -> tuple[Interval, ...]:
        """Return the interval of each model's weighted sum at its level, from those on each task at that level."""
        means = np.array([[interval.mu for interval in intervals] for intervals in of_tasks])
        opening = [task.left_open(levels, mu) for task, mu in zip(self.tasks, means, strict=True)]
        at_level = {}
        for level in dict.fromkeys(levels):
            rows = zip(of_tasks, opening, strict=True)
            whole = self.summed([independent_stack(part, level, None, reach) for part, reach in rows])
            at_level[level] = whole.intervals(of_tasks[0], bounds)
        return tuple(at_level[level][model] for model, level in enumerate(levels))

    def supports(self) -> Vector:
        """Return the least and the greatest overall value of each model, (L, 2)."""
        parts = np.array([task.supports() for task in self.tasks])
        return np.asarray((self.weights[..., None] * parts).sum(axis=0))


def with_run_noise(stack: Stack, noises: Sequence[RunNoise]) -> Stack:
    """Return the values with the noise of runs of each model added.

    A posterior that is normal or Student's gets the variance of the normal law that widens a typical difference as much
    at this level; intervals with ends of their own are widened at both.
    """
    level, more = stack.level, _variances(stack, noises)
    joint, parts = stack.joint.widened(more), stack.parts and plus(stack.parts, more, level)
    if stack.down is None or stack.up is None:
        return replace(stack, joint=joint, parts=parts)
    down, up = (
        np.array([noise.reach(end, level) for end, noise in zip(ends.tolist(), noises, strict=True)])
        for ends in (stack.down, stack.up)
    )
    return replace(stack, joint=joint, down=read_only(down), up=read_only(up))


def _variances(stack: Stack, noises: Sequence[RunNoise]) -> Vector:
    """Return the variance that runs add to each model, half of a typical difference's being a model's own."""
    models = np.arange(len(stack.joint.mu))
    i, j = models[:, None], models[None, :]
    spread = np.asarray(stack.sd(difference(i, j)))
    typical = float(spread[i != j].mean()) / np.sqrt(2.0) if len(models) > 1 else 0.0
    return np.array([noise.variance_at(typical, stack.level) for noise in noises])
