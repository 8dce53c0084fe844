"""Two models by their cost per success: ratio and difference, which costs less, and whether a rise is accepted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Unpack

import numpy as np

from .._base.exports import Exports, strict
from .._base.numbers import DIGITS, amount, amount_span, amounts, chance, percent
from .._base.options import accepted, takes
from .._base.table import Field, Table
from .._base.words import SUBJECT, pluralize
from ..errors import OutcomeError
from ..estimates._difference_law import DifferenceLaw
from ..estimates._tasks import Weights, as_tasks, at_task, pair_of_models
from ..inference._terms import PriorOptions, Terms
from ..outcomes import OutcomeSet, Suite
from ._costs import CostPerSuccess, Costs, ModelCosts
from ._verdicts import FAILED, PASSED, UNDECIDED, WORSE, Limit

_SIDES = ("new", "baseline")


class Ends(NamedTuple):
    """A number, and the ends of its interval."""

    value: float
    lo: float
    hi: float


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
    _columns: ClassVar = (
        Field("model", of="name"),
        Field("{0.cost} per success", True, "value", amount),
        Field("interval", of="lo hi", form=amount_span),
        Field("successes", True, "successes", "{:,}".format),
        Field("trials", True, "trials", "{:,}".format),
    )

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
        pairs = zip(("first", "second"), self.costs, strict=True)
        record = {f"{side}_{name}": value for side, cost in pairs for name, value in cost.record().items()}
        for name, ends in (("ratio", self.ratio), ("difference", self.difference)):
            record |= dict(zip((name, f"{name}_lo", f"{name}_hi"), ends, strict=True))
        return [strict(record | {"p_less": self.p_less})]

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


_WORSE = "failed if a success is shown to cost more, unless rises above {limit} are excluded; else passed"
_EXCLUDES = "passed if rises above {limit} are excluded, failed if one is shown, else undecided"


@dataclass(frozen=True)
class CostLimit(Exports):
    """Whether a success of the new model may cost what it does: the part of a gate that asks ``max_cost_rise``.

    The ends in ``comparison`` are one-sided bounds, each at the ``confidence`` of the gate.
    """

    comparison: CostComparison
    max_rise: float | str
    mode: str
    confidence: float
    problem: str = ""

    @property
    def verdict(self) -> str:
        """Whether the rise is accepted, too large, or cannot be told."""
        limit, both = Limit.of(self.max_rise, "max_cost_rise", math.inf), self.comparison
        lo, hi = (end - 1.0 for end in both.ratio[1:]) if limit.is_relative else both.difference[1:]
        if self.problem:
            return UNDECIDED
        if hi <= limit.amount:
            return PASSED
        if self.mode == WORSE:
            return FAILED if both.ratio.lo > 1.0 else PASSED
        return FAILED if lo > limit.amount else UNDECIDED

    @property
    def _undefined(self) -> str:
        """Why a rise of the baseline's cost per success means nothing; empty where it means something."""
        baseline = self.comparison.costs[1].value
        if math.isinf(baseline):
            return "the baseline has no success: its cost per success is unbounded, and no change of it is defined"
        if baseline == 0.0 and isinstance(self.max_rise, str):
            return "the baseline costs nothing, and no percentage of 0 is defined: give the limit as an amount"
        return ""

    def __str__(self) -> str:
        shown = f"{amounts(*self.comparison.ratio)} times the baseline's {self.comparison.cost}"
        return "; ".join(filter(None, [f"cost per success {self.verdict}: {shown}", self.problem or self._undefined]))

    def to_dict(self) -> dict[str, Any]:
        """Return all values and parameters, ready for JSON."""
        about = {name: getattr(self, name) for name in ("verdict", "max_rise", "mode", "confidence", "problem")}
        return dict(strict(about | {"cost": self.comparison.cost, "rows": self.as_records()}))

    def as_records(self) -> list[dict[str, Any]]:
        record = {"cost": self.comparison.cost, "verdict": self.verdict, "max_rise": self.max_rise}
        for name, value in self.comparison.as_records()[0].items():
            record[name.replace("first", "new").replace("second", "baseline")] = value
        return [record]

    def tables(self, digits: int = DIGITS) -> list[Table]:
        """Return the table of both costs."""
        limit = self.max_rise if isinstance(self.max_rise, str) else f"{self.max_rise:g} {self.comparison.cost}"
        rule = (_WORSE if self.mode == WORSE else _EXCLUDES).format(limit=limit)
        notes = [f"{self.mode}: {rule}", f"bounds: one-sided, each {percent(self.confidence)}"]
        return [table._replace(title=str(self), notes=notes) for table in self.comparison.tables(digits)]


