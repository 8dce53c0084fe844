"""What a suite says about itself: its tasks, models, questions and costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ._pooling import pooled
from ._set_facts import SetFacts
from ._trial_costs import Costs, MeanCost


class SuiteFacts:
    """Facts over all tasks of a suite."""

    __slots__ = ()

    @property
    def _sets(self) -> Mapping[str, SetFacts]:
        return cast("Any", self)._tasks  # type: ignore[no-any-return]

    @property
    def tasks(self) -> tuple[str, ...]:
        """The names of the tasks, in order."""
        return tuple(self._sets)

    @property
    def models(self) -> tuple[str, ...]:
        """The models of any task, in the order of their first task."""
        return tuple(dict.fromkeys(model for outcomes in self._sets.values() for model in outcomes))

    @property
    def n_questions(self) -> int:
        """The number of questions of all tasks."""
        return sum(outcomes.n_questions for outcomes in self._sets.values())

    @property
    def missing(self) -> dict[str, tuple[str, ...]]:
        """The tasks that each model lacks; models that have all tasks are left out."""
        lacks = {model: tuple(task for task, each in self._sets.items() if model not in each) for model in self.models}
        return {model: tasks for model, tasks in lacks.items() if tasks}

    @property
    def costs(self) -> Costs:
        """The mean cost per trial of each model over all its tasks; costs that a task does not tell are left out."""
        return {
            model: _mean_costs({task: each for task, each in self._sets.items() if model in each}, model)
            for model in self.models
        }


def _mean_costs(sets: Mapping[str, SetFacts], model: str) -> dict[str, float]:
    trials = {task: int(each[model].trials.sum()) for task, each in sets.items()}
    known = {task: each.costs[model] for task, each in sets.items()}
    names = [name for name in next(iter(known.values())) if all(name in each for each in known.values())]
    return {name: _mean_cost({task: each[name] for task, each in known.items()}, trials) for name in names}


def _mean_cost(costs: Mapping[str, float], trials: Mapping[str, int]) -> float:
    """Return the mean over all trials, with the costs of trials if all tasks tell them."""
    mean = sum(cost * trials[task] for task, cost in costs.items()) / sum(trials.values())
    parts = {task: cost.trials for task, cost in costs.items() if isinstance(cost, MeanCost)}
    return MeanCost(mean, pooled(parts)) if len(parts) == len(costs) else mean
