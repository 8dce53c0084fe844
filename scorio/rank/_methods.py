"""The methods of a leaderboard, as a paragraph for a paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .._display.words import pluralize
from ..comparison._methods import Methods, cited_metrics, methods_of, of_prior
from ..inference._interval import CATEGORICAL, CONTINUOUS
from ._metric_ranking import MetricRanking
from ._settings import LeaderboardSettings
from ._ties import DIFFERENCE


def methods(rankings: Sequence[MetricRanking]) -> Methods:
    """Return the methods of the rankings of one leaderboard."""
    return methods_of(_sentences(rankings))


def _sentences(rankings: Sequence[MetricRanking]) -> Iterator[str]:
    first, settings = rankings[0], rankings[0].settings
    parts = [part for each in rankings for part in (each.tasks or {"": each}).values()]
    metrics = list(dict.fromkeys(part.metric for part in parts))
    yield f"We scored {pluralize(len(first), 'model')} on {first.extent} by {cited_metrics(metrics)}"
    if first.tasks:
        weights = ", ".join(f"{task} {weight:.3g}" for task, weight in first.weights.items())
        yield f"Overall scores are weighted means over tasks ({weights})"
    if any(interval.completeness < 1.0 for interval in first.intervals):
        yield "Planned trials without an outcome were left out"
    yield _intervals(settings)
    is_continuous = any(part.intervals[0].rewards == CONTINUOUS for part in parts)
    yield of_prior(settings.prior, settings.target, CONTINUOUS if is_continuous else CATEGORICAL)
    yield from _ranks(settings, len(first))
    if len(first) > 1:
        yield _best(first)


def _intervals(settings: LeaderboardSettings) -> str:
    shape = {"quantile": "equal-tailed", "normal": "normal"}[settings.shape]
    about = {
        "questions": "about these questions, so that only trials are random",
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
