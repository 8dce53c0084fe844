"""From outcomes to rankings: measure the models, find their differences, and rank them, on every task and overall."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

import numpy as np

from .._base.arrays import Flags, Indices, Vector, read_only
from .._base.choices import RANDOM
from .._base.words import pluralize, warn
from ..errors import QuestionsWarning
from ..estimates._contest import Contest, TaskContest, settled
from ..estimates._stack import Stack
from ..estimates._tasks import ONLY, TaskMetrics, at_task, completeness_of
from ..inference import Interval, Looks
from ..inference._level import Level
from ..metrics import Metric
from ..outcomes import OutcomeSet, Suite
from ._all_pairs import AllPairs
from ._functions import score_order
from ._metric_ranking import LeaderboardSettings, MetricRanking

_FEWEST = attrgetter("min_trials")
_PAIRS_AT_ONCE = 500  # whose differences are in memory


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
            if min(map(_FEWEST, entries[-1][0].contest.models)) == 0:
                _warn_of_lacking(outcomes)
    by_metric = zip(of_metrics, zip(*entries, strict=True), strict=True)
    if list(tasks) == [ONLY]:
        return tuple([_ranked(metric, parts, np.ones(1), settings) for (metric, _), parts in by_metric])
    rankings = []
    for (metric, _), parts in by_metric:
        alone = {part.task: _ranked(part.contest.metric, [part], np.ones(1), of_task) for part in parts}
        weights = np.array(list(shares.values()))
        rankings.append(_ranked(metric, parts, weights, settings, tasks=alone, weights=shares))
    return tuple(rankings)


def on_shared_questions(outcomes: OutcomeSet | Suite) -> OutcomeSet | Suite:
    """Return the models on the questions that all of them have trials of."""
    tasks = {
        task: models.select(np.all([matrix.trials > 0 for matrix in models.values()], axis=0))
        for task, models in outcomes.by_task.items()
    }
    return Suite(tasks) if outcomes.tasks else tasks[ONLY]


def _warn_of_lacking(models: OutcomeSet) -> None:
    """Issue a QuestionsWarning if a model has no trial of questions that other models have trials of."""
    asked = np.array([outcomes.trials > 0 for outcomes in models.values()])
    every, of_models = int(asked.any(axis=0).sum()), asked.sum(axis=1)
    lacking, least = int((of_models < every).sum()), int(of_models.argmin())
    if lacking:
        others = f", and {pluralize(lacking - 1, 'other model')} of some of them" if lacking > 1 else ""
        what = f"{models.models[least]} has no trial of {every - of_models[least]} of the {every} questions{others}"
        advice = "run them, or rank on the shared questions (shared_only=True)"
        warn(f"{what}, so differences may be those of questions: {advice}", QuestionsWarning)


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
        # P(best) and intervals of ranks are of this look alone, and the intervals of looks are wider
        self.stack = self.contest.stack(settings.level, self.intervals if settings.looks is None else None)


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
    order, _ = score_order(np.where(np.isnan(scores), [interval.mu for interval in intervals], scores))  # as printed
    ranks, with_top = (_ranks(stack), None) if looks is None else _at_look(contest, looks, int(order[0]))
    return MetricRanking(
        metric,
        models,
        sum(questions),
        (int(np.min(trials)), int(np.max(trials))),
        read_only(scores),
        intervals,
        read_only(order),
        read_only(ranks),
        AllPairs(stack, settings.rng, contest.supports),
        settings,
        None if with_top is None else read_only(with_top),
        levels,
        **of_tasks,
    )


def _ranks(stack: Stack) -> Indices:
    """Return one more than the number of models that are called better than each in a comparison of the two.

    >>> from scorio.estimates._joint import independent
    >>> _ranks(Stack(independent([0.9, 0.5, 0.52], [0.05] * 3), Level(0.95)))
    array([1, 2, 2])
    """
    count = len(stack.joint.mu)
    models, step, ranks = np.arange(count), max(1, _PAIRS_AT_ONCE // count), np.ones(count, dtype=np.intp)
    for start in range(0, count, step):
        some = models[start : start + step]
        better = stack.is_better(np.repeat(some, count), np.tile(models, len(some)))
        ranks += better.reshape(-1, count).sum(axis=0)
    return ranks


def _at_look(contest: Contest, looks: Looks, top: int) -> tuple[Indices, Flags]:
    """Return the ranks by the boundary of the looks, and which models are level with the top one.

    The comparisons of the best model with the others share the error. Two models are judged after as many trials as the
    one with fewer has.
    """
    spans = contest.spans
    better = np.zeros(spans.shape[:2], dtype=bool)
    for span in np.unique(spans.reshape(-1, 2), axis=0):
        i, j = np.nonzero((spans == span).all(axis=-1))
        level = looks.widest_level(span.tolist(), 2.0 * looks.alpha / max(len(spans) - 1, 1))
        better[i, j] = contest.stack(level).is_better(i, j)
    np.fill_diagonal(better, val=False)
    return 1 + better.sum(axis=0), ~(better[top] | better[:, top])


def _overall_intervals(
    contest: Contest, parts: Sequence[_Entry], settings: LeaderboardSettings, levels: Sequence[Level]
) -> tuple[Interval, ...]:
    """Return the interval of each model's overall score on several tasks."""
    of_tasks = [part.intervals for part in parts]
    if settings.looks is not None:
        of_tasks = _intervals_at_look(contest, settings, levels)
    overall = contest.intervals(of_tasks, levels, [tuple(ends) for ends in contest.supports().tolist()])
    matrices = zip(*(task.models for task in contest.tasks), strict=True)
    return tuple(
        replace(interval, completeness=completeness_of(of_model))
        for of_model, interval in zip(matrices, overall, strict=True)
    )


def _intervals_at_look(
    contest: Contest, settings: LeaderboardSettings, levels: Sequence[Level]
) -> list[list[Interval]]:
    """Return the interval of each model by task, at the boundary of its overall score."""
    assert settings.looks is not None
    looks = settings.looks.shared(len(levels))
    return [
        [
            replace(task.metric.interval_at(outcomes, level, **settings.interval_options), looks=looks)
            for outcomes, level in zip(task.models, levels, strict=True)
        ]
        for task in contest.tasks
    ]
