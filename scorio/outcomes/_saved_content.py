"""What saved counts say: outcomes by task and model, the costs of their trials, and what each merged part tells."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from ..errors import OutcomeError, ParameterError
from ._combining import in_order, total_of, union
from ._matrix import OutcomeMatrix
from ._reward_matrix import RewardMatrix
from ._trial_costs import MeanCost, if_of_successes, spread_over

Metadata = dict[str, dict[str, Any]]  # by model
Tasks = Mapping[str, Mapping[str, OutcomeMatrix]]  # by task, which is empty for a set of models, and by model


class Part(NamedTuple):
    """A part that was merged: its metadata by model, and what it tells of its trials by task and model.

    That are their number, ``trials``, their mean ``costs`` and their ``conditions``.
    """

    metadata: Metadata
    told: Mapping[str, Mapping[str, Mapping[str, Any]]]


class TrialCosts(NamedTuple):
    """What all trials cost by question, and what those that succeeded cost, if that is known."""

    trials: RewardMatrix
    successes: RewardMatrix | None = None


@dataclass(frozen=True, eq=False)
class SavedContent:
    """Outcomes by task and model, the parts that were merged by name, and the costs of trials by task, model and name.

    ``state`` is what an accumulator needs to go on.
    """

    tasks: Tasks
    parts: Mapping[str, Part]
    costs: Mapping[str, Mapping[str, Mapping[str, TrialCosts]]] = field(default_factory=dict)
    state: dict[str, Any] | None = None

    def _told(self, task: str, model: str) -> list[Mapping[str, Any]]:
        return [each for part in self.parts.values() if (each := part.told.get(task, {}).get(model)) is not None]

    def conditions_of(self, task: str) -> dict[str, dict[str, Any]]:
        """Return the conditions of each model of a task, which are the same in all parts."""
        found: dict[str, dict[str, Any]] = {}
        for name in self.tasks[task]:
            told = [{"conditions": each["conditions"]} for each in self._told(task, name) if each["conditions"]]
            if told:
                found[name] = dict(combined(name, told)["conditions"])
        return found

    def costs_of(self, task: str) -> dict[str, dict[str, float]]:
        """Return the mean costs per trial of each model of a task: those that every part with the model tells."""
        found = {name: self._mean_costs(task, name, matrix) for name, matrix in self.tasks[task].items()}
        return {name: costs for name, costs in found.items() if costs}

    def _mean_costs(self, task: str, model: str, matrix: OutcomeMatrix) -> dict[str, float]:
        told = self._told(task, model)
        count = sum(each["trials"] for each in told)
        if not count or count != int(matrix.trials.sum()):
            return {}
        of_trials = self.costs.get(task, {}).get(model, {})
        found: dict[str, float] = {}
        for what in in_all([each["costs"] for each in told]):
            total = math.fsum(each["trials"] * each["costs"][what] for each in told)
            mean = told[0]["costs"][what] if len(told) == 1 else total / count
            found[what] = MeanCost(mean, *of_trials[what]) if what in of_trials else mean
        return found


def in_all(known: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names that all of some mappings have."""
    return [name for name in in_order([[*each] for each in known]) if all(name in each for each in known)]


def content_of(outcomes: Any, metadata: Any, part: str) -> SavedContent:
    """Return what a file holds of a set of models, or of a suite, as a part of this name."""
    models, costs = outcomes.models, outcomes.costs
    own = check_metadata(metadata, models)
    tasks = {task: dict(each) for task, each in outcomes.by_task.items()}
    of_task = {task: (each.conditions, each.costs) for task, each in outcomes.by_task.items()}
    told: dict[str, dict[str, dict[str, Any]]] = {task: {} for task in tasks}
    trial_costs: dict[str, dict[str, dict[str, TrialCosts]]] = {task: {} for task in tasks}
    for name in models:
        trials = {task: int(each[name].trials.sum()) for task, each in tasks.items() if name in each}
        count, settings = sum(trials.values()), [dict(of_task[task][0][name]) for task in trials]
        about = own.pop(name, {})
        if settings[0] and all(each == settings[0] for each in settings):
            about = {"conditions": settings[0]} | about
        if costs[name] and "costs" not in about:
            about = about | {"costs": {what: mean * count for what, mean in costs[name].items()}}
        own |= {name: about} if about else {}
        known = {what for task in trials for what in of_task[task][1][name]}
        spread = {what: total / count for what, total in about.get("costs", {}).items() if count and what not in known}
        for task, number in trials.items():
            means = of_task[task][1][name]
            told[task][name] = {
                "trials": number,
                "costs": {what: float(mean) for what, mean in (dict(means) | spread).items() if mean >= 0.0},
                "conditions": dict(about.get("conditions") or of_task[task][0][name]),
            }
            listed = ((what, each) for what, each in means.items() if isinstance(each, MeanCost))
            trial_costs[task][name] = {
                what: TrialCosts(cast("RewardMatrix", each.trials), each.successes) for what, each in listed
            }
    for each in told.values():
        check_metadata(each, models)
    return SavedContent(tasks, {part: Part(check_metadata(own, models), told)}, trial_costs)


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
    tasks = total_of([content.tasks for content in contents])
    costs: dict[str, dict[str, dict[str, TrialCosts]]] = {}
    for task, models in tasks.items():
        for name, matrix in models.items():
            having = [content for content in contents if name in content.tasks.get(task, {})]
            known = [content.costs.get(task, {}).get(name, {}) for content in having]
            of_names = {what: _merged_costs([each[what] for each in known], matrix) for what in in_all(known)}
            costs.setdefault(task, {})[name] = of_names
    parts = {part: each for content in contents for part, each in content.parts.items()}
    return SavedContent(tasks, parts, costs)


def _merged_costs(parts: Sequence[TrialCosts], matrix: OutcomeMatrix) -> TrialCosts:
    """Return the costs of the trials of all parts, by the questions of the merged outcomes."""

    def total(costs: Sequence[RewardMatrix | None]) -> RewardMatrix | None:
        known = [each for each in costs if each is not None]
        if len(known) < len(costs):
            return None
        [united] = union([{"": each} for each in known]).values()
        return spread_over(cast("RewardMatrix", united), matrix.questions, matrix.clusters, matrix.n_questions)

    trials = cast("RewardMatrix", total([each.trials for each in parts]))
    return TrialCosts(trials, if_of_successes(total([each.successes for each in parts]), matrix))
