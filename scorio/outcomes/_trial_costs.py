"""What models cost: the mean per trial, and the costs of single trials where they are known."""

from collections.abc import Mapping
from typing import Any, Self, cast

import numpy as np

from .._arrays import Indices
from .._display.words import unknown
from ..errors import OutcomeError, within
from ._alignment import in_order_of, labelled, rearranged
from ._combining import pooled
from ._labels import Labels
from ._matrix import OutcomeMatrix
from ._reward_matrix import RewardMatrix

Costs = Mapping[str, Mapping[str, float]]  # per trial, by model and by the name of the cost
CostTrials = Mapping[str, Mapping[str, RewardMatrix]]  # by the name of the cost, and by model


class MeanCost(float):
    """A mean cost per trial; ``trials`` has the number, mean and variance of the costs of each question's trials.

    It is a number: what all runs used, over the trials that have an outcome. The trials of a question are those that
    told their cost, with an outcome or not.

    >>> from scorio import OutcomeSet
    >>> models = OutcomeSet({"a": [[1, 0], [1, 1]]}, costs={"a": {"dollars": [[0.2, 0.4], [0.1, 0.1]]}})
    >>> cost = models.costs["a"]["dollars"]
    >>> round(cost, 3), cost.trials.means.round(3).tolist()
    (0.2, [0.3, 0.1])
    """

    __slots__ = ("trials",)

    trials: OutcomeMatrix

    def __new__(cls, mean: float, trials: OutcomeMatrix) -> Self:
        made = super().__new__(cls, mean)
        made.trials = trials
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (float(self), self.trials)


def of_known_models(values: Any, models: Mapping[str, Any], what: str, each_is: str) -> dict[str, Mapping[str, Any]]:
    """Return the mapping of each model, without empty ones; an error calls them ``what`` and says what each must be."""
    if values is None:
        return {}
    if not isinstance(values, Mapping) or not all(isinstance(each, Mapping) for each in values.values()):
        raise OutcomeError(f"{what} map models to {each_is}")
    for name in values:
        if name not in models:
            raise OutcomeError(unknown("model", name, list(models)), where=what)
    return {name: each for name, each in values.items() if each}


def check_costs(costs: Any, models: Mapping[str, OutcomeMatrix]) -> dict[str, dict[str, float]]:
    """Return the costs of known models: means per trial, with the costs of single trials where these are given."""
    given = of_known_models(costs, models, "costs", 'amounts per trial by name, as in {"a": {"dollars": 0.02}}')
    return {
        name: {what: _checked(amount, f"{what} of {name!r}", models[name]) for what, amount in each.items()}
        for name, each in given.items()
    }


def _checked(amount: Any, of: str, outcomes: OutcomeMatrix) -> float:
    """Return a cost that is a number, or the costs of all trials, one row per question."""
    if isinstance(amount, MeanCost):
        return MeanCost(amount, of_questions(cast("RewardMatrix", amount.trials), outcomes, of))
    if isinstance(amount, (int, float, np.number)) and not isinstance(amount, bool) and 0.0 <= amount < np.inf:
        return float(amount)
    if isinstance(amount, (str, bytes, bool, int, float, np.number)) or amount is None:
        raise OutcomeError(f"{of} must be a finite number, at least 0; got {amount!r}", where="costs")
    with within("costs"):
        known = amount if isinstance(amount, OutcomeMatrix) else RewardMatrix(amount, missing="omit")
        trials = of_questions(cast("RewardMatrix", known.as_continuous()), outcomes, of)
    return of_trials(trials, int(outcomes.trials.sum()), of)


def of_trials(trials: RewardMatrix, count: int, of: str) -> MeanCost:
    """Return the mean over ``count`` trials that have an outcome of what all trials cost."""
    summary = trials._summary
    asked = summary.trials > 0
    if (summary.mean[asked] < 0.0).any() or (summary.values is not None and summary.values.min() < 0.0):
        raise OutcomeError(f"{of} must be at least 0 for every trial", where="costs")
    total = float(np.dot(summary.trials[asked], summary.mean[asked]))
    return MeanCost(total / count, trials._replaced(summary=summary.without_values()))