@takes(PriorOptions, Terms)
def compare_costs(
    A: Any,
    B: Any,
    cost: Costs = None,
    *,
    model: str | tuple[str, str] | None = None,
    task_weights: Weights = None,
    shared_only: bool = False,
    **options: Unpack[PriorOptions],
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
    names, sides, tasks = _lined_up(A, B, model, shared_only=shared_only)
    terms = Terms(**accepted(options, compare_costs))
    if isinstance(cost, Mapping):
        cost = {side: cost[name] for side, name in zip(sides, names, strict=True) if name in cost}
    costs = ModelCosts.of(Suite(tasks) if len(tasks) > 1 else next(iter(tasks.values())), cost)
    first, second = (costs.per_success(side, terms, task_weights) for side in sides)
    correlation = 0.0
    if terms.target == "population":  # the same questions are drawn for both; their trials are independent
        scale = math.sqrt(float(first.effects @ first.effects) * float(second.effects @ second.effects))
        correlation = float(first.effects @ second.effects) / scale if scale > 0.0 else 0.0
    gap, logs = (
        first.law(terms.level.tail, on).minus(second.law(terms.level.tail, on), correlation) for on in (float, _log)
    )
    is_bounded = math.isfinite(logs.above if logs.mean < 0.0 else logs.below)  # else costs may be 0 or unbounded
    difference = math.nan if math.isinf(first.value) and math.isinf(second.value) else first.value - second.value
    return CostComparison(
        names,
        costs.name,
        (first, second),
        _ratio(first, second, logs),
        Ends(difference, gap.lo, gap.hi),
        (logs if is_bounded else gap).p_at_most(0.0),
        terms.confidence,
        terms.target,
    )


def _log(cost: float) -> float:
    return math.log(cost) if cost > 0.0 else -math.inf


def _ratio(first: CostPerSuccess, second: CostPerSuccess, logs: DifferenceLaw) -> Ends:
    """Return one cost over another, with its ends; nothing is uncertain in it where one of them costs nothing.

    It is NaN where neither model has a success, or where neither costs anything.
    """
    one, other = first.value, second.value
    if math.isinf(other):
        value = math.nan if math.isinf(one) else 0.0
    else:
        value = one / other if other > 0.0 else math.inf if one > 0.0 else math.nan
    if min(first.center, second.center) > 0.0:
        return Ends(value, math.exp(logs.lo), math.exp(logs.hi))
    is_known = not math.isnan(value) and math.isfinite(first.hi)
    return Ends(value, value, value) if is_known else Ends(value, 0.0, math.inf)


def _lined_up(
    A: Any, B: Any, model: str | tuple[str, str] | None, *, shared_only: bool
) -> tuple[tuple[str, str], tuple[str, str], dict[str, OutcomeSet]]:
    """Return the names of two models, what they are called below, and both on the same questions of each task.

    They are called new and baseline where both have the same name.
    """
    names, pairs = pair_of_models(A, B, model, _SIDES)
    sides = [as_tasks(side, role) for side, role in zip((A, B), _SIDES, strict=True)]
    called, lined_up = names if names[0] != names[1] else _SIDES, {}
    for task in pairs:
        one, other = (tasks[task] if task in tasks else next(iter(tasks.values())) for tasks in sides)
        with at_task(task):
            if shared_only and one.questions is not None and other.questions is not None:
                common = [label for label in other.questions if label in set(one.questions)]
                one, other = one.select(common), other.select(common)
            both = list(zip(called, (one, other), names, strict=True))
            costs = {side: models.costs[name] for side, models, name in both}
            lined_up[task] = OutcomeSet({side: models[name] for side, models, name in both}, costs=costs)
            new, old = (outcomes.trials > 0 for outcomes in lined_up[task].values())
            if lost := int(np.count_nonzero(new != old)):
                problem = f"only one of the two models was asked {pluralize(lost, 'question')}"
                hint = "leave these questions out with select(..)"
                raise OutcomeError(f"{problem}, so their costs cannot be compared", hint=hint)
    return names, called, lined_up
