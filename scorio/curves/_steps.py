"""The score of each category of questions: a curve over names instead of numbers, with one error rate over all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .._display.exports import Exports, strict
from .._display.numbers import percent, score_text, span
from .._display.table import Column, Table
from .._display.words import SUBJECT, pluralize
from ..inference import Level
from ..metrics import Metric
from ..outcomes import OutcomeSet


@dataclass(frozen=True)
class Step:
    """The score of a model on the questions of one category, with its interval."""

    model: str
    category: str
    questions: int
    score: float
    lo: float
    hi: float


@dataclass(frozen=True)
class Steps(Exports):
    """The scores of models by category; all intervals hold together with the confidence. Prints as a table."""

    metric: str
    target: str
    confidence: float
    steps: tuple[Step, ...]

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories, in the order of their first question."""
        return tuple(dict.fromkeys(each.category for each in self.steps))

    def of(self, model: str) -> tuple[Step, ...]:
        """Return the scores of one model."""
        return tuple(each for each in self.steps if each.model == model)

    def __str__(self) -> str:
        return self._display_table().text()

    def _display_table(self) -> Table:
        columns = [Column("model"), Column("category"), Column("questions", right=True), Column("score", right=True)]
        cells = [
            [each.model, each.category, str(each.questions), score_text(each.score), span(each.lo, each.hi)]
            for each in self.steps
        ]
        together = f"{percent(self.confidence)} intervals, {SUBJECT[self.target]}; all hold together (Bonferroni)"
        models = len({each.model for each in self.steps})
        title = f"{self.metric}: {pluralize(models, 'model')} x {len(self.categories)} categories"
        return Table(title, [*columns, Column("interval")], cells, [together])

    def to_dict(self) -> dict[str, Any]:
        """Return all values and parameters, ready for JSON."""
        about = {name: getattr(self, name) for name in ("metric", "target", "confidence")}
        return about | {"steps": self._records()}

    def _records(self) -> list[dict[str, Any]]:
        return [strict(asdict(each)) for each in self.steps]


def steps_over(metric: Metric, outcomes: OutcomeSet, groups: Sequence[Any], *, target: str, confidence: float) -> Steps:
    """Return the score of every model on every category, as ``OutcomeSet.split`` makes them.

    >>> outcomes = OutcomeSet({"m": [[1, 1], [1, 0], [0, 0], [0, 1]]})
    >>> from scorio.metrics import PassAtK
    >>> topics = ["algebra", "algebra", "sets", "sets"]
    >>> steps = steps_over(PassAtK(1), outcomes, topics, target="questions", confidence=0.9)
    >>> [(each.category, each.score) for each in steps.steps]
    [('algebra', 0.75), ('sets', 0.25)]
    """
    suite = outcomes.split(groups)
    cells = [(model, task, models[model]) for model in outcomes for task, models in suite.items() if model in models]
    level = Level(confidence)
    each = 1.0 - 2.0 * level.tail / len(cells)
    found = []
    for model, task, matrix in cells:
        interval = metric.interval(matrix, each, target=target)
        found.append(Step(model, task, matrix.n_questions, metric.score(matrix), interval.lo, interval.hi))
    return Steps(str(metric), target, confidence, tuple(found))