def of_questions(trials: RewardMatrix, outcomes: OutcomeMatrix, of: str) -> RewardMatrix:
    """Return costs in the order of the questions of the outcomes, with their labels."""
    lined_up = in_order_of(outcomes.questions, outcomes.n_questions, trials, of)
    return labelled(lined_up, outcomes.questions, outcomes.clusters)


def spread_over(trials: RewardMatrix, questions: Labels | None, clusters: Labels | None, count: int) -> RewardMatrix:
    """Return costs among all questions, of which some may have none."""
    own = trials.questions or range(trials.n_questions)
    where = {label: row for row, label in enumerate(questions or range(count))}
    rows = np.fromiter((where[label] for label in own), np.intp, len(own))
    summary = trials._summary.spread(rows, count)
    return RewardMatrix._of_table(summary, summary.trials, None, questions, clusters)


def selected_costs(costs: Mapping[str, Mapping[str, float]], order: Indices) -> dict[str, dict[str, float]]:
    """Return the costs of a selection of questions.

    A mean becomes that of the selected questions where the costs of trials are known, and stays what it is elsewhere.
    """
    return {model: {what: _selected(each, order) for what, each in own.items()} for model, own in costs.items()}


def _selected(cost: float, order: Indices) -> float:
    if not isinstance(cost, MeanCost):
        return cost
    trials = rearranged(cast("RewardMatrix", cost.trials), order)
    if not trials.trials.any():
        return float(cost)
    return MeanCost(cost * mean_of(trials) / (mean_of(cost.trials) or 1.0), trials)


def mean_of(trials: OutcomeMatrix) -> float:
    """Return the mean cost of all trials that tell it.

    >>> mean_of(RewardMatrix([[1.0, 2.0], [3.0, 6.0]]))
    3.0
    """
    weights = trials.trials
    asked = weights > 0
    means = cast("RewardMatrix", trials).means
    return float(np.dot(weights[asked], means[asked]) / weights.sum())


def per_outcome(trials: OutcomeMatrix, count: int) -> float:
    """Return what all trials cost together, per trial that has an outcome, of which there are ``count``.

    >>> per_outcome(RewardMatrix([[1.0, 2.0, 3.0]]), 2)
    3.0
    """
    return mean_of(trials) * (int(trials.trials.sum()) / count) if count else 0.0


def trials_by_cost(models: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, RewardMatrix]]:
    """Return the costs of trials by the name of the cost and by model, without those that are not known.

    >>> trials_by_cost({"a": {"seconds": 2.0, "dollars": MeanCost(1.0, RewardMatrix([[1.0, 1.0]]))}})
    {'dollars': {'a': RewardMatrix(1 question x 2 trials, continuous rewards from 1 to 1)}}
    """
    known: dict[str, dict[str, RewardMatrix]] = {}
    for model, own in models.items():
        for what, cost in own.items():
            if isinstance(cost, MeanCost):
                known.setdefault(what, {})[model] = cast("RewardMatrix", cost.trials)
    return known


def costs_over_tasks(known: Mapping[str, Mapping[str, float]], trials: Mapping[str, int]) -> dict[str, float]:
    """Return the mean costs of a model over its tasks, those that every task tells, from the number of trials of each.

    The mean has the costs of trials if all tasks tell them.
    """
    names = [name for name in next(iter(known.values())) if all(name in each for each in known.values())]
    means: dict[str, float] = {}
    for name in names:
        costs = {task: each[name] for task, each in known.items()}
        mean = sum(cost * trials[task] for task, cost in costs.items()) / sum(trials.values())
        parts = {task: cost.trials for task, cost in costs.items() if isinstance(cost, MeanCost)}
        means[name] = MeanCost(mean, pooled(parts)) if len(parts) == len(costs) else mean
    return means
