"""Tests of one question's change between two runs, and the false-discovery rate of many of them.

Successes of two runs of the same question are compared by Fisher's exact test, given their sum. With few trials, a
p-value takes few values, and far fewer than 5% of them are below .05. The correction for the number of questions uses
these distributions (step-up; Doehler, Durand and Roquain 2018), and so calls more than one for uniform p-values.
"""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from .._arrays import Counts, Flags, Indices, Vector
from .._special import betainc, betaincinv, gammaln, ndtr
from ..estimates import benjamini_hochberg, holm
from ..inference import p_of_statistic
from ..outcomes import OutcomeMatrix, question_rewards

_TIE = 1.0 + 1e-9  # probabilities that differ by less are equal
Sides = tuple[OutcomeMatrix, OutcomeMatrix]  # the new outcomes and the old ones, on the same questions


class ExactTests(NamedTuple):
    """P-values, the number of the ``margin`` of each, and per margin the ``attainable`` p-values, ascending."""

    p: Vector
    margin: Indices
    attainable: list[Vector]

    @property
    def questions(self) -> Counts:
        """How many questions have each margin."""
        return np.bincount(self.margin, minlength=len(self.attainable))

    def chances(self, levels: Vector) -> Vector:
        """Return P(p <= level) of each margin if nothing changed: the largest attainable p-value up to each level."""
        places = [np.searchsorted(values, levels * _TIE, side="right") for values in self.attainable]
        return np.array([np.append(0.0, values)[at] for values, at in zip(self.attainable, places, strict=True)])

    def chance_of_any(self, levels: Vector) -> Vector:
        """Return a limit of the chance that any question has a p-value up to each level, if none changed."""
        return np.asarray(self.questions @ self.chances(levels))


def fisher_tests(old: Counts, old_trials: Counts, new: Counts, new_trials: Counts) -> ExactTests:
    """Return Fisher's two-sided p-values.

    >>> one = np.array([1])
    >>> fisher_tests(0 * one, 5 * one, 5 * one, 5 * one).p.round(4)
    array([0.0079])
    """
    margins = np.column_stack([old_trials, new_trials, old + new])
    kinds, margin = np.unique(margins, axis=0, return_inverse=True)
    p = np.empty(len(old))
    attainable = []
    for i, (n, m, total) in enumerate(kinds.tolist()):
        first, values = _two_sided(n, m, total)
        mine = margin == i
        p[mine] = values[new[mine] - first]
        attainable.append(np.unique(values))
    return ExactTests(p, margin, attainable)


def _two_sided(old_trials: int, new_trials: int, total: int) -> tuple[int, Vector]:
    """Return the fewest successes of the new run at these margins, and the p-value of each number from there on."""
    first = max(0, total - old_trials)
    k = np.arange(first, min(new_trials, total) + 1)
    log = -(gammaln(k + 1.0) + gammaln(new_trials - k + 1.0))
    log -= gammaln(total - k + 1.0) + gammaln(old_trials - total + k + 1.0)
    mass = np.exp(log - log.max())
    mass /= mass.sum()
    order = np.argsort(mass)
    ends = np.searchsorted(mass[order], mass * _TIE, side="right")
    return first, np.minimum(np.cumsum(mass[order])[ends - 1], 1.0)


