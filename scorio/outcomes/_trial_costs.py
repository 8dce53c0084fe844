"""What models cost: the mean per trial, and the costs of all trials and of successes where they are known."""

from collections.abc import Mapping
from typing import Any, Self, cast

import numpy as np

from .._arrays import Indices, Vector
from .._display.words import unknown
from ..errors import OutcomeError, within
from ._combining import pooled
from ._labels import Labels
from ._matrix import OutcomeMatrix
from ._reward_matrix import RewardMatrix
from ._reward_summary import ragged_summary

Costs = Mapping[str, Mapping[str, float]]  # per trial, by model and by the name of the cost


class MeanCost(float):
    """A mean cost per trial; ``trials`` has the number, mean and variance of the costs of each question's trials.

    It is a number: what all runs used, over the trials that have an outcome. The trials of a question are those that
    told their cost, with an outcome or not. ``successes`` has the same of the trials that succeeded, which a cost per
    success needs; None if it is not known which those are.

    >>> from scorio import OutcomeSet
    >>> models = OutcomeSet({"a": [[1, 0], [1, 1]]}, costs={"a": {"dollars": [[0.2, 0.4], [0.1, 0.1]]}})
    >>> cost = models.costs["a"]["dollars"]
    >>> round(cost, 3), cost.trials.means.round(3).tolist()
    (0.2, [0.3, 0.1])
    >>> cost.successes.trials.tolist(), cost.successes.means.round(3).tolist()
    ([1, 2], [0.2, 0.1])
    """

    __slots__ = ("successes", "trials")

    trials: OutcomeMatrix
    successes: RewardMatrix | None

    def __new__(cls, mean: float, trials: OutcomeMatrix, successes: RewardMatrix | None = None) -> Self:
        made = super().__new__(cls, mean)
        made.trials, made.successes = trials, successes
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (float(self), self.trials, self.successes)


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


