"""The comparison of two models by several metrics, and what would tell them apart where nothing does yet."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .._choices import OVERALL
from .._display.numbers import FORECAST_NOTE, chance, number, percent, score_text, signed
from .._display.row_exports import RowExports
from .._display.table import Column, Table
from ..comparison import Comparison, compare
from ..errors import OutcomeError
from ..metrics import Metric
from ..outcomes import OutcomeMatrix, Suite
from ..planning import plan_separation


@dataclass(frozen=True)
class Comparisons(RowExports):
    """Comparisons of the same two models by one or several metrics, with a verdict on each."""

    parts: tuple[Comparison, ...]
    verdicts: tuple[str, ...]

    def __str__(self) -> str:
        return self._display_table().text()

    def _records(self) -> list[dict[str, Any]]:
        return [record for each in self.parts for record in each._records()]

    def _display_table(self) -> Table:
        table = _table(self.parts)
        return table._replace(notes=[*table.notes, *self.verdicts])


def compare_by(metrics: Sequence[Any], A: Any, B: Any, **options: Any) -> Comparisons:
    """Compare two models by several metrics, and say where nothing is significant how many trials would show it.

    The arguments are those of ``compare``, with several ``metrics``, or for suites mappings from tasks.

    >>> A, B = [[1, 1, 1, 0], [1, 1, 1, 1]] * 4, [[1, 0, 0, 0], [1, 1, 1, 0]] * 4
    >>> [each.winner for each in compare_by(["pass@1", "pass@2"], A, B, names=("new", "old")).parts]
    ['new', 'new']
    """
    parts = [compare(metric, A, B, **options) for metric in metrics]
    return Comparisons(tuple(parts), tuple(_verdict(each, A, B, options) for each in parts))


def _table(comparisons: Sequence[Comparison]) -> Table:
    example = comparisons[0]
    first, second = example.names
    exact = ["exact p"] if any(each.p_exact is not None for each in comparisons) else []
    numbers = (first, second, "difference", "sigma", "interval", f"P({first} better)", "p", *exact)
    columns = [Column("metric"), *(Column(head, right=True) for head in numbers), Column("better")]
    scores = f"{first}, {second}: scores; {percent(example.confidence)} intervals of the difference {example.about}"
    title = f"{first} against {second} on {example.extent}"
    cells = [_cells(each, with_exact=bool(exact)) for each in comparisons]
    if example.tasks is not None:
        columns.insert(0, Column("task"))
        parts = [
            (task, each) for whole in comparisons for task, each in {OVERALL: whole, **(whole.tasks or {})}.items()
        ]
        cells = [[task, *_cells(each, with_exact=bool(exact))] for task, each in parts]
    return Table(title, columns, cells, [f"{scores}; better: the interval excludes 0", *_notes(comparisons)])


def _verdict(
    comparison: Comparison, A: OutcomeMatrix | Suite, B: OutcomeMatrix | Suite, options: dict[str, Any]
) -> str:
    """Say which model is better, or how many more trials would show it."""
    own = comparison.verdicts()[0].rpartition(" (")[0]
    metric = comparison.metric
    if comparison.winner or not isinstance(metric, Metric) or options.get("shared_only"):
        return own
    terms = {name: options[name] for name in ("task_weights", "target", "prior") if name in options}
    paired = comparison.paired and metric._is_mean_over_questions
    level = max(comparison.confidence, 0.5)
    try:
        plan = plan_separation(metric, A, B, confidence=level, paired=paired, runs=comparison.runs, **terms)
    except OutcomeError as error:
        return f"{own}; there is no plan to tell them apart: {error.problem}"
    return f"{own}; {plan.separation}"


def _notes(comparisons: Sequence[Comparison]) -> list[str]:
    """Say how p was computed, the error rate, and what pairing is worth."""
    example = comparisons[0]
    test = "paired t test" if math.isfinite(example.degrees) else "two-sided"
    exact = "; exact p: McNemar's exact test" if example.p_exact is not None else ""
    pairing = dict.fromkeys(f"{each.metric}: {each.pairing}" for each in comparisons if each.pairing)
    forecast = [FORECAST_NOTE] if any(None in each.scores for each in comparisons) else []
    return [f"p: {test}{exact}; {example.error_rate}", *pairing, *forecast]


def _cells(comparison: Comparison, *, with_exact: bool) -> list[str]:
    exact = ["-" if comparison.p_exact is None else chance(comparison.p_exact)] if with_exact else []
    return [
        str(comparison.metric),
        *map(score_text, comparison.scores),
        signed(comparison.difference),
        number(comparison.sigma),
        f"[{signed(comparison.lo)}, {signed(comparison.hi)}]",
        chance(comparison.p_better),
        "-" if comparison.p_value is None else chance(comparison.p_value),
        *exact,
        comparison.winner or "not significant",
    ]
