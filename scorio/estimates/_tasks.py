"""Tasks: outcomes of one task or of several as a mapping from tasks, and the metric and the weight of each task.

Below the functions that users call, one task is a mapping with the single key ``ONLY`` and the weight 1.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .._base.choices import BY_QUESTIONS, OVERALL
from .._base.numbers import trials_each
from .._base.words import pluralize, shorten, unknown
from ..errors import OutcomeError, ParameterError, Remedy
from ..metrics import AvgMetric, Metric, PassAtK
from ..metrics._registry import as_metric, as_metrics
from ..outcomes import OutcomeMatrix, OutcomeSet, Suite, as_outcomes
from ..outcomes._labels import warn_of_flat
from ..outcomes._outcome_set import ModelsOnTasks
from ..outcomes._table import as_numpy

ONLY = ""  # the task of outcomes that name none
Weights = Literal["questions"] | Mapping[str, float] | None
_TENSOR = 3  # dimensions: models, questions, trials


@contextmanager
def at_task(task: str) -> Iterator[None]:
    """Name the task in the errors about its outcomes."""
    try:
        yield
    except OutcomeError as error:
        raise (error.at(f"task {task}") if task else error) from None


def as_tasks(outcomes: Any, name: str = "model") -> dict[str, OutcomeSet]:
    """Return an OutcomeSet per task; outcomes of one model are given this ``name``.

    >>> list(as_tasks({"a": [[0, 1]]})), list(as_tasks(Suite({"sums": {"a": [[0, 1]]}})))
    ([''], ['sums'])
    """
    if isinstance(outcomes, ModelsOnTasks):
        return dict(outcomes.by_task)
    if isinstance(outcomes, OutcomeMatrix) or _is_of_one_model(outcomes):
        return {ONLY: OutcomeSet({name: as_outcomes(outcomes)})}
    return {ONLY: OutcomeSet(outcomes)}


def as_models(outcomes: Any) -> OutcomeSet | Suite:
    """Return a set of models or a suite as it is, and all else that makes a set as one."""
    return outcomes if hasattr(outcomes, "by_task") else OutcomeSet(outcomes)


def complete_tasks(outcomes: OutcomeSet | Suite) -> dict[str, OutcomeSet]:
    """Return the tasks with the same models in one order; a model that lacks a task is an error."""
    outcomes.check_complete()
    names = outcomes.models
    return {
        task: task_set if task_set.models == names else task_set.select(models=names)
        for task, task_set in outcomes.by_task.items()
    }


def _is_of_one_model(outcomes: Any) -> bool:
    if isinstance(outcomes, (Mapping, str)) or hasattr(outcomes, "columns"):
        return False
    if isinstance(outcomes, Sequence) and any(isinstance(outcome, (OutcomeMatrix, Mapping)) for outcome in outcomes):
        return False
    try:
        return isinstance(outcomes, np.ma.MaskedArray) or as_numpy(outcomes).ndim < _TENSOR
    except ValueError:
        return True  # rows of different lengths


def only_model(tasks: Mapping[str, OutcomeSet], model: str | None, role: str) -> str:
    """Return the name of the model, which is the only one if ``model`` is None."""
    models = list(dict.fromkeys(name for task in tasks.values() for name in task))
    if model is None:
        if len(models) > 1:
            remedy = Remedy(
                "model",
                models[0],
                "chooses the first on both sides, and a pair of names, the new one first, one on each",
            )
            raise OutcomeError(
                f"the {role} outcomes hold {pluralize(len(models), 'model')}, {shorten(models)}", remedies=[remedy]
            )
        return models[0]
    if model not in models:
        raise ParameterError(f"of the {role} is an {unknown('model', model, models)}", argument="model")
    return model


def of_model(tasks: Mapping[str, OutcomeSet], model: str, role: str) -> dict[str, OutcomeMatrix]:
    """Return the outcomes of one model by task; a task without the model is an error."""
    for task, models in tasks.items():
        if model not in models:
            raise OutcomeError(
                f"model {model!r} has no {role} outcomes of task {task!r}",
                hint="leave out the task with suite.select(tasks=[..]), or choose another model",
            )
    return {task: models[model] for task, models in tasks.items()}


def pair_of_models(
    one: Any, other: Any, model: str | tuple[str, str] | None, roles: tuple[str, str]
) -> tuple[tuple[str, str], dict[str, tuple[OutcomeMatrix, OutcomeMatrix]]]:
    """Return the names of both models, and their outcomes by task.

    >>> names, pairs = pair_of_models({"a": [[0, 1]]}, {"b": [[1, 1]]}, None, ("new", "baseline"))
    >>> names, list(pairs)
    (('a', 'b'), [''])
    """
    warn_of_flat((one, other))
    mine, theirs = _pair(model)
    (name, first), (rival, second) = _side(one, mine, roles[0]), _side(other, theirs, roles[1])
    if len(first) == len(second) == 1 and ONLY in (*first, *second):
        task = next(filter(None, (*first, *second)), ONLY)
        return (name, rival), {task: (*first.values(), *second.values())}  # type: ignore[dict-item]
    _check_same_tasks(first, second, roles)
    return (name, rival), {task: (first[task], second[task]) for task in second}


def _side(outcomes: Any, model: str | None, role: str) -> tuple[str, dict[str, OutcomeMatrix]]:
    if isinstance(outcomes, Mapping) and model is None and not isinstance(outcomes, ModelsOnTasks):
        with suppress(OutcomeError):  # a mapping from questions to trials, or else from models
            outcomes = as_outcomes(outcomes)
    if model is None and (isinstance(outcomes, OutcomeMatrix) or _is_of_one_model(outcomes)):
        try:
            return role, {ONLY: as_outcomes(outcomes)}
        except OutcomeError as error:
            raise error.at(f"model {role}") from None
    try:
        tasks = as_tasks(outcomes, role)
    except OutcomeError:
        if isinstance(outcomes, Mapping):
            raise
        tasks = as_tasks(as_outcomes(outcomes), role)  # a table without a column of models, or the same error
    name = only_model(tasks, model, role)
    return name, of_model(tasks, name, role)


def _pair(model: Any) -> tuple[str | None, str | None]:
    if model is None or isinstance(model, str):
        return model, model
    if isinstance(model, (tuple, list)) and len(model) == 2 and all(isinstance(name, str) for name in model):
        return model[0], model[1]
    raise ParameterError(f"must be a name, or two names; got {model!r}", argument="model")


def _check_same_tasks(first: Mapping[str, Any], second: Mapping[str, Any], roles: tuple[str, str]) -> None:
    if ONLY in (*first, *second):
        hint = "Suite({task: outcomes, ..}) makes one"
        raise OutcomeError("a suite is compared with a suite, and one side has no tasks", hint=hint)
    for have, lack, role, other in ((second, first, *roles), (first, second, *reversed(roles))):
        lost = [task for task in have if task not in lack]
        if lost:
            raise OutcomeError(
                f"the {role} has no outcomes of {pluralize(len(lost), 'task')} of the {other}: {shorten(lost)}",
                hint="leave out tasks with suite.select(tasks=[..]), or with a task pattern when reading",
            )


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


def metric_of_tasks(metric: Any, tasks: Collection[str]) -> tuple[Metric | TaskMetrics, list[Metric]]:
    """Return one metric with what it is on every task."""
    if isinstance(metric, Mapping):
        return metrics_of_tasks(metric, tasks)[0]
    chosen = as_metric(metric)
    return chosen, [chosen] * len(tasks)


def default_metric(outcomes: Iterable[OutcomeMatrix]) -> Metric:
    """Return Pass@1 for binary outcomes, else avg@N."""
    return PassAtK(1) if all(outcome.is_pass_fail for outcome in outcomes) else AvgMetric()


def check_tasks(argument: str, values: Mapping[str, Any], tasks: Collection[str]) -> None:
    """Check that a mapping has an entry for every task, and none for anything else."""
    if list(tasks) == [ONLY]:
        raise ParameterError(
            "can only be given for a suite of tasks, and these outcomes are of one task", argument=argument
        )
    for task in values:
        if task not in tasks:
            raise ParameterError(f"has an {unknown('task', task, tuple(tasks))}", argument=argument)
    absent = [task for task in tasks if task not in values]
    if absent:
        hint = "name every task, or leave tasks out with suite.select(tasks=[..])"
        raise ParameterError(f"lacks the tasks {shorten(absent)}", argument=argument, hint=hint)


def shares_of(weights: Any, n_questions: Mapping[str, int]) -> dict[str, float]:
    """Return the weight of each task from the tasks' numbers of questions; they sum to 1.

    >>> shares_of(None, {"algebra": 3, "chess": 1}), shares_of("questions", {"algebra": 3, "chess": 1})
    ({'algebra': 0.5, 'chess': 0.5}, {'algebra': 0.75, 'chess': 0.25})
    """
    if weights is not None and list(n_questions) == [ONLY]:
        raise ParameterError(
            "can only be given for a suite of tasks, and these outcomes are of one task", argument="task_weights"
        )
    if weights is None:
        values = [1.0] * len(n_questions)
    elif isinstance(weights, str) and weights == BY_QUESTIONS:
        values = [float(count) for count in n_questions.values()]
    elif isinstance(weights, Mapping):
        check_tasks("task_weights", weights, n_questions)
        values = _numbers([weights[task] for task in n_questions])
    else:
        problem = f'must be None, "{BY_QUESTIONS}" or a mapping from tasks to numbers; got {weights!r}'
        raise ParameterError(problem, argument="task_weights")
    return dict(zip(n_questions, (np.array(values) / sum(values)).tolist(), strict=True))


def _numbers(values: Sequence[Any]) -> list[float]:
    try:
        numbers = [float(value) for value in values]
    except (TypeError, ValueError):
        numbers = [np.nan]
    if not (np.isfinite(numbers).all() and min(numbers) >= 0.0 and 0.0 < sum(numbers) < np.inf):
        problem = f"must be numbers, at least 0 and not all 0; got {shorten(values)}"
        raise ParameterError(problem, argument="task_weights")
    return numbers


def completeness_of(matrices: Sequence[OutcomeMatrix]) -> float:
    """Return the share of the planned trials of one model on several tasks that have an outcome."""
    planned = sum(matrix.planned for matrix in matrices)
    present = sum(int(matrix.trials.sum()) for matrix in matrices)
    return 1.0 if present == planned else present / planned


def extent_of(outcomes: OutcomeSet | Suite) -> str:
    """Say how many models, tasks, questions and trials a table rests on."""
    places = [pluralize(len(outcomes.tasks), "task")] if outcomes.tasks else []
    places.append(pluralize(outcomes.n_questions, "question"))
    trials = trials_each(*outcomes.trials_each)
    return f"{pluralize(len(outcomes.models), 'model')} on {', '.join(places)}, {trials}"
