"""Reading real-valued rewards: counted by level, or summarized where they are continuous."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import Counts, Flags, Indices, Vector
from ..errors import OutcomeError
from ._outcome_values import (
    FAIL,
    OMIT,
    RAISE,
    REMEDIES,
    Levels,
    check_size,
    failure_reward,
    is_continuous,
    is_missing,
    scale_of,
)
from ._reward_summary import RewardSummary, summarize
from ._table import Ragged, Table, as_table, n_rows, place, planned_trials, rewards_of_words

# What trials are reduced to: counts by level and the levels, or the summary of continuous rewards and None.
Reduced = tuple[Counts | RewardSummary, Levels | None]


@dataclass(frozen=True, eq=False)
class RewardTrials:
    """Finite rewards, the question of each, and how often each occurs (once without ``times``).

    The rows are questions, or questions of one model after another: rewards of ``n_rows`` of them, in any order.
    Of a table, ``planned`` trials are listed for each row, of which those that are ``kept`` have an outcome.
    """

    rewards: Vector
    rows: Indices
    n_rows: int
    name: str
    times: Counts | None = None
    planned: int | Counts = 0
    kept: Any = True

    def reduced(self, max_levels: int | None = None) -> Reduced:
        """Return the counts by level; of continuous rewards, the summary."""
        trials = self.rewards.size if self.times is None else int(self.times.sum())
        return (self.summary(), None) if is_continuous(self.rewards, trials, max_levels) else self.counts()

    def of_models(self, models: int, max_levels: int | None = None) -> list[Reduced]:
        """Return what ``reduced`` returns, for each of so many models with equally many rows; all are of one kind."""
        content, levels = self.reduced(max_levels)
        if isinstance(content, RewardSummary):
            return [(content.take(where), None) for where in np.split(np.arange(self.n_rows), models)]
        return [(counts, levels) for counts in np.split(content, models)]

    def with_failures(self, failed: Counts) -> "RewardTrials":
        """Return the trials with so many more of each row that count as failures."""
        [rows] = np.nonzero(failed)
        times = np.ones(self.rewards.size, np.int64) if self.times is None else self.times
        return RewardTrials(
            np.append(self.rewards, np.full(rows.size, failure_reward(self.rewards))),
            np.append(self.rows, rows),
            self.n_rows,
            self.name,
            np.append(times, failed[rows]),
        )

    def summary(self) -> RewardSummary:
        """Return the number of trials of each row, their mean and central sums, and the trials in the order of rows."""
        if not self.rewards.size:
            raise OutcomeError(f"{self.name} has no outcome: every one is missing")
        check_size((float(self.rewards.min()), float(self.rewards.max())), self.name)
        rewards, rows, times = self.rewards, self.rows, self.times
        if (np.diff(rows) < 0).any():
            order = np.argsort(rows, kind="stable")
            rewards, rows, times = rewards[order], rows[order], None if times is None else times[order]
        if times is not None:
            rewards, rows = np.repeat(rewards, times), np.repeat(rows, times)
        return summarize(rewards, rows, self.n_rows)

    def counts(self) -> tuple[Counts, Levels]:
        """Return the counts by level, (n_rows, C+1), and the C+1 levels."""
        levels = scale_of(self.rewards, self.n_rows, self.name)
        cells = self.rows * len(levels) + np.searchsorted(levels, self.rewards)
        if self.times is None:
            counts = np.bincount(cells, minlength=self.n_rows * len(levels)).astype(np.int64, copy=False)
        else:
            counts = np.zeros(self.n_rows * len(levels), np.int64)
            np.add.at(counts, cells, self.times)
        return counts.reshape(self.n_rows, len(levels)), levels


def read_rewards(values: Any, missing: int, name: str = "values") -> RewardTrials:
    """Return the rewards of a matrix, and the trials planned for each question."""
    table = as_table(values, name, "real numbers")
    words = rewards_of_words(table, name)
    return trials_of(table if words is None else words, missing, name)


def trials_of(table: Table, missing: int, name: str) -> RewardTrials:
    """Return what ``read_rewards`` does, from a table without words."""
    planned = planned_trials(table)
    lengths = planned if isinstance(planned, np.ndarray) else np.full(n_rows(table), planned)
    if not lengths.size or not lengths.any() or (missing != OMIT and not lengths.all()):
        raise OutcomeError(f"{name} needs at least one reward for every question")
    rewards, hidden = reals(table.flat if isinstance(table, Ragged) else table)
    faulty = (np.isinf(rewards) if missing != RAISE else ~np.isfinite(rewards)) & ~hidden
    if faulty.any():
        first = int(np.argmax(faulty))
        is_nan = np.isnan(rewards[first])
        fault = "NaN, a trial without an outcome" if is_nan else "not a finite number"
        raise OutcomeError(f"{name}[{place(table, first)}] is {fault}", remedies=REMEDIES if is_nan else ())
    rows: Indices = np.repeat(np.arange(lengths.size), lengths)
    absent = np.isnan(rewards)
    if missing == FAIL and absent.any():
        rewards[absent & ~hidden] = failure_reward(rewards[~absent & ~hidden])
        absent = np.isnan(rewards)
    kept = ~(absent | hidden)
    if not kept.all():
        rewards, rows = rewards[kept], rows[kept]
    return RewardTrials(rewards, rows, lengths.size, name, planned=planned, kept=kept)


def reals(array: NDArray[Any]) -> tuple[Vector, Flags]:
    """Return every reward in row order, infinite where it is not a number; and which entries are masked."""
    hidden = np.ma.getmaskarray(array).ravel()
    data = np.asarray(array).ravel()
    if data.dtype.kind == "O":
        return np.fromiter(map(_real, data), np.float64, data.size) + 0.0, hidden
    with np.errstate(over="ignore", invalid="ignore"):
        return data.astype(np.float64) + 0.0, hidden


def _real(value: Any) -> float:
    if is_missing(value):
        return np.nan
    try:
        return np.inf if isinstance(value, (str, bytes)) else float(value)
    except (TypeError, ValueError, OverflowError):
        return np.inf
