"""What is kept of continuous rewards: the number of trials of each question, their mean and two central sums.

The sums are taken around each question's mean, in a second pass over the trials, so a large common value costs no
digits. The cost is linear in the number of trials. The trials themselves, 8 bytes each, are kept for Max@k, which
needs their order, and are sorted when it first asks.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._arrays import Counts, Indices, Vector, cached_property, read_only


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
    """Return the summary of ``count`` questions from rewards with the question of each, ascending."""
    trials = np.bincount(rows, minlength=count)
    if not trials[0] or (trials != trials[0]).any():
        return ragged_summary(values, rows, trials)
    table = values.reshape(count, -1)
    mean = table.mean(axis=1)
    mean += (table - mean[:, None]).mean(axis=1)  # which takes the rounding of the first sum out
    distance = table - mean[:, None]
    square = distance * distance
    distance *= square
    return RewardSummary(trials, mean, square.sum(axis=1), distance.sum(axis=1), values)


def ragged_summary(values: Vector, rows: Indices, trials: Counts) -> RewardSummary:
    """Return the summary of rewards with the question of each; only kept rewards need ascending questions."""
    divisor = np.maximum(trials, 1)

    def total(numbers: Vector) -> Vector:
        return np.bincount(rows, numbers, minlength=len(trials)).astype(np.float64, copy=False)

    mean = total(values) / divisor
    mean += total(values - mean[rows]) / divisor
    distance = values - mean[rows]
    square = distance * distance
    return RewardSummary(trials, np.where(trials > 0, mean, np.nan), total(square), total(distance * square), values)


@np.errstate(under="ignore")
def pooled(mine: RewardSummary, theirs: RewardSummary) -> RewardSummary:
    """Return the moments of the trials of both, question by question (Chan, Golub and LeVeque 1983)."""
    one, other = mine.trials.astype(np.float64), theirs.trials.astype(np.float64)
    total = np.maximum(one + other, 1.0)
    start, end = np.where(one > 0, mine.mean, theirs.mean), np.where(other > 0, theirs.mean, mine.mean)
    gap = end - start
    share = one * other / total
    squares = mine.squares + theirs.squares + gap**2 * share
    cubes = mine.cubes + theirs.cubes + gap**3 * share * (one - other) / total
    cubes = cubes + 3.0 * gap * (one * theirs.squares - other * mine.squares) / total
    return RewardSummary(mine.trials + theirs.trials, start + gap * (other / total), squares, cubes)
