"""Tests of the change of every question between two runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._arrays import Counts, Flags, Vector
from .._special import betainc, betaincinv, gammaln, ndtr
from ..outcomes import OutcomeMatrix, RewardMatrix
from ._discrimination import benjamini_hochberg
from ._exact_change import discrete_q_values, fisher_tests

BETTER = 1
_JEFFREYS = 0.5
_QUANTILES = (np.arange(400) + 0.5) / 400.0


class Change(NamedTuple):
    """Per question: the scores and trials of both runs, and what the tests say."""

    old: Vector
    new: Vector
    old_trials: Counts
    new_trials: Counts
    p_better: Vector
    p: Vector
    q: Vector
    mixed: Flags

    @property
    def sign(self) -> Counts:
        """1 where the score is higher now, -1 where it is lower."""
        return np.sign(np.nan_to_num(self.new - self.old)).astype(np.int64)


def changes(pairs: Sequence[tuple[OutcomeMatrix, OutcomeMatrix]], fdr: float) -> Change:
    """Return the changes of all questions of all pairs, corrected for their number."""
    if all(each.is_pass_fail for pair in pairs for each in pair):
        sides = [
            np.concatenate([np.array([each.successes, each.trials]) for each in side], axis=1)
            for side in zip(*pairs, strict=True)
        ]
        (old, old_trials), (new, new_trials) = sides
        return _of_counts(old, old_trials, new, new_trials, fdr)
    summaries = [np.concatenate([_summary(each) for each in side]) for side in zip(*pairs, strict=True)]
    return _of_rewards(*summaries)


def _of_counts(old: Counts, old_trials: Counts, new: Counts, new_trials: Counts, fdr: float) -> Change:
    tests = fisher_tests(old, old_trials, new, new_trials)
    mixed = ((old > 0) & (old < old_trials)) | ((new > 0) & (new < new_trials))
    before, after = (_shares(s, n) for s, n in ((old, old_trials), (new, new_trials)))
    p_better = _p_better(old, old_trials, new, new_trials)
    return Change(before, after, old_trials, new_trials, p_better, tests.p, discrete_q_values(tests, fdr), mixed)


def _shares(successes: Counts, trials: Counts) -> Vector:
    """Return the success rates, NaN without trials."""
    unknown = np.full(len(trials), np.nan)
    return np.asarray(np.divide(successes, trials, out=unknown, where=trials > 0))


def _p_better(old: Counts, old_trials: Counts, new: Counts, new_trials: Counts) -> Vector:
    """Return P(new rate > old rate): the mean of the old rate's distribution function over quantiles of the new one."""
    states, cell = np.unique(np.column_stack([old, old_trials, new, new_trials]), axis=0, return_inverse=True)
    s, n, t, m = (column[:, None] for column in states.T)
    rate = betaincinv(t + _JEFFREYS, m - t + _JEFFREYS, _QUANTILES)
    below = betainc(s + _JEFFREYS, n - s + _JEFFREYS, rate)
    p = below.mean(axis=1)
    p[(states[:, 0] == states[:, 2]) & (states[:, 1] == states[:, 3])] = 0.5
    return np.asarray(p[cell])


def _summary(outcomes: OutcomeMatrix) -> Vector:
    """Return the trials, mean and sum of squared deviations of each question's rewards."""
    if isinstance(outcomes, RewardMatrix):
        n = outcomes.trials.astype(np.float64)
        squares = np.where(n > 1, outcomes.variances * (n - 1.0), 0.0)
        return np.column_stack([n, np.where(n > 0, outcomes.means, np.nan), squares])
    levels = np.array(outcomes.levels or range(outcomes.n_categories), dtype=np.float64)
    n = outcomes.trials.astype(np.float64)
    mean = np.divide(outcomes.counts @ levels, n, out=np.full(len(n), np.nan), where=n > 0)
    squares = (outcomes.counts * (levels - np.nan_to_num(mean)[:, None]) ** 2).sum(axis=1)
    return np.column_stack([n, mean, squares])


def _of_rewards(old: Vector, new: Vector) -> Change:
    """Return the changes of rewards: by a permutation test in its normal approximation, which p cannot pass."""
    (n, a, u), (m, b, v) = old.T, new.T
    total, both = n + m, (n > 0) & (m > 0)
    gap = np.where(both, b - a, 0.0)
    pooled = (u + v + gap**2 * np.divide(n * m, total, out=np.zeros_like(n), where=total > 0)) / np.maximum(
        total - 1.0, 1.0
    )
    sd = np.sqrt(pooled * np.divide(total, n * m, out=np.zeros_like(n), where=both))
    z = np.divide(gap, sd, out=np.zeros_like(gap), where=sd > 0)
    ways = np.exp(np.minimum(gammaln(total + 1.0) - gammaln(n + 1.0) - gammaln(m + 1.0), 600.0))
    p = np.where(sd > 0, np.minimum(np.maximum(2.0 * ndtr(-np.abs(z)), 2.0 / ways), 1.0), 1.0)
    q = benjamini_hochberg(p)
    return Change(a, b, n.astype(np.int64), m.astype(np.int64), ndtr(z), p, q, (u > 0) | (v > 0))
