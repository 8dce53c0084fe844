"""Outcomes that come in batches: what a batch holds, in any array library, and the running totals of all batches.

Totals are counts by category, or rewards by level until there are too many levels.
"""

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple, cast

import numpy as np

from .._arrays import Counts, Indices, Vector
from .._kernels.count_outcomes import scan
from ..errors import OutcomeError
from ._counting import scan_blocks
from ._foreign_arrays import as_numpy, is_number_type
from ._from_arrays import count as count_table
from ._from_arrays import has_fractions
from ._from_rewards import RewardTrials, read_rewards
from ._matrix import OutcomeMatrix
from ._outcome_values import MOST_LEVELS, OMIT, PASS_FAIL, RAISE, check_size, is_continuous, scale_of
from ._reward_matrix import RewardMatrix
from ._reward_summary import RewardSummary, pooled, ragged_summary, summarize
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


_FEW = 16  # levels that are faster compared one by one than searched
_PENDING = 64  # batches of rewards that are summed up together where they are not kept


class Tally:
    """Totals of the first ``n`` rows, which grow as rows are added; each category has a row of its own in ``table``."""

    def __init__(self) -> None:
        self.n = 0
        self.table = np.zeros((2, 16), np.int64)
        self.absent = np.zeros(16, np.int64)

    @property
    def counts(self) -> Counts:
        """The counts by row and category, (n, C+1)."""
        return np.ascontiguousarray(self.table[:, : self.n].T)

    def add(self, rows: Indices, batch: Batch, n: int) -> None:
        """Add a batch, in which a row may occur more than once; ``n`` is the number of rows there are now.

        If anything interrupts it, nothing of the batch is added.
        """
        earlier, chunks = dict(self.__dict__), getattr(self, "chunks", None)
        known = rows[rows < self.n]
        counts, absent, waiting = self.table[:, known], self.absent[known], len(chunks or ())
        try:
            if n > self.n:
                self.grow(n)
            if batch.absent is not None:
                np.add.at(self.absent, rows, batch.absent)
            self._add(rows, batch)
        except BaseException:
            self.__dict__.update(earlier)
            self.table[:, self.n :], self.absent[self.n :] = 0, 0
            self.table[:, known], self.absent[known] = counts, absent
            del (chunks or [])[waiting:]
            raise

    def _add(self, rows: Indices, batch: Batch) -> None:
        raise NotImplementedError

    def grow(self, n: int) -> None:
        """Make room for so many rows."""
        self.n = n
        more = max(n, 2 * len(self.absent)) - len(self.absent) if n > len(self.absent) else 0
        if more:
            self.table = np.pad(self.table, ((0, 0), (0, more)))
            self.absent = np.pad(self.absent, (0, more))


class CategoryTally(Tally):
    """Counts by category."""

    read = staticmethod(categories_of)

    def _add(self, rows: Indices, batch: Batch) -> None:
        counts = cast("Counts", batch.counts)
        width = counts.shape[1]
        if width > len(self.table):
            self.table = np.pad(self.table, ((0, width - len(self.table)), (0, 0)))
        for total, more in zip(self.table, counts.T, strict=False):
            np.add.at(total, rows, more)

    def content(self) -> OutcomeMatrix:
        """Return the outcomes without labels."""
        return OutcomeMatrix._of_table(self.counts, self.table[:, : self.n].sum(axis=0) + self.absent[: self.n])

    stored = content

    def absorb(self, matrix: OutcomeMatrix, rows: Indices) -> None:
        """Add the trials of outcomes; their question ``i`` is the row ``rows[i]``."""
        self._add(rows, Batch(matrix.counts, None))


