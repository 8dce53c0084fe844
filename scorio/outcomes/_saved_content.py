"""What saved counts say: outcomes by task and model with their conditions and costs, and the parts they come from."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import OutcomeError, ParameterError
from ._combining import union, united
from ._matrix import OutcomeMatrix
from ._outcome_set import ModelsOnTasks, OutcomeSet
from ._trial_costs import MeanCost, costs_together

Metadata = dict[str, dict[str, Any]]  # by model


class SavedContent(NamedTuple):
    """The outcomes of each task, whose name is empty for a set of models; the metadata of each part, by its name.

    ``state`` is what an accumulator needs to go on.
    """

    tasks: Mapping[str, OutcomeSet]
    parts: Mapping[str, Metadata]
    state: dict[str, Any] | None = None


def content_of(outcomes: ModelsOnTasks[Any], metadata: Any, part: str) -> SavedContent:
    """Return what a file holds of outcomes, as a part of this name.

    Conditions and sums of costs that the metadata tells become those of the outcomes.
    """
    facts, tasks = check_metadata(metadata, outcomes.models), dict[str, OutcomeSet]()
    for task, models in outcomes.by_task.items():
        conditions = {name: dict(models.conditions[name]) for name in models}
        costs = {name: dict(models.costs[name]) for name in models}
        for name, about in facts.items():
            trials = sum(int(of_task[name].trials.sum()) for of_task in outcomes.by_task.values() if name in of_task)
            if name in models and trials:
                means = {what: total / trials for what, total in about.get("costs", {}).items() if total >= 0.0}
                costs[name] = means | costs[name]
                conditions[name] = dict(about.get("conditions") or conditions[name])
        check_metadata({name: {"conditions": of_model} for name, of_model in conditions.items()}, outcomes.models)
        tasks[task] = OutcomeSet.of(dict(models), conditions, costs)
    return SavedContent(tasks, {part: facts})


def check_metadata(metadata: Any, models: Sequence[str]) -> Metadata:
    """Return metadata by model, checked to survive JSON unchanged."""
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping) or not all(isinstance(about, Mapping) for about in metadata.values()):
        raise ParameterError("must map models to dictionaries", argument="metadata")
    for name in metadata:
        if name not in models:
            raise ParameterError(f"names {name!r}, which is not a model", argument="metadata")
    plain = {name: dict(about) for name, about in metadata.items()}
    try:
        is_json = json.loads(as_text(plain)) == plain
    except (TypeError, ValueError, RecursionError):
        is_json = False
    if not is_json:
        raise ParameterError(
            "must be JSON: text, finite numbers, truth values, None, and lists and dictionaries (with text as keys) of"
            " these",
            argument="metadata",
        )
    for name, about in plain.items():
        costs = about.get("costs", {})
        if not isinstance(costs, dict) or not all(type(cost) in (int, float) for cost in costs.values()):
            raise ParameterError(f"has 'costs' of {name!r} that are not numbers by name", argument="metadata")
    return plain


def as_text(value: Any) -> str:
    """Return compact JSON in ASCII."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def combined(name: str, entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return one dictionary for the metadata of several parts.

    Costs add up, an entry that is the same in all parts that have it is kept, and others become None. Different
    conditions are an error, because outcomes under different conditions are those of different models.
    """
    made: dict[str, Any] = {}
    for key in dict.fromkeys(key for entry in entries for key in entry):
        values = [entry[key] for entry in entries if key in entry]
        other = next((value for value in values if value != values[0]), values[0])
        if key == "costs":
            made[key] = _total(values)
        elif key == "conditions" and other != values[0]:
            problem = f"{name!r} was run under different conditions: {values[0]} and {other}"
            raise OutcomeError(problem, hint="give the models different names before they are merged")
        else:
            made[key] = values[0] if other == values[0] else None
    return made


def _total(costs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return sums that do not depend on the order of the parts."""
    amounts = {what: [told[what] for told in costs if what in told] for told in costs for what in told}
    return {
        what: sum(values) if all(type(value) is int for value in values) else math.fsum(values)
        for what, values in amounts.items()
    }


def merged_content(contents: Sequence[SavedContent]) -> SavedContent:
    """Return the trials of all: the union of their models, questions and tasks."""
    names = united([[*content.tasks] for content in contents])
    if "" in names and len(names) > 1:
        hint = 'name the task, as in Suite({"task": outcomes})'
        raise OutcomeError("some parts have tasks, others do not", hint=hint)
    tasks = {task: _merged([content.tasks[task] for content in contents if task in content.tasks]) for task in names}
    return SavedContent(tasks, {part: about for content in contents for part, about in content.parts.items()})


def _merged(parts: Sequence[OutcomeSet]) -> OutcomeSet:
    """Return the union of the models of one task, with the conditions and costs that their parts tell."""
    models, conditions, costs = union(parts), dict[str, Any](), dict[str, Any]()
    for name, matrix in models.items():
        having = [part for part in parts if name in part]
        told = [{"conditions": settings} for part in having if (settings := dict(part.conditions[name]))]
        conditions[name] = combined(name, told)["conditions"] if told else {}
        costs[name] = _merged_costs([(part[name], part.costs[name]) for part in having], matrix)
    return OutcomeSet.of(models, conditions, costs)


def _merged_costs(
    parts: Sequence[tuple[OutcomeMatrix, Mapping[str, float]]], matrix: OutcomeMatrix
) -> dict[str, float]:
    """Return the mean costs that all parts with a model tell, with the costs of single trials if all tell these."""
    trials, count = [int(part.trials.sum()) for part, _ in parts], int(matrix.trials.sum())
    merged: dict[str, float] = {}
    for what in united([[*costs] for _, costs in parts]) if count else ():
        means = [costs[what] for _, costs in parts if what in costs]
        if len(means) == len(parts):
            mean = means[0] if len(means) == 1 else math.fsum(map(math.prod, zip(trials, means, strict=True))) / count
            of_trials = [cost for cost in means if isinstance(cost, MeanCost)]
            has_trials = len(of_trials) == len(means)
            merged[what] = _with_trials(mean, of_trials, matrix) if has_trials else float(mean)
    return merged


def _with_trials(mean: float, parts: Sequence[MeanCost], matrix: OutcomeMatrix) -> MeanCost:
    """Return a mean cost with the costs of the trials of all parts, by the questions of the merged outcomes."""
    solved = [part.successes for part in parts if part.successes is not None]
    successes = costs_together(solved, matrix, sort=True) if len(solved) == len(parts) else None
    trials = costs_together([part.trials for part in parts], matrix, sort=True)
    return MeanCost(mean, trials).with_successes(successes, matrix)
