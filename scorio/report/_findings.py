"""What a report shows besides the leaderboard: curves, completeness, and plans that separate the best models."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple, cast

from ..inference import Interval
from ..metrics import MaxAtK, Metric, PassAtK
from ..metrics._batch import intervals_of_set
from ..outcomes import OutcomeMatrix, OutcomeSet
from ..planning import Plan, plan_separation
from ..rank import Leaderboard, MetricRanking
from ..rank._settings import LeaderboardSettings

POWER = 0.8  # probability that a planned difference is significant after the planned trials
_RIVALS = 5  # at most so many models of the top set get a plan


class Curve(NamedTuple):
    """The scores and intervals of one model, for every budget."""

    model: str
    scores: list[float]
    intervals: list[Interval]


class Curves(NamedTuple):
    """The curves of all models, in the leaderboard's order."""

    family: str
    budgets: list[int]
    of_models: list[Curve]


def curves(board: Leaderboard, models: OutcomeSet) -> Curves:
    """Compute Pass@k, or Max@k for rewards, for every budget of ``budgets_of``."""
    first = board.rankings[0]
    budgets = budgets_of(models)
    family = family_of(models)
    metrics = [replace(cast("Any", family), k=k) for k in budgets]
    options = board.settings.interval_options
    of_models = []
    for name in (row.model for row in first):
        intervals = intervals_of_set(metrics, models[name], board.settings.confidence, **options)
        of_models.append(Curve(name, [metric.observed(models[name], too_few="omit") for metric in metrics], intervals))
    return Curves(family.name.capitalize(), budgets, of_models)


def family_of(models: OutcomeSet) -> Metric:
    """Return the metric whose budget a curve varies: Pass@k, or Max@k for rewards."""
    return PassAtK(1) if models.is_pass_fail else MaxAtK(1)


def budgets_of(models: OutcomeSet) -> list[int]:
    """Return powers of two up to the fewest trials of a question, and that number itself.

    >>> budgets_of(OutcomeSet({"a": [[0, 1, 1, 0, 1, 1]]}))
    [1, 2, 4, 6]
    """
    most = max(1, min(outcomes.min_trials for outcomes in models.values()))
    return sorted({1 << i for i in range(most.bit_length())} | {most})


class Completeness(NamedTuple):
    """How many of a model's planned trials are present."""

    model: str
    present: int
    planned: int
    fewest: int
    most: int

    @property
    def share(self) -> float:
        """Trials present over trials planned."""
        return self.present / self.planned


def completeness(models: OutcomeSet) -> list[Completeness]:
    """Count the trials of every model."""
    return [
        Completeness(name, int(outcomes.trials.sum()), outcomes.planned, outcomes.min_trials, outcomes.max_trials)
        for name, outcomes in models.items()
    ]


class Separation(NamedTuple):
    """The plan that separates a rival from the leader."""

    leader: str
    rival: str
    plan: Plan


def separations(board: Leaderboard, models: OutcomeSet, ranking: MetricRanking) -> list[Separation]:
    """Plan the separation of the other models of the top set, nearest first."""
    leader, *others = ranking.rows
    rivals = [row.model for row in others if row.tied_with_top][:_RIVALS]
    metric, settings = ranking.metric, board.settings
    assert isinstance(metric, Metric)
    pairs = [(models[leader.model], models[each]) for each in rivals]
    plans = [_plan(metric, pair, settings) for pair in pairs]
    return [Separation(leader.model, each, plan) for each, plan in zip(rivals, plans, strict=True)]


def _plan(metric: Metric, pair: tuple[OutcomeMatrix, OutcomeMatrix], settings: LeaderboardSettings) -> Plan:
    paired = None if metric.is_mean_over_questions else False
    level = max(settings.confidence, 0.5)
    return plan_separation(
        metric, *pair, confidence=level, power=POWER, paired=paired, prior=settings.prior, rng=settings.rng
    )
