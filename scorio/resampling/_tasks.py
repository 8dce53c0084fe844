"""What replicates are drawn from: the trials of one set of models, or of every task of a suite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import Vector
from ..comparison._task_metrics import TaskMetrics, Weights, metrics_of_tasks, weights_of
from ..errors import OutcomeError, ParameterError
from ..metrics import Metric
from ..metrics._registry import as_metrics
from ..outcomes import OutcomeSet, Suite
from ._source import TrialSource, trial_sources


@dataclass(frozen=True, eq=False)
class SourceTask:
    """One task: its models, what their trials are drawn from, its metrics and its weight."""

    models: OutcomeSet
    sources: tuple[TrialSource, ...]
    metrics: tuple[Metric, ...]
    weight: float


def source_tasks(
    metrics: Any, outcomes: Any, scheme: str, replace: bool, weights: Weights
) -> tuple[Sequence[Metric | TaskMetrics], tuple[SourceTask, ...]]:
    """Return the metrics, and the tasks: one of weight 1 for outcomes that are no suite."""
    if not isinstance(outcomes, Suite):
        if weights is not None:
            raise ParameterError("are those of tasks, and these outcomes are no Suite", argument="weights")
        chosen = as_metrics(metrics)
        return chosen, (SourceTask(*trial_sources(outcomes, scheme, replace), tuple(chosen), 1.0),)
    outcomes.check_complete()
    suite = outcomes.select(models=outcomes.models)
    of_metrics = metrics_of_tasks(metrics, suite)
    shares = weights_of(weights, suite)
    tasks = []
    for at, (task, models) in enumerate(suite.items()):
        in_order = OutcomeSet({name: models[name] for name in suite.models})
        try:
            made = trial_sources(in_order, scheme, replace)
        except OutcomeError as error:
            raise error.at(f"task {task}") from None
        tasks.append(SourceTask(*made, tuple(of_tasks[at] for _, of_tasks in of_metrics), shares[task]))
    return [metric for metric, _ in of_metrics], tuple(tasks)


def overall_scores(tasks: Sequence[SourceTask], at: int) -> Vector:
    """Return the models' scores on all trials by the metric at this place."""
    return np.asarray(np.sum([task.weight * _scores(task.metrics[at], task.models) for task in tasks], axis=0))


def scores_by(metric: Metric, tasks: Sequence[SourceTask]) -> Vector:
    """Return the models' scores on all trials by a metric."""
    return np.asarray(np.sum([task.weight * _scores(metric, task.models) for task in tasks], axis=0))


def _scores(metric: Metric, models: OutcomeSet) -> Vector:
    return np.array([metric.score(matrix) for matrix in models.values()])
