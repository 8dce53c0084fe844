"""Which questions a model answers better or worse than before."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import underflow_is_zero
from .._display.exports import Exports, strict
from .._display.table import Table, no_formula
from .._display.words import pluralize
from ..errors import OutcomeError
from ..outcomes import OutcomeMatrix
from ..params import open_unit
from ._change_tests import BETTER, Change, changes
from ._question_change import QuestionChange, changes_table
from ._questions import shared_questions
from ._task_sets import pair_of_models

KINDS = ("improved", "worse", "flaky", "flipped", "same")
_NOTES = (
    "improved, worse: called with this false-discovery rate",
    "flipped: the runs differ and all trials of each agree, but there are too few to call it",
)
_FEW_TRIALS = "no change of a single question can be told with so few trials: run more trials per question"


@dataclass(frozen=True)
class QuestionDiff(Exports):
    """The questions of both runs, with what changed; ``only_old`` and ``only_new`` are in one run only."""

    names: tuple[str, str]
    rows: tuple[QuestionChange, ...]
    fdr: float
    only_old: tuple[tuple[str, Any], ...] = ()
    only_new: tuple[tuple[str, Any], ...] = ()

    def of_kind(self, *kinds: str) -> tuple[QuestionChange, ...]:
        """Return the questions that improved, are worse, flaky, flipped or the same; clearest first."""
        chosen = [row for row in self.rows if row.change in kinds]
        return tuple(sorted(chosen, key=lambda row: (kinds.index(row.change), row.q_value, -abs(row.new - row.old))))

    @property
    def improved(self) -> tuple[QuestionChange, ...]:
        """The questions that are called better than before."""
        return self.of_kind("improved")

    @property
    def worse(self) -> tuple[QuestionChange, ...]:
        """The questions that are called worse than before."""
        return self.of_kind("worse")

    @property
    def can_tell(self) -> bool:
        """Whether there are enough trials to call the change of some question."""
        return (
            any(row.old_trials * row.new_trials > 0 for row in self.rows)
            and min(2.0 / _ways(row.old_trials, row.new_trials) for row in self.rows) <= self.fdr
        )

    def __str__(self) -> str:
        counts = {kind: sum(row.change == kind for row in self.rows) for kind in KINDS}
        called = f"{counts['improved']} improved and {counts['worse']} are worse"
        rest = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS[2:] if counts[kind])
        about = f"of {pluralize(len(self.rows), 'question')}, {called} (false-discovery rate {self.fdr:g})"
        lone = len(self.only_old) + len(self.only_new)
        more = [f"{pluralize(lone, 'question')} in one run only"] if lone else []
        few = [] if self.can_tell else [_FEW_TRIALS]
        return "; ".join(filter(None, [about, rest, *more, *few]))

    def to_csv(self) -> str:
        """Return the questions as CSV; texts that a spreadsheet would take for formulas begin with an apostrophe."""
        text = io.StringIO()
        writer = csv.DictWriter(text, fieldnames=list(QuestionChange.__dataclass_fields__), lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: no_formula(value) for name, value in record.items()} for record in self._records())
        return text.getvalue()

    def to_html(self) -> str:
        """Return the changed and the flaky questions as a table in HTML."""
        return self._display_table().html()

    def to_dict(self) -> dict[str, Any]:
        """Return all values and parameters, ready for JSON."""
        values: dict[str, Any] = strict(super().to_dict() | {"rows": self._records()})
        return values

    def _records(self) -> Sequence[Mapping[str, Any]]:
        return [dict(vars(row)) for row in self.rows]

    def _display_table(self) -> Table:
        return changes_table(str(self), self.names, self.of_kind("improved", "worse", "flipped"), _NOTES)

    def flaky_table(self, limit: int = 20) -> Table:
        """Return the flaky questions as a table, those with the clearest difference first."""
        flaky = self.of_kind("flaky")
        more = len(flaky) - limit
        notes = [f"and {pluralize(more, 'question')} more"] if more > 0 else []
        return changes_table(f"flaky: {pluralize(len(flaky), 'question')}", self.names, flaky[:limit], notes)


def _ways(one: int, other: int) -> float:
    """Return the number of ways to divide the trials of both runs, roughly where it is large."""
    return float(
        np.exp(min(np.log(np.arange(1, other + 1) + one).sum() - np.log(np.arange(1, other + 1)).sum(), 600.0))
    )


@underflow_is_zero
def question_diff(old: Any, new: Any, *, model: str | tuple[str, str] | None = None, fdr: float = 0.1) -> QuestionDiff:
    """Say which questions a model answers better or worse than before, at a false-discovery rate.

    Of the questions that are called ``improved`` or ``worse``, a share of at most ``fdr`` is expected not to have
    changed. Pass/fail outcomes are compared by Fisher's exact test per question, and the correction for the number of
    questions knows which p-values these numbers of trials can give. Rewards are compared by a permutation test with a
    normal approximation. Questions that are not called are ``flaky`` if the outcome differs between trials of one run,
    ``flipped`` if it does not and the runs differ (too few trials to call it), and else the ``same``.

    ``p_better`` is the probability that the rate is higher now, from independent posteriors under Jeffreys' prior; it
    is about one question alone. ``old`` and ``new`` are outcomes of one model, an ``OutcomeSet`` or a ``Suite``;
    ``model`` chooses the model, or the pair of models. Questions are matched by label.

    >>> old = OutcomeMatrix.from_counts([8, 8, 0, 4], 8, questions=["a", "b", "c", "d"])
    >>> new = OutcomeMatrix.from_counts([0, 8, 0, 5], 8, questions=["a", "b", "c", "d"])
    >>> diff = question_diff(old, new)
    >>> print(diff)
    of 4 questions, 0 improved and 1 are worse (false-discovery rate 0.1); 1 flaky, 2 same
    >>> diff.worse[0].question
    'a'
    """
    open_unit("fdr", fdr)
    names, pairs = pair_of_models(old, new, model, ("old", "new"))
    rows: list[tuple[str, Any]] = []
    parts: list[tuple[OutcomeMatrix, OutcomeMatrix]] = []
    lone: tuple[list[tuple[str, Any]], list[tuple[str, Any]]] = ([], [])
    for task, pair in pairs.items():
        lined_up = _lined_up(task, *pair)
        parts.append(lined_up)
        labels = lined_up[0].questions or tuple(range(lined_up[0].n_questions))
        rows += [(task, label) for label in labels]
        for side, matrix in zip(lone, pair, strict=True):
            side += [(task, label) for label in matrix.questions or () if label not in set(labels)]
    change = changes(parts, fdr)
    found = [QuestionChange(*row, *values) for row, values in zip(rows, _values(change, fdr), strict=True)]
    return QuestionDiff(names, tuple(found), fdr, *map(tuple, lone))


def _lined_up(task: str, old: OutcomeMatrix, new: OutcomeMatrix) -> tuple[OutcomeMatrix, OutcomeMatrix]:
    try:
        if old.questions is None and new.questions is None:
            return _of_one_length(old, new)
        first, second = shared_questions(old, new)
    except OutcomeError as error:
        raise (error.at(f"task {task}") if task else error) from None
    return first, second


def _of_one_length(old: OutcomeMatrix, new: OutcomeMatrix) -> tuple[OutcomeMatrix, OutcomeMatrix]:
    if old.n_questions != new.n_questions:
        problem = f"the runs have {old.n_questions} and {new.n_questions} questions without labels"
        raise OutcomeError(problem, hint="pass questions=[...] with the outcomes")
    return old, new


def _values(change: Change, fdr: float) -> list[tuple[Any, ...]]:
    """Return the numbers of each question, and what is said of it."""
    called = change.q <= fdr
    kind = np.where(change.mixed, 2, np.where(change.sign == 0, 4, 3))
    kind = np.where(called, np.where(change.sign == BETTER, 0, 1), kind)
    numbers: list[Any] = [change.old, change.new, change.old_trials, change.new_trials]
    columns = [*numbers, change.p_better, change.p, change.q, kind]
    return [(*line[:-1], KINDS[line[-1]]) for line in zip(*(column.tolist() for column in columns), strict=True)]
