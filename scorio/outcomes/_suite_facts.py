"""What a suite says about itself: its tasks, models, questions and costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ._set_facts import Costs, SetFacts


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
            model: _mean_costs([each for each in self._sets.values() if model in each], model) for model in self.models
        }


def _mean_costs(sets: list[SetFacts], model: str) -> dict[str, float]:
    trials = [int(each[model].trials.sum()) for each in sets]
    known = [each.costs[model] for each in sets]
    names = [name for name in known[0] if all(name in each for each in known)]
    return {
        name: sum(each[name] * count for each, count in zip(known, trials, strict=True)) / sum(trials) for name in names
    }
