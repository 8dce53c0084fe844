"""What leaving out questions does to scores, intervals and ranks."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._choices import FLAGS
from .._display.exports import Exports
from .._display.numbers import number, signed, span
from .._display.table import Column, Table
from .._display.words import pluralize, shorten, unknown
from ..comparison import default_metric, describe_questions
from ..errors import OutcomeError, ParameterError
from ..metrics import Metric, as_metric
from ..outcomes import OutcomeSet, Suite
from ..rank import Leaderboard

_DEFAULT = ("never solved", "always solved")
_WARNING = (
    "these questions were chosen by looking at these outcomes, so the scores without them are biased: decide by "
    "reading the questions or on other models, and report both scores"
)


@dataclass(frozen=True)
class RemovalRow:
    """A model's score, interval and rank with all questions, and without some."""

    model: str
    score: float
    lo: float
    hi: float
    rank: int
    score_without: float
    lo_without: float
    hi_without: float
    rank_without: int

    @property
    def change(self) -> float:
        """How much higher the score without the questions is."""
        return self.score_without - self.score

    @property
    def width_ratio(self) -> float:
        """The width of the interval without the questions over that with all."""
        width = self.hi - self.lo
        return (self.hi_without - self.lo_without) / width if width > 0.0 else float("nan")


@dataclass(frozen=True)
class RemovalEffect(Exports):
    """What leaving out ``removed`` of ``n_questions`` does; ``warning`` says why the scores without them are biased.

    ``flags`` are those by which the questions were chosen; there are none if the questions were named.
    """

    metric: str
    removed: tuple[Any, ...]
    n_questions: int
    flags: tuple[str, ...]
    rows: tuple[RemovalRow, ...]
    confidence: float

    @property
    def warning(self) -> str:
        """Why the scores are biased; empty if the questions were named."""
        return _WARNING if self.flags else ""

    @property
    def moved(self) -> tuple[str, ...]:
        """The models with another rank."""
        return tuple(row.model for row in self.rows if row.rank != row.rank_without)

    def __str__(self) -> str:
        changes = [row.change for row in self.rows]
        told = f"without {len(self.removed)} of {pluralize(self.n_questions, 'question')}: scores change by "
        told += f"{signed(min(changes))} to {signed(max(changes))}, {pluralize(len(self.moved), 'rank')} "
        told += "changes" if len(self.moved) == 1 else "change"
        return f"{told}. Beware: {self.warning}" if self.warning else told

    def _records(self) -> list[dict[str, Any]]:
        return [{**row.__dict__, "change": row.change, "width_ratio": row.width_ratio} for row in self.rows]

    def _display_table(self) -> Table:
        heads = ("rank", "score", "interval", "rank without", "score without", "interval without", "change")
        columns = [Column("model"), *(Column(head, right=True) for head in heads)]
        cells = [
            [
                *(row.model, str(row.rank), number(row.score), span(row.lo, row.hi), str(row.rank_without)),
                *(number(row.score_without), span(row.lo_without, row.hi_without), signed(row.change)),
            ]
            for row in self.rows
        ]
        which = f"left out: {', '.join(self.flags) or shorten(self.removed)}"
        return Table(str(self).partition(". Beware")[0], columns, cells, [which, *filter(None, [self.warning])])


def remove_questions(
    outcomes: Any,
    questions: Collection[Any] | None = None,
    *,
    flags: Collection[str] = _DEFAULT,
    metric: Metric | str | None = None,
    confidence: float = 0.95,
) -> RemovalEffect:
    """Say what leaving out questions does to scores, intervals and ranks of models.

    By default the saturated ones are left out: ``flags`` are those of ``describe_questions``, and a question with any
    of them is left out. ``questions`` names the questions instead. Ranks are those of ``Leaderboard``.

    Questions that were chosen by looking at these outcomes make the scores without them biased: ``warning`` says so.

    >>> from scorio import OutcomeSet
    >>> models = OutcomeSet({"a": [[0, 0], [1, 1], [1, 0], [1, 1]], "b": [[0, 0], [0, 1], [0, 0], [1, 1]]})
    >>> effect = remove_questions(models)
    >>> effect.removed, effect.rows[0].score, effect.rows[0].score_without
    ((0, 3), 0.625, 0.75)
    """
    if isinstance(outcomes, Suite):
        raise OutcomeError("the outcomes are of several tasks", hint="look at each task by itself: outcomes[task]")
    models = outcomes if isinstance(outcomes, OutcomeSet) else OutcomeSet(outcomes)
    names = models.questions or tuple(range(models.n_questions))
    chosen = default_metric(models.values()) if metric is None else as_metric(metric)
    used = () if questions is not None else tuple(flags)
    removed = _flagged(models, used) if questions is None else _named(names, questions)
    kept = [i for i, name in enumerate(names) if name not in set(removed)]
    if not removed or len(kept) < 2:
        problem = "no question is left out" if not removed else f"{pluralize(len(kept), 'question')} would be left"
        raise OutcomeError(problem, hint="choose other questions or flags; at least two must be left")
    rest = OutcomeSet({name: each._reordered(np.array(kept, np.intp)) for name, each in models.items()})
    boards = [Leaderboard(chosen, each, confidence=confidence).rankings[0] for each in (models, rest)]
    rows = []
    for i, model in enumerate(models):
        cells: list[Any] = []
        for board in boards:
            interval = board.intervals[i]
            cells += [float(board.scores[i]), interval.lo, interval.hi, _ranks(board)[model]]
        rows.append(RemovalRow(model, *cells))
    return RemovalEffect(str(chosen), removed, len(names), used, tuple(rows), confidence)


def _ranks(board: Any) -> dict[str, int]:
    return {row.model: int(row.rank) for row in board.rows}


def _flagged(models: OutcomeSet, flags: Collection[str]) -> tuple[Any, ...]:
    """Return the questions with any of the flags."""
    for flag in flags:
        if flag not in FLAGS:
            raise ParameterError(unknown("flag", flag, FLAGS), argument="flags")
    rows = describe_questions(models).rows
    return tuple(row.question for row in rows if any(flag.name in flags for flag in row.flags))


def _named(names: Collection[Any], questions: Collection[Any]) -> tuple[Any, ...]:
    """Return the questions by their names in the outcomes."""
    known = {str(name): name for name in names}
    missing = [name for name in questions if str(name) not in known]
    if missing:
        raise ParameterError(f"has questions that the outcomes lack: {shorten(missing)}", argument="questions")
    return tuple(dict.fromkeys(known[str(name)] for name in questions))