def check_costs(costs: Any, models: Mapping[str, OutcomeMatrix], R: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Return the costs of known models: means per trial, with the costs of single trials where these are given.

    ``R`` has the outcomes as they were given, trial by trial, by which the costs of successes are known.
    """
    given = of_known_models(costs, models, "costs", 'amounts per trial by name, as in {"a": {"dollars": 0.02}}')
    return {
        name: {what: _checked(amount, f"{what} of {name!r}", models[name], R[name]) for what, amount in each.items()}
        for name, each in given.items()
    }


def _checked(amount: Any, of: str, outcomes: OutcomeMatrix, R: Any) -> float:
    """Return a cost that is a number, or the costs of all trials, one row per question."""
    if isinstance(amount, MeanCost):
        solved = None if amount.successes is None else of_questions(amount.successes, outcomes, of)
        return MeanCost(amount, of_questions(amount.trials, outcomes, of), if_of_successes(solved, outcomes))
    if isinstance(amount, (int, float, np.number)) and not isinstance(amount, bool) and 0.0 <= amount < np.inf:
        return float(amount)
    if isinstance(amount, (str, bytes, bool, int, float, np.number)) or amount is None:
        raise OutcomeError(f"{of} must be a finite number, at least 0; got {amount!r}", where="costs")
    with within("costs"):
        known = amount if isinstance(amount, OutcomeMatrix) else RewardMatrix(amount, missing="omit")
        trials = of_questions(known.as_continuous(), outcomes, of)
    solved = None if isinstance(amount, OutcomeMatrix) else _successes_among(amount, R)
    if solved is not None and solved.n_questions == outcomes.n_questions:
        solved = solved.labelled(outcomes.questions, outcomes.clusters)
    return of_trials(trials, int(outcomes.trials.sum()), of, if_of_successes(solved, outcomes))


def _successes_among(costs: Any, R: Any) -> RewardMatrix | None:
    """Return the costs of the successes of a table of outcomes; None if it is no table like that of the costs."""
    if isinstance(R, OutcomeMatrix):
        return None
    try:
        pairs = [
            (np.asarray(spent, np.float64), np.asarray(solved, np.float64))
            for spent, solved in zip(costs, R, strict=True)
        ]
    except (TypeError, ValueError):  # other forms, such as frames and words, do not say which trial cost what
        return None
    if not all(spent.ndim == 1 and spent.shape == solved.shape for spent, solved in pairs):
        return None
    rows = np.repeat(np.arange(len(pairs)), [len(spent) for spent, _ in pairs])
    spent, solved = (np.concatenate(each) for each in zip(*pairs, strict=True))
    return costs_by_question(spent[solved == 1.0], rows[solved == 1.0], len(pairs))


def costs_by_question(costs: Vector, rows: Indices, count: int, questions: Labels | None = None) -> RewardMatrix:
    """Return costs of trials with the question of each, of which there are ``count``; a question may have none.

    >>> costs_by_question(np.array([1.0, 3.0]), np.array([1, 1]), 2).trials.tolist()
    [0, 2]
    """
    summary = ragged_summary(costs, rows, np.bincount(rows, minlength=count))
    return RewardMatrix.of_parts(summary.without_values(), summary.trials, None, questions)


def if_of_successes(costs: RewardMatrix | None, outcomes: OutcomeMatrix) -> RewardMatrix | None:
    """Return the costs of successes if they are those of all successes of the outcomes, which pass or fail."""
    if costs is None or not outcomes.is_pass_fail or costs.n_questions != outcomes.n_questions:
        return None
    is_known = (costs.trials == outcomes.successes).all() and not np.isnan(costs.means[costs.trials > 0]).any()
    return costs if is_known else None


def of_trials(trials: RewardMatrix, count: int, of: str, successes: RewardMatrix | None = None) -> MeanCost:
    """Return the mean over ``count`` trials that have an outcome of what all trials cost."""
    summary = trials.summary
    asked = summary.trials > 0
    if (summary.mean[asked] < 0.0).any() or (summary.values is not None and summary.values.min() < 0.0):
        raise OutcomeError(f"{of} must be at least 0 for every trial", where="costs")
    total = float(np.dot(summary.trials[asked], summary.mean[asked]))
    return MeanCost(total / count, trials.replaced(summary=summary.without_values()), successes)


def of_questions(trials: OutcomeMatrix, outcomes: OutcomeMatrix, of: str) -> RewardMatrix:
    """Return costs in the order of the questions of the outcomes, with their labels."""
    lined_up = trials.in_order_of(outcomes.questions, outcomes.n_questions, of)
    return cast("RewardMatrix", lined_up.labelled(outcomes.questions, outcomes.clusters))


def spread_over(trials: RewardMatrix, questions: Labels | None, clusters: Labels | None, count: int) -> RewardMatrix:
    """Return costs among all questions, of which some may have none."""
    own = trials.questions or range(trials.n_questions)
    where = {label: row for row, label in enumerate(questions or range(count))}
    rows = np.fromiter((where[label] for label in own), np.intp, len(own))
    summary = trials.summary.spread(rows, count)
    return RewardMatrix.of_parts(summary, summary.trials, None, questions, clusters)


def selected_costs(costs: Mapping[str, Mapping[str, float]], order: Indices) -> dict[str, dict[str, float]]:
    """Return the costs of a selection of questions.

    A mean becomes that of the selected questions where the costs of trials are known, and stays what it is elsewhere.
    """
    return {model: {what: _selected(each, order) for what, each in own.items()} for model, own in costs.items()}


def _selected(cost: float, order: Indices) -> float:
    if not isinstance(cost, MeanCost):
        return cost
    trials = cost.trials.reordered(order)
    if not trials.trials.any():
        return float(cost)
    solved = None if cost.successes is None else cost.successes.reordered(order)
    return MeanCost(cost * mean_of(trials) / (mean_of(cost.trials) or 1.0), trials, solved)


def mean_of(trials: OutcomeMatrix) -> float:
    """Return the mean cost of all trials that tell it.

    >>> mean_of(RewardMatrix([[1.0, 2.0], [3.0, 6.0]]))
    3.0
    """
    weights = trials.trials
    asked = weights > 0
    means = cast("RewardMatrix", trials).means
    return float(np.dot(weights[asked], means[asked]) / weights.sum())


def costs_over_tasks(known: Mapping[str, Mapping[str, float]], trials: Mapping[str, int]) -> dict[str, float]:
    """Return the mean costs of a model over its tasks, those that every task tells, from the number of trials of each.

    The mean has the costs of trials if all tasks tell them.
    """
    names = [name for name in next(iter(known.values())) if all(name in each for each in known.values())]
    means: dict[str, float] = {}
    for name in names:
        costs = {task: each[name] for task, each in known.items()}
        mean = sum(cost * trials[task] for task, cost in costs.items()) / sum(trials.values())
        parts = {task: cost for task, cost in costs.items() if isinstance(cost, MeanCost)}
        if len(parts) < len(costs):
            means[name] = mean
            continue
        solved = {task: cost.successes for task, cost in parts.items() if cost.successes is not None}
        of_successes = cast("RewardMatrix", pooled(solved)) if len(solved) == len(parts) else None
        means[name] = MeanCost(mean, pooled({task: cost.trials for task, cost in parts.items()}), of_successes)
    return means
