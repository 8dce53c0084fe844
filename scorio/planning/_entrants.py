"""The models of a plan: the outcomes of each on every task, and what a trial of each question costs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import Vector
from .._choices import AUTO, RANDOM, RUNS
from ..errors import OutcomeError, ParameterError
from ..estimates import Weights, as_tasks, metric_of_tasks, of_model, shares_of
from ..metrics import Metric, warn_of_runs
from ..outcomes import OutcomeMatrix, as_outcomes
from ..params import choice

LONE_MODEL = "model"


@dataclass(frozen=True)
class TaskPart:
    """One task of one model: its weight in the overall score, its metric and the outcomes."""

    task: str
    weight: float
    metric: Metric
    outcomes: OutcomeMatrix


@dataclass(frozen=True)
class Entrants:
    """The tasks of each model; outcomes without tasks have one without a name."""

    metric: Any  # the metric, or those of the tasks
    models: Mapping[str, list[TaskPart]]

    @property
    def parts(self) -> list[tuple[str, TaskPart]]:
        """Every model and task, model after model."""
        return [(name, part) for name, parts in self.models.items() for part in parts]

    def of_one_model(self) -> list[TaskPart]:
        """Return the tasks of the only model."""
        if len(self.models) != 1:
            first = next(iter(self.models))
            hint = f"select(models=[{first!r}]) keeps one"
            raise OutcomeError(f"a plan is for one model; there are {len(self.models)}", hint=hint)
        return next(iter(self.models.values()))


def entrants(metric: Any, outcomes: Any, runs: str, weights: Weights = None) -> Entrants:
    """Return the models of a suite, of a set of outcomes, or one model; warn where its trials are not independent."""
    if choice("runs", runs, RUNS) == RANDOM:
        hint = "analyze_runs(..).half_width(runs, trials) says what more runs give"
        raise ParameterError("is 'random', and plans take trials as independent", argument="runs", hint=hint)
    tasks = as_tasks(outcomes, LONE_MODEL)
    named, of_tasks = metric_of_tasks(metric, tasks)
    shares = shares_of(weights, {task: models.n_questions for task, models in tasks.items()}).values()
    names = dict.fromkeys(name for models in tasks.values() for name in models)
    models = {
        name: [TaskPart(*each) for each in zip(tasks, shares, of_tasks, matrices.values(), strict=True)]
        for name, matrices in ((name, of_model(tasks, name, "known")) for name in names)
    }
    if runs == AUTO:
        for parts in zip(*models.values(), strict=True):
            warn_of_runs(parts[0].metric, [part.outcomes for part in parts])
    return Entrants(named, models)


def one_entrant(metric: Any, outcomes: Any, runs: str, weights: Weights = None) -> Entrants:
    """Return the outcomes of one model: on the tasks of a suite, or those that ``OutcomeMatrix`` takes."""
    return entrants(metric, outcomes if hasattr(outcomes, "by_task") else as_outcomes(outcomes), runs, weights)


def costs_of(cost: Any, outcomes: Any, chosen: Entrants) -> Vector:
    """Return the cost per trial of every question: a number, one per question, by model, or a name of a known cost."""
    if isinstance(cost, str):
        tasks = getattr(outcomes, "by_task", None)
        if tasks is None:
            raise ParameterError(f"cost must be numbers, or a name that the costs of an OutcomeSet have; got {cost!r}")
        rows = []
        for name, part in chosen.parts:
            costs = tasks[part.task].costs[name]
            if cost not in costs:
                hint = f"known are {', '.join(costs)}" if costs else "give costs by model: cost={'model': 0.02, ..}"
                raise OutcomeError(f"the outcomes do not tell the {cost} of {_where(name, part)}", hint=hint)
            rows.append(_cost(costs[cost], name, part))
    else:
        rows = [_cost(cost, name, part) for name, part in chosen.parts]
    return np.concatenate(rows)


def _where(model: str, part: TaskPart) -> str:
    return f"model {model!r} on task {part.task!r}" if part.task else f"model {model!r}"


def _cost(cost: Any, model: str, part: TaskPart) -> Vector:
    """Return the cost per trial of one model and task, checked to be positive."""
    steps, count = [model, part.task], part.outcomes.n_questions
    while isinstance(cost, Mapping):
        named = next((step for step in steps if step in cost), None)
        if named is None:
            raise ParameterError(f"cost names no cost per trial of {_where(model, part)}")
        steps.remove(named)
        cost = cost[named]
    try:
        costs = np.broadcast_to(np.asarray(cost, dtype=np.float64), (count,))
    except (TypeError, ValueError):
        raise ParameterError(f"cost must be one number or one per question ({count}); got {cost!r}") from None
    if not (np.isfinite(costs).all() and (costs > 0.0).all()):
        raise ParameterError("cost must be positive and finite for every question")
    return costs.copy()
