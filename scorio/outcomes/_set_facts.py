"""What a set of outcomes says about itself: its models, questions, trials and conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from .._display.words import pluralize
from ._exports import SetExports
from ._labels import Labels
from ._matrix import OutcomeMatrix
from ._trial_costs import Costs, check_costs, of_known_models

Conditions = Mapping[str, Mapping[str, Any]]  # by model, and by the name of a setting


class SetFacts(Mapping[str, OutcomeMatrix], SetExports):
    """Outcomes of models on the same questions, and under which conditions each model was run."""

    __slots__ = ("_conditions", "_costs", "_models")

    _models: dict[str, OutcomeMatrix]
    _conditions: dict[str, dict[str, Any]]
    _costs: dict[str, dict[str, float]]

    def __getitem__(self, name: str) -> OutcomeMatrix:
        return self._models[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._models)

    def __len__(self) -> int:
        return len(self._models)

    @property
    def _first(self) -> OutcomeMatrix:
        return next(iter(self._models.values()))

    @property
    def names(self) -> tuple[str, ...]:
        """The models, in order."""
        return tuple(self._models)

    @property
    def conditions(self) -> Conditions:
        """The settings of each model's runs, such as its temperature, as logs tell them; {} for an unknown model.

        Conditions describe outcomes; two sets with the same outcomes are equal whatever their conditions are.
        """
        return MappingProxyType({name: MappingProxyType(self._conditions.get(name, {})) for name in self._models})

    @property
    def costs(self) -> Costs:
        """The mean cost per trial of each model, by the names of its logs, such as tokens, seconds and dollars.

        It is what the runs used, over the trials that have an outcome; {} for a model of which nothing is known. Where
        the cost of every trial is known, the number has an attribute ``trials``: the costs as outcomes by question.
        """
        return MappingProxyType({name: MappingProxyType(self._costs.get(name, {})) for name in self._models})

    @property
    def n_questions(self) -> int:
        """M, the same for every model."""
        return self._first.n_questions

    @property
    def n_categories(self) -> int:
        """C + 1, the same for every model."""
        return self._first.n_categories

    @property
    def questions(self) -> Labels | None:
        """The label of each question, or None."""
        return self._first.questions

    @property
    def clusters(self) -> Labels | None:
        """The cluster of each question, or None."""
        return self._first.clusters

    @property
    def trials_each(self) -> tuple[int, int]:
        """The smallest and the largest number of trials of any question."""
        return min(each.min_trials for each in self.values()), max(each.max_trials for each in self.values())

    @property
    def is_pass_fail(self) -> bool:
        """Whether every model's outcomes are binary, and worth 0 and 1 where they are rewards."""
        return all(matrix.is_pass_fail for matrix in self._models.values())

    def __repr__(self) -> str:
        if self._first.is_continuous:
            kind = "continuous rewards"
        else:
            kind = "binary" if self.is_pass_fail else f"{self.n_categories} categories"
        return f"OutcomeSet({pluralize(len(self), 'model')} x {pluralize(self.n_questions, 'question')}, {kind})"


def facts_of(
    source: Any, conditions: Conditions | None, costs: Costs | None, models: Mapping[str, Any]
) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, float]]]:
    """Return the conditions and the costs of each model: those given, else those of a set that is copied."""
    if isinstance(source, SetFacts):
        conditions = source.conditions if conditions is None else conditions
        costs = source.costs if costs is None else costs
    return check_conditions(conditions, models), check_costs(costs, models)


def check_conditions(conditions: Any, models: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the conditions of each model as dictionaries, checked to be of known models."""
    each_is = 'settings by name, as in {"a": {"temperature": 0.5}}'
    return {name: dict(each) for name, each in of_known_models(conditions, models, "conditions", each_is).items()}
