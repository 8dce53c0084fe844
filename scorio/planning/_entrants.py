"""The models of a plan: the outcomes of each on every task, and what a trial of each question costs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import Vector
from .._choices import AUTO, RANDOM, RUNS
from ..errors import OutcomeError, ParameterError
from ..estimates import Weights, as_tasks, metric_of_tasks, of_model, shares_of
from ..metrics import Metric, warn_of_runs
from ..outcomes import OutcomeMatrix, OutcomeSet, Suite, as_outcomes
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
    """The outcomes of some models, by model and then by task; outcomes without tasks have one without a name."""

    metric: Any  # the metric, or those of the tasks
    metrics: tuple[Metric, ...]
    weights: tuple[float, ...]
    models: Mapping[str, Mapping[str, OutcomeMatrix]]

    @property
    def parts(self) -> list[tuple[str, str, OutcomeMatrix]]:
        """The outcomes of every model and task, with their names, model after model."""
        return [(name, task, each) for name, tasks in self.models.items() for task, each in tasks.items()]

    def of_one_model(self) -> list[TaskPart]:
        """Return the tasks of the only model."""
        if len(self.models) != 1:
            first = next(iter(self.models))
            hint = f"suite.select(models=[{first!r}]) keeps one"
            raise OutcomeError(f"a plan is for one model; the suite has {len(self.models)}", hint=hint)
        [tasks] = self.models.values()
        return [TaskPart(*each) for each in zip(tasks, self.weights, self.metrics, tasks.values(), strict=True)]


def entrants(metric: Any, outcomes: Any, models: Iterable[str] | None = None, weights: Weights = None) -> Entrants:
    """Return the chosen models of a suite, of a set of outcomes, or the outcomes of one model."""
    every = as_tasks(outcomes, LONE_MODEL)
    names = _chosen(models, dict.fromkeys(name for each in every.values() for name in each))
    tasks = {task: each for task, each in every.items() if any(name in each for name in names)}
    named, of_tasks = metric_of_tasks(metric, tasks)
    by_model = {name: of_model(tasks, name, "known") for name in names}
    counts = {task: each.n_questions for task, each in by_model[names[0]].items()}
    return Entrants(named, tuple(of_tasks), tuple(shares_of(weights, counts).values()), by_model)


def check_runs(chosen: Entrants, runs: str) -> None:
    """Refuse a plan about runs like these, and warn where runs differ."""
    if choice("runs", runs, RUNS) == RANDOM:
        hint = "analyze_runs(..).half_width(runs, trials) says what more runs give"
        raise ParameterError("is 'random', and plans take trials as independent", argument="runs", hint=hint)
    if runs == AUTO:
        for i, metric in enumerate(chosen.metrics):
            warn_of_runs(metric, [[*tasks.values()][i] for tasks in chosen.models.values()])


def one_entrant(metric: Any, outcomes: Any, weights: Weights = None) -> Entrants:
    """Return the outcomes of one model: on the tasks of a suite, or those that ``OutcomeMatrix`` takes."""
    return entrants(metric, outcomes if isinstance(outcomes, Suite) else as_outcomes(outcomes), weights=weights)


def _chosen(models: Iterable[str] | None, offered: Iterable[str]) -> list[str]:
    known = list(offered)
    chosen = known if models is None else list(models)
    unknown = [name for name in chosen if name not in known]
    if unknown or not chosen:
        raise ParameterError(f"models must be among {', '.join(known)}; got {', '.join(unknown) or 'none'}")
    return chosen


def known_costs(cost: str, outcomes: Any, chosen: Entrants) -> dict[str, Any]:
    """Return the cost of this name per trial of each model and task, as the outcomes tell it."""
    if not isinstance(outcomes, (OutcomeSet, Suite)):
        raise ParameterError(f"cost must be numbers, or a name that the costs of an OutcomeSet have; got {cost!r}")
    named: dict[str, dict[str, Any]] = {}
    for name, task, _ in chosen.parts:
        own = outcomes.by_task[task].costs[name]
        if cost not in own:
            hint = f"known are {', '.join(own)}" if own else "pass costs per trial by model: cost={'model': 0.02, ..}"
            raise OutcomeError(f"the outcomes do not tell the {cost} of {_where(name, task)}", hint=hint)
        named.setdefault(name, {})[task] = own[cost]
    return named


def _where(model: str, task: str) -> str:
    return f"model {model!r} on task {task!r}" if task else f"model {model!r}"


def costs_of(cost: Any, parts: Sequence[tuple[str, str, OutcomeMatrix]]) -> Vector:
    """Return the cost per trial of every question, checked to be positive."""
    return np.concatenate([_costs(cost, name, task, each.n_questions) for name, task, each in parts])


def _costs(cost: Any, model: str, task: str, count: int) -> Vector:
    steps = [model, task]
    while isinstance(cost, Mapping):
        named = next((step for step in steps if step in cost), None)
        if named is None:
            raise ParameterError(f"cost names no cost per trial of {_where(model, task)}")
        steps.remove(named)
        cost = cost[named]
    try:
        found = np.broadcast_to(np.asarray(cost, dtype=np.float64), (count,))
    except (TypeError, ValueError):
        raise ParameterError(f"cost must be one number or one per question ({count}); got {cost!r}") from None
    if not (np.isfinite(found).all() and (found > 0.0).all()):
        raise ParameterError("cost must be positive and finite for every question")
    return found.copy()
