"""lm-evaluation-harness: metrics over all repeats of a document; their sd and bounds are metrics too.

The YAML of a task has ``repeats`` trials per document and a filter that keeps all of them::

    repeats: 8
    filter_list:
      - name: every
        filter: [{function: take_first_k, k: 8}]
    metric_list:
      - metric: !function scorio.integrations.lm_eval.trials
        aggregation: !function scorio.integrations.lm_eval.aggregate
        higher_is_better: true
        metrics: [bayes, "pass@8"]

The results hold ``bayes``, ``bayes_sd``, ``bayes_lower``, ``bayes_upper``, ``bayes_completeness``, ``pass@8``, ...; the
logged samples hold each document's outcomes under these names, which ``scorio.read`` takes. Nothing here imports
``lm_eval``.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import OutcomeError, ParameterError
from ..metrics import Metric
from ..outcomes._outcome_values import reward
from ._measure import NAMES, Measure, number_name

__all__ = ["Outcomes", "aggregate", "measured", "same_text", "trials"]

_Score = Callable[[Any, Any], float | None]


class Outcomes(list[float]):
    """The outcomes of one document, with the measure and the name of the number that ``aggregate`` computes."""

    def __init__(self, outcomes: Sequence[float], measure: Measure, number: str) -> None:
        super().__init__(outcomes)
        self.measure = measure
        self.number = number


def same_text(reference: Any, response: Any) -> float:
    """Return 1 if a response equals the reference up to surrounding white space, else 0."""
    return float(str(response).strip() == str(reference).strip())


def trials(
    references: Sequence[Any],
    predictions: Sequence[Any],
    metrics: str | Sequence[str] = ("avg",),
    score: _Score = same_text,
    **options: Any,
) -> dict[str, Outcomes]:
    """Grade one document, and return its outcomes for each number of each metric.

    ``score(reference, response)`` is the outcome of one trial: 0, 1, a reward, or None for a missing trial.
    ``options`` are those of ``measured``.
    """
    (reference,), (responses,) = references, predictions
    if isinstance(responses, str) or not isinstance(responses, Sequence):
        raise OutcomeError(
            "the responses of a document must be a list",
            hint="give the task a filter that keeps all repeats, such as take_first_k",
        )
    return measured([score(reference, response) for response in responses], metrics, **options)


def measured(
    outcomes: Sequence[float | None],
    metrics: str | Sequence[str] = ("avg",),
    *,
    success: float = 1.0,
    levels: Sequence[float] = (),
    too_few: str = "nan",
    **interval: Any,
) -> dict[str, Outcomes]:
    """Return the outcomes of one document for each number of each metric, for a task's own ``process_results``.

    Outcomes are numbers or words, as ``scorio.read`` takes them. A trial succeeds with ``success`` or more; None is a
    missing trial. ``levels`` are rewards that a trial may have besides those that
    occur. ``too_few`` is the value if documents have fewer trials than a metric needs: ``"nan"``, or
    ``"omit"`` to leave such documents out. ``interval`` are arguments of ``Metric.interval``.

    >>> sorted(measured([1, 0, 1], "pass@2"))
    ['pass@2', 'pass@2_completeness', 'pass@2_lower', 'pass@2_sd', 'pass@2_upper']
    """
    values = [math.nan if (number := reward(outcome)) is None else number for outcome in outcomes]
    names = [metrics] if isinstance(metrics, str) else metrics
    measures = {name: Measure(Metric.from_string(name), success, levels, too_few, interval) for name in names}
    return {
        number_name(name, number): Outcomes(values, measure, number)
        for name, measure in measures.items()
        for number in NAMES
    }


def aggregate(items: Sequence[Outcomes]) -> float:
    """Compute the number that the documents' outcomes name, over all documents.

    >>> aggregate([measured(row, "pass@2")["pass@2"] for row in ([0, 1, 1, 0, 1], [1, 1, 0, 1, 1])])
    0.95
    """
    if not all(isinstance(item, Outcomes) for item in items):
        raise ParameterError(
            "must be outcomes made by scorio.integrations.lm_eval.trials or measured", argument="items"
        )
    first = items[0]
    return first.measure.of(dict(enumerate(items)))[first.number]
