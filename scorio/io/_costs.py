"""What runs used: sums of whole runs, and the costs of single trials where logs tell them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from ..outcomes import OutcomeMatrix, OutcomeSet, RewardMatrix
from ..outcomes._reward_summary import ragged_summary
from ..outcomes._saved_union import union
from ..outcomes._trial_costs import MeanCost, mean_of, of_trials, spread_over
from ._records import Run, Source

TrialCosts = dict[str, list[float | None]]  # by the name of the cost, one per trial of a run


def spent(**amounts: Any) -> dict[str, float]:
    """Return what a run used, such as tokens, seconds and dollars, as far as these are known numbers.

    >>> spent(seconds=2.5, dollars=None, input_tokens="many")
    {'seconds': 2.5}
    """
    return {name: value for name, value in amounts.items() if type(value) in (int, float)}


def sums(amounts: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the sums over trials of what ``spent`` tells of each.

    >>> sums([{"dollars": 0.5}, {"dollars": 0.25, "seconds": 2}])
    {'dollars': 0.75, 'seconds': 2}
    """
    names = dict.fromkeys(name for each in amounts for name in each)
    return {name: sum(each.get(name, 0) for each in amounts) for name in names}


def by_trial(amounts: Sequence[Mapping[str, float]]) -> TrialCosts:
    """Return what ``spent`` tells of each trial as one list per cost.

    >>> by_trial([{"dollars": 0.5}, {}])
    {'dollars': [0.5, None]}
    """
    names = dict.fromkeys(name for each in amounts for name in each)
    return {name: [each.get(name) for each in amounts] for name in names}


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
            own = of_trials(trials, count, name)
            costs[name] = MeanCost(costs.get(name, float(own)), own.trials)
    return costs


def amounts_of(run: Run) -> dict[str, float]:
    """Return what a file says that its run used."""
    return {name: each for name, each in run.origin.items() if type(each) in (int, float)}


def sums_of_trials(runs: Sequence[Run]) -> dict[str, float]:
    """Return the sums of costs that all runs tell of every trial, and none of them as a sum."""
    names = {name for run in runs for name in run.trial_costs} - {name for run in runs for name in amounts_of(run)}
    parts = {name: [_of_run(run, run.trial_costs.get(name)) for run in runs] for name in sorted(names)}
    return {
        name: math.fsum(float(part.trials.sum()) * mean_of(part) for part in own if part is not None)
        for name, own in parts.items()
        if all(part is not None for part in own)
    }


def _trials(runs: Sequence[Run], name: str, outcomes: OutcomeMatrix) -> RewardMatrix | None:
    """Return the costs of the trials of all runs; None if a trial with an outcome does not tell its cost."""
    parts: list[RewardMatrix] = []
    for run in runs:
        costs = run.trial_costs.get(name)
        if isinstance(costs, RewardMatrix):
            parts.append(_with_text(costs) if _is_text(outcomes) else costs)
        elif (part := _of_run(run, costs)) is not None:
            parts.append(part)
        elif any(outcome is not None for outcome in run.columns.outcomes) or run.counted is not None:
            return None
    if not parts:
        return None
    merged = union([{name: part} for part in parts], sort=False)[name] if len(parts) > 1 else parts[0]
    labels = outcomes.questions
    return spread_over(cast("RewardMatrix", merged), labels, outcomes.clusters, outcomes.n_questions)


def _of_run(run: Run, costs: Sequence[float | None] | RewardMatrix | None) -> RewardMatrix | None:
    if costs is None or isinstance(costs, RewardMatrix):
        return None
    trials = run.columns
    told = [cost is not None and 0.0 <= cost < math.inf for cost in costs]
    if not any(told) or any(
        outcome is not None and not known for outcome, known in zip(trials.outcomes, told, strict=True)
    ):
        return None
    rows = {label: row for row, label in enumerate(dict.fromkeys(trials.questions))}
    where = np.array([rows[label] for label, known in zip(trials.questions, told, strict=True) if known], np.int64)
    values = np.array([cost for cost, known in zip(costs, told, strict=True) if known], np.float64)
    summary = ragged_summary(values, where, np.bincount(where, minlength=len(rows)))
    return RewardMatrix._of_table(summary.without_values(), summary.trials, None, [*rows])


def _is_text(outcomes: OutcomeMatrix) -> bool:
    return outcomes.questions is not None and all(isinstance(label, str) for label in outcomes.questions)


def _with_text(costs: RewardMatrix) -> RewardMatrix:
    """Return the costs with labels of text, as those of logs are."""
    labels = tuple(str(label) for label in (costs.questions or range(costs.n_questions)))
    return costs._replaced(questions=labels, clusters=None)
