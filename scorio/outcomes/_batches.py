"""One batch of a growing log: which questions were asked, and the outcomes of each, in any array library."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Counts, Vector
from ..errors import OutcomeError
from ._counting import scan_blocks
from ._foreign_arrays import as_numpy, is_number_type
from ._from_arrays import count as count_table
from ._from_arrays import has_fractions
from ._from_rewards import read_rewards
from ._outcome_values import OMIT, RAISE, check_size
from ._table import as_table, check_trials, is_flat, planned_trials, rewards_of_words


class Batch(NamedTuple):
    """Outcomes of some rows: counts by category (of rewards: 0 and 1), or ``lengths`` rewards of each row in turn.

    ``absent`` is the number of trials of each row without an outcome; None where every trial has one.
    """

    counts: Counts | None
    absent: Counts | None
    lengths: int | Counts = 0  # one number where all rows have as many
    values: Vector | None = None


class QuestionRows(dict[Hashable, int]):
    """The row of each question, in the order in which questions were first asked."""

    def rows(self, questions: Iterable[Hashable]) -> list[int]:
        """Return the row of each question of a batch, at least one; new questions get the next rows."""
        labels: Any = questions
        if not isinstance(questions, (list, tuple)):
            labels = as_numpy(questions).tolist() if hasattr(questions, "__array__") else list(questions)
        if len(labels) == 0:
            raise OutcomeError("a batch needs at least one question")
        try:
            return list(map(self.__getitem__, labels))
        except KeyError:
            return [self._row(label) for label in labels]
        except TypeError:
            raise OutcomeError("questions must be a sequence of labels that can be hashed") from None

    def _row(self, label: Any) -> int:
        try:
            row = self.get(label)
        except TypeError:
            raise OutcomeError(f"a question has the label {label!r}, which cannot be hashed") from None
        if row is None:
            if label != label:  # noqa: PLR0124 - NaN and its kin
                raise OutcomeError(f"a question has the label {label!r}, which does not equal itself")
            row = self[label] = len(self)
        return row


def categories_of(outcomes: Any, count: int, missing: int) -> Batch:
    """Return the counts of a batch of categories."""
    table = _table(outcomes, count)
    if type(table) is np.ndarray and is_number_type(table.dtype) and table.size:
        counts, _ = scan_blocks(table, 0, missing)
        if counts is not None:
            absent = None if missing != OMIT or table.dtype.kind != "f" else table.shape[1] - counts.sum(axis=1)
            return Batch(_of_size(counts, count), absent)
    counts, planned = _read_categories(table, missing)
    absent = planned - counts.sum(axis=1)
    return Batch(_of_size(counts, count), absent if absent.any() else None)


def _read_categories(values: Any, missing: int) -> tuple[Counts, int | Counts]:
    """Return the counts and the planned trials of outcomes of any form; all of them may be missing."""
    table = as_table(values, "outcomes")
    check_trials(table, missing, "outcomes")
    words = rewards_of_words(table, "outcomes")
    if words is not None and has_fractions(words):
        raise OutcomeError("these are rewards between 0 and 1", hint="Accumulator(rewards=True) adds them")
    return count_table(table if words is None else words, 0, missing, "outcomes"), planned_trials(table)


def rewards_of(outcomes: Any, count: int, missing: int) -> Batch:
    """Return the rewards of a batch."""
    table = _table(outcomes, count)
    if type(table) is np.ndarray and is_number_type(table.dtype) and table.size:
        counts, _ = scan_blocks(table, 2, RAISE)
        if counts is not None:  # rewards of 0 and 1
            return Batch(_of_size(counts, count), None)
        values = table.astype(np.float64) + 0.0
        extremes = float(values.min()), float(values.max())  # NaN if one is
        if np.isfinite(extremes).all():
            check_size(extremes, "outcomes")
            return Batch(None, None, _of_size(values, count).shape[1], values.ravel())
    trials, planned = read_rewards(table, missing, "outcomes")
    lengths = np.bincount(trials.rows, minlength=trials.n_rows).astype(np.int64, copy=False)
    absent = planned - lengths
    if trials.rewards.size:
        check_size((float(trials.rewards.min()), float(trials.rewards.max())), "outcomes")
    return Batch(None, absent if absent.any() else None, _of_size(lengths, count), trials.rewards)


def _table(outcomes: Any, count: int) -> Any:
    """Return the outcomes with one row per question of the batch; a flat batch has one outcome per question."""
    if isinstance(outcomes, np.ma.MaskedArray):
        array: Any = outcomes
    elif isinstance(outcomes, (list, tuple)) and not is_flat(outcomes):
        return outcomes if len(outcomes) == count else _of_size(np.zeros(len(outcomes)), count)
    else:
        array = as_numpy(outcomes)
    if array.ndim == 1:
        return array.reshape(1, -1) if count == 1 else _of_size(array, count).reshape(count, 1)
    return array


def _of_size(rows: Any, count: int) -> Any:
    """Return the rows, checked to be as many as the questions of the batch."""
    if len(rows) != count:
        raise OutcomeError(f"outcomes have {len(rows)} rows for {count} questions")
    return rows
