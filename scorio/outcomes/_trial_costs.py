"""What models cost: the mean per trial, and the costs of all trials and of successes where they are known."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self, cast

import numpy as np

from .._base.arrays import Indices, Vector
from ..errors import OutcomeError, within
from ._combining import labels_of, of_known_models, union, united
from ._labels import positions
from ._matrix import OutcomeMatrix
from ._reward_matrix import RewardMatrix
from ._table_rows import CostSums, Trials

Costs = Mapping[str, Mapping[str, float]]  # per trial, by model and by the name of the cost
Join = Callable[[Sequence[RewardMatrix]], OutcomeMatrix]  # makes one of the costs of several parts


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

    trials: RewardMatrix
    successes: RewardMatrix | None

    def __new__(cls, mean: float, trials: RewardMatrix, successes: RewardMatrix | None = None) -> Self:
        made = super().__new__(cls, mean)
        made.trials, made.successes = trials, successes
        return made

    @classmethod
    def over(cls, trials: RewardMatrix, count: int, of: str) -> Self:
        """Return the mean over ``count`` trials that have an outcome of what all trials cost."""
        summary = trials.summary
        asked = summary.trials > 0
        if (summary.mean[asked] < 0.0).any() or (summary.values is not None and summary.values.min() < 0.0):
            raise OutcomeError(f"{of} must be at least 0 for every trial", where="costs")
        total = float(np.dot(summary.trials[asked], summary.mean[asked]))
        return cls(total / count, trials.replaced(summary=summary.without_values()))

    def with_successes(self, costs: RewardMatrix | None, outcomes: OutcomeMatrix) -> MeanCost:
        """Return the mean with the costs of successes, if they are those of all successes of the outcomes."""
        if costs is None or not outcomes.is_pass_fail or costs.n_questions != outcomes.n_questions:
            return self
        is_of_all = (costs.trials == outcomes.successes).all() and not np.isnan(costs.means[costs.trials > 0]).any()
        return MeanCost(self, self.trials, costs) if is_of_all else self

    @classmethod
    def of_parts(cls, mean: float, parts: Sequence[MeanCost], join: Join) -> Self:
        """Return a mean with the costs of the trials of all parts, of which ``join`` makes one."""
        solved = [part.successes for part in parts if part.successes is not None]
        successes = cast("RewardMatrix", join(solved)) if len(solved) == len(parts) else None
        return cls(mean, cast("RewardMatrix", join([part.trials for part in parts])), successes)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (float(self), self.trials, self.successes)


def check_costs(costs: Any, models: Mapping[str, OutcomeMatrix], R: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Return the costs of known models: means per trial, with the costs of single trials where these are given.

    ``R`` has the outcomes as they were given, trial by trial, by which the costs of successes are known.
    """
    given = of_known_models(costs, models, "costs", 'amounts per trial by name, as in {"a": {"dollars": 0.02}}')
    return {
        name: {what: _checked(amount, f"{what} of {name!r}", models[name], R[name]) for what, amount in amounts.items()}
        for name, amounts in given.items()
    }


def _checked(amount: Any, of: str, outcomes: OutcomeMatrix, R: Any) -> float:
    """Return a cost that is a number, or the costs of all trials, one row per question."""
    if isinstance(amount, MeanCost):
        solved = None if amount.successes is None else of_questions(amount.successes, outcomes, of)
        return MeanCost(amount, of_questions(amount.trials, outcomes, of)).with_successes(solved, outcomes)
    if isinstance(amount, (int, float, np.number)) and not isinstance(amount, bool) and 0.0 <= amount < np.inf:
        return float(amount)
    if isinstance(amount, (str, bytes, bool, int, float, np.number)) or amount is None:
        raise OutcomeError(f"{of} must be a finite number, at least 0; got {amount!r}", where="costs")
    is_counted = isinstance(amount, OutcomeMatrix)
    with within("costs"):
        rewards = amount if is_counted else RewardMatrix(amount, missing="omit")
        trials = of_questions(rewards.as_continuous(), outcomes, of)
    solved = None if is_counted else _successes_among(amount, R)
    if solved is not None and solved.n_questions == outcomes.n_questions:
        solved = solved.labelled(outcomes.questions, outcomes.clusters)
    return MeanCost.over(trials, int(outcomes.trials.sum()), of).with_successes(solved, outcomes)


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
    spent, solved = (np.concatenate(column) for column in zip(*pairs, strict=True))
    return RewardMatrix.of_trials(spent[solved == 1.0], rows[solved == 1.0], len(pairs))