def trials_to_call(error: float, old: float, new: float, power: float) -> int:
    """Return the trials in each run from which a change between two rates has a p-value of at most ``error``.

    ``power`` is the probability that it has.

    >>> trials_to_call(0.05, 0.25, 0.75, 0.8)
    18
    """
    high = 2
    while call_power(high, error, old, new) < power:
        high *= 2
    return next(n for n in range(high // 2 + 1, high + 1) if call_power(n, error, old, new) >= power)


def call_power(trials: int, error: float, old: float, new: float) -> float:
    """Return the probability that a change of so many trials in each run has a p-value of at most ``error``.

    >>> round(call_power(8, 0.01, 1.0, 0.2), 3)
    0.797
    """
    k = np.arange(trials + 1)
    ways = np.exp(gammaln(trials + 1.0) - gammaln(k + 1.0) - gammaln(trials - k + 1.0))
    before, after = (ways * rate**k * (1.0 - rate) ** (trials - k) for rate in (old, new))
    total = 0.0
    for successes in range(2 * trials + 1):
        first, p = _two_sided(trials, trials, successes)
        called = first + np.flatnonzero(p <= error * _TIE)
        total += float(before[successes - called] @ after[called])
    return total


def discrete_q_values(tests: ExactTests, fdr: float) -> Vector:
    """Return q-values: those of at most ``fdr`` have this false-discovery rate, for independent questions.

    >>> fives, zeros = np.full(4, 5), np.zeros(4, dtype=int)
    >>> discrete_q_values(fisher_tests(zeros, fives, np.array([5, 5, 0, 0]), fives), 0.05).round(3)
    array([0.008, 0.008, 1.   , 1.   ])
    """
    levels, place, times = np.unique(tests.p, return_inverse=True, return_counts=True)
    weight, reached = tests.questions, tests.chances(levels)
    odds = np.divide(reached, 1.0 - reached, out=np.full(reached.shape, np.inf), where=reached < 1.0)
    allowed = weight @ odds <= fdr * len(tests.p)
    if not allowed.any():
        return np.ones(len(tests.p))
    last = int(np.flatnonzero(allowed)[-1])
    expected = (weight / (1.0 - reached[:, last])) @ reached
    q = np.where(np.arange(len(levels)) <= last, expected / np.cumsum(times), 1.0)
    corrected = np.minimum(np.minimum.accumulate(q[::-1])[::-1], 1.0)
    return np.asarray(corrected[place])


def discrete_family(tests: ExactTests) -> Vector:
    """Return p-values corrected for a family-wise error, step by step, that know which p-values can occur.

    The chance of any p-value of at most ``p`` among the questions that are left is at most the sum of theirs.

    >>> fives, zeros = np.full(4, 5), np.zeros(4, dtype=int)
    >>> discrete_family(fisher_tests(zeros, fives, np.array([5, 5, 0, 0]), fives)).round(3)
    array([0.016, 0.016, 1.   , 1.   ])
    """
    levels, place = np.unique(tests.p, return_inverse=True)
    times = np.zeros((len(tests.attainable), len(levels)))
    np.add.at(times, (tests.margin, place), 1.0)
    left = np.cumsum(times[:, ::-1], axis=1)[:, ::-1]  # questions with a p-value of at least each level
    corrected = np.minimum(np.maximum.accumulate((left * tests.chances(levels)).sum(axis=0)), 1.0)
    return np.asarray(corrected[place])


BETTER = 1
_JEFFREYS = 0.5
_QUANTILES = (np.arange(400) + 0.5) / 400.0


class Change(NamedTuple):
    """Per question: the scores and trials of both runs, and what the tests say.

    ``corrected`` has the p-values corrected for the number of questions.
    """

    old: Vector
    new: Vector
    old_trials: Counts
    new_trials: Counts
    p_better: Vector
    p: Vector
    corrected: Vector
    mixed: Flags

    @property
    def sign(self) -> Counts:
        """1 where the score is higher now, -1 where it is lower."""
        return np.sign(np.nan_to_num(self.new - self.old)).astype(np.int64)


def changes(pairs: Collection[Sides], fdr: float | None = None) -> Change:
    """Return the changes of all questions of all pairs, corrected for a false-discovery or a family-wise error rate."""
    if all(outcomes.is_pass_fail for pair in pairs for outcomes in pair):
        return _of_counts(*counts_of(pairs), fdr)
    new, old = (np.hstack([question_rewards(outcomes) for outcomes in side]).T for side in zip(*pairs, strict=True))
    return _of_rewards(old, new, is_family=fdr is None)


def counts_of(pairs: Collection[Sides]) -> tuple[Counts, Counts, Counts, Counts]:
    """Return the successes and trials of all questions in the old run, and in the new one."""
    new, old = (
        np.concatenate([[outcomes.successes, outcomes.trials] for outcomes in side], axis=1)
        for side in zip(*pairs, strict=True)
    )
    return (*old, *new)


def _of_counts(old: Counts, old_trials: Counts, new: Counts, new_trials: Counts, fdr: float | None) -> Change:
    tests = fisher_tests(old, old_trials, new, new_trials)
    mixed = ((old > 0) & (old < old_trials)) | ((new > 0) & (new < new_trials))
    before, after = (_shares(s, n) for s, n in ((old, old_trials), (new, new_trials)))
    p_better = _p_better(old, old_trials, new, new_trials)
    corrected = discrete_family(tests) if fdr is None else discrete_q_values(tests, fdr)
    return Change(before, after, old_trials, new_trials, p_better, tests.p, corrected, mixed)


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


def _of_rewards(old: Vector, new: Vector, *, is_family: bool) -> Change:
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
    p = np.where(sd > 0, np.minimum(np.maximum(p_of_statistic(z), 2.0 / ways), 1.0), 1.0)
    corrected = np.asarray(holm(p.tolist())) if is_family else benjamini_hochberg(p)
    return Change(a, b, n.astype(np.int64), m.astype(np.int64), ndtr(z), p, corrected, (u > 0) | (v > 0))
