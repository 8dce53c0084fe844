"""Costs of single trials in the header of saved counts, as text: the files need no further arrays for them."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ._matrix import OutcomeMatrix
from ._reward_matrix import RewardMatrix
from ._saved_layout import check, packed, unpacked
from ._saved_text import as_text
from ._saved_union import union
from ._trial_costs import CostTrials, MeanCost, mean_of, spread_over, trials_by_cost

Costs = Mapping[str | None, CostTrials]  # by task
Tasks = Mapping[str | None, Mapping[str, OutcomeMatrix]]
_KEY, _DIGEST = "trial_costs", "trial_costs_digest"
_TYPES = ("<u1", "<u2", "<u4", "<u8", "<f8", "|u1")


def to_header(costs: Costs) -> dict[str, Any]:
    """Return the entries of the header; nothing without costs."""
    entries = [_entry(task, what, models) for task, known in costs.items() for what, models in known.items() if models]
    return {_KEY: entries, _DIGEST: _digest(entries)} if entries else {}


def _entry(task: str | None, what: str, models: Mapping[str, RewardMatrix]) -> dict[str, Any]:
    about, arrays = packed({name: each._replaced(questions=None, clusters=None) for name, each in models.items()})
    return {"task": task, "cost": what, "arrays": {name: _text(array) for name, array in arrays.items()}} | about


def _text(array: NDArray[Any]) -> list[Any]:
    return [array.dtype.str, list(array.shape), base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()]


def _digest(entries: Any) -> str:
    return hashlib.blake2b(as_text(entries).encode(), digest_size=20).hexdigest()


def from_header(header: Mapping[str, Any], tasks: Tasks) -> dict[str | None, dict[str, dict[str, RewardMatrix]]]:
    """Return the costs of trials that a header holds, with the labels of their questions."""
    entries = header.get(_KEY, [])
    if not entries:
        return {}
    check(_digest(entries) == header[_DIGEST], "the costs are not those that were saved")
    costs: dict[str | None, dict[str, dict[str, RewardMatrix]]] = {}
    for entry in entries:
        models = unpacked(entry, {name: _array(*each) for name, each in entry["arrays"].items()})
        of_task = tasks[entry["task"]]
        for name, trials in models.items():
            check(name in of_task and trials.n_questions == of_task[name].n_questions, "the costs are of other models")
        first = next(iter(of_task.values()))
        costs.setdefault(entry["task"], {})[str(entry["cost"])] = {
            name: cast("RewardMatrix", each._replaced(questions=first.questions, clusters=first.clusters))
            for name, each in models.items()
        }
    return costs


def _array(kind: str, shape: list[int], text: str) -> NDArray[Any]:
    check(kind in _TYPES, "an array of costs has another type than stated")
    return np.frombuffer(base64.b64decode(text, validate=True), np.dtype(kind)).reshape(shape)


def costs_of_tasks(outcomes: Any) -> dict[str | None, dict[str, dict[str, RewardMatrix]]]:
    """Return the costs of trials that an OutcomeSet, or a mapping from tasks to such sets, knows."""
    sets: Mapping[str | None, Any] = {None: outcomes} if None in outcomes._tables() else dict(outcomes.items())
    known = {task: trials_by_cost(each.costs) for task, each in sets.items()}
    return {task: each for task, each in known.items() if each}


def merged_costs(parts: Sequence[tuple[Tasks, Costs]], tasks: Tasks) -> Costs:
    """Return the costs of the trials of all parts: those of models whose trials are told by every part with the model.

    ``tasks`` are the merged outcomes, whose questions the costs take.
    """
    merged: dict[str | None, dict[str, dict[str, RewardMatrix]]] = {}
    for task, models in tasks.items():
        names = dict.fromkeys(what for _, costs in parts for what in costs.get(task, {}))
        of_costs = {what: _merged(parts, task, what, models) for what in names}
        kept = {what: each for what, each in of_costs.items() if each}
        if kept:
            merged[task] = kept
    return merged


def _merged(
    parts: Sequence[tuple[Tasks, Costs]], task: str | None, what: str, models: Mapping[str, OutcomeMatrix]
) -> dict[str, RewardMatrix]:
    told = [costs.get(task, {}).get(what, {}) for _, costs in parts]
    having = [own.get(task, {}) for own, _ in parts]
    names = [
        name for name in models if all(name in each for each, own in zip(told, having, strict=True) if name in own)
    ]
    made: dict[str, RewardMatrix] = {}
    for name in names:
        own = union([{name: each[name]} for each in told if name in each])[name]
        first = models[name]
        made[name] = spread_over(cast("RewardMatrix", own), first.questions, first.clusters, first.n_questions)
    return made


def with_trials(
    means: Mapping[str, Mapping[str, float]], costs: Costs, tasks: Tasks
) -> dict[str | None, dict[str, dict[str, float]]]:
    """Return the mean costs by task and model, those of trials that are known with their trials.

    ``means`` are over all tasks; where the trials of every task are known, each task has a mean of its own.
    """
    found: dict[str | None, dict[str, dict[str, float]]] = {}
    for task, models in tasks.items():
        for name in models:
            if name in means:
                own = {what: _mean(name, what, mean, task, costs, tasks) for what, mean in means[name].items()}
                found.setdefault(task, {})[name] = own
    return found


def _mean(name: str, what: str, mean: float, task: str | None, costs: Costs, tasks: Tasks) -> float:
    known = {key: costs.get(key, {}).get(what, {}).get(name) for key, models in tasks.items() if name in models}
    trials = known[task]
    if trials is None:
        return mean
    if any(each is None for each in known.values()):
        return MeanCost(mean, trials)
    counts = {key: int(tasks[key][name].trials.sum()) for key in known}
    total = sum(mean_of(each) * counts[key] for key, each in known.items() if each is not None)
    return MeanCost(mean * mean_of(trials) * sum(counts.values()) / total if total else mean, trials)
