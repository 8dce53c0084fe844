"""What saved counts say: outcomes by task, and what is known of each part that was merged into them.

A part has a name, metadata by model, and facts by task and model: the number of trials, what they cost on average, and
the conditions of a model that was not run under the same conditions on all its tasks.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from ._combining import union
from ._matrix import OutcomeMatrix
from ._reward_matrix import RewardMatrix
from ._saved_layout import Metadata, Models, check_metadata, combined, digest_of, name_of
from ._trial_costs import CostTrials, MeanCost, per_outcome, spread_over, trials_by_cost

Costs = Mapping[str | None, CostTrials]  # by task
Tasks = Mapping[str | None, Mapping[str, OutcomeMatrix]]
Facts = Mapping[str | None, Mapping[str, Mapping[str, Any]]]  # of one part, by task and model


@dataclass(frozen=True, eq=False)
class SavedContent:
    """Outcomes by task (None for a set without tasks), and the metadata of each part that was merged.

    ``state`` is what an accumulator needs to go on; ``costs`` are those of single trials, by task, by the name of the
    cost and by model, and ``success_costs`` those of the trials that succeeded; ``facts`` are what parts say of each
    task.
    """

    tasks: Mapping[str | None, Models]
    parts: Mapping[str, Metadata]
    state: dict[str, Any] | None = None
    digest: str = ""
    costs: Costs = field(default_factory=dict)
    success_costs: Costs = field(default_factory=dict)
    facts: Mapping[str, Facts] = field(default_factory=dict)


def content_of(outcomes: Any, metadata: Any, part: str | None) -> SavedContent:
    """Return what a file holds of a suite, or of a set of models, which has the task None.

    ``part`` names the outcomes; without a name, they are recognised by their content.
    """
    sets: Mapping[Any, Any] = outcomes if hasattr(outcomes, "_holds_tasks") else {None: outcomes}
    tasks = {task: dict(models) for task, models in sets.items()}
    names = list(dict.fromkeys(model for models in tasks.values() for model in models))
    digest = digest_of(tasks)
    name_of_part = part or name_of(tasks)
    own = check_metadata(metadata, names)
    settings = {task: each.conditions for task, each in sets.items()}
    shared = {name: _shared([dict(each[name]) for each in settings.values() if name in each]) for name in names}
    for name, conditions in shared.items():
        if conditions:
            own[name] = {"conditions": conditions} | own.get(name, {})
    for name, each in outcomes.costs.items():
        if each and "costs" not in own.get(name, {}):
            trials = sum(int(models[name].trials.sum()) for models in tasks.values() if name in models)
            own[name] = own.get(name, {}) | {"costs": {what: amount * trials for what, amount in each.items()}}
    own = check_metadata(own, names)
    known, solved = (
        {task: trials_by_cost(each.costs, which) for task, each in sets.items()} for which in ("trials", "successes")
    )
    facts = {
        task: check_metadata(_facts(each, {name: {} if shared[name] else settings[task][name] for name in each}), names)
        for task, each in sets.items()
    }
    told = any(len(fact) > 1 for of_task in facts.values() for fact in of_task.values())
    return SavedContent(
        tasks,
        {name_of_part: own},
        digest=digest,
        costs={task: each for task, each in known.items() if each},
        success_costs={task: each for task, each in solved.items() if each},
        facts={name_of_part: facts} if told else {},
    )


def _shared(conditions: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the conditions of a model if they are the same on all its tasks."""
    return conditions[0] if all(each == conditions[0] for each in conditions) else {}


