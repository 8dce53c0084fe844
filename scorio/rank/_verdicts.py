"""What a leaderboard says about each model, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .._display.table import plain
from .._display.words import pluralize
from ..errors import OutcomeError
from ..metrics import Metric
from ..outcomes import OutcomeSet, Suite
from ..planning import plan_separation
from ._metric_ranking import MetricRanking
from ._row import Row
from ._settings import LeaderboardSettings

_PLANNED = 3  # tied models for which the trials that would tell them apart are planned
_NAMED = 5


def verdicts(ranking: MetricRanking, outcomes: OutcomeSet | Suite, power: float) -> tuple[str, ...]:
    """Return the verdicts: on the leader, on each model that is tied with it, and on the others."""
    if len(ranking) < 2 or ranking.race is not None:
        return ()
    leader, *others = ranking.rows
    tied = [row for row in others if row.tied_with_top]
    worse = [plain(row.model) for row in others if not row.tied_with_top]
    rate = f" (family-wise error {ranking.settings.error_percent})" if ranking.is_family_wise else ""
    sentences = [_of_leader(leader, len(tied), rate)]
    for row in tied[:_PLANNED]:
        plan = _plan(ranking, outcomes, (leader.model, row.model), power)
        sentences.append(f"{plain(row.model)} is tied with {plain(leader.model)} as best; {plan}")
    rest = [plain(row.model) for row in tied[_PLANNED:]]
    if rest:
        sentences.append(f"{_listed(rest)} {'is' if len(rest) == 1 else 'are'} tied with them")
    if worse:
        sentences.append(f"{_listed(worse)} {'is' if len(worse) == 1 else 'are'} not among the best{rate}")
    return tuple(sentences)


def _of_leader(leader: Row, tied: int, rate: str) -> str:
    if not leader.tied_with_top:
        return f"{plain(leader.model)} has the highest score, but another model is significantly better{rate}"
    if not tied:
        return f"{plain(leader.model)} is the best model{rate}"
    return f"{plain(leader.model)} has the highest score, and {pluralize(tied, 'model')} may be as good{rate}"


def _listed(names: Sequence[str]) -> str:
    shown = [*names[:_NAMED], f"{len(names) - _NAMED} more"] if len(names) > _NAMED else list(names)
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]


def _plan(ranking: MetricRanking, outcomes: OutcomeSet | Suite, pair: tuple[str, str], power: float) -> str:
    """Say how many more trials would tell two models apart in a comparison of the two."""
    metric, settings = ranking.metric, ranking.settings
    if not isinstance(metric, Metric):
        return "they differ by less than the data can show"
    one, other = _of_models(outcomes, pair)
    try:
        return plan_separation(metric, one, other, power=power, **_options(ranking, metric, settings)).separation
    except OutcomeError as error:
        return f"there is no plan to tell them apart: {error.problem}"


def _options(ranking: MetricRanking, metric: Metric, settings: LeaderboardSettings) -> dict[str, Any]:
    options: dict[str, Any] = {"confidence": max(settings.confidence, 0.5), "target": settings.target}
    options |= {"prior": settings.prior, "rng": settings.rng}
    if ranking.tasks:
        return options | {"weights": dict(ranking.weights)}
    return options | {"paired": None if metric.is_mean_over_questions else False}


def _of_models(outcomes: OutcomeSet | Suite, names: Sequence[str]) -> Iterator[Any]:
    for name in names:
        yield outcomes.select(models=[name]) if isinstance(outcomes, Suite) else outcomes[name]
