"""What a success costs: the cost of all trials, failures included, over the number of successes.

With the mean cost of a trial ``C`` and the success rate ``p``, the cost per success is ``C / p``. It is at least ``R``
if ``C - R p`` is at least 0, so its interval is the set of all ``R`` for which the interval of that difference includes
0 (Fieller 1954). The interval of the difference is made of those of ``C`` and ``p``, each by its own law, and of the
correlation of both over the same trials (Donner and Zou 2012): with reaches ``c`` and ``r`` of the intervals and the
correlation ``q``, the ends solve ``(C - R p)^2 = c^2 + R^2 r^2 - 2 q R c r``. Rare successes thus have the interval of
a rare success rate, and costs the interval of a skewed mean. Without a success there is no upper end.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from .._arrays import Counts, Indices, Vector
from ..errors import OutcomeError
from ..estimates import added_reach, at_task
from ..inference import Level, Terms
from ..metrics import PassAtK
from ..outcomes import MeanCost, OutcomeMatrix, OutcomeSet
from ._trial_cost import relative_reach

_FEW_DEGREES = 10.0  # of freedom of repeated trials; below these, costs are as uncertain as questions differ
_NEEDED = "a cost per success needs the costs of single trials, and of the successes among them"
_TELL = (
    "read logs that tell the cost of every trial, or give the outcomes and costs trial by trial, as in "
    "OutcomeSet({'a': R}, costs={'a': {'dollars': [[0.2, 0.4], ..]}}); a mapping from models to numbers as the cost "
    "is a price that every trial has"
)


class Reach(NamedTuple):
    """A number, its standard deviation, and how far its interval reaches below and above."""

    mean: float
    sd: float
    below: float
    above: float


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
        """Return the sums over clusters of questions."""
        return values if self.clusters is None else np.bincount(self.clusters, values).astype(np.float64)

    def effects(self, center: float) -> Vector:
        """Return what each cluster of questions adds to the cost per success, relative to the others."""
        moved = self.means - center * self.rates
        return self._sums(moved - moved.mean()) / len(moved)


class _OnTask(NamedTuple):
    """What one task says of a model: the mean cost of a trial and the success rate, and what they rest on."""

    cost: Reach
    rate: Reach
    correlation: float
    trials: _Trials


def cost_per_success(
    tasks: Mapping[str, OutcomeSet], model: str, cost: str | float, terms: Terms, shares: Mapping[str, float]
) -> CostPerSuccess:
    """Return what a success of a model costs, over tasks with these weights; ``cost`` is a name, or a price per trial.

    >>> dollars = {"a": {"dollars": [[0.2, 0.4, 0.3], [0.1, 0.1, 0.3]]}}
    >>> models = OutcomeSet({"a": [[1, 0, 1], [1, 1, 0]]}, costs=dollars)
    >>> found = cost_per_success({"": models}, "a", "dollars", Terms(), {"": 1.0})
    >>> round(found.value, 3), found.lo < found.value < found.hi
    (0.35, True)
    """
    on_tasks: list[_OnTask] = []
    for task, outcomes in tasks.items():
        with at_task(task):
            on_tasks.append(_on_task(outcomes, model, cost, terms))
    weights = np.array([shares[task] for task in tasks])
    money, rate = (
        _summed(side, weights, terms.level) for side in ([p.cost for p in on_tasks], [p.rate for p in on_tasks])
    )
    covariance = float(
        weights**2 @ np.array([on_task.correlation * on_task.cost.sd * on_task.rate.sd for on_task in on_tasks])
    )
    lo, hi = _bounds(money, rate, covariance / (money.sd * rate.sd) if money.sd * rate.sd > 0.0 else 0.0)
    trials = [on_task.trials for on_task in on_tasks]
    successes = sum(int(trial.successes.sum()) for trial in trials)
    spent, solved = weights @ [[trial.means.mean(), trial.rates.mean()] for trial in trials]
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
    rate = Reach(interval.mu, interval.sigma, interval.mu - interval.lo, interval.hi - interval.mu)
    money = _money(float(tried.means.mean()), trials, terms)
    return _OnTask(money, rate, tried.correlation(terms.target) if money.sd else 0.0, tried)


def _unknown(outcomes: OutcomeMatrix, mean_cost: float | None) -> str:
    """Say for how many trials the cost is not known, with the first question that has such a trial."""
    lacking = outcomes.trials - mean_cost.trials.trials if isinstance(mean_cost, MeanCost) else np.zeros(1, np.int64)
    if lacking.max() <= 0:
        return "these are not known"
    row = int(np.argmax(lacking > 0))
    label = row if outcomes.questions is None else repr(outcomes.questions[row])
    missing = int(lacking[lacking > 0].sum())
    return f"these are missing for {missing} of {int(outcomes.trials.sum()):,} trials, the first of question {label}"


def _money(mean: float, trials: OutcomeMatrix | None, terms: Terms) -> Reach:
    """Return the mean over questions of the cost of a trial, as the mean of continuous rewards; prices are known."""
    if trials is None or mean == 0.0:
        return Reach(mean, 0.0, 0.0, 0.0)
    reach = relative_reach(trials, terms.confidence, terms.target)
    if reach is None:
        raise OutcomeError("the trials are too few to tell how much costs vary: there is no cost per success")
    return Reach(mean, *(ends * mean for ends in reach))


def _summed(parts: Sequence[Reach], weights: Vector, level: Level) -> Reach:
    """Return the weighted sum of what independent tasks say."""
    mean, sd, below, above = (weights[:, None] * np.array(parts)).T
    down, up = added_reach(sd, below, above, level.critical())
    return Reach(float(mean.sum()), float(np.sqrt((sd**2).sum())), float(down), float(up))


def _bounds(cost: Reach, rate: Reach, correlation: float) -> tuple[float, float]:
    """Return the ends of Fieller's interval of ``cost / rate``.

    >>> low, high = _bounds(Reach(1.0, 0.1, 0.2, 0.2), Reach(0.5, 0.05, 0.1, 0.1), 0.0)
    >>> round(low, 3), round(high, 3)
    (1.5, 2.667)
    """
    if cost.mean + cost.above == 0.0:  # trials that cost nothing
        return 0.0, 0.0
    ends = []
    for side, down, up in ((-1.0, cost.below, rate.above), (1.0, cost.above, rate.below)):
        square, half = rate.mean**2 - up**2, cost.mean * rate.mean - correlation * down * up
        rest = cost.mean**2 - down**2
        root = math.sqrt(max(half * half - square * rest, 0.0))
        if side < 0.0:
            ends.append(rest / (half + root) if rest > 0.0 else 0.0)
        else:
            ends.append((half + root) / square if square > 0.0 else math.inf)
    return ends[0], ends[1]