class RewardTally(Tally):
    """Rewards by level; from the 51st level on, the rewards themselves, or their moments."""

    def __init__(self, *, keep_values: bool) -> None:
        super().__init__()
        self.levels = np.zeros(0)
        self.keep_values = keep_values
        # Rows, the number of rewards of each (or of all), and the rewards.
        self.chunks: list[tuple[Indices, int | Counts, Vector]] | None = None
        self.moments: RewardSummary | None = None

    read = staticmethod(rewards_of)

    def _add(self, rows: Indices, batch: Batch) -> None:
        if batch.counts is not None:  # rewards of 0 and 1
            self._add_levels(rows, np.array(PASS_FAIL), batch.counts)
            return
        values = cast("Vector", batch.values)
        if self.chunks is None and values.size:
            levels, codes = self._coded(values)
            if codes is not None:
                self._add_levels(rows, levels, _counted(codes, batch.lengths, len(levels)))
                return
            self._turn_continuous()
        self._append(rows, batch.lengths, values)

    def _coded(self, values: Vector) -> tuple[Vector, Any]:
        """Return the levels so far with those of some rewards, and the level of each; None where they are too many."""
        codes, known = _codes(self.levels, values)
        if known.all():
            return self.levels, codes
        levels = np.union1d(self.levels, values[~known])
        return levels, _codes(levels, values)[0] if len(levels) <= MOST_LEVELS else None

    def _add_levels(self, rows: Indices, levels: Vector, counts: Counts) -> None:
        """Add counts by level, as rewards if there are too many levels by now."""
        if self.chunks is None:
            union = levels if levels is self.levels or not len(self.levels) else np.union1d(self.levels, levels)
            if len(union) <= MOST_LEVELS:
                self._set_levels(union)
                places = range(len(levels)) if len(union) == len(levels) else np.searchsorted(union, levels)
                for place, more in zip(places, counts.T, strict=False):
                    np.add.at(self.table[place], rows, more)
                return
            self._turn_continuous()
        row, category = np.nonzero(counts[:, : len(levels)])
        times = counts[row, category]
        self._append(rows[row], times, np.repeat(levels[category], times))

    def _set_levels(self, levels: Vector) -> None:
        if len(levels) > len(self.levels):
            table = np.zeros((max(2, len(levels)), self.table.shape[1]), np.int64)
            table[np.searchsorted(levels, self.levels)] = self.table[: len(self.levels)]
            self.levels, self.table = levels, table

    def _turn_continuous(self) -> None:
        """Keep the rewards from now on; those that were counted are known by their levels."""
        counts, self.chunks = self.counts, []
        self.table = np.zeros_like(self.table[:2])
        if len(self.levels):
            self._add_levels(np.arange(self.n), self.levels, counts)

    def _append(self, rows: Indices, lengths: int | Counts, values: Vector) -> None:
        if values.size:
            chunks: Any = self.chunks
            chunks.append((rows, lengths, values))
            if not self.keep_values and len(chunks) >= _PENDING:
                self._fold()

    def _fold(self) -> None:
        """Sum up the rewards that are waiting, and forget them."""
        if self.chunks:
            rows, values = _joined(self.chunks)
            more = ragged_summary(values, rows, np.bincount(rows, minlength=self.n))
            self.chunks = []
            self.moments = self._with_moments(more.without_values())

    def _with_moments(self, more: RewardSummary) -> RewardSummary:
        earlier = self.moments  # of fewer rows
        return more if earlier is None else pooled(earlier.spread(np.arange(len(earlier.trials)), self.n), more)

    def _trials(self) -> RewardSummary | None:
        """Return the summary of the rewards that are kept, or that are waiting."""
        if not self.chunks:
            return None
        rows, values = _joined(self.chunks)
        if len(self.chunks) > 1:
            order = np.argsort(values)  # so that the order of batches does not matter
            kind = np.uint16 if self.n <= 1 << 16 else np.int64  # which numpy sorts in linear time
            order = order[np.argsort(rows[order].astype(kind), kind="stable")]
            rows, values = rows[order], values[order]
            if self.keep_values:
                self.chunks = [(rows, 1, values)]
        order = np.argsort(rows, kind="stable")
        return summarize(values[order], rows[order], self.n)

    def content(self) -> OutcomeMatrix:
        """Return the outcomes without labels, as ``from_rewards`` makes them of all rewards."""
        if self.chunks is not None:
            return self._continuous()
        counts = self.counts
        planned = counts.sum(axis=1) + self.absent[: self.n]
        if tuple(self.levels) == PASS_FAIL and counts.any():
            return OutcomeMatrix._of_table(counts, planned)
        rows, category = np.nonzero(counts[:, : len(self.levels)])
        times = counts[rows, category]
        trials = RewardTrials(self.levels[category], rows, self.n, "the accumulator", times)
        if is_continuous(trials.rewards, int(times.sum())):
            summary = trials.summary() if self.keep_values else trials.summary().without_values()
            return RewardMatrix._of_table(summary, planned)
        return OutcomeMatrix._of_reduced(trials.counts(), planned, None, None)

    def _continuous(self) -> OutcomeMatrix:
        trials = self._trials()
        empty = RewardSummary(np.zeros(self.n, np.int64), np.full(self.n, np.nan), np.zeros(self.n), np.zeros(self.n))
        summary = trials or empty
        if not self.keep_values:
            summary = self._with_moments(summary.without_values())
        return RewardMatrix._of_table(summary, summary.trials + self.absent[: self.n])

    def stored(self) -> OutcomeMatrix:
        """Return the totals as they are, with every level that occurred."""
        if self.chunks is not None:
            return self._continuous()
        if len(self.levels) < 2:  # a scale has two
            self._set_levels(np.sort(scale_of(self.levels if len(self.levels) else (0.0,), 1, "the accumulator")))
        counts, levels = self.counts, tuple(self.levels.tolist())
        return OutcomeMatrix._of_table(counts, counts.sum(axis=1) + self.absent[: self.n], None, None, None, levels)

    def absorb(self, matrix: OutcomeMatrix, rows: Indices) -> None:
        """Add the trials of outcomes; their question ``i`` is the row ``rows[i]``."""
        if not isinstance(matrix, RewardMatrix):
            self._add_levels(rows, np.array(matrix.levels or PASS_FAIL), matrix.counts)
            return
        if self.chunks is None:
            self._turn_continuous()
        summary = matrix._summary
        if summary.values is not None:
            self._append(rows, summary.trials, summary.values)
        else:
            self._fold()
            self.moments = self._with_moments(summary.spread(rows, self.n))


def _codes(levels: Vector, values: Vector) -> tuple[Any, Any]:
    """Return the place of each reward among the levels, and which rewards are a level."""
    if not len(levels) or len(levels) > _FEW:
        codes = np.searchsorted(levels, values)
        return codes, codes < len(levels) if not len(levels) else levels.take(codes, mode="clip") == values
    codes, known = np.zeros(values.size, np.int8), values == levels[0]
    for place, level in enumerate(levels[1:], 1):
        here = values == level
        known |= here
        codes += here * np.int8(place)
    return codes, known


def _joined(chunks: list[tuple[Indices, int | Counts, Vector]]) -> tuple[Indices, Vector]:
    """Return the row of each reward, and the rewards."""
    rows = np.concatenate([np.repeat(rows, lengths) for rows, lengths, _ in chunks])
    return rows, np.concatenate([values for _, _, values in chunks])


def _counted(codes: Any, lengths: int | Counts, levels: int) -> Counts:
    """Return how often each row has each level."""
    if isinstance(lengths, int):
        counts, _ = scan(codes.reshape(-1, lengths), max(2, levels), RAISE)
    else:
        counts, _ = scan(codes, max(2, levels), RAISE, np.concatenate([[0], np.cumsum(lengths)]))
    return cast("Counts", counts)
