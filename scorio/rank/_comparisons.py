"""The comparison of two models by several metrics, and what would tell them apart where nothing does yet."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from .._base.choices import INDEPENDENT, RANDOM
from .._base.exports import Exports
from .._base.numbers import DIGITS, FORECAST, FORECAST_NOTE, chance, number, percent, signed_span, signed_within
from .._base.table import Field
from ..comparison import Comparison, compare
from ..errors import OutcomeError
from ..estimates._family import holm
from ..metrics import Metric
from ..outcomes import OutcomeMatrix, Suite
from ..planning import plan_separation

_SHOWN = 1.5 * 10.0**-DIGITS  # by more than this, rounding does not explain a difference


@dataclass(frozen=True)
class Comparisons(Exports):
    """Comparisons of the same two models by one or several metrics, with a verdict on each.

    The p-values of several rows, by several metrics or on tasks, are also corrected for their number.
    """

    parts: tuple[Comparison, ...]
    verdicts: tuple[str, ...]
    _rows_alone: ClassVar = True
    _title: ClassVar = "{0.parts[0].names[0]} against {0.parts[0].names[1]} on {0.parts[0].extent}"
    _columns: ClassVar = (
        Field("task", of="task", unless=None),
        Field("metric", of="metric"),
        Field("{0.parts[0].names[0]}", True, "first_score", number, missing=FORECAST),
        Field("{0.parts[0].names[1]}", True, "second_score", number, missing=FORECAST),
        Field("difference", True, "difference lo hi", signed_within),
        Field("sigma", True, "sigma", number),
        Field("interval", True, "lo hi", signed_span),
        Field("P({0.parts[0].names[0]} better)", True, "p_better", chance),
        Field("p", True, "p_value", chance),
        Field("p corrected", True, "p_corrected", chance, unless=None),
        Field("exact p", True, "p_exact", chance, unless=None),
        Field("better", of="winner", missing="not significant"),
    )

    def as_records(self) -> list[dict[str, Any]]:
        records = [record for part in self.parts for record in part.as_records()]
        p = [row["p_value"] for row in records]
        corrected = [None] * len(p) if None in p or len(p) < 2 else holm(p)
        return [row | {"p_corrected": p_corrected} for row, p_corrected in zip(records, corrected, strict=True)]

    def _notes(self) -> list[str]:
        example, rows = self.parts[0], self.as_records()
        first, second = example.names
        scores = f"{first}, {second}: scores; {percent(example.confidence)} intervals of the difference {example.about}"
        test = "paired t test" if math.isfinite(example.degrees) else "two-sided"
        exact = "; exact p: McNemar's exact test" if any(row["p_exact"] is not None for row in rows) else ""
        forecast = [FORECAST_NOTE] if any(None in part.scores for part in self.parts) else []
        told = [f"{scores}; better: the interval excludes 0", f"p: {test}{exact}; {example.error_rate}"]
        if rows[0]["p_corrected"] is not None:
            error = percent(1.0 - example.confidence)
            told.append(f"p corrected: for the number of rows, by Holm's method (family-wise error {error})")
        if any(map(_seems_off, rows)):
            told.append(
                "difference: an estimate for the true scores, which need not be that of the scores of these trials"
            )
        return [*told, *forecast, *self.verdicts]


def _seems_off(row: dict[str, Any]) -> bool:
    """Return whether the difference that is shown is not that of the scores that are shown."""
    scores = row["first_score"], row["second_score"]
    return None not in scores and abs(round(scores[0], DIGITS) - round(scores[1], DIGITS) - row["difference"]) > _SHOWN


def compare_by(metrics: Sequence[Any], A: Any, B: Any, **options: Any) -> Comparisons:
    """Compare two models by several metrics, and say where nothing is significant how many trials would show it.

    The arguments are those of ``compare``, with several ``metrics``, or for suites mappings from tasks.

    >>> A, B = [[1, 1, 1, 0], [1, 1, 1, 1]] * 4, [[1, 0, 0, 0], [1, 1, 1, 0]] * 4
    >>> [part.winner for part in compare_by(["pass@1", "pass@2"], A, B, names=("new", "old")).parts]
    ['new', 'new']
    """
    parts = [compare(metric, A, B, **options) for metric in metrics]
    return Comparisons(tuple(parts), tuple(_verdict(part, A, B, options) for part in parts))


def _verdict(
    comparison: Comparison, A: OutcomeMatrix | Suite, B: OutcomeMatrix | Suite, options: dict[str, Any]
) -> str:
    verdict = comparison.verdicts()[0].rpartition(" (")[0]
    metric = comparison.metric
    if comparison.winner or not isinstance(metric, Metric) or options.get("shared_only") or comparison.runs == RANDOM:
        return verdict
    terms = {name: options[name] for name in ("task_weights", "target", "prior") if name in options}
    paired = comparison.paired and metric.is_mean_over_questions
    return f"{verdict}; {told_apart(metric, (A, B), confidence=comparison.confidence, paired=paired, **terms)}"


def told_apart(metric: Metric, sides: Iterable[Any], *, confidence: float, **terms: Any) -> str:
    """Say how many more trials would tell two models apart in a comparison of the two."""
    try:
        plan = plan_separation(metric, *sides, confidence=max(confidence, 0.5), runs=INDEPENDENT, **terms)
    except OutcomeError as error:
        return f"there is no plan to tell them apart: {error.problem}"
    return plan.separation
