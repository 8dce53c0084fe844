"""The metric and the weight of each task of a suite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .._arrays import Vector
from .._choices import BY_QUESTIONS, OVERALL
from .._display.words import shorten, unknown
from ..errors import ParameterError
from ..metrics import Metric
from ..metrics._registry import as_metric, as_metrics
from ..outcomes import Suite

Weights = Literal["questions"] | Mapping[str, float] | None


@dataclass(frozen=True)
class TaskMetrics:
    """A metric for each task, where they differ; its text is "overall"."""

    by_task: tuple[tuple[str, Metric], ...]

    def __str__(self) -> str:
        return OVERALL

    def __repr__(self) -> str:
        return "; ".join(f"{task}: {metric!r}" for task, metric in self.by_task)


def metrics_of_tasks(metrics: Any, suite: Suite) -> list[tuple[Metric | TaskMetrics, list[Metric]]]:
    """Return each metric with what it is on every task, in the order of the tasks."""
    if not isinstance(metrics, Mapping):
        return [(metric, [metric] * len(suite)) for metric in as_metrics(metrics)]
    check_tasks("metrics", metrics, suite)
    chosen = [as_metric(metrics[task]) for task in suite]
    if len(set(map(str, chosen))) == 1:
        return [(chosen[0], chosen)]
    return [(TaskMetrics(tuple(zip(suite, chosen, strict=True))), chosen)]


def check_tasks(argument: str, values: Mapping[str, Any], suite: Suite) -> None:
    """Check that a mapping has an entry for every task, and none for anything else."""
    for task in values:
        if task not in suite:
            raise ParameterError(f"has an {unknown('task', task, suite.tasks)}", argument=argument)
    absent = [task for task in suite if task not in values]
    if absent:
        hint = "name every task, or leave tasks out with suite.select(tasks=[..])"
        raise ParameterError(f"lacks the tasks {shorten(absent)}", argument=argument, hint=hint)


def weights_of(weights: Any, suite: Suite) -> dict[str, float]:
    """Return the weight of each task; they sum to 1.

    >>> suite = Suite({"algebra": {"a": [[1, 1], [0, 1], [1, 0]]}, "chess": {"a": [[0, 1]]}})
    >>> weights_of(None, suite), weights_of("questions", suite)
    ({'algebra': 0.5, 'chess': 0.5}, {'algebra': 0.75, 'chess': 0.25})
    """
    if weights is None:
        values = [1.0] * len(suite)
    elif isinstance(weights, str) and weights == BY_QUESTIONS:
        values = [float(each.n_questions) for each in suite.values()]
    elif isinstance(weights, Mapping):
        check_tasks("weights", weights, suite)
        values = _numbers([weights[task] for task in suite])
    else:
        problem = f'must be None, "{BY_QUESTIONS}" or a mapping from tasks to numbers; got {weights!r}'
        raise ParameterError(problem, argument="weights")
    return dict(zip(suite, (np.array(values) / sum(values)).tolist(), strict=True))


def _numbers(values: Sequence[Any]) -> list[float]:
    try:
        numbers = [float(each) for each in values]
    except (TypeError, ValueError):
        numbers = [np.nan]
    if not (np.isfinite(numbers).all() and min(numbers) >= 0.0 and 0.0 < sum(numbers) < np.inf):
        raise ParameterError(f"must be numbers, at least 0 and not all 0; got {shorten(values)}", argument="weights")
    return numbers


def as_vector(weights: Mapping[str, float]) -> Vector:
    """Return the weights in the order of the tasks."""
    return np.array(list(weights.values()))
