"""What a report shows besides the leaderboard: curves, completeness, and plans that separate the best models."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

from .._choices import told
from ..comparison import as_tasks
from ..inference import Interval
from ..metrics import MaxAtK, Metric, PassAtK
from ..outcomes import OutcomeSet, Suite
from ..planning import Plan, plan_separation
from ..rank import Leaderboard, MetricRanking

POWER = 0.8  # probability that a planned difference is significant after the planned trials
_RIVALS = 5  # at most so many models of the top set get a plan


class Curve(NamedTuple):
    """The scores and intervals of one model, for every k.

    Of a forecast there are ``inner`` intervals too, of lower levels, and ``means``; the first ``scored`` values are
    scores, and the others forecasts.
    """

    model: str
    scores: list[float]
    intervals: list[Interval]
    inner: Sequence[list[Interval]] = ()
    means: list[float] | None = None
    scored: int | None = None


class Curves(NamedTuple):
    """The curves of all models, in the leaderboard's order."""

    family: str
    ks: list[int]
    of_models: list[Curve]


def curves(board: Leaderboard, models: OutcomeSet) -> Curves:
    """Compute Pass@k, or Max@k for rewards, for every k of ``ks_of``."""
    first = board.rankings[0]
    ks = ks_of(models)
    family = family_of(models)
    metrics = [replace(cast("Any", family), k=k) for k in ks]
    options = board.settings.interval_options | {"runs": told(board.settings.runs)}
    of_models = []
    for name in (row.model for row in first):
        intervals = [each.interval(models[name], board.settings.confidence, **options) for each in metrics]
        of_models.append(Curve(name, [metric.score(models[name], too_few="omit") for metric in metrics], intervals))
    return Curves(family.name.capitalize(), ks, of_models)


def family_of(models: OutcomeSet) -> Metric:
    """Return the metric whose k a curve varies: Pass@k, or Max@k for rewards."""
    return PassAtK(1) if models.is_pass_fail else MaxAtK(1)


def ks_of(models: OutcomeSet) -> list[int]:
    """Return powers of two up to the fewest trials of a question, and that number itself.

    >>> ks_of(OutcomeSet({"a": [[0, 1, 1, 0, 1, 1]]}))
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


def trials_by_task(outcomes: OutcomeSet | Suite) -> dict[str, list[Completeness]]:
    """Count the trials of every task and model."""
    return {
        task: [
            Completeness(name, int(each.trials.sum()), each.planned, each.min_trials, each.max_trials)
            for name, each in models.items()
        ]
        for task, models in as_tasks(outcomes).items()
    }


def all_trials(tasks: Mapping[str, Sequence[Completeness]]) -> list[Completeness]:
    """Return the trials of all tasks as those of one."""
    by_model: dict[str, list[Completeness]] = {}
    for each in itertools.chain(*tasks.values()):
        by_model.setdefault(each.model, []).append(each)
    return [
        Completeness(
            model,
            sum(each.present for each in parts),
            sum(each.planned for each in parts),
            min(each.fewest for each in parts),
            max(each.most for each in parts),
        )
        for model, parts in by_model.items()
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
    options: dict[str, Any] = {"confidence": max(settings.confidence, 0.5), "power": POWER}
    options |= {"paired": None if metric._is_mean_over_questions else False}
    options |= {"prior": settings.prior, "rng": settings.rng, "runs": told(settings.runs)}
    plans = [plan_separation(metric, models[leader.model], models[rival], **options) for rival in rivals]
    return [Separation(leader.model, rival, plan) for rival, plan in zip(rivals, plans, strict=True)]
