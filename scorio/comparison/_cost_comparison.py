"""Two models by their cost per success: ratio and difference, which costs less, and whether a rise is accepted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .._display.exports import Exports, strict
from .._display.numbers import amount, amount_span, amounts, chance, percent, times_as_many
from .._display.table import Field
from .._display.words import SUBJECT, pluralize
from ..errors import OutcomeError
from ..estimates import DifferenceLaw, Weights, as_tasks, at_task, pair_of_models, shares_of
from ..inference import PriorLike, Terms
from ..outcomes import OutcomeSet, Suite
from ._costs import CostPerSuccess, Costs, cost_per_success, cost_per_trial, prices_of
from ._ratios import Limit
from ._verdicts import CHANCE, MOST_EFFORT, UNDECIDED, WORSE, verdict_of

_SIDES = ("new", "baseline")


class Ends(NamedTuple):
    """A number, and the ends of its interval."""

    value: float
    lo: float
    hi: float


_COLUMNS = (
    Field("model", of="name"),
    Field("{0.cost} per success", True, "value", amount),
    Field("interval", of="lo hi", form=amount_span),
    Field("successes", True, "successes", "{:,}".format),
    Field("trials", True, "trials", "{:,}".format),
)


def sides(labels: Iterable[str], costs: Iterable[CostPerSuccess], ratio: Ends) -> dict[str, Any]:
    """Return the values of both models and their ratio in one flat record."""
    pairs = zip(labels, costs, strict=True)
    record = {f"{side}_{name}": value for side, of_model in pairs for name, value in of_model.record().items()}
    return record | dict(zip(("ratio", "ratio_lo", "ratio_hi"), ratio, strict=True))


@dataclass(frozen=True)
class CostComparison(Exports):
    """What a success costs with two models: ``ratio`` is the first over the second, ``difference`` the first minus it.

    ``p_less`` is the probability that the first costs less. An end is infinite where a model may have no success.
    """

    names: tuple[str, str]
    cost: str
    costs: tuple[CostPerSuccess, CostPerSuccess]
    ratio: Ends
    difference: Ends
    p_less: float
    confidence: float
    target: str
    _title: ClassVar = "{0.names[0]} against {0.names[1]} by {0.cost} per success"
    _columns: ClassVar = _COLUMNS

    def __str__(self) -> str:
        first, second = self.names
        shown = f"{amounts(*self.ratio)} times that of {second}"
        less = f"P({first} costs less) {chance(self.p_less)}"
        return "; ".join([f"cost per success of {first} in {self.cost}: {shown}", less, *self._undefined])

    @property
    def _undefined(self) -> list[str]:
        """Why there is no ratio, if there is none."""
        if not math.isnan(self.ratio.value):
            return []
        why = "has a success" if math.isinf(self.costs[0].value) else "costs anything"
        return [f"neither model {why}, so no ratio is defined"]

    def to_dict(self) -> dict[str, Any]:
        """Return all values and parameters, ready for JSON."""
        about = {name: getattr(self, name) for name in ("names", "cost", "confidence", "target")}
        return dict(strict(about | self.as_records()[0]))

    def as_records(self) -> list[dict[str, Any]]:
        difference = dict(zip(("difference", "difference_lo", "difference_hi"), self.difference, strict=True))
        return [strict(sides(("first", "second"), self.costs, self.ratio) | difference | {"p_less": self.p_less})]

    def _rows(self) -> list[dict[str, Any]]:
        return [{"name": name, **vars(cost)} for name, cost in zip(self.names, self.costs, strict=True)]

    def _notes(self) -> list[str]:
        first, second = self.names
        ratio, difference = amounts(*self.ratio), amounts(*self.difference)
        return [
            f"{first} over {second}: {ratio}; {first} minus {second}: {difference}",
            f"P({first} costs less) {chance(self.p_less)}",
            *self._undefined,
            f"{percent(self.confidence)} intervals for {SUBJECT[self.target]}; the cost of failures is included",
        ]


@dataclass(frozen=True)
class CostLaws:
    """The laws of the ratio and the difference of two costs per success, with bounds at the one-sided ``error``."""

    costs: tuple[CostPerSuccess, CostPerSuccess]
    correlation: float
    error: float

    def difference(self, c: float = 1.0, scale: Callable[[float], float] = float) -> DifferenceLaw:
        """Return the law of the first minus ``c`` times the second, or of rising functions of both."""
        one, other = (cost.law(self.error, scale) for cost in self.costs)
        return one.minus(other.times(c), self.correlation)

    @property
    def ratio(self) -> Ends:
        """The first over the second, with its ends; nothing is uncertain in it where one of them costs nothing."""
        value = ratio_of(*(cost.value for cost in self.costs))
        if min(cost.center for cost in self.costs) > 0.0:
            law = self.difference(scale=_log)
            return Ends(value, math.exp(law.lo), math.exp(law.hi))
        is_known = not math.isnan(value) and math.isfinite(self.costs[0].hi)
        return Ends(value, value, value) if is_known else Ends(value, 0.0, math.inf)

    def of_ratio(self, c: float) -> tuple[DifferenceLaw, float]:
        """Return the law that says whether the ratio is below ``c``, and the limit on its scale.

        It is that of the logarithm, or of the first minus ``c`` times the second where a cost may be 0 or unbounded.
        """
        law, limit = self.difference(scale=_log), math.log(c)
        is_bounded = math.isfinite(law.above if limit > law.mean else law.below)
        return (law, limit) if is_bounded else (self.difference(c), 0.0)

    def of_rise(self, limit: Limit) -> tuple[DifferenceLaw, float]:
        """Return the law that an accepted rise is about, and the limit on its scale."""
        return self.of_ratio(1.0 + limit.amount) if limit.is_relative else (self.difference(), limit.amount)


def _log(cost: float) -> float:
    return math.log(cost) if cost > 0.0 else -math.inf


def cost_laws(pair: Pair, cost: str | Mapping[str, float], terms: Terms, shares: Mapping[str, float]) -> CostLaws:
    """Return the laws of two models on the same questions; ``terms`` has the confidence of two-sided intervals."""
    both = [
        cost_per_success(pair.tasks, side, cost if isinstance(cost, str) else cost[name], terms, shares)
        for side, name in zip(pair.sides, pair.names, strict=True)
    ]
    correlation = 0.0
    if terms.target == "population":  # the same questions are drawn for both; their trials are independent
        one, other = (outcomes.effects for outcomes in both)
        scale = math.sqrt(float(one @ one) * float(other @ other))
        correlation = float(one @ other) / scale if scale > 0.0 else 0.0
    return CostLaws((both[0], both[1]), correlation, (1.0 - terms.confidence) / 2.0)


class Pair(NamedTuple):
    """Two models on the same questions of each task, with what is known of their costs.

    ``sides`` are their names in the tasks: new and baseline, where both have the same name.
    """

    names: tuple[str, str]
    sides: tuple[str, str]
    tasks: Mapping[str, OutcomeSet]

    @classmethod
    def of(
        cls, new: Any, baseline: Any, model: str | tuple[str, str] | None = None, *, shared_only: bool = False
    ) -> Pair:
        """Return two models of outcomes that hold one each, or that ``model`` names."""
        names, pairs = pair_of_models(new, baseline, model, _SIDES)
        sides = [as_tasks(side, role) for side, role in zip((new, baseline), _SIDES, strict=True)]
        made, called = {}, names if names[0] != names[1] else _SIDES
        for task in pairs:
            sets = [tasks[task] if task in tasks else next(iter(tasks.values())) for tasks in sides]
            with at_task(task):
                made[task] = _side_by_side(sets, names, called, shared_only=shared_only)
        return cls(names, called, made)


def _side_by_side(
    sets: list[OutcomeSet], names: Sequence[str], called: Sequence[str], *, shared_only: bool
) -> OutcomeSet:
    """Return a set of both models, whose questions are lined up."""
    labels = [models.questions for models in sets]
    if shared_only and None not in labels:
        common = [label for label in labels[1] or () if label in set(labels[0] or ())]
        sets = [models.select(common) for models in sets]
    outcomes = {side: models[name] for side, models, name in zip(called, sets, names, strict=True)}
    costs = {side: models.costs[name] for side, models, name in zip(called, sets, names, strict=True)}
    both = OutcomeSet(outcomes, costs=costs)
    new, old = (side.trials > 0 for side in both.values())
    lost = int(np.count_nonzero(new != old))
    if lost:
        problem = (
            f"only one of the two models was asked {pluralize(lost, 'question')}, so their costs cannot be compared"
        )
        raise OutcomeError(problem, hint="leave these questions out with select(..)")
    return both


def priced(pair: Pair, cost: Costs) -> tuple[str, str | Mapping[str, float]]:
    """Return the name of the cost, and what ``cost_laws`` takes: that name, or the price of a trial by model."""
    if isinstance(cost, Mapping):
        return "cost", prices_of(cost, pair.names)
    [only, *others] = pair.tasks.values()
    name, _ = cost_per_trial(Suite(pair.tasks) if others else only, cost)
    return name, name


def compare_costs(
    A: Any,
    B: Any,
    cost: Costs = None,
    *,
    model: str | tuple[str, str] | None = None,
    names: tuple[str, str] | None = None,
    task_weights: Weights = None,
    confidence: float = 0.95,
    prior: PriorLike | None = None,
    target: str = "questions",
    shared_only: bool = False,
) -> CostComparison:
    """Compare what a success costs with two models: the ratio and the difference, with their intervals.

    The cost of all trials, failures included, is divided by the number of successes. ``A`` and ``B`` are an
    ``OutcomeSet`` or a ``Suite`` each that know the costs of single trials; ``model`` names one of several models, or
    one of each. ``cost`` is the name of a cost, or a mapping from models to the price of a trial. On several tasks,
    costs and success rates are weighted by ``task_weights``. The intervals allow for the dependence of cost and
    success; an end is infinite where no success is certain.

    >>> R = {"a": [[1, 1, 0]] * 8, "b": [[1, 0, 0]] * 8}
    >>> dollars = {name: {"dollars": [[0.2, 0.3, 0.4]] * 8} for name in R}
    >>> both = OutcomeSet(R, costs=dollars)
    >>> result = compare_costs(both, both, model=("a", "b"))
    >>> [round(value, 2) for value in result.ratio]
    [0.5, 0.23, 1.1]
    """
    pair = Pair.of(A, B, model, shared_only=shared_only)
    label, prices = priced(pair, cost)
    shares = shares_of(task_weights, {task: models.n_questions for task, models in pair.tasks.items()})
    laws = cost_laws(pair, prices, Terms(confidence=confidence, prior=prior, target=target), shares)
    difference, (law, limit) = laws.difference(), laws.of_ratio(1.0)
    one, other = (cost_of_model.value for cost_of_model in laws.costs)
    return CostComparison(
        names or pair.names,
        label,
        laws.costs,
        laws.ratio,
        Ends(math.nan if math.isinf(one) and math.isinf(other) else one - other, difference.lo, difference.hi),
        law.p_at_most(limit),
        confidence,
        target,
    )


def ratio_of(one: float, other: float) -> float:
    """Return one cost per success over another; NaN where neither model has a success, or where neither costs anything.

    >>> ratio_of(1.0, 2.0), ratio_of(1.0, math.inf), ratio_of(1.0, 0.0), ratio_of(0.0, 0.0)
    (0.5, 0.0, inf, nan)
    """
    if math.isinf(other):
        return math.nan if math.isinf(one) else 0.0
    return one / other if other > 0.0 else math.inf if one > 0.0 else math.nan


_WORSE = "failed if a success is shown to cost more, unless rises above {limit} are excluded; else passed"
_EXCLUDES = "passed if rises above {limit} are excluded, failed if one is shown, else undecided"


@dataclass(frozen=True)
class CostLimit(Exports):
    """Whether a success of the new model may cost what it does: the part of a gate that asks ``max_cost_rise``.

    ``ratio`` is the new cost per success over the baseline's, with one-sided bounds at the confidence of the gate.
    ``p_passed`` and ``p_failed`` are the error probabilities of passing and of failing it. ``effort`` is how many times
    as many trials would decide it with 80% probability, None if it is decided or no realistic number is enough.
    """

    names: tuple[str, str]
    cost: str
    costs: tuple[CostPerSuccess, CostPerSuccess]
    ratio: Ends
    max_rise: float | str
    mode: str
    p_passed: float
    p_failed: float
    confidence: float
    effort: float | None = None
    problem: str = ""
    _columns: ClassVar = _COLUMNS

    @property
    def verdict(self) -> str:
        """Whether the rise is accepted, too large, or cannot be told."""
        if self.problem:
            return UNDECIDED
        return verdict_of(self.p_passed, self.p_failed, 1.0 - self.confidence, self.mode)

    @property
    def needs(self) -> str:
        """What would decide it, in words."""
        if self.problem or self.verdict != UNDECIDED:
            return self.problem
        if self._undefined:
            return self._undefined
        if self.effort is None:
            return "too close to the limit to tell at any realistic cost"
        return f"about {times_as_many(self.effort)} trials of both models would decide it"

    @property
    def _undefined(self) -> str:
        """Why a rise of the baseline's cost per success means nothing; empty where it means something."""
        return Limit.of(self.max_rise, most=math.inf).undefined(self.costs[1].value, "cost per success")

    def __str__(self) -> str:
        shown = f"{amounts(*self.ratio)} times the baseline's {self.cost}"
        parts = [f"cost per success {self.verdict}: {shown}", self.needs or self._undefined]
        return "; ".join(filter(None, parts))

    def to_dict(self) -> dict[str, Any]:
        """Return all values and parameters, ready for JSON."""
        about = {name: getattr(self, name) for name in ("verdict", "cost", "max_rise", "mode", "confidence", "problem")}
        return dict(strict(about | {"rows": self.as_records()}))

    def as_records(self) -> list[dict[str, Any]]:
        record = {name: getattr(self, name) for name in ("cost", "verdict", "max_rise")}
        record |= sides(("new", "baseline"), self.costs, self.ratio)
        return [strict(record | {name: getattr(self, name) for name in ("p_passed", "p_failed", "effort")})]

    def _rows(self) -> list[dict[str, Any]]:
        named = zip(self.names, ("new", "baseline"), self.costs, strict=True)
        return [{"name": f"{name} ({side})", **vars(cost)} for name, side, cost in named]

    def _notes(self) -> list[str]:
        limit = self.max_rise if isinstance(self.max_rise, str) else f"{self.max_rise:g} {self.cost}"
        rule = (_WORSE if self.mode == WORSE else _EXCLUDES).format(limit=limit)
        return [f"{self.mode}: {rule}", f"bounds: one-sided, each {percent(self.confidence)}"]


def cost_limit(
    pair: Pair,
    cost: Costs,
    max_rise: Any,
    *,
    mode: str,
    terms: Terms,
    shares: Mapping[str, float],
    problem: str = "",
) -> CostLimit:
    """Return the verdict about the cost per success of the first of two models; ``terms`` has two-sided confidence."""
    limit = Limit.of(max_rise, "max_cost_rise", most=math.inf)
    label, prices = priced(pair, cost)
    laws = cost_laws(pair, prices, terms, shares)
    law, accepted = laws.of_rise(limit)
    higher, same = laws.of_ratio(1.0) if mode == WORSE else (law, accepted)
    effort = law.effort(accepted, CHANCE)
    return CostLimit(
        pair.names,
        label,
        laws.costs,
        laws.ratio,
        limit.written,
        mode,
        law.p_at_least(accepted),
        higher.p_at_most(same),
        1.0 - laws.error,
        effort if 1.0 < effort <= MOST_EFFORT else None,
        problem,
    )
