"""What a report says beyond the leaderboard: curves, coverage, and what it takes to tell the leaders apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple, cast

from ..interval import Interval
from ..metrics import MaxAtK, Metric, PassAtK
from ..outcome_set import OutcomeSet
from ..plan import Plan, plan_separation
from ..rank import Leaderboard, Standing

POWER = 0.8  # the chance that the leaders are told apart after the trials that a report plans
_RIVALS = 5  # models not told from the best, for which trials are planned


class Curve(NamedTuple):
    """One model's score and interval for every budget."""

    model: str
    scores: list[float]
    intervals: list[Interval]


class Curves(NamedTuple):
    """The curves of all models, in the leaderboard's order."""

    family: str
    budgets: list[int]
    of_models: list[Curve]


def curves(board: Leaderboard) -> Curves:
    """Pass@k, or the best of k rewards, for powers of two up to the fewest trials, and those."""
    models, first = board.outcomes, board.standings[0]
    budgets = budgets_of(models)
    family = family_of(models)
    asked = [replace(cast("Any", family), k=k) for k in budgets]
    options = board.settings.interval_options
    found = []
    for name in (row.model for row in first):
        intervals = [metric.interval(models[name], board.settings.confidence, **options) for metric in asked]
        found.append(Curve(name, [metric.score(models[name], short="omit") for metric in asked], intervals))
    return Curves(family.name.capitalize(), budgets, found)


def family_of(models: OutcomeSet) -> Metric:
    """Pass@1, of the metrics that rise with a budget; of rewards the best one."""
    return PassAtK(1) if models.is_right_or_wrong else MaxAtK(1)


def budgets_of(models: OutcomeSet) -> list[int]:
    """Powers of two up to the fewest trials that a question has, and that number itself.

    >>> budgets_of(OutcomeSet({"a": [[0, 1, 1, 0, 1, 1]]}))
    [1, 2, 4, 6]
    """
    most = max(1, min(bank.min_trials for bank in models.values()))
    return sorted({1 << i for i in range(most.bit_length())} | {most})


class Coverage(NamedTuple):
    """How many of one model's planned trials there are."""

    model: str
    present: int
    planned: int
    fewest: int
    most: int

    @property
    def share(self) -> float:
        """Present over planned."""
        return self.present / self.planned


def coverage(models: OutcomeSet) -> list[Coverage]:
    """The coverage of every model."""
    return [
        Coverage(name, int(bank.trials.sum()), bank.planned, bank.min_trials, bank.max_trials)
        for name, bank in models.items()
    ]


class Separation(NamedTuple):
    """What it takes to tell a rival from the leader."""

    leader: str
    rival: str
    plan: Plan


def separations(board: Leaderboard, standing: Standing) -> list[Separation]:
    """Plans for the models that cannot be told from the best, nearest first."""
    leader, *others = standing.rows
    rivals = [row.model for row in others if row.tied_with_top][:_RIVALS]
    return [Separation(leader.model, each, _plan(board, standing.metric, leader.model, each)) for each in rivals]


def _plan(board: Leaderboard, metric: Metric, leader: str, rival: str) -> Plan:
    paired = None if metric.additive else False
    pair = (board.outcomes[leader], board.outcomes[rival])
    settings = board.settings
    level = max(settings.confidence, 0.5)
    return plan_separation(metric, *pair, rho=level, power=POWER, paired=paired, prior=settings.prior, rng=settings.rng)
