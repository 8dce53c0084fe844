"""What saved counts say: outcomes by task and model with their conditions and costs, and the parts they come from."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from ..errors import OutcomeError, ParameterError
from ._combining import in_order, total_of, union
from ._matrix import OutcomeMatrix
from ._reward_matrix import RewardMatrix
from ._trial_costs import MeanCost, if_of_successes, spread_over

Metadata = dict[str, dict[str, Any]]  # by model


class Task(NamedTuple):
    """The outcomes of a task by model, with what is known of the conditions and the mean costs per trial of each."""

    models: Mapping[str, OutcomeMatrix]
    conditions: Mapping[str, Mapping[str, Any]]
    costs: Mapping[str, Mapping[str, float]]


class SavedContent(NamedTuple):
    """Tasks by name, which is empty for a set of models; the metadata of each part that was merged, by its name.

    ``state`` is what an accumulator needs to go on.
    """

    tasks: Mapping[str, Task]
    parts: Mapping[str, Metadata]
    state: dict[str, Any] | None = None


def content_of(outcomes: Any, metadata: Any, part: str) -> SavedContent:
    """Return what a file holds of a set of models, or of a suite, as a part of this name."""
    models, costs = outcomes.models, outcomes.costs
    own = check_metadata(metadata, models)
    tasks = {task: Task(dict(each), dict(each.conditions), dict(each.costs)) for task, each in outcomes.by_task.items()}
    for name in models:
        having = [task for task in tasks.values() if name in task.models]
        count = sum(int(task.models[name].trials.sum()) for task in having)
        about = own.pop(name, {})
        if (settings := dict(having[0].conditions[name])) and all(each.conditions[name] == settings for each in having):
            about = {"conditions": settings} | about
        if costs[name] and "costs" not in about:
            about = about | {"costs": {what: mean * count for what, mean in costs[name].items()}}
        own |= {name: about} if about else {}
        known = {what for task in having for what in task.costs[name]}
        spread = {what: total / count for what, total in about.get("costs", {}).items() if count and what not in known}
        for task in having:
            means = {**task.costs[name], **spread}
            cast("dict[str, Any]", task.costs)[name] = {what: mean for what, mean in means.items() if mean >= 0.0}
            cast("dict[str, Any]", task.conditions)[name] = dict(about.get("conditions") or task.conditions[name])
    for task in tasks.values():
        check_metadata({name: {"conditions": each} for name, each in task.conditions.items()}, models)
    return SavedContent(tasks, {part: check_metadata(own, models)})


def check_metadata(metadata: Any, models: Sequence[str]) -> Metadata:
    """Return metadata by model, checked to survive JSON unchanged."""
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping) or not all(isinstance(each, Mapping) for each in metadata.values()):
        raise ParameterError("must map models to dictionaries", argument="metadata")
    for name in metadata:
        if name not in models:
            raise ParameterError(f"names {name!r}, which is not a model", argument="metadata")
    plain = {name: dict(each) for name, each in metadata.items()}
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
    for name, each in plain.items():
        if not is_costs(each.get("costs", {})):
            raise ParameterError(f"has 'costs' of {name!r} that are not numbers by name", argument="metadata")
    return plain


def is_costs(costs: Any) -> bool:
    """Return whether costs are finite numbers by name."""
    return isinstance(costs, dict) and all(type(each) in (int, float) for each in costs.values())


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
    amounts = {name: [each[name] for each in costs if name in each] for each in costs for name in each}
    return {
        name: sum(values) if all(type(value) is int for value in values) else math.fsum(values)
        for name, values in amounts.items()
    }


def merged_content(contents: Sequence[SavedContent]) -> SavedContent:
    """Return the trials of all: the union of their models, questions and tasks."""
    merged = total_of([{task: each.models for task, each in content.tasks.items()} for content in contents])
    tasks: dict[str, Task] = {}
    for task, models in merged.items():
        own = [content.tasks[task] for content in contents if task in content.tasks]
        conditions: dict[str, dict[str, Any]] = {}
        costs: dict[str, dict[str, float]] = {}
        for name, matrix in models.items():
            having = [each for each in own if name in each.models]
            told = [{"conditions": settings} for each in having if (settings := each.conditions.get(name))]
            conditions |= {name: dict(combined(name, told)["conditions"])} if told else {}
            costs[name] = _merged_costs([(each.models[name], each.costs.get(name, {})) for each in having], matrix)
        tasks[task] = Task(models, conditions, costs)
    return SavedContent(tasks, {part: each for content in contents for part, each in content.parts.items()})


def _merged_costs(
    parts: Sequence[tuple[OutcomeMatrix, Mapping[str, float]]], matrix: OutcomeMatrix
) -> dict[str, float]:
    """Return the mean costs that all parts with a model tell, with the costs of single trials if all tell these."""
    trials, count = [int(own.trials.sum()) for own, _ in parts], int(matrix.trials.sum())
    merged: dict[str, float] = {}
    for what in in_order([[*costs] for _, costs in parts]) if count else ():
        means = [costs[what] for _, costs in parts if what in costs]
        if len(means) == len(parts):
            mean = means[0] if len(means) == 1 else math.fsum(map(math.prod, zip(trials, means, strict=True))) / count
            told = [each for each in means if isinstance(each, MeanCost)]
            merged[what] = _with_trials(mean, told, matrix) if len(told) == len(means) else float(mean)
    return merged


def _with_trials(mean: float, parts: Sequence[MeanCost], matrix: OutcomeMatrix) -> MeanCost:
    """Return a mean cost with the costs of the trials of all parts, by the questions of the merged outcomes."""

    def united(costs: Sequence[OutcomeMatrix]) -> RewardMatrix:
        [total] = union([{"": each} for each in costs]).values()
        return spread_over(cast("RewardMatrix", total), matrix.questions, matrix.clusters, matrix.n_questions)

    solved = [each.successes for each in parts if each.successes is not None]
    successes = if_of_successes(united(solved), matrix) if len(solved) == len(parts) else None
    return MeanCost(mean, united([each.trials for each in parts]), successes)
