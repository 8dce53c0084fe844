"""Which questions, and which models, should get the next trials."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._arrays import underflow_is_zero
from .._display.words import pluralize
from ..comparison._task_metrics import Weights
from ..inference import Looks
from ..inference._interval import two_sided_z
from ..metrics import Metric
from ..params import positive
from ._allocation import Allocation, NextTrials
from ._entrants import Entrants, costs_of, entrants, known_costs
from ._knowledge import OverallKnowledge, overall_knowledge
from ._water_filling import Counts, Vector, fill, level_up

_AT_LEAST = 2  # trials of every question before questions are treated differently
_ADAPTIVE = (
    'questions get different numbers of trials because of their outcomes: use prior="learned" on the results, '
    "because raw means are biased"
)


@dataclass(frozen=True)
class _Task:
    """The questions of all models in one array: their posterior, the cost per trial and the weight of their model."""

    known: list[OverallKnowledge]
    weight: Vector
    cost: Vector
    trials: Counts

    def half_width(self, more: Counts, z: float) -> float:
        """Return the expected half-width: of one model, or the mean over the differences from the leader."""
        parts = np.split(more, len(self.known))  # models have the same questions
        variance = np.array([each.expected(part) for each, part in zip(self.known, parts, strict=True)])
        if len(variance) == 1:
            return z * math.sqrt(variance[0])
        leader = int(np.argmax([each.mean for each in self.known]))
        others = np.delete(variance, leader)
        return z * float(np.mean(np.sqrt(variance[leader] + others)))


@underflow_is_zero
def next_trials(
    metric: Metric | str | Mapping[str, Metric | str],
    R: Any,
    budget: float,
    *,
    models: Iterable[str] | None = None,
    weights: Weights = None,
    cost: Any = 1.0,
    unit: str | None = None,
    confidence: float = 0.95,
    looks: Looks | None = None,
) -> Allocation:
    """Allocate the next trials to questions, so that the answer becomes as precise as the budget allows.

    The number of models in ``R`` decides the goal. With the outcomes of one model it is a narrow interval, with an
    OutcomeSet or mapping of two models a narrow difference, with more models narrow differences from the leader. With
    a Suite it is about overall scores: trials go to the task, question and model that lower the overall variance most,
    and ``metric`` and ``weights`` are those of ``Leaderboard``.

    ``models`` names the models that may get trials, for example ``Leaderboard(..).in_the_running``. ``budget`` is the
    amount to spend and ``cost`` the cost per trial in the same ``unit``: one number, one per question, or a mapping
    from models to either, in a suite also by task, as in ``{"model": {"task": 2.0}}``, or the name of a cost that the
    outcomes know, as in ``cost="dollars"``. Without ``cost``, the budget is a number of trials. With ``looks`` that
    have a budget, no model gets more trials per question of a task than the looks declare.

    Questions with fewer than two trials come first. Then trials go where they reduce the posterior variance most:
    to questions whose value is uncertain, and not to those that always fail or always succeed. Posteriors are those of
    ``prior="learned"``, which stay valid when outcomes decide where trials go; raw means become biased.

    >>> R = [[1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0], [0, 1, 0, 1, 1, 0], [1, 1, 1, 1, 1, 1]]
    >>> next_trials("pass@1", R, budget=12).trials.tolist()
    [[0, 2, 10, 0]]
    """
    budget = float(positive("budget", budget))
    chosen = entrants(metric, R, models, weights)
    if isinstance(cost, str):
        cost, unit = known_costs(cost, R, chosen), unit or cost
    task = _task(chosen, cost)
    more, notes = _allocated(task, chosen, budget, looks)
    even = _whole(np.full(len(task.cost), budget / float(task.cost.sum())))
    z = two_sided_z(confidence)
    allocation = Allocation(
        metric=str(chosen.metric),
        goal={1: "interval", 2: "comparison"}.get(len(chosen.models), "leaderboard"),
        confidence=confidence,
        rows=_rows(chosen, more, task.cost),
        budget=budget,
        unit=unit or "trials",
        half_width_now=task.half_width(np.zeros_like(more), z),
        half_width=task.half_width(more, z),
        half_width_even=task.half_width(even, z),
        notes=tuple(notes),
    )
    if not allocation.is_adaptive:
        return allocation
    return replace(allocation, notes=(*allocation.notes, _ADAPTIVE))


def _whole(trials: Vector) -> Counts:
    """Return whole numbers of trials with the same sums over the first questions, as far as these are whole.

    >>> _whole(np.array([1.5, 1.5, 1.5, 1.5])).tolist()
    [1, 2, 1, 2]
    """
    return np.diff(np.floor(np.cumsum(trials) + 1e-9), prepend=0.0).astype(np.int64)


def _task(chosen: Entrants, cost: Any) -> _Task:
    known = [
        overall_knowledge(chosen.metrics, list(tasks.values()), chosen.weights) for tasks in chosen.models.values()
    ]
    leader = int(np.argmax([each.mean for each in known]))
    count = len(known)
    # The leader is part of every difference.
    weights = [max(count - 1.0, 1.0) if i == leader else 1.0 for i in range(count)]
    return _Task(
        known,
        np.concatenate([each.variance * weight for each, weight in zip(known, weights, strict=True)]),
        costs_of(cost, chosen.parts),
        np.concatenate([each.trials for _, _, each in chosen.parts]).astype(np.int64),
    )


def _allocated(task: _Task, chosen: Entrants, budget: float, looks: Looks | None) -> tuple[Counts, list[str]]:
    """Return the further trials of every question, and notes about them."""
    notes = []
    first = level_up(task.trials, task.cost, budget, _AT_LEAST)
    left = budget - float(first @ task.cost)
    if first.any():
        notes.append(
            f"{pluralize(int(first.sum()), 'trial')} go to questions with fewer than {_AT_LEAST} trials so far"
        )
    known = np.concatenate([each.known for each in task.known])
    shrunk = task.weight * known / np.maximum(known + first, 1e-300)
    more = first + fill(shrunk, known + first, task.cost, max(left, 0.0))
    if looks is None or looks.budget is None:
        return more, notes
    end = 0
    for name, place, each in chosen.parts:
        count = each.n_questions
        mine = slice(end, end + count)
        end += count
        room = max(math.floor(looks.budget * count * (1.0 + 1e-12)) - int(each.trials.sum()), 0)
        if more[mine].sum() > room:
            more[mine] = fill(task.weight[mine], known[mine], np.ones(count), room, most=more[mine])
            who = name if place is None else f"{name} on {place}"
            notes.append(f"{who}: the looks were declared for {looks.budget:g} trials per question: {room} are left")
    return more, notes


def _rows(chosen: Entrants, more: Counts, cost: Vector) -> tuple[NextTrials, ...]:
    labels = [
        (name, task, label, int(trials))
        for name, task, each in chosen.parts
        for label, trials in zip(each.questions or range(each.n_questions), each.trials, strict=True)
    ]
    return tuple(
        NextTrials(name, label, trials, int(next_), float(price), task)
        for (name, task, label, trials), next_, price in zip(labels, more, cost, strict=True)
    )
