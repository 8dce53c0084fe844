"""From outcomes to rankings of one task: measure the models, find their differences, and rank them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .._arrays import Vector, read_only
from ..comparison._contest import Contest
from ..comparison._differences import Differences
from ..comparison._family_law import Family
from ..comparison._suite_contest import SuiteContest
from ..inference import Interval
from ..metrics import Metric
from ..outcomes import OutcomeSet
from ._measuring import Measured, measured_models
from ._metric_ranking import MetricRanking
from ._race import Judge, Race, race
from ._rules import RANKINGS, TOLERANCE, score_order
from ._settings import LeaderboardSettings
from ._ties import ADJACENT_TIES, DIFFERENCE, Ties, adjacent_ties, significant_differences


def rank_by_metrics(
    metrics: Sequence[Metric],
    outcomes: OutcomeSet,
    settings: LeaderboardSettings,
    beaten: Mapping[str, Iterable[Any]],
    n_jobs: int,
) -> tuple[MetricRanking, ...]:
    """Rank the models by each metric; ``beaten`` at earlier looks, by metric."""
    measured = measured_models(metrics, outcomes, settings, n_jobs)
    pairs = zip(metrics, measured, strict=True)
    return tuple(rank_models(metric, outcomes, settings, each, beaten=beaten[str(metric)]) for metric, each in pairs)


def rank_models(
    metric: Metric,
    outcomes: OutcomeSet,
    settings: LeaderboardSettings,
    measured: Sequence[Measured],
    differences: Differences | None = None,
    beaten: Iterable[Any] = (),
) -> MetricRanking:
    """Rank the measured models, and find those tied with the top model; ``beaten`` at earlier looks."""
    scores, intervals = np.array([score for score, _ in measured]), tuple(interval for _, interval in measured)
    if differences is None:
        differences = differences_of(metric, outcomes, intervals, settings)
    order, _ = score_order(scores)
    ties = ties_of(scores, np.array([tuple(each) for each in intervals]), differences, settings)
    present = None
    if settings.looks is not None:
        contest = contest_of(metric, outcomes, settings)
        present, ties = at_look(contest, outcomes.names, settings, beaten, int(order[0]))
    return MetricRanking(
        metric,
        outcomes.names,
        outcomes.n_questions,
        outcomes.trials_each,
        read_only(scores),
        intervals,
        read_only(order),
        read_only(RANKINGS[settings.ranking](ties.first, ties.last)),
        Family(differences, settings.rng, _supports(metric, outcomes)),
        settings,
        None if ties.with_top is None else read_only(ties.with_top),
        present,
    )


def _supports(metric: Metric, outcomes: OutcomeSet) -> Vector:
    return read_only(np.array([metric.support(each) for each in outcomes.values()], dtype=np.float64))


def contest_of(metric: Metric, outcomes: OutcomeSet, settings: LeaderboardSettings) -> Contest:
    """Return the models on one task."""
    return Contest(metric, tuple(outcomes.values()), settings.prior, settings.shape, settings.target)


def at_look(
    contest: Contest | SuiteContest,
    models: Sequence[str],
    settings: LeaderboardSettings,
    beaten: Iterable[Any],
    top: int,
) -> tuple[Race, Ties]:
    """Return the race of the models at this look, and ties by its boundary."""
    assert settings.looks is not None
    rest: dict[str, Any] = {"goal": settings.goal, "within": settings.within, "beaten": beaten}
    present = race(models, contest, settings.looks, **rest)
    better = Judge(contest, settings.looks, present.alpha).better()
    first, last = 1 + better.sum(axis=0), len(models) - better.sum(axis=1)
    return present, Ties(first, last, ~(better[top] | better[:, top]))


def differences_of(
    metric: Metric, outcomes: OutcomeSet, intervals: tuple[Interval, ...], settings: LeaderboardSettings
) -> Differences:
    """Return the differences between models as ``compare`` has them."""
    return contest_of(metric, outcomes, settings).differences(settings.confidence, intervals=intervals)


def ties_of(scores: Vector, intervals: Vector, differences: Differences, settings: LeaderboardSettings) -> Ties:
    """Return who shares a rank, by the rule of the settings; ``intervals`` are (L, 4)."""
    order, tied = score_order(scores)
    if settings.tie == DIFFERENCE:
        return significant_differences(differences)
    are_tied = ADJACENT_TIES[settings.tie](intervals, settings.confidence)
    with_top = are_tied(order[:1], np.arange(len(order))) | (scores >= scores[order[0]] - TOLERANCE)
    return adjacent_ties(order, tied | are_tied(order[:-1], order[1:]), with_top)
