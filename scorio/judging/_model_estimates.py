"""Scores on all questions of a benchmark, of models that were asked a sample of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .._display.numbers import number, percent, span
from .._display.row_exports import RowExports
from .._display.table import Column, Table
from .._display.words import SUBJECT, unknown
from ..errors import ParameterError
from ..metrics import as_metric
from ..outcomes import OutcomeMatrix, OutcomeSet
from ._corrected import RectifiedInterval, estimate_with_predictions
from ._question_sample import QuestionSample


@dataclass(frozen=True)
class ModelEstimates(RowExports):
    """Estimates by metric and model, or of the difference of two models, from the questions of a ``sample``."""

    sample: QuestionSample
    estimates: dict[tuple[str, str], RectifiedInterval]
    target: str
    confidence: float

    def __str__(self) -> str:
        return self._display_table().text()

    def _records(self) -> list[dict[str, Any]]:
        return [
            {"metric": name, "model": model, **each._records()[0]} for (name, model), each in self.estimates.items()
        ]

    def _display_table(self) -> Table:
        cells = []
        for (name, model), each in self.estimates.items():
            alone = each.labels_alone
            ends = [span(each.lo, each.hi), span(alone.lo, alone.hi) if alone else "-"]
            cells.append([name, model, number(each.mu), *ends])
        heads = ("score", "interval", "without predictions")
        columns = [Column("metric"), Column("model"), *(Column(head, right=True) for head in heads)]
        count = len(self.sample.benchmark)
        note = f"{percent(self.confidence)} intervals for {SUBJECT[self.target]}, all {count} of them"
        return Table(str(self.sample), columns, cells, [note])


def estimate_models(
    metrics: Sequence[Any],
    outcomes: OutcomeSet,
    sample: QuestionSample,
    *,
    between: tuple[str, str] | None = None,
    target: str = "questions",
    confidence: float = 0.95,
) -> ModelEstimates:
    """Estimate the scores on all questions of models that were asked those of a ``sample``, or the difference of two.

    ``sample`` is what ``choose_questions`` returned; each estimate is one of ``estimate_with_predictions``.
    """
    for name in between or ():
        if name not in outcomes:
            raise ParameterError(unknown("model", name, tuple(outcomes)))
    asked: dict[str, tuple[OutcomeMatrix, OutcomeMatrix | None]] = {name: (outcomes[name], None) for name in outcomes}
    if between is not None:
        asked = {" - ".join(between): (outcomes[between[0]], outcomes[between[1]])}
    about: dict[str, Any] = {"probabilities": sample, "target": target, "confidence": confidence}
    found = {
        (str(as_metric(metric)), name): estimate_with_predictions(metric, mine, minus=minus, **about)
        for metric in metrics
        for name, (mine, minus) in asked.items()
    }
    return ModelEstimates(sample, found, target, confidence)
