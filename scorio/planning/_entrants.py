"""The models of a plan: the outcomes of each on every task, and what a trial of each question costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..comparison._task_metrics import Weights, as_vector, metrics_of_tasks, weights_of
from ..errors import OutcomeError, ParameterError
from ..metrics import Metric
from ..metrics._registry import as_metric
from ..outcomes import OutcomeMatrix, OutcomeSet, Suite
from ..outcomes._admitted import as_questions
from ._water_filling import Vector

LONE_MODEL = "model"


@dataclass(frozen=True)
class Entrants:
    """The outcomes of some models, by model and then by task; outcomes without tasks have the one task None."""

    metric: Any  # the metric, or those of the tasks
    metrics: tuple[Metric, ...]
    weights: tuple[float, ...]
    models: Mapping[str, Mapping[str | None, OutcomeMatrix]]

    @property
    def parts(self) -> list[tuple[str, str | None, OutcomeMatrix]]:
        """The outcomes of every model and task, with their names, model after model."""
        return [(name, task, each) for name, tasks in self.models.items() for task, each in tasks.items()]

    def of_one_model(self) -> list[TaskPart]:
        """Return the tasks of the only model."""
        if len(self.models) != 1:
            first = next(iter(self.models))
            hint = f"suite.select(models=[{first!r}]) keeps one"
            raise OutcomeError(f"a plan is for one model; the suite has {len(self.models)}", hint=hint)
        [tasks] = self.models.values()
        return [TaskPart(*each) for each in zip(self.weights, self.metrics, tasks.values(), strict=True)]


def entrants(metric: Any, R: Any, models: Iterable[str] | None = None, weights: Weights = None) -> Entrants:
    """Return the chosen models of a suite, of a set of outcomes, or the outcomes of one model."""
    if isinstance(R, Suite):
        return _of_suite(metric, R, models, weights)
    if weights is not None:
        raise ParameterError("are those of tasks, and these outcomes are no Suite", argument="weights")
    metric = as_metric(metric)
    if isinstance(R, (Mapping, OutcomeSet)):
        outcomes = R if isinstance(R, OutcomeSet) else OutcomeSet(R)
        chosen = _chosen(models, outcomes)
        return Entrants(metric, (metric,), (1.0,), {name: {None: outcomes[name]} for name in chosen})
    if models is not None:
        raise ParameterError("models= chooses among several models, but these are the outcomes of one")
    return Entrants(metric, (metric,), (1.0,), {LONE_MODEL: {None: as_questions(R)}})


@dataclass(frozen=True)
class TaskPart:
    """One task of one model: its weight in the overall score, its metric and the outcomes."""

    weight: float
    metric: Metric
    outcomes: OutcomeMatrix


def one_entrant(metric: Any, R: Any, weights: Weights = None) -> Entrants:
    """Return the outcomes of one model: on the tasks of a suite, or those that ``OutcomeMatrix`` takes."""
    if isinstance(R, Suite):
        return _of_suite(metric, R, None, weights)
    return entrants(metric, as_questions(R), weights=weights)


def _of_suite(metric: Any, suite: Suite, models: Iterable[str] | None, weights: Weights) -> Entrants:
    suite = suite.select(models=_chosen(models, suite.models))
    suite.check_complete()
    [(named, of_tasks)] = metrics_of_tasks(metric, suite)
    share = tuple(as_vector(weights_of(weights, suite)).tolist())
    by_model: dict[str, dict[str | None, OutcomeMatrix]] = {
        name: {task: each[name] for task, each in suite.items()} for name in suite.models
    }
    return Entrants(named, tuple(of_tasks), share, by_model)


def _chosen(models: Iterable[str] | None, offered: Iterable[str]) -> list[str]:
    known = list(offered)
    chosen = known if models is None else list(models)
    unknown = [name for name in chosen if name not in known]
    if unknown or not chosen:
        raise ParameterError(f"models must be among {', '.join(known)}; got {', '.join(unknown) or 'none'}")
    return chosen


def known_costs(cost: str, R: Any, chosen: Entrants) -> dict[str, Any]:
    """Return the cost of this name per trial of each model and task, as the outcomes tell it."""
    if not isinstance(R, (OutcomeSet, Suite)):
        raise ParameterError(f"cost must be numbers, or a name that the costs of an OutcomeSet have; got {cost!r}")
    named: dict[str, Any] = {}
    for name, task, _ in chosen.parts:
        own = (R[task] if isinstance(R, Suite) and task is not None else R).costs[name]
        if cost not in own:
            where = f"model {name!r}" if task is None else f"model {name!r} on task {task!r}"
            hint = f"known are {', '.join(own)}" if own else "pass costs per trial by model: cost={'model': 0.02, ..}"
            raise OutcomeError(f"the outcomes do not tell the {cost} of {where}", hint=hint)
        if task is None:
            named[name] = own[cost]
        else:
            named.setdefault(name, {})[task] = own[cost]
    return named


def costs_of(cost: Any, parts: Sequence[tuple[str, str | None, OutcomeMatrix]]) -> Vector:
    """Return the cost per trial of every question, checked to be positive."""
    return np.concatenate([_costs(cost, name, task, each.n_questions) for name, task, each in parts])


def _costs(cost: Any, model: str, task: str | None, count: int) -> Vector:
    steps = [model] if task is None else [model, task]
    while isinstance(cost, Mapping):
        named = next((step for step in steps if step in cost), None)
        if named is None:
            where = f"model {model!r}" if task is None else f"model {model!r} on task {task!r}"
            raise ParameterError(f"cost names no cost per trial of {where}")
        steps.remove(named)
        cost = cost[named]
    try:
        found = np.broadcast_to(np.asarray(cost, dtype=np.float64), (count,))
    except (TypeError, ValueError):
        raise ParameterError(f"cost must be one number or one per question ({count}); got {cost!r}") from None
    if not (np.isfinite(found).all() and (found > 0.0).all()):
        raise ParameterError("cost must be positive and finite for every question")
    return found.copy()
