"""Outcomes that come in batches: what a batch holds, in any array library, and the running totals of all batches."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Counts, Indices, Vector
from ..errors import OutcomeError
from ._foreign_arrays import as_numpy
from ._from_arrays import count as count_table
from ._from_arrays import has_fractions
from ._from_rewards import RewardTrials, read_rewards
from ._matrix import OutcomeMatrix
from ._outcome_values import MOST_LEVELS, check_size, is_continuous, scale_of
from ._reward_matrix import RewardMatrix
from ._reward_summary import RewardSummary, pooled
from ._table import as_table, check_trials, is_flat, planned_trials, rewards_of_words

_WAITING = 1 << 16  # trials of batches that are added to the totals at once


class QuestionRows(dict[Hashable, int]):
    """The row of each question, in the order in which questions were first asked."""

    def rows(self, questions: Iterable[Hashable]) -> Indices:
        """Return the row of each question of a batch, at least one; new questions get the next rows."""
        labels: Any = questions
        if not isinstance(questions, (list, tuple)):
            labels = as_numpy(questions).tolist() if hasattr(questions, "__array__") else list(questions)
        if len(labels) == 0:
            raise OutcomeError("a batch needs at least one question")
        try:
            return np.fromiter(map(self.__getitem__, labels), np.intp, len(labels))
        except KeyError:
            return np.array([self._row(label) for label in labels], np.intp)
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


class Trials(NamedTuple):
    """Trials of questions by their rows: the reward or category of each, NaN for a missing one, and how many there are.

    ``n_rows`` is the number of all questions so far.
    """

    rows: Indices
    values: Vector
    times: Counts
    n_rows: int


def trials_of_batch(outcomes: Any, rows: Indices, n_rows: int, missing: int, *, rewards: bool) -> Trials:
    """Return the trials of a batch, whose questions have these rows."""
    table = _table(outcomes, len(rows))
    if rewards:
        found, planned = read_rewards(table, missing, "outcomes")
        where, values, times = found.rows, found.rewards, np.ones(found.rewards.size, np.int64)
        present, n_read = np.bincount(where, minlength=found.n_rows), found.n_rows
        if values.size:
            check_size((float(values.min()), float(values.max())), "outcomes")
    else:
        counts, planned = _read_categories(table, missing)
        where, category = np.nonzero(counts)
        values, times = category.astype(np.float64), counts[where, category]
        present, n_read = counts.sum(axis=1), len(counts)
    _check_size(n_read, len(rows))
    absent = planned - present
    if absent.any():
        lost = np.flatnonzero(absent)
        where, times = np.append(where, lost), np.append(times, absent[lost])
        values = np.append(values, np.full(lost.size, np.nan))
    return Trials(rows[where], values, times, n_rows)


def _read_categories(values: Any, missing: int) -> tuple[Counts, int | Counts]:
    """Return the counts and the planned trials of outcomes of any form; all of them may be missing."""
    table = as_table(values, "outcomes")
    check_trials(table, missing, "outcomes")
    words = rewards_of_words(table, "outcomes")
    if words is not None and has_fractions(words):
        raise OutcomeError("these are rewards between 0 and 1", hint="Accumulator(rewards=True) adds them")
    return count_table(table if words is None else words, 0, missing, "outcomes"), planned_trials(table)


def _table(outcomes: Any, count: int) -> Any:
    """Return the outcomes with one row per question of the batch; a flat batch has one outcome per question."""
    if isinstance(outcomes, np.ma.MaskedArray):
        array: Any = outcomes
    elif isinstance(outcomes, (list, tuple)) and not is_flat(outcomes):
        _check_size(len(outcomes), count)
        return outcomes
    else:
        array = as_numpy(outcomes)
    if array.ndim != 1 or count == 1:
        return array.reshape(1, -1) if array.ndim == 1 else array
    _check_size(len(array), count)
    return array.reshape(count, 1)


def _check_size(rows: int, count: int) -> None:
    """Check that there are as many rows as the batch has questions."""
    if rows != count:
        raise OutcomeError(f"outcomes have {rows} rows for {count} questions")


class Totals(NamedTuple):
    """Totals by row: the counts of each level, (n, levels), and the missing trials, (n,).

    Of continuous rewards, there is a summary instead of counts.
    """

    levels: Vector
    counts: Counts
    absent: Counts
    rewards: RewardSummary | None = None

    def spread(self, rows: Indices, n_rows: int, levels: Vector) -> Totals:
        """Return the same totals with their rows among more, ascending, and their levels among more."""
        counts, absent = np.zeros((n_rows, len(levels)), np.int64), np.zeros(n_rows, np.int64)
        absent[rows] = self.absent
        counts[np.ix_(rows, np.searchsorted(levels, self.levels))] = self.counts
        rewards = self.rewards
        if rewards is not None:
            values = rewards.take(np.argsort(rows)).values
            rewards = replace(rewards.spread(rows, n_rows), values=values)
        return Totals(levels, counts, absent, rewards)


NOTHING = Totals(np.zeros(0), np.zeros((0, 0), np.int64), np.zeros(0, np.int64))


class Tally:
    """Running totals of trials. Rewards with more than 50 levels are kept themselves, or their moments are.

    Categories have any number of levels. A batch is added in one step, or not at all if anything interrupts it.
    """

    def __init__(self, *, rewards: bool, keep_values: bool) -> None:
        self._most_levels = MOST_LEVELS if rewards else math.inf
        self._is_categories, self._keep_values = not rewards, keep_values
        self._totals_and_waiting: tuple[Totals, list[Trials]] = NOTHING, []
        self._size = 0  # of the trials that wait, about

    @property
    def n_rows(self) -> int:
        """The number of questions that have a row."""
        totals, waiting = self._totals_and_waiting
        return waiting[-1].n_rows if waiting else len(totals.absent)

    def add(self, trials: Trials) -> None:
        """Add the trials of a batch."""
        counted = self._totals_and_waiting[0]
        kept = 0 if counted.rewards is None or counted.rewards.values is None else counted.rewards.values.size
        if self._size >= max(_WAITING, counted.counts.size, kept):
            self.totals()
        self._size += trials.values.size
        self._totals_and_waiting[1].append(trials)

    def totals(self) -> Totals:
        """Return the totals of all batches."""
        totals, waiting = self._totals_and_waiting
        if waiting:
            rows, values, times = (
                np.concatenate(column) for column in zip(*(each[:3] for each in waiting), strict=True)
            )
            totals = self._sum(totals, self._of_trials(Trials(rows, values, times, self.n_rows)))
            self._totals_and_waiting, self._size = (totals, []), 0
        return totals

    def absorb(self, totals: Totals, rows: Indices, n_rows: int) -> None:
        """Add other totals, whose row ``i`` is the row ``rows[i]`` of ``n_rows`` rows."""
        self._totals_and_waiting = self._sum(self.totals(), totals.spread(rows, n_rows, totals.levels)), []

    def _of_trials(self, trials: Trials) -> Totals:
        is_missing, n_rows = np.isnan(trials.values), trials.n_rows
        absent = np.zeros(n_rows, np.int64)
        np.add.at(absent, trials.rows[is_missing], trials.times[is_missing])
        kept = ~is_missing
        found = RewardTrials(trials.values[kept], trials.rows[kept], n_rows, "outcomes", trials.times[kept])
        levels = np.unique(found.rewards)
        if len(levels) > self._most_levels:
            return Totals(levels[:0], np.zeros((n_rows, 0), np.int64), absent, self._summary(found))
        cells = found.rows * len(levels) + np.searchsorted(levels, found.rewards)
        counts = np.bincount(cells, found.times, n_rows * len(levels)).astype(np.int64)
        return Totals(levels, counts.reshape(n_rows, -1), absent)

    def _summary(self, trials: RewardTrials) -> RewardSummary:
        summary = trials.summary()
        return summary if self._keep_values else summary.without_values()

    def _sum(self, one: Totals, other: Totals) -> Totals:
        """Return the sum of totals, of which the second have all rows."""
        n_rows, levels = len(other.absent), np.union1d(one.levels, other.levels)
        both = [each.spread(np.arange(len(each.absent)), n_rows, levels) for each in (one, other)]
        absent, counts = both[0].absent + both[1].absent, both[0].counts + both[1].counts
        summaries = [each.rewards for each in both if each.rewards is not None]
        if not summaries and len(levels) <= self._most_levels:
            return Totals(levels, counts, absent)
        if counts.any():
            rows, level = np.nonzero(counts)
            summaries.append(self._summary(RewardTrials(levels[level], rows, n_rows, "outcomes", counts[rows, level])))
        summary = summaries[0]
        for more in summaries[1:]:
            summary = pooled(summary, more)
        return Totals(levels[:0], counts[:, :0], absent, summary)

    def content(self) -> OutcomeMatrix:
        """Return the outcomes without labels: those that all trials make at once."""
        totals = self.totals()
        if self._is_categories or totals.rewards is not None:
            return self.stored()
        rows, level = np.nonzero(totals.counts)
        times = totals.counts[rows, level]
        trials = RewardTrials(totals.levels[level], rows, self.n_rows, "the accumulator", times)
        planned = totals.counts.sum(axis=1) + totals.absent
        if is_continuous(trials.rewards, int(times.sum())):
            return RewardMatrix.of_parts(self._summary(trials), planned)
        return OutcomeMatrix.of_reduced(trials.counts(), planned, None, None)

    def stored(self) -> OutcomeMatrix:
        """Return the totals as they are, with every level that occurred."""
        totals = self.totals()
        if totals.rewards is not None:
            return RewardMatrix.of_parts(totals.rewards, totals.rewards.trials + totals.absent)
        if self._is_categories:
            levels, scale = np.arange(max(2.0, totals.levels.max(initial=0.0) + 1.0)), None
        else:
            levels = np.sort(scale_of(totals.levels if len(totals.levels) else (0.0,), 1, "the accumulator"))
            scale = tuple(levels.tolist())
        every = totals.spread(np.arange(self.n_rows), self.n_rows, levels)
        planned = every.counts.sum(axis=1) + totals.absent
        return OutcomeMatrix.of_parts(every.counts, planned, None, None, None, scale)


def totals_of(matrix: OutcomeMatrix) -> Totals:
    """Return the totals that ``stored`` outcomes were made of."""
    absent = matrix.planned_trials - matrix.trials
    if isinstance(matrix, RewardMatrix):
        return Totals(np.zeros(0), np.zeros((matrix.n_questions, 0), np.int64), absent, matrix.summary)
    return Totals(np.array(matrix.levels or range(matrix.n_categories), np.float64), matrix.counts, absent)
