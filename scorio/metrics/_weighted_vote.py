"""Weighted vote@k: the answer whose trials among ``k`` have the largest sum of scores.

There is no closed form. The mean is taken over all draws of ``k`` where there are at most 20,000, else over 4,000
random draws with a fixed seed, whose error is part of the interval. ``U_-t``, the value without trial ``t``, is the
mean over the draws that leave it out. With ``B_t`` of ``B`` random draws without ``t``, and ``s^2`` the variance of a
draw, their own error adds about ``(n-1)/n s^2 sum_t (1/B_t - 1/B)`` to the jackknife variance: that is taken off, but
at least half of it remains.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import ClassVar, NamedTuple

import numpy as np

from .._arrays import Indices, Vector
from ..errors import OutcomeError
from ..outcomes import OutcomeMatrix
from ..params import param
from ._sample_metric import outcome_values, score_name
from ._sample_values import SampleValues
from ._vote import Vote

__all__ = ["WeightedVoteAtK"]

MOST_DRAWS = 20_000  # of all, for an exact value
RANDOM_DRAWS = 4_000
_SEED = 20_260_101
_TIE = 1e-12  # sums that are this close, in units of the largest, are equal


@dataclass(frozen=True)
class WeightedVoteAtK(Vote):
    """Weighted vote@k: the expected outcome of the answer with the largest sum of scores among ``k`` trials.

    ``by`` names the scores, which must not be negative; without it, there must be one kind. Ties are shared, trials
    without an answer do not vote, and ``k`` of them are worth 0. With at most 20,000 draws of ``k`` it is exact, else a
    Monte Carlo mean of 4,000 draws with a fixed seed, whose error is part of the interval and of ``draw_error``.

    >>> from scorio import OutcomeMatrix
    >>> R = OutcomeMatrix([[1, 0, 0]], answers=[["7", "4", "4"]], scores={"reward": [[0.9, 0.2, 0.3]]})
    >>> round(WeightedVoteAtK(2).score(R), 6)  # 7 outweighs a single 4
    0.666667
    """

    name: ClassVar[str] = "weighted_vote"
    aliases: ClassVar[tuple[str, ...]] = ("weighted",)
    by: str | None = param(score_name, default=None)

    def draw_error(self, R: object) -> float:
        """Return the standard error of the score by its random draws; 0 where it is exact."""
        noise = self._values_of(self.admit(R)).noise
        return float(np.sqrt(noise.sum())) / len(noise)

    def _values(self, outcomes: OutcomeMatrix) -> SampleValues:
        codes = np.asarray(outcomes.trial_columns.all_answers.of_trial)
        name, weights = outcomes.trial_columns.score(self.by)
        if float(np.min(weights, initial=0.0)) < 0.0:
            problem = f"a vote cannot have a negative weight, and scores {name!r} have {float(np.min(weights)):g}"
            raise OutcomeError(problem, hint="turn logarithms of probabilities into probabilities first")
        worths, trials = outcome_values(outcomes), np.asarray(outcomes.trials, np.int64)
        table = np.empty((3, len(trials)))
        without, start = np.empty(len(codes)), 0
        rng = np.random.default_rng(_SEED)
        for a, n in enumerate(trials.tolist()):
            place = slice(start, start + n)
            table[0, a], without[place], table[1, a], table[2, a] = _of_question(
                np.asarray(codes[place], np.intp), np.asarray(weights)[place], worths[place], self.k, rng
            )
            start += n
        return SampleValues(table[0], without, trials, trials == self.k, table[1], table[2])


class Choice(NamedTuple):
    """The value of a question, without each trial, its variance by Monte Carlo and what that adds to the jackknife."""

    value: float
    without: Vector
    noise: float
    excess: float


def _of_question(codes: Indices, weights: Vector, worths: Vector, k: int, rng: np.random.Generator) -> Choice:
    """Return what a weighted vote of ``k`` of a question's trials is worth."""
    n = len(codes)
    answers, place = np.unique(codes[codes >= 0], return_inverse=True)
    at = np.full(n, len(answers))
    at[codes >= 0] = place
    size = np.bincount(at, minlength=len(answers) + 1).astype(np.float64)
    total = np.bincount(at, worths, minlength=len(answers) + 1)
    worth = np.divide(total, size, out=np.zeros(len(size)), where=size > 0.0)
    worth[-1] = 0.0  # no answer
    draws, is_exact = _draws(n, min(k, n - 1) if k == n and n > 1 else k, rng)
    shares = _shares(at[draws], weights[draws], len(answers))
    values = shares @ worth
    count = len(draws)
    absent = np.ones((count, n))
    np.put_along_axis(absent, draws, 0.0, axis=1)
    times = absent.sum(axis=0)
    left = np.divide(total[at] - worths, size[at] - 1.0, out=np.zeros(n), where=(size[at] > 1.0) & (at < len(answers)))
    chance = (absent.T @ shares)[np.arange(n), at]  # how often its answer wins without the trial
    change = chance * np.where(at < len(answers), left - worth[at], 0.0)
    without = np.divide(absent.T @ values + change, times, out=np.full(n, np.nan), where=times > 0.0)
    if k == n:
        whole = _shares(at[None, :], weights[None, :], len(answers))
        return Choice(float((whole @ worth)[0]), without, 0.0, 0.0)
    if is_exact:
        return Choice(float(values.mean()), without, 0.0, 0.0)
    spread = float(np.var(values, ddof=1))
    excess = (n - 1) / n * spread * float(np.sum(1.0 / times - 1.0 / count))
    return Choice(float(values.mean()), without, spread / count, excess)


def _draws(n: int, k: int, rng: np.random.Generator) -> tuple[Indices, bool]:
    """Return all draws of ``k`` of ``n`` trials, or random ones, (draws, k), and whether they are all."""
    if comb(n, k) <= MOST_DRAWS:
        return np.array(list(combinations(range(n), k))), True
    return np.argpartition(rng.random((RANDOM_DRAWS, n)), k - 1, axis=1)[:, :k], False


def _shares(at: Indices, weights: Vector, answers: int) -> Vector:
    """Return how much of the choice each answer has in each draw, (draws, answers + 1); the last is no answer."""
    count, width = len(at), answers + 1
    cells = (np.arange(count)[:, None] * width + at).ravel()
    sums = np.bincount(cells, weights.ravel(), minlength=count * width).reshape(count, width)
    sums[np.bincount(cells, minlength=count * width).reshape(count, width) == 0] = -np.inf
    sums[:, -1] = -np.inf
    most = sums.max(axis=1, keepdims=True)
    wins = (sums >= most - _TIE * np.abs(most)) & np.isfinite(sums)
    wins[:, -1] = ~wins.any(axis=1)
    return np.asarray(wins / wins.sum(axis=1, keepdims=True))
