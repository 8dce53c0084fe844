"""The parts of a set of models: what it is made of, and the groups and choices that it is split into.

A set is made of items, their names, prior outcomes and conditions; it is split into groups of questions.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from os import PathLike
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import Indices
from .._display.words import pluralize, shorten, unknown
from ..errors import OutcomeError, ParameterError, within
from ._answers import Normalize
from ._combining import widened
from ._from_arrays import read_prior
from ._labels import Labels, by_question, check_labels, check_texts, warn_of_flat
from ._matrix import OutcomeMatrix
from ._table import as_numpy, is_flat
from ._trial_costs import of_known_models

Conditions = Mapping[str, Mapping[str, Any]]  # by model, and by the name of a setting
_TENSOR = 3  # dimensions of a set: models, questions, trials
Missing = Mapping[str, tuple[str, ...]]  # the tasks that a model lacks, by model


def items_of(models: Any) -> tuple[Sequence[Any] | NDArray[Any], list[str] | None]:
    """Return the outcomes of each model, as a tensor of three dimensions where they form one, and the models' names."""
    if isinstance(models, (str, bytes, PathLike)):
        hint = f"scorio.read({models!r}) reads log files and tables"
        raise OutcomeError(f"the outcomes are text, {shorten([models])}", hint=hint)
    if isinstance(models, Mapping):
        warn_of_flat(models.values())
        return list(models.values()), list(models)
    if isinstance(models, (list, tuple)) and any(
        isinstance(item, (OutcomeMatrix, np.ma.MaskedArray)) for item in models
    ):
        return models, None
    try:
        tensor = models if isinstance(models, np.ma.MaskedArray) else as_numpy(models)
    except ValueError:
        if all(map(is_flat, models)):  # rows of different lengths
            _check_dimensions(_TENSOR - 1)
        return models, None
    _check_dimensions(tensor.ndim)
    return tensor, None


def _check_dimensions(count: int) -> None:
    """Check that an array has the dimensions of a set of models: models, questions, trials."""
    if count == 1:
        raise OutcomeError(
            "a flat list may be the trials of one question, or one trial of each question, of one model",
            hint="write {'model': [results]} for one question, or "
            "{'model': OutcomeMatrix.from_single_run(results)} for one trial per question",
        )
    if count == _TENSOR - 1:
        raise OutcomeError(
            "an array of two dimensions may be one model's questions x trials, or models x questions with one trial",
            hint="write {'model': R} for one model, or numpy.asarray(R)[:, :, None] for models x questions",
        )
    if count != _TENSOR:
        raise OutcomeError(f"a set of models needs a tensor models x questions x trials; got {count} dimensions")


def names_of(names: Iterable[str] | None, named: list[str] | None, count: int) -> list[str]:
    """Return the name of each model, checked to be as many different ones as there are models."""
    if names is not None and named is not None:
        raise ParameterError("is not needed: the mapping names the models itself", argument="models")
    chosen = named if names is None else list(names)
    if chosen is None:
        chosen = [f"model-{i}" for i in range(count)]
    if not chosen or [isinstance(name, str) for name in chosen].count(True) < len(chosen):
        raise OutcomeError("a set needs at least one model, and the names of models are strings")
    if len(chosen) != count or len(set(chosen)) < count:
        raise OutcomeError(f"{count} models need as many different names; got {shorten(chosen)}")
    check_texts(chosen, "models")
    return chosen


def of_each(values: Any, names: list[str], argument: str, *, is_shared: bool) -> list[Any]:
    """Return what an argument says of each model: by its name, the same for all, or one for each in their order."""
    if isinstance(values, Mapping):
        for name in values:
            if name not in names:
                raise ParameterError(f"has an {unknown('model', name, names)}", argument=argument)
        return [values.get(name) for name in names]
    if is_shared or values is None:
        return [values] * len(names)
    if len(values) != len(names):
        problem = f"must be by the name of the model, or one for each of {len(names)} models; got {len(values)}"
        raise ParameterError(problem, argument=argument)
    return list(values)


def priors_of(prior: Any, names: list[str]) -> list[Any]:
    """Return R0 of each model, which may be one for all."""
    if prior is None:
        return [None] * len(names)
    is_shared = not isinstance(prior, Mapping) and _depth(prior) != _TENSOR
    return of_each(prior, names, "prior", is_shared=is_shared)


def _depth(values: Any) -> int:
    """Return the number of dimensions; rows may have different lengths."""
    try:
        return as_numpy(values).ndim
    except ValueError:
        return 1 + max(map(_depth, values))


