"""The metric and the weight of each task of a suite."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .._arrays import Vector
from .._choices import BY_QUESTIONS, OVERALL
from .._display.words import shorten, unknown
from ..errors import ParameterError
from ..metrics import BayesMetric, Metric, PassAtK
from ..metrics._registry import as_metric, as_metrics
from ..outcomes import OutcomeMatrix, Suite

ONLY = ""  # the task of outcomes that name none
Weights = Literal["questions"] | Mapping[str, float] | None


@dataclass(frozen=True)
class TaskMetrics:
    """A metric for each task, where they differ; its text is "overall"."""

    by_task: tuple[tuple[str, Metric], ...]

    def __str__(self) -> str:
        return OVERALL

    def __repr__(self) -> str:
        return "; ".join(f"{task}: {metric!r}" for task, metric in self.by_task)


def metrics_of_tasks(metrics: Any, tasks: Collection[str]) -> list[tuple[Metric | TaskMetrics, list[Metric]]]:
    """Return each metric with what it is on every task, in the order of the tasks."""
    if not isinstance(metrics, Mapping):
        return [(metric, [metric] * len(tasks)) for metric in as_metrics(metrics)]
    check_tasks("metrics", metrics, tasks)
    chosen = [as_metric(metrics[task]) for task in tasks]
    if len(set(map(str, chosen))) == 1:
        return [(chosen[0], chosen)]
    return [(TaskMetrics(tuple(zip(tasks, chosen, strict=True))), chosen)]


def default_metric(outcomes: Iterable[OutcomeMatrix]) -> Metric:
    """Return Pass@1 for binary outcomes, else Bayes@N."""
    return PassAtK(1) if all(each.is_pass_fail for each in outcomes) else BayesMetric()


def check_tasks(argument: str, values: Mapping[str, Any], tasks: Collection[str]) -> None:
    """Check that a mapping has an entry for every task, and none for anything else."""
    if list(tasks) == [ONLY]:
        raise ParameterError("are those of tasks, and these outcomes are no suite", argument=argument)
    for task in values:
        if task not in tasks:
            raise ParameterError(f"has an {unknown('task', task, tuple(tasks))}", argument=argument)
    absent = [task for task in tasks if task not in values]
    if absent:
        hint = "name every task, or leave tasks out with suite.select(tasks=[..])"
        raise ParameterError(f"lacks the tasks {shorten(absent)}", argument=argument, hint=hint)


def weights_of(weights: Any, suite: Suite) -> dict[str, float]:
    """Return the weight of each task; they sum to 1.

    >>> suite = Suite({"algebra": {"a": [[1, 1], [0, 1], [1, 0]]}, "chess": {"a": [[0, 1]]}})
    >>> weights_of(None, suite), weights_of("questions", suite)
    ({'algebra': 0.5, 'chess': 0.5}, {'algebra': 0.75, 'chess': 0.25})
    """
    return shares_of(weights, {task: each.n_questions for task, each in suite.items()})


def shares_of(weights: Any, n_questions: Mapping[str, int]) -> dict[str, float]:
    """Return the weight of each task from the tasks' numbers of questions; they sum to 1."""
    if weights is None:
        values = [1.0] * len(n_questions)
    elif isinstance(weights, str) and weights == BY_QUESTIONS:
        values = [float(count) for count in n_questions.values()]
    elif isinstance(weights, Mapping):
        check_tasks("weights", weights, n_questions)
        values = _numbers([weights[task] for task in n_questions])
    else:
        problem = f'must be None, "{BY_QUESTIONS}" or a mapping from tasks to numbers; got {weights!r}'
        raise ParameterError(problem, argument="weights")
    return dict(zip(n_questions, (np.array(values) / sum(values)).tolist(), strict=True))


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
