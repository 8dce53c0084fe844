"""Real-valued rewards: read, and counted by level, or summed up where they are continuous.

Of continuous rewards, the number of trials of each question, their mean and two central sums are kept. The sums are
taken around each question's mean, in a second pass over the trials, so a large common value costs no digits. The trials
themselves, 8 bytes each, are kept for Max@k, which needs their order, and are sorted when it first asks.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._base.arrays import Counts, Flags, Indices, Vector, cached_property, read_only
from ..errors import OutcomeError, ParameterError
from ._outcome_values import (
    FAIL,
    RAISE,
    REMEDIES,
    Levels,
    check_size,
    failure_reward,
    is_continuous,
    is_missing,
    scale_of,
)
from ._table import Ragged, Table, as_table, check_trials, n_rows, place, planned_trials, rewards_of_words

Support = tuple[float, float]


@dataclass(frozen=True, eq=False)
class RewardSummary:
    """Trials, mean, and sums of squared and cubed deviations from the mean, (M,) each; perhaps the trials themselves.

    ``cubes`` is NaN where it is not known. ``values`` holds the trials of one question after another.
    """

    trials: Counts
    mean: Vector
    squares: Vector
    cubes: Vector
    values: Vector | None = None

    def __post_init__(self) -> None:
        for part in (self.trials, self.mean, self.squares, self.cubes, self.values):
            if part is not None:
                read_only(part)

    @cached_property
    def ordered(self) -> Vector | None:
        """The trials of each question in ascending order, or None."""
        if self.values is None:
            return None
        if (self.trials == self.trials[0]).all():
            return read_only(np.sort(self.values.reshape(len(self.trials), -1), axis=1).ravel())
        return read_only(self.values[np.lexsort((self.values, self.rows))])

    def __reduce__(self) -> tuple[Any, ...]:
        return RewardSummary, (self.trials, self.mean, self.squares, self.cubes, self.values)

    @property
    def rows(self) -> Indices:
        """The question of every trial."""
        return np.repeat(np.arange(len(self.trials)), self.trials)

    def take(self, order: Indices) -> "RewardSummary":
        """Return the questions at these positions."""
        values = self.values
        if values is not None:
            values = values[places_of(order, self.trials)]
        return RewardSummary(self.trials[order], self.mean[order], self.squares[order], self.cubes[order], values)

    def spread(self, rows: Indices, count: int) -> "RewardSummary":
        """Return the questions at some of ``count`` rows, without the trials; the other rows have none."""
        trials, (mean, squares, cubes) = np.zeros(count, np.int64), np.zeros((3, count))
        mean[:] = np.nan
        trials[rows], mean[rows], squares[rows], cubes[rows] = self.trials, self.mean, self.squares, self.cubes
        return RewardSummary(trials, mean, squares, cubes)

    def without_values(self) -> "RewardSummary":
        """Return the same numbers without the trials."""
        return replace(self, values=None)


def places_of(order: Indices, trials: Counts) -> Indices:
    """Return the places of the trials of the questions at these positions, of which all have so many ``trials``.

    >>> places_of(np.array([2, 0]), np.array([1, 3, 2])).tolist()
    [4, 5, 0]
    """
    kept = trials[order]
    start = (np.cumsum(trials) - trials)[order] - (np.cumsum(kept) - kept)
    return np.asarray(np.repeat(start, kept) + np.arange(int(kept.sum())))


@np.errstate(under="ignore")  # the cube of a very small reward is zero
def summarize(values: Vector, rows: Indices, count: int) -> RewardSummary:
    """Return the summary of ``count`` questions from rewards with the question of each.

    The questions ascend, unless the rewards are not kept.
    """
    trials = np.bincount(rows, minlength=count)
    divisor = np.maximum(trials, 1)

    def total(numbers: Vector) -> Vector:
        return np.bincount(rows, numbers, minlength=count).astype(np.float64, copy=False)

    mean = total(values) / divisor
    mean += total(values - mean[rows]) / divisor  # which takes the rounding of the first sum out
    distance = values - mean[rows]
    square = distance * distance
    return RewardSummary(trials, np.where(trials > 0, mean, np.nan), total(square), total(distance * square), values)


@np.errstate(under="ignore")
def pooled(mine: RewardSummary, theirs: RewardSummary) -> RewardSummary:
    """Return the moments of the trials of both, question by question (Chan, Golub and LeVeque 1983)."""
    one, other = mine.trials.astype(np.float64), theirs.trials.astype(np.float64)
    total = np.maximum(one + other, 1.0)
    start, end = np.where(one > 0, mine.mean, theirs.mean), np.where(other > 0, theirs.mean, mine.mean)
    gap = np.where(one + other > 0, end - start, 0.0)  # of a question without trials there is no mean
    share = one * other / total
    squares = mine.squares + theirs.squares + gap**2 * share
    cubes = mine.cubes + theirs.cubes + gap**3 * share * (one - other) / total
    cubes = cubes + 3.0 * gap * (one * theirs.squares - other * mine.squares) / total
    return RewardSummary(mine.trials + theirs.trials, start + gap * (other / total), squares, cubes)


def check_support(support: Iterable[float], summary: RewardSummary) -> Support:
    """Return the support as two numbers that no reward is outside of."""
    try:
        low, high = (float(end) for end in support)
    except (TypeError, ValueError):
        raise ParameterError(f"must be two numbers (low, high); got {support!r}", argument="support") from None
    if not low < high:
        raise ParameterError(f"must satisfy low < high; got {support!r}", argument="support")
    values = summary.values if summary.values is not None else summary.mean[summary.trials > 0]
    if values.min() < low or values.max() > high:
        raise OutcomeError(f"a reward is outside the support ({low:g}, {high:g}): {values.min():g}..{values.max():g}")
    return low, high


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
    check_trials(table, missing, name)
    planned = planned_trials(table)
    lengths = planned if isinstance(planned, np.ndarray) else np.full(n_rows(table), planned)
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
