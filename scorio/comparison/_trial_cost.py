"""What a trial of each model costs: which cost is meant, its mean, and its interval where trials tell it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._display.words import shorten, unknown
from ..errors import OutcomeError, ParameterError, Remedy
from ..estimates import added_reach
from ..inference import LEARNED, Level
from ..metrics import BayesMetric
from ..outcomes import MeanCost, OutcomeMatrix, OutcomeSet, Suite
from ..params import nonnegative

_MONEY = ("dollars", "cost")  # the costs that are taken where none is named
Costs = str | Mapping[str, float] | None


class CostInterval(NamedTuple):
    """A mean cost per trial, its standard deviation and its interval; None where costs of trials are not known."""

    mean: float
    sigma: float | None = None
    lo: float | None = None
    hi: float | None = None


def cost_interval(
    outcomes: OutcomeSet | Suite, model: str, cost: str, confidence: float = 0.95, target: str = "questions"
) -> CostInterval:
    """Return the mean cost per trial of a model, with its interval for these questions or for questions like these.

    The costs of trials are continuous outcomes, of which every question counts the same. What trials without an outcome
    cost is shared by the others, so the interval is scaled to the mean. In a suite, tasks count by their trials.

    >>> seconds = [[2.0, 3.0, 2.5], [8.0, 9.5, 9.0]]
    >>> models = OutcomeSet({"a": [[1, 0, 1], [0, 0, 1]]}, costs={"a": {"seconds": seconds}})
    >>> [round(each, 1) for each in cost_interval(models, "a", "seconds")]
    [5.7, 0.3, 4.9, 6.4]
    """
    sets = [models for models in outcomes.by_task.values() if model in models]
    mean, costs = float(outcomes.costs[model][cost]), [models.costs[model][cost] for models in sets]
    reaches = [
        relative_reach(price.trials, confidence, target) if isinstance(price, MeanCost) else None for price in costs
    ]
    shares = [reach for reach in reaches if reach is not None]
    if len(shares) < len(sets):
        return CostInterval(mean)
    trials = np.array([int(models[model].trials.sum()) for models in sets])
    amounts = trials / trials.sum() * np.array(costs)
    spread, below, above = (np.array(shares) * amounts[:, None]).T
    down, up = added_reach(spread, below, above, Level(confidence).critical())
    return CostInterval(mean, float(np.sqrt((spread**2).sum())), max(mean - float(down), 0.0), mean + float(up))


def relative_reach(trials: OutcomeMatrix, confidence: float, target: str) -> tuple[float, float, float] | None:
    """Return the standard deviation and the reach of the interval, below and above, as shares of the mean."""
    options: dict[str, Any] = {"prior": LEARNED, "target": target}
    try:
        mu, sigma, lo, hi = tuple(BayesMetric().interval(trials.select(trials.trials > 0), confidence, **options))
    except OutcomeError:  # too few trials or questions to tell how much costs vary
        return None
    return (sigma / mu, (mu - lo) / mu, (hi - mu) / mu) if mu > 0.0 else None


def cost_per_trial(outcomes: OutcomeSet | Suite, cost: Costs = None) -> tuple[str, dict[str, float]]:
    """Return the name of the cost, and what a trial of each model costs.

    >>> cost_per_trial(OutcomeSet({"a": [[1, 0]]}, costs={"a": {"seconds": 3.0}}))
    ('seconds', {'a': 3.0})
    """
    if isinstance(cost, Mapping):
        return "cost", prices_of(cost, outcomes.models)
    label = _chosen(cost, {name: list(costs) for name, costs in outcomes.costs.items()})
    return label, {name: float(costs[label]) for name, costs in outcomes.costs.items()}


def prices_of(cost: Mapping[str, float], models: Sequence[str]) -> dict[str, float]:
    """Return the price of a trial of each model, checked."""
    for name in models:
        if name not in cost:
            raise ParameterError(f"names no cost per trial of model {name!r}", argument="cost")
    return {name: float(nonnegative(f"the cost per trial of {name!r}", cost[name])) for name in models}


def _chosen(cost: str | None, names_by_model: Mapping[str, Sequence[str]]) -> str:
    """Return the name of a cost that is known of every model."""
    shared = [
        what for what in next(iter(names_by_model.values())) if all(what in costs for costs in names_by_model.values())
    ]
    if not shared:
        absent = [name for name, costs in names_by_model.items() if not costs]
        what = f"nothing is known of {shorten(absent)}" if absent else "no cost is known of every model"
        remedy = Remedy(
            "cost", {(absent or [*names_by_model])[0]: 0.02}, "and so on gives the cost of a trial of each model"
        )
        hint = "leave out models that tell no cost"
        raise OutcomeError(f"the outcomes do not tell what every model costs: {what}", remedies=[remedy], hint=hint)
    money = [name for name in shared if name in _MONEY]
    if cost is None and 1 in (len(shared), len(money)):
        return (money or shared)[0]
    if cost is None:
        raise ParameterError(f"must be chosen among {', '.join(shared)}", argument="cost")
    if cost not in shared:
        raise ParameterError(f"is an {unknown('cost', cost, shared)}", argument="cost")
    return cost
