"""May a success cost more? The part of a gate that limits the rise of the cost per success."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from .._display.exports import Exports, strict
from .._display.numbers import amounts, percent, times_as_many
from ..errors import ParameterError
from ..inference import Terms
from ._cost_comparison import COLUMNS, Ends, Pair, cost_laws, priced, sides
from ._cost_per_success import CostPerSuccess
from ._ratios import Limit
from ._trial_cost import Costs
from ._verdicts import CHANCE, MOST_EFFORT, UNDECIDED, WORSE, verdict_of

_RULES = {
    "worse": "failed if a success is shown to cost more, unless rises above {limit} are excluded; else passed",
    "noninferior": "passed if rises above {limit} are excluded, failed if one is shown, else undecided",
    "equivalent": "passed if rises above {limit} are excluded, failed if one is shown, else undecided",
}


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
    _columns: ClassVar = COLUMNS

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
        rule = f"{self.mode}: {_RULES[self.mode].format(limit=limit)}"
        return [rule, f"bounds: one-sided, each {percent(self.confidence)}"]


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
    p_failed = higher.p_at_most(same)
    effort = law.effort(accepted, CHANCE)
    return CostLimit(
        pair.names,
        label,
        laws.costs,
        laws.ratio,
        limit.written,
        mode,
        law.p_at_least(accepted),
        p_failed,
        1.0 - laws.error,
        effort if 1.0 < effort <= MOST_EFFORT else None,
        problem,
    )


def check_cost_rise(max_rise: Any, cost: Costs, runs: str, *, has_baseline: bool) -> None:
    """Check that what is said of costs has an effect and can be judged."""
    if max_rise is None and cost is not None:
        raise ParameterError("goes with max_cost_rise", argument="cost")
    if max_rise is not None and not has_baseline:
        raise ParameterError("is missing, and max_cost_rise compares with one", argument="baseline")
    if max_rise is not None and runs == "random":
        raise ParameterError("is 'random', and costs per success take trials as independent", argument="runs")
