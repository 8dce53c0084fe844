"""Mean costs per trial with their intervals, where the costs of single trials are known."""

import math
from typing import Any, NamedTuple

import numpy as np

from .._display.numbers import DIGITS, number, percent, span
from .._display.table import Column, Table
from .._display.words import SUBJECT
from ..comparison import added_reach
from ..errors import OutcomeError
from ..inference import LEARNED, Level
from ..metrics import BayesMetric
from ..outcomes import MeanCost, OutcomeMatrix, OutcomeSet, Suite

_WHOLE = 100.0  # amounts from here on are shown without decimals
_TELLERS = "logs of tools that write tokens, seconds or dollars tell costs; OutcomeSet(.., costs={..}) gives them"


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
    [5.7, 0.3, 4.7, 6.4]
    """
    sets = [each for each in outcomes.values() if model in each] if isinstance(outcomes, Suite) else [outcomes]
    mean, own = float(outcomes.costs[model][cost]), [each.costs[model][cost] for each in sets]
    reaches = [_relative(each.trials, confidence, target) if isinstance(each, MeanCost) else None for each in own]
    known = [each for each in reaches if each is not None]
    if len(known) < len(sets):
        return CostInterval(mean)
    trials = np.array([int(each[model].trials.sum()) for each in sets])
    amounts = trials / trials.sum() * np.array(own)
    spread, below, above = (np.array(known) * amounts[:, None]).T
    down, up = added_reach(spread, below, above, Level(confidence).critical())
    return CostInterval(mean, float(np.sqrt((spread**2).sum())), max(mean - float(down), 0.0), mean + float(up))


def _relative(trials: OutcomeMatrix, confidence: float, target: str) -> tuple[float, float, float] | None:
    """Return the standard deviation and the reach of the interval, below and above, as shares of the mean."""
    options: dict[str, Any] = {"prior": LEARNED, "target": target}
    try:
        mu, sigma, lo, hi = tuple(BayesMetric().interval(trials.select(trials.trials > 0), confidence, **options))
    except OutcomeError:  # too few trials or questions to tell how much costs vary
        return None
    return (sigma / mu, (mu - lo) / mu, (hi - mu) / mu) if mu > 0.0 else None


def cost_intervals(
    outcomes: OutcomeSet | Suite, confidence: float = 0.95, target: str = "questions"
) -> dict[str, dict[str, CostInterval]]:
    """Return all known mean costs per trial with their intervals, by model and by the name of the cost."""
    return {
        model: {name: cost_interval(outcomes, model, name, confidence, target) for name in own}
        for model, own in outcomes.costs.items()
    }


def amount(value: float) -> str:
    """Write a cost.

    >>> amount(0.0213), amount(1.5), amount(12345.678)
    ('0.0213', '1.500', '12,346')
    """
    return f"{value:,.0f}" if value >= _WHOLE else number(value, _decimals(value))


def _decimals(value: float) -> int:
    """Return as many decimals as show three digits of a small cost."""
    return max(DIGITS, 2 - math.floor(math.log10(value))) if value > 0.0 else DIGITS


def reach(cost: CostInterval) -> str:
    """Write the interval of a cost, a dash if there is none.

    >>> reach(CostInterval(0.5, 0.1, 0.3, 0.7)), reach(CostInterval(0.5)), reach(CostInterval(2e3, 1.0, 1998.0, 2002.0))
    ('[0.300, 0.700]', '-', '[1,998, 2,002]')
    """
    if cost.lo is None or cost.hi is None:
        return "-"
    return span(cost.lo, cost.hi, _decimals(cost.mean)) if cost.hi < _WHOLE else f"[{cost.lo:,.0f}, {cost.hi:,.0f}]"


def with_costs(table: Table, costs: dict[str, dict[str, CostInterval]], confidence: float, target: str) -> Table:
    """Return the table of a leaderboard with the mean costs per trial after the intervals of the scores."""
    names = dict.fromkeys(name for own in costs.values() for name in own)
    if not names:
        raise OutcomeError("the outcomes do not tell what any model costs", hint=_TELLERS)
    heads = [column.head for column in table.columns]
    model, place = heads.index("model"), next(i for i, head in enumerate(heads) if head.endswith("interval")) + 1
    columns, cells = list(table.columns), [list(line) for line in table.cells]
    has_interval = False
    for name in reversed(names):
        own = [costs[line[model]].get(name) for line in table.cells]
        shown = any(each is not None and each.lo is not None for each in own)
        has_interval |= shown
        columns[place:place] = [Column(f"{name} per trial", right=True), *[Column("interval")] * shown]
        for line, each in zip(cells, own, strict=True):
            parts = ["-", "-"] if each is None else [amount(each.mean), reach(each)]
            line[place:place] = parts if shown else parts[:1]
    about = SUBJECT[target]
    note = f"costs: means per trial with {percent(confidence)} intervals for {about}" if has_interval else ""
    return table._replace(columns=columns, cells=cells, notes=[*table.notes, *[note] * has_interval])
