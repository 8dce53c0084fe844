"""lm-evaluation-harness: metrics over all repeats of a document, each with sd and bounds as metrics of their own.

In a task's YAML, with ``repeats`` trials of each document and a filter that keeps all of them::

    repeats: 8
    filter_list:
      - name: every
        filter: [{function: take_first_k, k: 8}]
    metric_list:
      - metric: !function scorio.integrations.lm_eval.trials
        aggregation: !function scorio.integrations.lm_eval.aggregate
        higher_is_better: true
        metrics: [bayes, "pass@8"]

The results hold ``bayes``, ``bayes_sd``, ``bayes_lower``, ``bayes_upper``, ``bayes_coverage``, ``pass@8``, ...; the
logged samples hold each document's outcomes under these names, which ``scorio.read`` takes. Nothing here imports
``lm_eval``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import OutcomeError, ParameterError
from ..metrics import Metric
from .measure import NAMES, Measure

Score = Callable[[Any, Any], float | None]


class Outcomes(list[float]):
    """One document's outcomes, a list, which knows the measure and which of its numbers is asked for."""

    def __init__(self, outcomes: Sequence[float], measure: Measure, asked: str) -> None:
        super().__init__(outcomes)
        self.measure = measure
        self.asked = asked


def same_text(reference: Any, response: Any) -> float:
    """Whether a response is the reference, but for white space around it."""
    return float(str(response).strip() == str(reference).strip())


def trials(
    references: Sequence[Any],
    predictions: Sequence[Any],
    metrics: str | Sequence[str] = ("bayes",),
    score: Score = same_text,
    **options: Any,
) -> dict[str, Outcomes]:
    """The outcomes of one document, once for each number of each metric.

    ``score(reference, response)`` is the outcome of one trial: 0 and 1, a reward, or None for a missing one. Other
    options are those of ``measured``.
    """
    (reference,), (responses,) = references, predictions
    if isinstance(responses, str) or not isinstance(responses, Sequence):
        raise OutcomeError(
            "a document's responses must be a list: give the task a filter that keeps all repeats, such as take_first_k"
        )
    return measured([score(reference, response) for response in responses], metrics, **options)


def measured(
    outcomes: Sequence[float | None],
    metrics: str | Sequence[str] = ("bayes",),
    *,
    success: float = 1.0,
    levels: Sequence[float] = (),
    short: str = "nan",
    **interval: Any,
) -> dict[str, Outcomes]:
    """Outcomes of one document's trials, as ``trials`` returns them; what a task's own ``process_results`` returns.

    A trial succeeds with ``success`` or more; None is a missing trial. ``levels`` are rewards that a trial may have
    besides those that occur. ``short`` says what becomes of documents with fewer trials than a metric needs: ``"nan"``
    or ``"omit"``. ``confidence``, ``prior``, ``method``, ``target`` go to ``Metric.interval``.

    >>> sorted(measured([1, 0, 1], "pass@2"))
    ['pass@2', 'pass@2_coverage', 'pass@2_lower', 'pass@2_sd', 'pass@2_upper']
    """
    numbers = [math.nan if outcome is None else float(outcome) for outcome in outcomes]
    names = [metrics] if isinstance(metrics, str) else metrics
    measures = {name: Measure(Metric.from_string(name), success, levels, short, interval) for name in names}
    return {
        name if asked == "value" else f"{name}_{asked}": Outcomes(numbers, measure, asked)
        for name, measure in measures.items()
        for asked in NAMES
    }


def aggregate(items: Sequence[Outcomes]) -> float:
    """The number that the documents' outcomes were asked for.

    >>> aggregate([measured(row, "pass@2")["pass@2"] for row in ([0, 1, 1, 0, 1], [1, 1, 0, 1, 1])])
    0.95
    """
    if not all(isinstance(item, Outcomes) for item in items):
        raise ParameterError("aggregate takes the outcomes that scorio.integrations.lm_eval.trials or measured returns")
    first = items[0]
    return first.measure.of(dict(enumerate(items)))[first.asked]