def of_questions(trials: OutcomeMatrix, outcomes: OutcomeMatrix, of: str) -> RewardMatrix:
    """Return costs in the order of the questions of the outcomes, with their labels."""
    lined_up = trials.in_order_of(outcomes.questions, outcomes.n_questions, of)
    return cast("RewardMatrix", lined_up.labelled(outcomes.questions, outcomes.clusters))


def costs_by_question(trials: Trials, name: str, *, successes: bool = False) -> RewardMatrix | None:
    """Return what trials cost by question, or successes only; None if one with an outcome does not tell its cost."""
    if not (costs := trials.costs.get(name)):
        return None
    outcomes = np.array(trials.outcomes, np.float64)  # None becomes NaN
    told, mean, squares = _sums(costs, np.array(trials.times, np.float64))
    if not told.any() or (told < trials.times)[~np.isnan(outcomes)].any():
        return None
    return _by_question(trials.questions, np.where(outcomes == 1.0, told, 0.0) if successes else told, mean, squares)


def _sums(costs: Sequence[float | CostSums | None], times: Vector) -> tuple[Vector, Vector, Vector]:
    """Return the entries of ``CostSums`` as columns, also of costs of single trials."""
    if isinstance(costs[0], CostSums):
        told, mean, squares = np.array(costs, np.float64).T
        return told, mean, squares
    mean = np.array(costs, np.float64)
    is_told = (mean >= 0.0) & (mean < math.inf)
    return np.where(is_told, times, 0.0), np.where(is_told, mean, 0.0), np.zeros(len(mean))


def _by_question(questions: Sequence[Any], told: Vector, mean: Vector, squares: Vector) -> RewardMatrix:
    """Return the costs of questions, from rows with their number, mean and sum of squared deviations from it.

    >>> costs = _by_question(["q1", "q1", "q2"], *np.array([[2.0, 1.0, 1.0], [1.0, 4.0, 3.0], [0.0, 0.0, 0.0]]))
    >>> costs.means.tolist(), costs.variances.round(9).tolist()
    ([2.0, 3.0], [3.0, nan])
    """
    rows = {label: row for row, label in enumerate(dict.fromkeys(questions))}
    where = np.fromiter((rows[label] for label in questions), np.intp, len(questions))

    def total(values: Vector) -> Vector:
        return np.bincount(where, values, len(rows)).astype(np.float64, copy=False)

    trials = total(told)
    means = total(told * mean) / np.maximum(trials, 1.0)
    spread = total(np.where(told > 0.0, squares + told * (mean - means[where]) ** 2, 0.0))
    means[trials == 0] = np.nan
    return RewardMatrix.of_moments(trials.astype(np.int64), means, spread, [*rows])


def costs_together(parts: Sequence[OutcomeMatrix], outcomes: OutcomeMatrix, *, sort: bool = False) -> RewardMatrix:
    """Return the costs of the trials of all parts among the questions of the outcomes, of which some may have none."""
    costs = parts[0] if len(parts) == 1 and not sort else union([{"": part} for part in parts], sort=sort)[""]
    rows = positions(labels_of(costs), labels_of(outcomes))
    summary = cast("RewardMatrix", costs).summary.spread(rows, outcomes.n_questions)
    return RewardMatrix.of_parts(summary, summary.trials, None, outcomes.questions, outcomes.clusters)


def selected_costs(costs: Mapping[str, Mapping[str, float]], order: Indices) -> dict[str, dict[str, float]]:
    """Return the costs of a selection of questions.

    A mean becomes that of the selected questions where the costs of trials are known, and stays what it is elsewhere.
    """
    return {model: {what: _selected(cost, order) for what, cost in told.items()} for model, told in costs.items()}


def _selected(cost: float, order: Indices) -> float:
    if not isinstance(cost, MeanCost):
        return cost
    trials = cost.trials.reordered(order)
    if not trials.trials.any():
        return float(cost)
    solved = None if cost.successes is None else cost.successes.reordered(order)
    return MeanCost(cost * trials.mean / (cost.trials.mean or 1.0), trials, solved)


def costs_of_all(told: Sequence[Mapping[str, float]], trials: Sequence[int], join: Join) -> dict[str, float]:
    """Return the mean costs of a model over several tasks or parts, those that all tell, from the trials of each.

    A mean has the costs of trials if all tell them.
    """
    count, means = sum(trials), dict[str, float]()
    for name in united([[*costs] for costs in told]) if count else ():
        costs = [of_part[name] for of_part in told if name in of_part]
        if len(costs) == len(told):
            total = math.fsum(map(math.prod, zip(trials, costs, strict=True)))
            means[name] = float(costs[0]) if len(costs) == 1 else total / count
            parts = [cost for cost in costs if isinstance(cost, MeanCost)]
            if len(parts) == len(costs):
                means[name] = MeanCost.of_parts(means[name], parts, join)
    return means
