"""Models ranked by their overall score on several tasks, beside their ranking on each task."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .._arrays import Vector, read_only
from .._choices import OVERALL
from ..comparison._differences import Differences
from ..comparison._family_law import Family
from ..comparison._overall import overall_intervals, pull, pulls
from ..comparison._suite_contest import SuiteContest
from ..comparison._task_metrics import TaskMetrics, as_vector, metrics_of_tasks, weights_of
from ..errors import OutcomeError
from ..inference import Interval
from ..inference._interval import check_bounds, is_support
from ..metrics import Metric
from ..outcomes import OutcomeSet, Suite
from ._measuring import Measured, measured_models
from ._metric_ranking import MetricRanking
from ._race import beaten_by_metric
from ._rank_models import at_look, contest_of, differences_of, rank_models, ties_of
from ._rules import RANKINGS, score_order
from ._settings import LeaderboardSettings
from ._suite_looks import intervals_at_look, of_each_task


def rank_suite(
    metrics: Any,
    suite: Suite,
    settings: LeaderboardSettings,
    weights: Any = None,
    n_jobs: int = 1,
    beaten: Any = (),
) -> tuple[MetricRanking, ...]:
    """Return the overall ranking by each metric, which holds the rankings by task.

    ``beaten`` has the models that were beaten overall at earlier looks. With looks, the overall ranking has their
    error, and the rankings of all tasks share it once more.
    """
    if OVERALL in suite:
        raise OutcomeError(
            f"a task is named {OVERALL!r}, as is the ranking over all tasks", hint="give it another name"
        )
    suite.check_complete()
    suite = suite.select(models=suite.models)
    share = weights_of(weights, suite)
    of_metrics = metrics_of_tasks(metrics, suite)
    lost = beaten_by_metric(beaten, [metric for metric, _ in of_metrics])
    of_each = of_each_task(settings, len(suite))
    measured = [
        _measured(task, outcomes, [of_tasks[at] for _, of_tasks in of_metrics], of_each, n_jobs)
        for at, (task, outcomes) in enumerate(suite.items())
    ]
    return tuple(
        _overall(metric, of_tasks, suite, [each[at] for each in measured], settings, share, lost[str(metric)])
        for at, (metric, of_tasks) in enumerate(of_metrics)
    )


def _measured(
    task: str, outcomes: OutcomeSet, metrics: Sequence[Metric], settings: LeaderboardSettings, n_jobs: int
) -> list[list[Measured]]:
    """Return score and interval by metric and then by model, on one task."""
    try:
        return measured_models(metrics, outcomes, settings, n_jobs)
    except OutcomeError as error:
        raise error.at(f"task {task}") from None


def _overall(
    metric: Metric | TaskMetrics,
    of_tasks: Sequence[Metric],
    suite: Suite,
    measured: Sequence[Sequence[Measured]],
    settings: LeaderboardSettings,
    share: Mapping[str, float],
    beaten: Iterable[Any],
) -> MetricRanking:
    """Return the ranking by the weighted sum of the scores of all tasks."""
    weights = as_vector(share)
    parts = [_task_differences(*each, settings) for each in zip(suite, of_tasks, suite.values(), measured, strict=True)]
    contests = [contest_of(*each, settings) for each in zip(of_tasks, suite.values(), strict=True)]
    contest = SuiteContest(contests, weights, settings.prior)
    differences = contest.summed(parts)
    scores = weights @ np.array([[score for score, _ in models] for models in measured])
    intervals = _intervals(of_tasks, suite, measured, settings, weights)
    order, _ = score_order(scores)
    ties, present = ties_of(scores, np.array([tuple(each) for each in intervals]), differences, settings), None
    if settings.looks is not None:
        present, ties = at_look(contest, suite.models, settings, beaten, int(order[0]))
    trials = [outcomes.trials_each for outcomes in suite.values()]
    return MetricRanking(
        metric,
        suite.models,
        suite.n_questions,
        (min(fewest for fewest, _ in trials), max(most for _, most in trials)),
        read_only(scores),
        intervals,
        read_only(order),
        read_only(RANKINGS[settings.ranking](ties.first, ties.last)),
        Family(differences, settings.rng, _supports(of_tasks, suite, weights)),
        settings,
        None if ties.with_top is None else read_only(ties.with_top),
        present,
        tasks={
            task: rank_models(each, outcomes, of_each_task(settings, len(suite)), of_models, part)
            for task, each, outcomes, of_models, part in zip(
                suite, of_tasks, suite.values(), measured, parts, strict=True
            )
        },
        weights=share,
    )


def _task_differences(
    task: str, metric: Metric, outcomes: OutcomeSet, measured: Sequence[Measured], settings: LeaderboardSettings
) -> Differences:
    try:
        return differences_of(metric, outcomes, tuple(interval for _, interval in measured), settings)
    except OutcomeError as error:
        raise error.at(f"task {task}") from None


def _intervals(
    of_tasks: Sequence[Metric],
    suite: Suite,
    measured: Sequence[Sequence[Measured]],
    settings: LeaderboardSettings,
    weights: Vector,
) -> tuple[Interval, ...]:
    """Return the overall interval of each model."""
    parts, z = [[interval for _, interval in models] for models in measured], None
    if settings.looks is not None:
        parts, z = intervals_at_look(of_tasks, suite, settings)
    moved = np.array(
        [
            pulls(metric, tuple(outcomes.values()), [each.mu for each in intervals], settings.prior)
            for metric, outcomes, intervals in zip(of_tasks, suite.values(), parts, strict=True)
        ]
    )
    bounds = [_bounds(of_tasks, suite, model, settings, weights) for model in suite.models]
    found = overall_intervals(parts, weights, pull(moved, weights), bounds, z)
    return tuple(
        interval._replace(completeness=_completeness(suite, model))
        for model, interval in zip(suite.models, found, strict=True)
    )


def _bounds(
    of_tasks: Sequence[Metric], suite: Suite, model: str, settings: LeaderboardSettings, weights: Vector
) -> tuple[float, float]:
    if settings.bounds is None:
        return -math.inf, math.inf
    if not is_support(settings.bounds):
        return check_bounds(settings.bounds)
    low, high = _support(of_tasks, suite, model, weights)
    return float(low), float(high)


def _support(of_tasks: Sequence[Metric], suite: Suite, model: str, weights: Vector) -> Vector:
    """Return the least and the greatest overall value of a model."""
    ends = [metric.support(outcomes[model]) for metric, outcomes in zip(of_tasks, suite.values(), strict=True)]
    return np.asarray(weights @ np.array(ends))


def _supports(of_tasks: Sequence[Metric], suite: Suite, weights: Vector) -> Vector:
    return read_only(np.array([_support(of_tasks, suite, model, weights) for model in suite.models]))


def _completeness(suite: Suite, model: str) -> float:
    matrices = [outcomes[model] for outcomes in suite.values()]
    planned = sum(each.planned for each in matrices)
    present = sum(int(each.trials.sum()) for each in matrices)
    return 1.0 if present == planned else present / planned
