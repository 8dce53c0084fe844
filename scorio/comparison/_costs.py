"""What a trial and a success of each model cost: which cost is meant, its mean, and its interval.

A success costs what all trials cost, failures included, over the number of successes. With the mean cost of a trial
``C`` and the success rate ``p``, the cost per success is ``C / p``. Its interval is the set of all ``R`` for which that
of ``C - R p`` includes 0 (Fieller 1954). That of the difference is made of the intervals of ``C`` and ``p``, each by
its own law, and of the correlation of both over the same trials. Rare successes thus have the interval of a rare
success rate, and costs that of a skewed mean. Without a success there is no upper end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .._base.arrays import Counts, Indices, Vector
from .._base.choices import LEARNED
from .._base.words import shorten, unknown
from ..errors import OutcomeError, ParameterError, Remedy
from ..estimates._difference_law import DifferenceLaw
from ..estimates._tasks import as_tasks, at_task, shares_of
from ..inference._level import Level
from ..inference._terms import Terms
from ..metrics import BayesMetric, PassAtK
from ..outcomes import OutcomeMatrix, OutcomeSet, Suite
from ..outcomes._column_names import cost_name
from ..outcomes._trial_costs import MeanCost
from ..params import nonnegative

_MONEY = ("dollars", "cost")  # the costs that are taken where none is named
_FEW_DEGREES = 10.0  # of freedom of repeated trials; below these, costs are as uncertain as questions differ
_NEEDED = "a cost per success needs the costs of single trials, and of the successes among them"
_TELL = (
    "read logs that tell the cost of every trial, or give the outcomes and costs trial by trial, as in "
    "OutcomeSet({'a': R}, costs={'a': {'dollars': [[0.2, 0.4], ..]}}); a mapping from models to numbers as the cost "
    "is a price that every trial has"
)

Costs = str | Mapping[str, float] | None


class CostInterval(NamedTuple):
    """A mean cost per trial, its standard deviation and its interval; None where costs of trials are not known."""

    mean: float
    sigma: float | None = None
    lo: float | None = None
    hi: float | None = None


@dataclass(frozen=True)
class ModelCosts:
    """What models spend: the ``name`` of a cost that their outcomes know, or ``prices`` of a trial of each model.

    >>> seconds = [[2.0, 3.0, 2.5], [8.0, 9.5, 9.0]]
    >>> costs = ModelCosts.of(OutcomeSet({"a": [[1, 0, 1], [0, 0, 1]]}, costs={"a": {"seconds": seconds}}))
    >>> costs.name, [round(each, 1) for each in costs.interval("a", Terms())]
    ('seconds', [5.7, 0.3, 4.9, 6.4])
    >>> ModelCosts.of(OutcomeSet({"a": [[1, 0]]}), {"a": 3.0}).per_trial
    {'a': 3.0}
    """

    outcomes: OutcomeSet | Suite
    name: str
    prices: Mapping[str, float] | None = None

    @classmethod
    def of(cls, outcomes: OutcomeSet | Suite, cost: Costs = None) -> ModelCosts:
        """Return the costs that are named, or the only ones, or those of money; or prices, checked."""
        if not isinstance(cost, Mapping):
            return cls(outcomes, _name_of(outcomes, cost))
        for name in outcomes.models:
            if name not in cost:
                raise ParameterError(f"names no cost per trial of model {name!r}", argument="cost")
        prices = {name: nonnegative(f"the cost per trial of {name!r}", cost[name]) for name in outcomes.models}
        return cls(outcomes, "cost", {name: float(price) for name, price in prices.items()})

    @property
    def per_trial(self) -> dict[str, float]:
        """What a trial of each model costs."""
        if self.prices is not None:
            return dict(self.prices)
        return {name: float(costs[self.name]) for name, costs in self.outcomes.costs.items()}

    def interval(self, model: str, terms: Terms) -> CostInterval:
        """Return the mean cost per trial of a model, with its interval for these questions or for questions like these.

        The costs of trials are continuous outcomes, of which every question counts the same. What trials without an
        outcome cost is shared by the others, so the interval is scaled to the mean. In a suite, tasks count by their
        trials.
        """
        if self.prices is not None:
            return CostInterval(self.prices[model])
        mean = float(self.outcomes.costs[model][self.name])
        sets = [models for models in self.outcomes.by_task.values() if model in models]
        trials = np.array([int(models[model].trials.sum()) for models in sets])
        laws = []
        for models, share in zip(sets, (trials / trials.sum()).tolist(), strict=True):
            price = models.costs[model][self.name]
            law = _share_of_mean(price.trials, terms.level, terms.target) if isinstance(price, MeanCost) else None
            if law is None:
                return CostInterval(mean)
            laws.append(law.times(share * float(price)))
        law = DifferenceLaw.of_sum(laws)
        return CostInterval(mean, law.sd, max(mean - law.below, 0.0), mean + law.above)

    def per_success(self, model: str, terms: Terms, task_weights: Any = None) -> CostPerSuccess:
        """Return what a success of a model costs, over tasks with these weights.

        >>> dollars = {"a": {"dollars": [[0.2, 0.4, 0.3], [0.1, 0.1, 0.3]]}}
        >>> models = OutcomeSet({"a": [[1, 0, 1], [1, 1, 0]]}, costs=dollars)
        >>> success = ModelCosts.of(models).per_success("a", Terms())
        >>> round(success.value, 3), success.lo < success.value < success.hi
        (0.35, True)
        """
        tasks = as_tasks(self.outcomes)
        shares = shares_of(task_weights, {task: models.n_questions for task, models in tasks.items()})
        on_tasks = []
        for task, models in tasks.items():
            with at_task(task):
                on_tasks.append(
                    _on_task(models, model, self.name if self.prices is None else self.prices[model], terms)
                )
        return _over_tasks(on_tasks, [shares[task] for task in tasks])


def _share_of_mean(trials: OutcomeMatrix, level: Level, target: str) -> DifferenceLaw | None:
    """Return the law of the mean cost of trials as a share of itself."""
    options: dict[str, Any] = {"prior": LEARNED, "target": target}
    try:
        interval = BayesMetric().interval(trials.select(trials.trials > 0), level.confidence, **options)
    except OutcomeError:  # too few trials or questions to tell how much costs vary
        return None
    mu, sigma, lo, hi = tuple(interval)
    return DifferenceLaw(1.0, (mu - lo) / mu, (hi - mu) / mu, sigma / mu, level.tail) if mu > 0.0 else None


def _name_of(outcomes: OutcomeSet | Suite, cost: str | None) -> str:
    """Return the name of the cost, which is known of every model."""
    costs_by_model = outcomes.costs
    shared = [
        what for what in next(iter(costs_by_model.values())) if all(what in costs for costs in costs_by_model.values())
    ]
    if not shared:
        absent = [name for name, costs in costs_by_model.items() if not costs]
        what = f"nothing is known of {shorten(absent)}" if absent else "no cost is known of every model"
        remedy = Remedy(
            "cost", {(absent or [*costs_by_model])[0]: 0.02}, "and so on gives the cost of a trial of each model"
        )
        hint = "leave out models that tell no cost"
        raise OutcomeError(f"the outcomes do not tell what every model costs: {what}", remedies=[remedy], hint=hint)
    money = [name for name in shared if name in _MONEY]
    if cost is None and 1 not in (len(shared), len(money)):
        raise ParameterError(f"must be chosen among {', '.join(shared)}", argument="cost")
    label = (money or shared)[0] if cost is None else cost
    label = label if label in shared else cost_name(label) or label  # which a column may have another name for
    if label not in shared:
        raise ParameterError(f"is an {unknown('cost', label, shared)}", argument="cost")
    return label


@dataclass(frozen=True)
class CostPerSuccess:
    """What a success of a model costs: the cost of all its trials over its successes, with its interval.

    ``value`` is infinite without a success, and ``hi`` where no success is certain; successes of trials that cost
    nothing cost 0. ``center`` is the cost per success of the posterior means, from which comparisons start.
    """

    value: float
    lo: float
    hi: float
    center: float
    successes: int
    trials: int
    effects: Vector = field(repr=False, compare=False)

    def record(self) -> dict[str, float | int | None]:
        """Return the fields by name; an infinite number is None."""
        values = {name: value for name, value in vars(self).items() if name not in ("center", "effects")}
        return {name: None if math.isinf(value) else value for name, value in values.items()}

    def law(self, error: float, scale: Callable[[float], float] = float) -> DifferenceLaw:
        """Return what is known of the cost, or of a rising function of it."""
        lo, center, hi = map(scale, (self.lo, self.center, self.hi))
        return DifferenceLaw(center, center - lo, hi - center, math.nan, error)


@dataclass(frozen=True)
class _Trials:
    """What is known of each question that was tried: trials, successes, and what trials and successes cost."""

    trials: Counts
    successes: Counts
    means: Vector
    squares: Vector  # the sums of squared deviations of the costs
    of_successes: Vector  # the mean cost of successes, 0 without any
    clusters: Indices | None

    @property
    def rates(self) -> Vector:
        """The share of successes; a trial without an outcome is none."""
        return np.asarray(self.successes / self.trials, np.float64)

    def correlation(self, target: str) -> float:
        """Return the correlation of the mean cost and the success rate."""
        n, s = self.trials.astype(np.float64), self.successes
        degrees = float((n - 1.0).sum())
        if target == "population" or (degrees < _FEW_DEGREES and len(n) - 1 > degrees):
            cost, rate = (self._sums(side - side.mean()) for side in (self.means, self.rates))
            products = float(cost @ rate), float(cost @ cost), float(rate @ rate)
        else:
            share = np.divide(1.0, n * (n - 1.0), out=np.zeros_like(n), where=n > 1.0)
            products = (
                float(share @ (s * (self.of_successes - self.means))),
                float(share @ self.squares),
                float(share @ (s * (n - s) / n)),
            )
        both, cost_alone, rate_alone = products
        scale = math.sqrt(cost_alone * rate_alone)
        return max(min(both / scale, 1.0), -1.0) if scale > 0.0 else 0.0

    def _sums(self, values: Vector) -> Vector:
        return values if self.clusters is None else np.bincount(self.clusters, values).astype(np.float64)

    def effects(self, center: float) -> Vector:
        """Return what each cluster of questions adds to the cost per success, relative to the others."""
        moved = self.means - center * self.rates
        return self._sums(moved - moved.mean()) / len(moved)


class _OnTask(NamedTuple):
    """What one task says of a model: the mean cost of a trial and the success rate, and what they rest on."""

    cost: DifferenceLaw
    rate: DifferenceLaw
    correlation: float
    trials: _Trials


def _over_tasks(on_tasks: Sequence[_OnTask], weights: Sequence[float]) -> CostPerSuccess:
    parts = list(zip(weights, on_tasks, strict=True))
    money = DifferenceLaw.of_sum([part.cost.times(weight) for weight, part in parts])
    rate = DifferenceLaw.of_sum([part.rate.times(weight) for weight, part in parts])
    covariance = sum(weight**2 * part.correlation * part.cost.sd * part.rate.sd for weight, part in parts)
    lo, hi = ratio_ends(money, rate, covariance / (money.sd * rate.sd) if money.sd * rate.sd > 0.0 else 0.0)
    trials = [on_task.trials for on_task in on_tasks]
    successes = sum(int(trial.successes.sum()) for trial in trials)
    spent, solved = np.array(weights) @ [[trial.means.mean(), trial.rates.mean()] for trial in trials]
    center = money.mean / rate.mean
    return CostPerSuccess(
        float(spent / solved) if successes else math.inf,
        lo,
        hi if successes else math.inf,
        center,
        successes,
        sum(int(trial.trials.sum()) for trial in trials),
        np.concatenate([w * trial.effects(center) for w, trial in zip(weights, trials, strict=True)]),
    )


def _on_task(outcomes: OutcomeSet, model: str, cost: str | float, terms: Terms) -> _OnTask:
    matrix = outcomes[model]
    if matrix.is_continuous or not matrix.is_pass_fail:
        raise OutcomeError(f"{model}: a cost per success needs outcomes that pass or fail, and these are rewards")
    trials = None
    means = of_successes = np.full(matrix.n_questions, 0.0 if isinstance(cost, str) else float(cost))
    spent, squares = matrix.trials, np.zeros(matrix.n_questions)
    if isinstance(cost, str):
        mean_cost = outcomes.costs[model].get(cost)
        if not isinstance(mean_cost, MeanCost) or mean_cost.successes is None:
            raise OutcomeError(f"{model}: {_NEEDED}; of {cost!r}, {_unknown(matrix, mean_cost)}", hint=_TELL)
        trials = mean_cost.trials
        spent, means, squares = trials.trials, trials.means, trials.summary.squares
        of_successes = np.where(mean_cost.successes.trials > 0, mean_cost.successes.means, 0.0)
    asked = spent > 0
    labels = None if matrix.clusters is None else np.array([*map(repr, matrix.clusters)])[asked]
    places = None if labels is None else np.unique(labels, return_inverse=True)[1]
    numbers = (spent[asked], matrix.successes[asked], means[asked], squares[asked], of_successes[asked])
    tried = _Trials(*numbers, clusters=places)
    asked_only = OutcomeMatrix.from_counts(tried.successes, tried.trials, clusters=places)
    interval = PassAtK(1).interval(asked_only, terms.confidence, prior=terms.given, target=terms.target)
    mu, sigma, lo, hi = interval
    rate = DifferenceLaw(mu, mu - lo, hi - mu, sigma, terms.level.tail)
    mean = float(tried.means.mean())
    price = DifferenceLaw(1.0, 0.0, 0.0, 0.0, terms.level.tail)  # which is known
    law = price if trials is None or mean == 0.0 else _share_of_mean(trials, terms.level, terms.target)
    if law is None:
        raise OutcomeError("the trials are too few to tell how much costs vary: there is no cost per success")
    return _OnTask(law.times(mean), rate, tried.correlation(terms.target) if law.sd else 0.0, tried)


def _unknown(outcomes: OutcomeMatrix, mean_cost: float | None) -> str:
    """Say for how many trials the cost is not known, with the first question that has such a trial."""
    lacking = outcomes.trials - mean_cost.trials.trials if isinstance(mean_cost, MeanCost) else np.zeros(1, np.int64)
    if lacking.max() <= 0:
        return "these are not known"
    row = int(np.argmax(lacking > 0))
    label = row if outcomes.questions is None else repr(outcomes.questions[row])
    missing = int(lacking[lacking > 0].sum())
    return f"these are missing for {missing} of {int(outcomes.trials.sum()):,} trials, the first of question {label}"


def ratio_ends(cost: DifferenceLaw, rate: DifferenceLaw, correlation: float) -> tuple[float, float]:
    """Return the ends of the interval of a cost over a rate."""
    scale = cost.mean / rate.mean
    if scale == 0.0:  # trials that cost nothing
        return 0.0, 0.0
    lo, hi = DifferenceLaw.ends_of_ratio(lambda c: cost.minus(rate.times(c * scale), correlation), 1.0)
    return max(lo, 0.0) * scale, hi * scale
