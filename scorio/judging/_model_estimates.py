"""Scores on all questions of a benchmark, of models that were asked a sample of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from .._display.exports import Exports
from .._display.numbers import number, percent, span
from .._display.table import Field
from .._display.words import SUBJECT, unknown
from ..errors import ParameterError
from ..metrics import as_metric
from ..outcomes import OutcomeMatrix, OutcomeSet
from ._corrected import RectifiedInterval, estimate_with_predictions
from ._question_sample import QuestionSample
from ._score_rows import ScoreRow, score_rows, span_or_none


@dataclass(frozen=True)
class ModelEstimates(Exports):
    """Estimates by metric and model, or of the difference of two models, from the questions of a ``sample``."""

    sample: QuestionSample
    estimates: dict[tuple[str, str], RectifiedInterval]
    target: str
    confidence: float
    _rows_alone: ClassVar = True
    _columns: ClassVar = (
        Field("metric", of="metric"),
        Field("model", of="model"),
        Field("score", True, "score.mu", number),
        Field("interval", True, "score.lo score.hi", span),
        Field("without predictions", True, "score.labels_alone", span_or_none),
    )

    @property
    def rows(self) -> list[ScoreRow]:
        """One row for each estimate."""
        return score_rows(self.estimates)

    @property
    def _title(self) -> str:
        return str(self.sample)

    def _notes(self) -> list[str]:
        subject = f"{SUBJECT[self.target]}, all {len(self.sample.benchmark)} of them"
        return [f"{percent(self.confidence)} intervals for {subject}"]


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
