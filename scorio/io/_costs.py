"""What runs used: sums of whole runs, and the costs of single trials where logs tell them."""

import math
from collections.abc import Sequence

from ..outcomes import OutcomeMatrix, OutcomeSet, RewardMatrix
from ..outcomes._trial_costs import MeanCost, costs_by_question, costs_together
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
    return costs_by_question(run.columns, name, successes=successes)
