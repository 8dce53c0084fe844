"""From outcomes to rankings: measure the models, find their differences, and rank them, on every task and overall."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._arrays import Vector, read_only
from .._choices import DIFFERENCE, RANDOM
from ..estimates import (
    ONLY,
    AllPairs,
    Contest,
    Stack,
    TaskContest,
    TaskMetrics,
    at_task,
    settled,
)
from ..inference import Interval, Level, Looks, limits_of
from ..metrics import Metric
from ..outcomes import OutcomeMatrix, OutcomeSet
from ._metric_ranking import MetricRanking
from ._rules import (
    ADJACENT_TIES,
    RANKINGS,
    TOLERANCE,
    LeaderboardSettings,
    Ties,
    adjacent_ties,
    score_order,
    significant_differences,
)


def rank(
    of_metrics: Sequence[tuple[Metric | TaskMetrics, Sequence[Metric]]],
    tasks: Mapping[str, OutcomeSet],
    shares: Mapping[str, float],
    settings: LeaderboardSettings,
) -> tuple[MetricRanking, ...]:
    """Return the ranking by each metric; that of a suite has the rankings on each task.

    ``of_metrics`` has each metric and what it is on every task. With looks, the overall ranking has their error, and
    the rankings of all tasks share it once more.
    """
    of_task = settings if settings.looks is None else replace(settings, looks=settings.looks.shared(len(tasks)))
    entries = []
    for at, (task, outcomes) in enumerate(tasks.items()):
        with at_task(task):
            entries.append([_Entry(task, of_tasks[at], outcomes, of_task) for _, of_tasks in of_metrics])
    by_metric = zip(of_metrics, zip(*entries, strict=True), strict=True)
    if list(tasks) == [ONLY]:
        return tuple([_ranked(metric, parts, np.ones(1), settings) for (metric, _), parts in by_metric])
    rankings = []
    for (metric, _), parts in by_metric:
        alone = {part.task: _ranked(part.contest.metric, [part], np.ones(1), of_task) for part in parts}
        weights = np.array(list(shares.values()))
        rankings.append(_ranked(metric, parts, weights, settings, tasks=alone, weights=shares))
    return tuple(rankings)


class _Entry:
    """All models by one metric on one task: their scores and intervals, and their values together."""

    def __init__(self, task: str, metric: Metric, outcomes: OutcomeSet, settings: LeaderboardSettings) -> None:
        models = tuple(outcomes.values())
        settings = settled(settings, metric, models)
        self.task, self.outcomes, options = task, outcomes, settings.interval_options
        if settings.looks is not None:
            options["looks"] = settings.looks.shared(len(outcomes))
        measured = metric.measured(outcomes, settings.confidence, too_few=settings.too_few, **options)
        self.scores, self.intervals = map(list, zip(*measured, strict=True))
        self.contest = TaskContest([metric] * len(models), models, settings)
        self.stack = self.contest.stack(settings.level, self.intervals)


def _ranked(
    metric: Metric | TaskMetrics,
    parts: Sequence[_Entry],
    shares: Vector,
    settings: LeaderboardSettings,
    **of_tasks: Any,
) -> MetricRanking:
    """Return the ranking by the weighted sum over tasks: the one place where it is made, for one task and several."""
    contests, stacks, of_parts = zip(*[(part.contest, part.stack, part.scores) for part in parts], strict=True)
    contest, scores = Contest.of(contests, shares), shares @ np.array(of_parts)
    settings = settings.settled(contest.tasks[0].terms.given)
    stack, looks, models = contest.with_runs(contest.summed(stacks)), settings.looks, parts[0].outcomes.models
    levels = [settings.level] * len(models) if looks is None else contest.levels(looks.shared(len(models)))
    questions, trials = zip(*[(part.outcomes.n_questions, part.outcomes.trials_each) for part in parts], strict=True)
    intervals = tuple(parts[0].intervals) if len(parts) == 1 else _overall_intervals(contest, parts, settings, levels)
    if (noises := contest.run_noise) is not None:
        rows = zip(intervals, noises, levels, strict=True)
        intervals = tuple(noise.widened(interval, level, runs=RANDOM) for interval, noise, level in rows)
    values = scores if not np.isnan(scores).any() else np.array([interval.mu for interval in intervals])
    order, _ = score_order(values)  # forecasts are in the order of their means
    ties = _ties(values, intervals, stack, settings) if looks is None else _at_look(contest, looks, int(order[0]))
    return MetricRanking(
        metric,
        models,
        sum(questions),
        (int(np.min(trials)), int(np.max(trials))),
        read_only(scores),
        intervals,
        read_only(order),
        read_only(RANKINGS[settings.ranking](ties.first, ties.last)),
        AllPairs(stack, settings.rng, contest.supports),
        settings,
        None if ties.with_top is None else read_only(ties.with_top),
        levels,
        **of_tasks,
    )


def _ties(scores: Vector, intervals: Sequence[Interval], stack: Stack, settings: LeaderboardSettings) -> Ties:
    """Return who shares a rank, by the rule of the settings."""
    if settings.tie == DIFFERENCE:
        return significant_differences(stack)
    order, tied = score_order(scores)
    ends, are_tied, confidence = np.array(list(map(tuple, intervals))), ADJACENT_TIES[settings.tie], settings.confidence
    with_top = are_tied(ends[order[:1]], ends, confidence) | (scores >= scores[order[0]] - TOLERANCE)
    return adjacent_ties(order, tied | are_tied(ends[order[:-1]], ends[order[1:]], confidence), with_top)


def _at_look(contest: Contest, looks: Looks, top: int) -> Ties:
    """Return ties by the boundary of the looks, whose error the comparisons of the best model with the others share.

    Two models are judged after as many trials as the one with fewer has.
    """
    spans = contest.spans
    better = np.zeros(spans.shape[:2], dtype=bool)
    for span in np.unique(spans.reshape(-1, 2), axis=0):
        i, j = np.nonzero((spans == span).all(axis=-1))
        level = looks.widest_level(span.tolist(), 2.0 * looks.alpha / max(len(spans) - 1, 1))
        better[i, j] = contest.stack(level).is_better(i, j)
    np.fill_diagonal(better, val=False)
    return Ties(1 + better.sum(axis=0), len(spans) - better.sum(axis=1), ~(better[top] | better[:, top]))


def _overall_intervals(
    contest: Contest, parts: Sequence[_Entry], settings: LeaderboardSettings, levels: Sequence[Level]
) -> tuple[Interval, ...]:
    """Return the interval of each model's overall score on several tasks."""
    of_tasks = [part.intervals for part in parts]
    if settings.looks is not None:
        of_tasks = _intervals_at_look(contest, settings, levels)
    overall = contest.intervals(of_tasks, levels, _bounds(contest, settings))
    matrices = zip(*(task.models for task in contest.tasks), strict=True)
    return tuple(
        replace(interval, completeness=_completeness(of_model))
        for of_model, interval in zip(matrices, overall, strict=True)
    )


def _intervals_at_look(
    contest: Contest, settings: LeaderboardSettings, levels: Sequence[Level]
) -> list[list[Interval]]:
    """Return the interval of each model by task, at the boundary of its overall score."""
    assert settings.looks is not None
    looks = settings.looks.shared(len(levels))
    about: dict[str, Any] = {"prior": settings.prior, "shape": settings.shape, "target": settings.target}
    return [
        [
            replace(task.metric.interval_at(outcomes, level, **about), looks=looks)
            for outcomes, level in zip(task.models, levels, strict=True)
        ]
        for task in contest.tasks
    ]


def _bounds(contest: Contest, settings: LeaderboardSettings) -> list[tuple[float, float]]:
    """Return the range that ends the overall interval of each model."""
    supports = [] if settings.bounds is None else contest.supports().tolist()
    limits = [limits_of(settings.bounds, tuple, support) for support in supports]
    return [ends for ends in limits if ends] or [(-math.inf, math.inf)] * len(contest.tasks[0].models)


def _completeness(matrices: Sequence[OutcomeMatrix]) -> float:
    planned = sum(matrix.planned for matrix in matrices)
    present = sum(int(matrix.trials.sum()) for matrix in matrices)
    return 1.0 if present == planned else present / planned