def trials_of_each(names: list[str], normalize: Normalize | None, columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what single trials of each model are, as arguments of ``OutcomeMatrix``; runs may be those of all."""
    by_model: list[dict[str, Any]] = [{} for _ in names]
    for argument, values in columns.items():
        if values is None:
            continue
        of_models = of_each(values, names, argument, is_shared=argument == "runs")
        for arguments, value in zip(by_model, of_models, strict=True):
            if value is not None:
                arguments[argument] = value
                if argument != "runs":
                    arguments["normalize"] = normalize
    return by_model


def matrix_of(item: Any, name: str, width: int, missing: str, trials: Mapping[str, Any]) -> OutcomeMatrix:
    """Return one model's outcomes, without the set's labels and prior outcomes; ``trials`` says what trials are."""
    if isinstance(item, OutcomeMatrix):
        if trials:
            first = next(iter(trials))
            hint = f"give the {first} where the OutcomeMatrix is made, as in OutcomeMatrix(R, {first}=..)"
            raise OutcomeError("the trials are counted already", where=name, argument=first, hint=hint)
        if width and item.n_categories > width:
            raise OutcomeError(f"has {item.n_categories} categories, more than categories={width} allows", where=name)
        return item
    try:
        return OutcomeMatrix(item, categories=width or None, missing=missing, **trials)
    except OutcomeError as error:
        raise error.at(name) from error.__cause__


def with_priors(
    models: dict[str, OutcomeMatrix], priors: Sequence[Any], width: int, missing: int
) -> dict[str, OutcomeMatrix]:
    """Return aligned models with their prior outcomes R0, whose questions are in the order of the aligned questions."""
    if set(map(type, priors)) == {NoneType}:
        return models
    made = [_informed(*model, prior, width, missing) for model, prior in zip(models.items(), priors, strict=True)]
    return dict(zip(models, made if made[0].is_continuous else widened(made, width), strict=True))


def _informed(name: str, matrix: OutcomeMatrix, prior: Any, width: int, missing: int) -> OutcomeMatrix:
    if prior is None:
        return matrix
    if matrix.prior_counts is not None:
        raise OutcomeError("has prior outcomes of its own: leave out prior=", where=name)
    with within(name):
        return matrix.replaced(prior=read_prior(prior, matrix.n_questions, width, missing))


def check_conditions(conditions: Any, models: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the conditions of each model as dictionaries, checked to be of known models."""
    example = 'settings by name, as in {"a": {"temperature": 0.5}}'
    settings = of_known_models(conditions, models, "conditions", example)
    return {name: dict(of_model) for name, of_model in settings.items()}


def groups_of(by: Any, count: int, questions: Labels | None, clusters: Labels | None) -> dict[str, Indices]:
    """Return the positions of the questions of each group, groups in the order of their first question.

    >>> groups_of({"q1": "easy", "q2": "hard"}, 2, ("q1", "q2"), None)
    {'easy': array([0]), 'hard': array([1])}
    """
    groups = _group_of_each(by, count, questions, clusters)
    order: dict[Hashable, list[int]] = {}
    for place, group in enumerate(groups):
        order.setdefault(group, []).append(place)
    names = {group: str(group) for group in order}
    if len(set(names.values())) < len(names):
        raise ParameterError(f"has groups with the same text: {shorten(order)}", argument="by")
    return {names[group]: np.array(places, np.intp) for group, places in order.items()}


def _group_of_each(by: Any, count: int, questions: Labels | None, clusters: Labels | None) -> Labels:
    if by is None:
        if clusters is None:
            hint = "pass by={question: group}, or one group per question"
            raise OutcomeError("the questions have no clusters to split them by", hint=hint)
        return clusters
    if isinstance(by, Mapping):
        by = by_question(by, count, questions, "by")
    groups = check_labels(by, count, "by", unique=False)
    assert groups is not None
    if any(group is None for group in groups):
        raise OutcomeError(f"question {groups.index(None)} has the group None", argument="by")
    return groups


def chosen_names(noun: str, names: Iterable[str], offered: tuple[str, ...]) -> tuple[str, ...]:
    """Return the chosen names, each checked to be one of those that are offered."""
    chosen = (names,) if isinstance(names, str) else tuple(names)
    for name in chosen:
        if name not in offered:
            raise OutcomeError(unknown(noun, name, offered))
    return chosen


def check_none_missing(missing: Missing, tasks: Iterable[str], models: Iterable[str]) -> None:
    """Check that no model lacks a task; the error says what could be left out."""
    for model, absent in missing.items():
        complete = {
            "models": [name for name in models if name not in missing],
            "tasks": [task for task in tasks if not any(task in absent for absent in missing.values())],
        }
        ways = [f"suite.select({name}={kept})" for name, kept in complete.items() if kept]
        problem = f"model {model!r} has no outcomes of {pluralize(len(absent), 'task')}: {shorten(absent)}"
        hint = f"leave out the models or the tasks with gaps: {' or '.join(ways)}" if ways else None
        raise OutcomeError(problem, hint=hint)


def of_models(conditions: Mapping[str, dict[str, Any]], models: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the conditions of some of the models."""
    return {name: conditions[name] for name in models if name in conditions}
