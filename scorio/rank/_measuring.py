"""Scores and intervals of all models by all metrics."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from .._display.progress import Progress
from .._display.words import pluralize
from ..errors import OutcomeError
from ..inference import Interval
from ..metrics import Metric
from ..metrics._batch import check_jobs, intervals_of_set
from ..outcomes import OutcomeMatrix, OutcomeSet
from ._settings import TOO_FEW, LeaderboardSettings

Measured = tuple[float, Interval]  # the score and the interval of one model


def measured_models(
    metrics: Sequence[Metric], outcomes: OutcomeSet, settings: LeaderboardSettings, n_jobs: int = 1
) -> list[list[Measured]]:
    """Return score and interval of each model by each metric, by metric and then by model, from ``n_jobs`` threads."""

    def measure(item: tuple[str, OutcomeMatrix]) -> list[Measured]:
        return _measure(metrics, *item, settings, len(outcomes))

    of_models = []
    with Progress("ranking", len(outcomes)) as shown, ThreadPoolExecutor(check_jobs(n_jobs)) as pool:
        for each in map(measure, outcomes.items()) if n_jobs == 1 else pool.map(measure, outcomes.items()):
            of_models.append(each)
            shown.add()
    return [list(of_metric) for of_metric in zip(*of_models, strict=True)]


def _measure(
    metrics: Sequence[Metric], name: str, outcomes: OutcomeMatrix, settings: LeaderboardSettings, models: int
) -> list[Measured]:
    """Return score and interval of one model by each metric."""
    try:
        scores = [metric.observed(outcomes, too_few=settings.too_few) for metric in metrics]
        options = settings.interval_options
        if settings.looks is not None:
            options["looks"] = settings.looks.shared(models)
        intervals = intervals_of_set(metrics, outcomes, settings.confidence, **options)
        return list(zip(scores, intervals, strict=True))
    except OutcomeError as error:
        if settings.looks is not None and settings.too_few == "raise":
            _check_enough(metrics, name, outcomes)
        raise error.at(name).offering("too_few", TOO_FEW) from None


def _check_enough(metrics: Sequence[Metric], name: str, outcomes: OutcomeMatrix) -> None:
    """Check that a look at this model is not too early for a row of a leaderboard."""
    for metric in metrics:
        if outcomes.min_trials < metric.required_trials:
            raise OutcomeError(
                f"{metric} has no score before every question has {pluralize(metric.required_trials, 'trial')}, and"
                f" a question of model {name} has {outcomes.min_trials}",
                hint="look at the leaderboard from then on; until then interval(.., looks=) and compare(.., looks=) say"
                " what the trials show, because they need no score",
            )
