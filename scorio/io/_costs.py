"""What runs used: sums of whole runs, and the costs of single trials where logs tell them."""

import math
from collections.abc import Sequence

import numpy as np

from .._base.arrays import Vector
from ..outcomes import OutcomeMatrix, OutcomeSet, RewardMatrix
from ..outcomes._table_rows import CostSums
from ..outcomes._trial_costs import MeanCost, costs_together
from ._records import Run, Source, has_text, with_text
from ._walk import grouped


def costs_of(sources: Sequence[Source], outcomes: OutcomeSet) -> dict[str, dict[str, float]]:
    """Return the mean cost per trial of each model, where all its runs tell it, with the costs of trials."""
    runs = grouped((source.run for source in sources), lambda run: run.model)
    return {model: _of_model(runs[model], outcomes[model]) for model in runs if model in outcomes}


def _of_model(runs: Sequence[Run], outcomes: OutcomeMatrix) -> dict[str, float]:
    count = int(outcomes.trials.sum())
    if not count:
        return {}
    amounts = [*{(run.identity, repr(run.origin)): _amounts_of(run) for run in runs}.values()]
    shared = set.intersection(*map(set, amounts))
    totals = {name: math.fsum(amount[name] for amount in amounts) for name in amounts[0] if name in shared}
    costs: dict[str, float] = {name: total / count for name, total in totals.items() if total >= 0.0}
    for name in dict.fromkeys(name for run in runs for name in (run.counted or run.columns).costs):
        if (trials := _of_trials(runs, name, outcomes)) is not None:
            mean = MeanCost.over(trials, count, name)
            solved = _of_trials(runs, name, outcomes, successes=True)
            costs[name] = MeanCost(costs.get(name, float(mean)), mean.trials).with_successes(solved, outcomes)
    return costs


def _amounts_of(run: Run) -> dict[str, float]:
    """Return what a file says that its run used."""
    return {name: amount for name, amount in run.origin.items() if type(amount) in (int, float)}


def _of_trials(
    runs: Sequence[Run], name: str, outcomes: OutcomeMatrix, *, successes: bool = False
) -> RewardMatrix | None:
    """Return what the trials, or the successes, of all runs cost; None if one with an outcome does not tell it."""
    parts: list[RewardMatrix] = []
    for run in runs:
        if (part := _of_run(run, name, successes=successes)) is not None:
            parts.append(with_text(part) if has_text(outcomes) else part)
        elif any(outcome is not None for outcome in run.columns.outcomes) or run.counted is not None:
            return None
    return costs_together(parts, outcomes) if parts else None


def _of_run(run: Run, name: str, *, successes: bool = False) -> RewardMatrix | None:
    """Return the costs of the trials of one run by question, or of its successes only; None if it does not tell all."""
    if run.counted is not None:
        cost = run.counted.costs.get(name)
        return (cost.successes if successes else cost.trials) if isinstance(cost, MeanCost) else None
    if not (costs := run.columns.costs.get(name)):
        return None
    trials, outcomes = run.columns, np.array(run.columns.outcomes, np.float64)  # None becomes NaN
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


def _by_question(questions: Sequence[str], told: Vector, mean: Vector, squares: Vector) -> RewardMatrix:
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
