"""What runs used: sums of whole runs, and the costs of single trials where logs tell them."""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from ..outcomes import (
    MeanCost,
    OutcomeMatrix,
    OutcomeSet,
    RewardMatrix,
    RewardSummary,
    costs_together,
)
from ._records import Run, Source, has_text, with_text


def costs_of(sources: Sequence[Source], outcomes: OutcomeSet) -> dict[str, dict[str, float]]:
    """Return the mean cost per trial of each model, where all its runs tell it, with the costs of trials."""
    runs: dict[str, list[Run]] = {}
    for source in sources:
        runs.setdefault(source.run.model, []).append(source.run)
    return {
        model: _of_model(own, outcomes[model], int(outcomes[model].trials.sum()))
        for model, own in runs.items()
        if model in outcomes
    }


def _of_model(runs: Sequence[Run], outcomes: OutcomeMatrix, count: int) -> dict[str, float]:
    known = [*{(run.identity, repr(run.origin)): amounts_of(run) for run in runs}.values()]
    totals = {name: math.fsum(each[name] for each in known) for name in known[0] if all(name in e for e in known)}
    costs: dict[str, float] = {name: total / count for name, total in totals.items() if count and total >= 0.0}
    for name in dict.fromkeys(name for run in runs for name in run.trial_costs) if count else ():
        if (trials := _trials(runs, name, outcomes)) is not None:
            cost = MeanCost.over(trials, count, name)
            solved = _trials(runs, name, outcomes, successes=True)
            costs[name] = MeanCost(costs.get(name, float(cost)), cost.trials).with_successes(solved, outcomes)
    return costs


def amounts_of(run: Run) -> dict[str, float]:
    """Return what a file says that its run used."""
    return {name: each for name, each in run.origin.items() if type(each) in (int, float)}


def sums_of_trials(runs: Sequence[Run]) -> dict[str, float]:
    """Return the sums of costs that all runs tell of every trial, and none of them as a sum."""
    names = {name for run in runs for name in run.trial_costs} - {name for run in runs for name in amounts_of(run)}
    parts = {name: [_of_own_trials(run, name) for run in runs] for name in sorted(names)}
    return {
        name: math.fsum(float(part.trials.sum()) * part.mean for part in own if part is not None)
        for name, own in parts.items()
        if all(part is not None for part in own)
    }


def _trials(runs: Sequence[Run], name: str, outcomes: OutcomeMatrix, *, successes: bool = False) -> RewardMatrix | None:
    """Return what the trials, or the successes, of all runs cost; None if one with an outcome does not tell it."""
    parts: list[RewardMatrix] = []
    for run in runs:
        costs = run.trial_costs.get(name)
        if successes and isinstance(costs, RewardMatrix):
            costs = run.success_costs.get(name)
        if isinstance(costs, RewardMatrix):
            parts.append(with_text(costs) if has_text(outcomes) else costs)
        elif (part := _of_run(run, costs, successes=successes)) is not None:
            parts.append(part)
        elif any(outcome is not None for outcome in run.columns.outcomes) or run.counted is not None:
            return None
    if not parts:
        return None
    return costs_together(parts, outcomes)


def _of_own_trials(run: Run, name: str) -> RewardMatrix | None:
    """Return the costs of the trials of one run, where it tells them."""
    costs = run.trial_costs.get(name)
    return costs if isinstance(costs, RewardMatrix) else _of_run(run, costs)


def _of_run(
    run: Run, costs: Sequence[float | None] | RewardMatrix | None, *, successes: bool = False
) -> RewardMatrix | None:
    """Return the costs of the trials of one run by question, or of its successes only."""
    if costs is None or isinstance(costs, RewardMatrix):
        return None
    trials = run.columns
    told = [cost is not None and 0.0 <= cost < math.inf for cost in costs]
    if not any(told) or any(
        outcome is not None and not known for outcome, known in zip(trials.outcomes, told, strict=True)
    ):
        return None
    rows = {label: row for row, label in enumerate(dict.fromkeys(trials.questions))}
    if successes:
        told = [outcome == 1.0 for outcome in trials.outcomes]
    where = np.array([rows[label] for label, known in zip(trials.questions, told, strict=True) if known], np.int64)
    values = np.array([cost for cost, known in zip(costs, told, strict=True) if known], np.float64)
    return RewardMatrix.of_trials(values, where, len(rows), tuple(rows))


def summed_costs(questions: Sequence[str], sums: Iterable[tuple[int, float, float]]) -> RewardMatrix:
    """Return the costs of questions, from rows with their number, mean and sum of squared deviations from it.

    >>> costs = summed_costs(["q1", "q1", "q2"], [(2, 1.0, 0.0), (1, 4.0, 0.0), (1, 3.0, 0.0)])
    >>> costs.means.tolist(), costs.variances.round(9).tolist()
    ([2.0, 3.0], [3.0, nan])
    """
    rows = {label: row for row, label in enumerate(dict.fromkeys(questions))}
    where = np.fromiter((rows[label] for label in questions), np.intp, len(questions))
    told, mean, squares = np.array([*sums], np.float64).reshape(-1, 3).T

    def total(each: np.ndarray) -> np.ndarray:
        return np.bincount(where, each, minlength=len(rows))

    trials = total(told)
    means = total(told * mean) / np.maximum(trials, 1.0)
    spread = total(squares + told * (mean - means[where]) ** 2)
    means[trials == 0] = np.nan
    summary = RewardSummary(trials.astype(np.int64), means, spread, np.full(len(rows), np.nan))
    return RewardMatrix.of_parts(summary, summary.trials, None, [*rows])
