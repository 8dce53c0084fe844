"""Corrected scores as rows of a table: by metric and model."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._display.numbers import number, signed, span
from .._display.table import Field
from ..inference import Interval
from ._corrected import RectifiedInterval


class ScoreRow(NamedTuple):
    """The corrected score of a model, or of the difference of two, by one metric."""

    metric: str
    model: str
    score: RectifiedInterval

    def record(self) -> dict[str, Any]:
        """Return all values as one flat record."""
        return {"metric": self.metric, "model": self.model, **self.score._records()[0]}


def score_rows(scores: Mapping[tuple[str, str], RectifiedInterval]) -> list[ScoreRow]:
    """Return the rows of scores by metric and model."""
    return [ScoreRow(metric, model, each) for (metric, model), each in scores.items()]


def span_or_none(interval: Interval | None) -> str:
    """Write the ends of an interval; a hyphen for none."""
    return "-" if interval is None else span(interval.lo, interval.hi)


CORRECTED = (  # columns of a row that has a corrected score as ``score``
    Field("judge alone", True, "score.predicted", number),
    Field("bias", True, "score.bias", signed),
    Field("corrected", True, "score.mu", number),
    Field("interval", True, "score.lo score.hi", span),
    Field("labels alone", True, "score.labels_alone", span_or_none),
)
