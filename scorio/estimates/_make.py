"""Estimates of metrics: of one model, of several, and overall on several tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import OutcomeError
from ..inference import PriorLike, Terms
from ..metrics import Metric
from ..outcomes import as_outcomes
from ._estimate import Estimate, Measured, mean
from ._family import Family
from ._tasks import ONLY, Weights, as_tasks, at_task, metric_of_tasks, shares_of


def estimate(
    metric: Metric | str | Mapping[str, Metric | str],
    outcomes: Any,
    *,
    task_weights: Weights = None,
    target: str = "questions",
    prior: PriorLike | None = None,
    shape: str | None = None,
    confidence: float = 0.95,
    runs: str = "auto",
) -> Family:
    """Estimate the score of every model: a mapping from models to estimates, with their joint statements.

    ``outcomes`` are a set of models, a suite of tasks, or what makes one; scores on several tasks are averaged with
    ``task_weights``, those of ``compare``. The other arguments are those of ``Metric.interval``.

    >>> board = estimate("pass@1", {"new": [[1, 1, 1, 0]] * 9, "old": [[1, 0, 1, 0]] * 9})
    >>> print(board["new"] - 0.95 * board["old"])
    +0.260 [+0.057, +0.450], P(above 0) = 0.994, for these questions (confidence 0.95)
    """
    tasks = as_tasks(outcomes)
    _, of_tasks = metric_of_tasks(metric, tasks)
    shares = shares_of(task_weights, {task: models.n_questions for task, models in tasks.items()})
    terms = Terms(target=target, prior=prior, shape=shape, confidence=confidence, runs=runs)
    models = list(dict.fromkeys(name for part in tasks.values() for name in part))
    estimates = {}
    for name in models:
        parts = []
        for (task, of_models), of_task in zip(tasks.items(), of_tasks, strict=True):
            if name not in of_models:
                raise OutcomeError(f"model {name!r} has no outcomes", where=f"task {task}")
            with at_task(task):
                parts.append(of_model(of_task, of_models[name], terms, str(name), task))
        estimates[name] = parts[0] if list(tasks) == [ONLY] else mean(parts, list(shares.values()))
    return Family(estimates)


def estimate_of(metric: Metric, R: Any, task: str = "", model: str = "", **about: Any) -> Estimate:
    """Return the estimate of a metric of one model, as ``Metric.estimate`` does."""
    return of_model(metric, R, Terms(**about), model, task)


def of_model(metric: Metric, R: Any, terms: Terms, model: str, task: str) -> Estimate:
    """Return the estimate of one model on one task."""
    if isinstance(R, Mapping):
        raise OutcomeError("an estimate of one metric is of one model", hint="scorio.estimate(metric, models) has all")
    outcomes = metric.admit(as_outcomes(R))
    measured = Measured(metric, outcomes, model, task, R)
    return Estimate({measured.key: (measured, 1.0)}, terms)
