"""Outcomes of one task or of several, always as a mapping from tasks to the outcomes of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._display.words import pluralize, shorten, unknown
from ..errors import OutcomeError, ParameterError, Remedy
from ..outcomes import OutcomeMatrix, OutcomeSet, Suite
from ..outcomes._admitted import as_questions
from ..outcomes._foreign_arrays import as_numpy
from ._task_metrics import ONLY

_TENSOR = 3  # dimensions: models, questions, trials


def as_tasks(outcomes: Any, name: str = "model") -> dict[str, OutcomeSet]:
    """Return an OutcomeSet per task; outcomes of one model are given this ``name``.

    >>> list(as_tasks({"a": [[0, 1]]})), list(as_tasks(Suite({"sums": {"a": [[0, 1]]}})))
    ([''], ['sums'])
    """
    if isinstance(outcomes, Suite):
        return dict(outcomes)
    if isinstance(outcomes, OutcomeSet):
        return {ONLY: outcomes}
    if isinstance(outcomes, OutcomeMatrix) or _is_of_one_model(outcomes):
        return {ONLY: OutcomeSet({name: as_questions(outcomes)})}
    return {ONLY: OutcomeSet(outcomes)}


def _is_of_one_model(outcomes: Any) -> bool:
    if isinstance(outcomes, (Mapping, str)) or hasattr(outcomes, "columns"):
        return False
    if isinstance(outcomes, Sequence) and any(isinstance(each, (OutcomeMatrix, Mapping)) for each in outcomes):
        return False
    try:
        return isinstance(outcomes, np.ma.MaskedArray) or as_numpy(outcomes).ndim < _TENSOR
    except ValueError:
        return True  # rows of different lengths


def only_model(tasks: Mapping[str, OutcomeSet], model: str | None, role: str) -> str:
    """Return the name of the model, which is the only one if ``model`` is None."""
    models = list(dict.fromkeys(name for each in tasks.values() for name in each))
    if model is None:
        if len(models) > 1:
            remedy = Remedy("model", "...", "chooses one for both, or a pair of names")
            raise OutcomeError(
                f"the {role} outcomes hold {pluralize(len(models), 'model')}, {shorten(models)}", remedies=[remedy]
            )
        return models[0]
    if model not in models:
        raise ParameterError(f"of the {role} is an {unknown('model', model, models)}", argument="model")
    return model


def of_model(tasks: Mapping[str, OutcomeSet], model: str, role: str) -> dict[str, OutcomeMatrix]:
    """Return the outcomes of one model by task; a task without the model is an error."""
    for task, each in tasks.items():
        if model not in each:
            raise OutcomeError(
                f"model {model!r} has no {role} outcomes of task {task!r}",
                hint="leave out the task with suite.select(tasks=[..]), or choose another model",
            )
    return {task: each[model] for task, each in tasks.items()}


def pair_of_models(
    one: Any, other: Any, model: str | tuple[str, str] | None, roles: tuple[str, str]
) -> tuple[tuple[str, str], dict[str, tuple[OutcomeMatrix, OutcomeMatrix]]]:
    """Return the names of both models, and their outcomes by task.

    >>> names, pairs = pair_of_models({"a": [[0, 1]]}, {"b": [[1, 1]]}, None, ("new", "baseline"))
    >>> names, list(pairs)
    (('a', 'b'), [''])
    """
    chosen = _pair(model)
    sides = [as_tasks(each, role) for each, role in zip((one, other), roles, strict=True)]
    names = tuple(only_model(*each) for each in zip(sides, chosen, roles, strict=True))
    first, second = (of_model(*each) for each in zip(sides, names, roles, strict=True))
    if len(first) == len(second) == 1 and ONLY in (*first, *second):
        task = next(filter(None, (*first, *second)), ONLY)
        return (names[0], names[1]), {task: (*first.values(), *second.values())}  # type: ignore[dict-item]
    _check_same_tasks(first, second, roles)
    return (names[0], names[1]), {task: (first[task], second[task]) for task in second}


def _pair(model: Any) -> tuple[str | None, str | None]:
    if model is None or isinstance(model, str):
        return model, model
    if isinstance(model, (tuple, list)) and len(model) == 2 and all(isinstance(name, str) for name in model):
        return model[0], model[1]
    raise ParameterError(f"must be a name, or two names; got {model!r}", argument="model")


def _check_same_tasks(first: Mapping[str, Any], second: Mapping[str, Any], roles: tuple[str, str]) -> None:
    for have, lack, role, other in ((second, first, *roles), (first, second, *reversed(roles))):
        lost = [task for task in have if task not in lack]
        if lost:
            raise OutcomeError(
                f"the {role} has no outcomes of {pluralize(len(lost), 'task')} of the {other}: {shorten(lost)}",
                hint="leave out tasks with suite.select(tasks=[..]), or with a task pattern when reading",
            )
