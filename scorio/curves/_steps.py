"""The score of each category of questions: a curve over names instead of numbers, with one error rate over all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from .._display.exports import Exports
from .._display.numbers import percent, score_text, span
from .._display.table import Field
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
    _lists: ClassVar = ("steps",)
    _columns: ClassVar = (
        Field("model", of="model"),
        Field("category", of="category"),
        Field("questions", True, "questions"),
        Field("score", True, "score", score_text),
        Field("interval", of="lo hi", form=span),
    )

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories, in the order of their first question."""
        return tuple(dict.fromkeys(each.category for each in self.steps))

    def of(self, model: str) -> tuple[Step, ...]:
        """Return the scores of one model."""
        return tuple(each for each in self.steps if each.model == model)

    @property
    def _title(self) -> str:
        models = len({each.model for each in self.steps})
        return f"{self.metric}: {pluralize(models, 'model')} x {len(self.categories)} categories"

    def _notes(self) -> list[str]:
        return [f"{percent(self.confidence)} intervals, {SUBJECT[self.target]}; all hold together (Bonferroni)"]


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