def _facts(models: Any, conditions: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return what a part says of each model on one task."""
    facts: dict[str, dict[str, Any]] = {}
    for name, costs in models.costs.items():
        facts[name] = {"trials": int(models[name].trials.sum())}
        if costs:
            facts[name]["costs"] = {what: float(mean) for what, mean in costs.items()}
        if conditions[name]:
            facts[name]["conditions"] = dict(conditions[name])
    return facts


def conditions_of(content: SavedContent) -> dict[str | None, dict[str, dict[str, Any]]]:
    """Return the conditions of each task and model over all parts."""
    found: dict[str | None, dict[str, dict[str, Any]]] = {}
    for task, models in content.tasks.items():
        for name in models:
            parts = ((metadata, content.facts.get(part, {})) for part, metadata in content.parts.items())
            told = [_conditions(metadata, facts, task, name) for metadata, facts in parts]
            known = [{"conditions": each} for each in told if each is not None]
            conditions = combined(name, known).get("conditions")
            if conditions:
                found.setdefault(task, {})[name] = dict(conditions)
    return found


def _conditions(metadata: Metadata, facts: Facts, task: str | None, name: str) -> Mapping[str, Any] | None:
    """Return the conditions of a model in one part; None if the part does not have the model, or says nothing of it."""
    if facts and name not in facts.get(task, {}):
        return None
    entry, fact = metadata.get(name), facts.get(task, {}).get(name, {})
    if entry is None and "conditions" not in fact:
        return None
    return cast("Mapping[str, Any]", (entry or {}).get("conditions") or fact.get("conditions") or {})


class _Told(NamedTuple):
    """What one part says of a model that it has: facts by task, and the sums of its costs over all its tasks."""

    facts: Mapping[str | None, Mapping[str, Any]]
    sums: Mapping[str, float]

    @property
    def costs(self) -> list[str]:
        """The costs that are told, of some task or of all."""
        return [*self.sums, *(what for fact in self.facts.values() for what in fact.get("costs", {}))]


def _told(metadata: Metadata, facts: Facts) -> dict[str, _Told]:
    """Return what one part says of each model."""
    names = dict.fromkeys([*metadata, *(name for models in facts.values() for name in models)])
    return {
        name: _Told(
            {task: models[name] for task, models in facts.items() if name in models},
            metadata.get(name, {}).get("costs", {}),
        )
        for name in names
    }


def costs_of(content: SavedContent) -> dict[str | None, dict[str, dict[str, float]]]:
    """Return the mean cost per trial of each task and model, where every part of the model tells it.

    A part that tells no cost at all hides those of the others, because it is not known which models it has.
    """
    told = [_told(metadata, content.facts.get(part, {})) for part, metadata in content.parts.items()]
    found: dict[str | None, dict[str, dict[str, float]]] = {}
    if not all(any(each.costs for each in models.values()) for models in told):
        return found
    for name in dict.fromkeys(name for models in content.tasks.values() for name in models):
        parts = [models[name] for models in told if name in models]
        for what in dict.fromkeys(what for each in parts for what in each.costs):
            for task, mean in _mean_costs(content, parts, name, what).items():
                found.setdefault(task, {}).setdefault(name, {})[what] = mean
    return found


def _mean_costs(content: SavedContent, parts: Sequence[_Told], name: str, what: str) -> dict[str | None, float]:
    """Return one mean cost of a model for each task of which it is known."""
    told: list[Mapping[str | None, Mapping[str, Any]]] = []
    sums: list[float] = []
    for each in parts:
        if each.facts and (what not in each.sums or any(what in fact.get("costs", {}) for fact in each.facts.values())):
            told.append(each.facts)
        elif what in each.sums:
            sums.append(each.sums[what])
        else:
            return {}
    trials = {task: int(models[name].trials.sum()) for task, models in content.tasks.items() if name in models}
    known = {task: content.costs.get(task, {}).get(what, {}).get(name) for task in trials}
    solved = {task: content.success_costs.get(task, {}).get(what, {}).get(name) for task in trials}
    if sums:
        return _shared_mean(sums, [fact for facts in told for fact in facts.values()], what, trials, known, solved)
    means: dict[str | None, float] = {}
    for task, count in trials.items():
        mean = _mean_of_parts([facts[task] for facts in told if task in facts], what, count)
        if mean is not None:
            of_trials = known[task]
            means[task] = mean if of_trials is None else MeanCost(mean, of_trials, solved[task])
    return means


def _mean_of_parts(facts: Sequence[Mapping[str, Any]], what: str, count: int) -> float | None:
    """Return the mean over ``count`` trials; None if the facts are not of all of these, or do not all tell the cost."""
    if not all(what in fact.get("costs", {}) for fact in facts) or sum(fact["trials"] for fact in facts) != count:
        return None
    if len(facts) == 1:
        return float(facts[0]["costs"][what])
    return math.fsum(fact["trials"] * fact["costs"][what] for fact in facts) / count if count else None


def _shared_mean(
    sums: Sequence[float],
    facts: Sequence[Mapping[str, Any]],
    what: str,
    trials: Mapping[str | None, int],
    known: Mapping[str | None, RewardMatrix | None],
    solved: Mapping[str | None, RewardMatrix | None],
) -> dict[str | None, float]:
    """Return the mean over all tasks for each task: where all trials tell their cost, each task has its own share."""
    count = sum(trials.values())
    if not count or not all(what in fact.get("costs", {}) for fact in facts):
        return {}
    total = math.fsum([*sums, *(fact["trials"] * fact["costs"][what] for fact in facts)])
    if total < 0.0:
        return {}
    mean = total / count
    rates = {task: per_outcome(each, trials[task]) for task, each in known.items() if each is not None}
    told = sum(rate * trials[task] for task, rate in rates.items())
    means: dict[str | None, float] = {}
    for task, each in known.items():
        own = mean * rates[task] * count / told if len(rates) == len(known) and told else mean
        means[task] = own if each is None else MeanCost(own, each, solved[task])
    return means


def merged_costs(parts: Sequence[tuple[Tasks, Costs]], tasks: Tasks) -> Costs:
    """Return the costs of the trials of all parts: those of models whose trials are told by every part with the model.

    ``tasks`` are the merged outcomes, whose questions the costs take.
    """
    merged: dict[str | None, dict[str, dict[str, RewardMatrix]]] = {}
    for task, models in tasks.items():
        names = dict.fromkeys(what for _, costs in parts for what in costs.get(task, {}))
        of_costs = {what: _merged_cost(parts, task, what, models) for what in names}
        kept = {what: each for what, each in of_costs.items() if each}
        if kept:
            merged[task] = kept
    return merged


def _merged_cost(
    parts: Sequence[tuple[Tasks, Costs]], task: str | None, what: str, models: Mapping[str, OutcomeMatrix]
) -> dict[str, RewardMatrix]:
    told = [costs.get(task, {}).get(what, {}) for _, costs in parts]
    having = [own.get(task, {}) for own, _ in parts]
    made: dict[str, RewardMatrix] = {}
    for name, first in models.items():
        if all(name in each for each, own in zip(told, having, strict=True) if name in own):
            total = union([{name: each[name]} for each in told if name in each])[name]
            made[name] = spread_over(cast("RewardMatrix", total), first.questions, first.clusters, first.n_questions)
    return made
