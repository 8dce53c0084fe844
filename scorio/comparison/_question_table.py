"""Every question of a benchmark: how hard it is, how well it separates the models, and what is odd about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from .._choices import FLAGS, SORT_KEYS
from .._display.exports import ByContent, strict
from .._display.numbers import rate, rate_span
from .._display.table import Field
from .._display.words import pluralize, tally, unknown
from ..errors import OutcomeError, ParameterError
from ..estimates import as_tasks, at_task
from ..outcomes import ModelsOnTasks, OutcomeSet
from ..params import choice, count, open_unit
from ._question_flags import Flag, discrimination, names_of, question_flags, question_rates


@dataclass(frozen=True)
class QuestionRow:
    """One question: scores per model with intervals, their mean, difficulty, discrimination, and flags."""

    task: str
    question: Any
    models: tuple[str, ...]
    rates: tuple[float, ...]
    intervals: tuple[tuple[float, float], ...]
    trials: tuple[int, ...]
    mean: float
    lo: float
    hi: float
    difficulty: float
    discrimination: float
    discrimination_lo: float
    discrimination_hi: float
    disagreement: float
    flags: tuple[Flag, ...]

    @property
    def record(self) -> dict[str, Any]:
        """The values of the question in one flat record."""
        names = ("mean", "lo", "hi", "difficulty", "discrimination", "discrimination_lo", "discrimination_hi")
        values = {name: getattr(self, name) for name in (*names, "disagreement")}
        about = {"task": self.task, "question": self.question, "trials": sum(self.trials)}
        reasons = "; ".join(flag.reason for flag in self.flags)
        return about | values | {"flags": names_of(self.flags), "reasons": reasons}

    @property
    def by_model(self) -> list[dict[str, Any]]:
        """A record per model, with its rate and interval."""
        parts = zip(self.models, self.rates, self.intervals, self.trials, strict=True)
        names = ("task", "question", "model", "trials", "rate", "lo", "hi")
        return [
            dict(zip(names, (self.task, self.question, model, n, rate, *ends), strict=True))
            for model, rate, ends, n in parts
        ]


def _hardness(row: QuestionRow) -> str:
    """Write the interval of the difficulty, where it is that of a success rate."""
    width = row.difficulty + row.mean  # 1 for success rates
    return rate_span(width - row.hi, width - row.lo) if abs(width - 1.0) < 1e-9 else "-"


@dataclass(frozen=True, eq=False)
class QuestionTable(ByContent):
    """The questions of one task or several, each a ``QuestionRow``, in ``rows``."""

    rows: tuple[QuestionRow, ...]
    confidence: float
    fdr: float
    _columns: ClassVar = (
        Field("task", of="task", unless=""),
        Field("question", of="question"),
        Field("difficulty", True, "difficulty", rate),
        Field("interval", True, form=_hardness),
        Field("discrimination", True, "discrimination", rate),
        Field("interval", True, "discrimination_lo discrimination_hi", rate_span),
        Field("disagreement", True, "disagreement", rate),
        Field("flags", of="flags", form=names_of),
    )

    def sorted(self, key: str = "difficulty", *, descending: bool = True) -> QuestionTable:
        """Return the table sorted by a column; unknown values come last, and questions with most flags first."""
        choice("column", key, SORT_KEYS)
        if key == "question":
            ordered = sorted(self.rows, key=lambda row: (row.task, str(row.question)), reverse=descending)
        elif key == "flags":
            ordered = sorted(self.rows, key=lambda row: len(row.flags), reverse=descending)
        else:
            sign = -1.0 if descending else 1.0
            values = [sign * getattr(row, key) for row in self.rows]
            ordered = [self.rows[i] for i in np.argsort(values, kind="stable")]
        return replace(self, rows=tuple(ordered))

    def flagged(self, name: str | None = None) -> QuestionTable:
        """Return the questions with a flag, or with this flag."""
        if name is not None and name not in FLAGS:
            raise ParameterError(unknown("flag", name, FLAGS))
        kept = [row for row in self.rows if any(name in (None, flag.name) for flag in row.flags)]
        return replace(self, rows=tuple(kept))

    def first(self, n: int) -> QuestionTable:
        """Return the first questions."""
        return replace(self, rows=self.rows[: count("n", n)])

    def __str__(self) -> str:
        counts = tally((name for row in self.rows for name in {flag.name for flag in row.flags}), FLAGS)
        return f"{pluralize(len(self.rows), 'question')}: {counts or 'nothing flagged'}"

    def to_dict(self) -> dict[str, Any]:
        """Return all questions with all models, and the parameters, ready for JSON."""
        rows = [row.record | {"flags": [list(flag) for flag in row.flags], "models": row.by_model} for row in self.rows]
        values: dict[str, Any] = strict({"confidence": self.confidence, "fdr": self.fdr, "rows": rows})
        return values

    def as_records(self) -> Sequence[Mapping[str, Any]]:
        return [row.record for row in self.rows]

    def _notes(self) -> list[str]:
        return [
            "difficulty: 1 - mean rate of the models; disagreement: of two trials of one model",
            "discrimination: correlation over models with the other questions; JSON and CSV have the reasons of flags",
        ]


def describe_questions(outcomes: Any, *, confidence: float = 0.95, fdr: float = 0.05) -> QuestionTable:
    """Return every question with its rates, difficulty, discrimination and flags.

    The rate of a model is that of its own trials, with a Jeffreys interval at ``confidence``. ``difficulty`` is one
    minus the mean rate of the models (for rewards, on the scale from the largest to the smallest). ``discrimination``
    is the correlation over models of the rate with the mean of all other questions of the task, with Fisher's interval
    for four models or more. ``disagreement`` is the probability that two trials of one model disagree, on average over
    models.

    Flags: *never solved* and *always solved*; *solved less by better models* (negative discrimination) and *ambiguous
    label suspected* (every model answers consistently, some right and some wrong, without regard to how good they are),
    each with an expected share of false ones of at most ``fdr``; *flaky* (two trials disagree more often than at a rate
    of .2 or .8, at ``confidence``).

    ``outcomes`` is an ``OutcomeSet``, a ``Suite``, or what ``OutcomeSet`` takes.

    >>> from scorio import OutcomeSet
    >>> table = describe_questions(OutcomeSet({"a": [[0, 0], [1, 1], [1, 0]], "b": [[0, 0], [0, 1], [0, 0]]}))
    >>> print(table)
    3 questions: 1 never solved
    >>> table.rows[0].flags[0].reason
    'no success in 4 trials of 2 models'
    """
    open_unit("confidence", confidence)
    open_unit("fdr", fdr)
    if isinstance(outcomes, ModelsOnTasks):
        outcomes.check_complete()
    rows = [row for task, models in as_tasks(outcomes).items() for row in _rows(task, models, confidence, fdr)]
    return QuestionTable(tuple(rows), confidence, fdr)


def _rows(task: str, outcomes: OutcomeSet, confidence: float, fdr: float) -> list[QuestionRow]:
    with at_task(task):
        if outcomes.n_questions < 2:
            raise OutcomeError("a table of questions needs at least two questions")
    rates = question_rates(outcomes, confidence)
    correlations = discrimination(rates.rates, confidence)
    flags = question_flags(rates, correlations, confidence, fdr)
    mean, lo, hi = _mean_of_models(rates.rates, rates.lo, rates.hi)
    width = rates.most - rates.least
    difficulty = (rates.most - mean) / width if width > 0.0 else np.full(len(mean), np.nan)
    observed = _mean_of_known(rates.observed)
    numbers = np.column_stack(
        [mean, lo, hi, difficulty, correlations.r, correlations.lo, correlations.hi, observed]
    ).tolist()
    labels = outcomes.questions or tuple(range(outcomes.n_questions))
    cells = (rates.rates.tolist(), np.stack([rates.lo, rates.hi], axis=2).tolist(), rates.trials.astype(int).tolist())
    columns: Any = zip(labels, *cells, numbers, flags, strict=True)
    rows: list[list[Any]] = [
        [task, label, outcomes.models, tuple(values), tuple(map(tuple, ends)), tuple(n), *numeric, flag]
        for label, values, ends, n, numeric, flag in columns
    ]
    return [QuestionRow(*row) for row in rows]


def _mean_of_known(values: Any) -> Any:
    has_value = ~np.isnan(values)
    count = has_value.sum(axis=1)
    total = np.where(has_value, values, 0.0).sum(axis=1)
    return np.divide(total, count, out=np.full(len(values), np.nan), where=count > 0)


def _mean_of_models(rates: Any, lo: Any, hi: Any) -> tuple[Any, Any, Any]:
    """Return the mean over models with trials, with an interval whose sides add as standard deviations do."""
    has_rate = ~np.isnan(rates)
    count = np.maximum(has_rate.sum(axis=1), 1)
    mean = _mean_of_known(rates)
    down, up = (np.sqrt((np.where(has_rate, side, 0.0) ** 2).sum(axis=1)) / count for side in (rates - lo, hi - rates))
    return mean, mean - down, mean + up
