"""Mean costs per trial with their intervals, where the costs of single trials are known."""

from .._display.numbers import WHOLE, amount, decimals_of, percent, span
from .._display.table import Column, Table
from .._display.words import SUBJECT
from ..comparison import CostInterval, cost_interval
from ..errors import OutcomeError
from ..outcomes import OutcomeSet, Suite

_TELLERS = "logs of tools that write tokens, seconds or dollars tell costs; OutcomeSet(.., costs={..}) gives them"


def cost_intervals(
    outcomes: OutcomeSet | Suite, confidence: float = 0.95, target: str = "questions"
) -> dict[str, dict[str, CostInterval]]:
    """Return all known mean costs per trial with their intervals, by model and by the name of the cost."""
    return {
        model: {name: cost_interval(outcomes, model, name, confidence, target) for name in own}
        for model, own in outcomes.costs.items()
    }


def reach(lo: float | None, hi: float | None, mean: float) -> str:
    """Write the interval of a cost, a dash if there is none.

    >>> reach(0.3, 0.7, 0.5), reach(None, None, 0.5), reach(1998.0, 2002.0, 2e3)
    ('[0.300, 0.700]', '-', '[1,998, 2,002]')
    """
    if lo is None or hi is None:
        return "-"
    return span(lo, hi, decimals_of(mean)) if hi < WHOLE else f"[{lo:,.0f}, {hi:,.0f}]"


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
            parts = ["-", "-"] if each is None else [amount(each.mean), reach(each.lo, each.hi, each.mean)]
            line[place:place] = parts if shown else parts[:1]
    about = SUBJECT[target]
    note = f"costs: means per trial with {percent(confidence)} intervals for {about}" if has_interval else ""
    return table._replace(columns=columns, cells=cells, notes=[*table.notes, *[note] * has_interval])
