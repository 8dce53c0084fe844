"""What a leaderboard says in words: verdicts on each model, and its methods as a paragraph for a paper."""

from collections.abc import Iterator, Sequence
from typing import Any

from .._choices import DIFFERENCE, INDEPENDENT, RANDOM
from .._display.table import plain
from .._display.words import pluralize
from ..errors import OutcomeError
from ..inference import Methods, cited_metrics, methods_of, of_errors, of_runs
from ..metrics import Metric
from ..outcomes import OutcomeSet, Suite
from ..planning import plan_separation
from ._metric_ranking import MetricRanking
from ._settings import LeaderboardSettings
from ._table import error_of, listed, of_leader

_PLANNED = 3  # tied models for which the trials that would tell them apart are planned


def verdicts(ranking: MetricRanking, outcomes: OutcomeSet | Suite, power: float) -> tuple[str, ...]:
    """Return the verdicts: on the leader and its score, on each model that is tied with it, and on the others."""
    if len(ranking) < 2:
        return ()
    corrected = str(ranking.leader_score)
    if ranking.settings.looks is not None:
        return (corrected,)
    leader, *others = ranking.rows
    tied = [row for row in others if row.tied_with_top]
    worse = [plain(row.model) for row in others if not row.tied_with_top]
    rate = error_of(ranking.settings, is_family_wise=ranking.is_family_wise)
    sentences = [of_leader(ranking.rows, ranking.leaders, rate), corrected]
    for row in tied[:_PLANNED]:
        plan = _plan(ranking, outcomes, (leader.model, row.model), power)
        sentences.append(f"{plain(row.model)} is tied with {plain(leader.model)} as best; {plan}")
    rest = [plain(row.model) for row in tied[_PLANNED:]]
    if rest:
        sentences.append(f"{listed(rest)} {'is' if len(rest) == 1 else 'are'} tied with them")
    if worse:
        sentences.append(f"{listed(worse)} {'is' if len(worse) == 1 else 'are'} not among the best{rate}")
    return tuple(sentences)


def _plan(ranking: MetricRanking, outcomes: OutcomeSet | Suite, pair: tuple[str, str], power: float) -> str:
    """Say how many more trials would tell two models apart in a comparison of the two."""
    metric, settings = ranking.metric, ranking.settings
    if not isinstance(metric, Metric):
        return "they differ by less than the data can show"
    if settings.runs == RANDOM:
        return "they differ by less than these runs can show"
    if any(row.forecast for row in ranking.rows):
        return "their forecasts differ by less than the trials can show"  # a plan would take many seconds
    sides = (outcomes.one_model(name) for name in pair)
    options: dict[str, Any] = {"confidence": max(settings.confidence, 0.5), "power": power, "target": settings.target}
    options["runs"] = INDEPENDENT
    if ranking.tasks:
        options["task_weights"] = dict(ranking.weights)
    else:
        options["paired"] = None if metric.is_mean_over_questions else False
    try:
        return plan_separation(metric, *sides, prior=settings.prior, rng=settings.rng, **options).separation
    except OutcomeError as error:
        return f"there is no plan to tell them apart: {error.problem}"


def methods(rankings: Sequence[MetricRanking]) -> Methods:
    """Return the methods of the rankings of one leaderboard."""
    return methods_of(_sentences(rankings))


def _sentences(rankings: Sequence[MetricRanking]) -> Iterator[str]:
    first, settings = rankings[0], rankings[0].settings
    parts = [part for ranking in rankings for part in (ranking.tasks or {"": ranking}).values()]
    metrics = list(dict.fromkeys(part.metric for part in parts))
    yield f"We scored {pluralize(len(first), 'model')} on {first.extent} by {cited_metrics(metrics)}"
    if first.tasks:
        weights = ", ".join(f"{task} {weight:.3g}" for task, weight in first.weights.items())
        yield f"Overall scores are weighted means over tasks ({weights})"
    if any(interval.completeness < 1.0 for interval in first.intervals):
        yield "Planned trials without an outcome were left out"
    yield _intervals(settings)
    yield from of_errors(settings.given, settings.target, [part.intervals[0].rewards for part in parts])
    yield of_runs(settings.runs)
    yield from _ranks(settings, len(first))
    if len(first) > 1:
        yield _best(first)


def _intervals(settings: LeaderboardSettings) -> str:
    shape = {"quantile": "equal-tailed"}.get(settings.shape or "quantile", settings.shape)
    random = "trials and runs" if settings.runs == RANDOM else "only trials"
    about = {
        "questions": f"about these questions, so that {random} are random",
        "population": "about the population that the questions are a sample of",
    }[settings.target]
    looks = "" if settings.looks is None else f", {settings.looks}"
    return f"The {settings.percent} intervals are {shape} and {about}{looks}"


def _ranks(settings: LeaderboardSettings, models: int) -> Iterator[str]:
    if models < 2:
        return
    if settings.looks is not None:
        yield "Two models share a rank unless their difference crosses the boundary of the sequential test"
        return
    if settings.tie != DIFFERENCE:
        rule = {
            "zscore_adjacent": "their difference in standard errors is below the one-sided threshold",
            "ci_overlap_adjacent": "their intervals overlap",
        }[settings.tie]
        yield f"Neighboring models share a rank if {rule} [@hariri2025dont]"
        return
    yield (
        "The rank of a model is one more than the number of models that are significantly better in a comparison of "
        f"the two (error {settings.error_percent})"
    )
    yield (
        "The top set has the models that no other model is significantly better than, by the joint law of all "
        f"differences: it contains the best model with probability {settings.percent} (family-wise error "
        f"{settings.error_percent})"
    )


def _best(ranking: MetricRanking) -> str:
    if ranking.joint.is_independent:
        return "Probabilities of being the best are those of independent normal posteriors, by quadrature"
    settings = ranking.settings
    return (
        f"Probabilities of being the best are from {settings.draws:,} draws of the joint posterior of the models on "
        f"the same questions (seed {settings.rng})"
    )
