"""Exact tests of one question's change between two runs, and the false-discovery rate of many of them.

Successes of two runs of the same question are compared by Fisher's exact test, given their sum. With few trials, a
p-value takes few values, and far fewer than 5% of them are below .05. The correction for the number of questions uses
these distributions (step-up; Doehler, Durand and Roquain 2018), and so calls more than one for uniform p-values.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._arrays import Counts, Indices, Vector
from .._special import gammaln

_TIE = 1.0 + 1e-9  # probabilities that differ by less are equal


class ExactTests(NamedTuple):
    """P-values, the number of the ``margin`` of each, and per margin the ``attainable`` p-values, ascending."""

    p: Vector
    margin: Indices
    attainable: list[Vector]


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


def discrete_q_values(tests: ExactTests, fdr: float) -> Vector:
    """Return q-values: those of at most ``fdr`` have this false-discovery rate, for independent questions.

    >>> fives, zeros = np.full(4, 5), np.zeros(4, dtype=int)
    >>> discrete_q_values(fisher_tests(zeros, fives, np.array([5, 5, 0, 0]), fives), 0.05).round(3)
    array([0.008, 0.008, 1.   , 1.   ])
    """
    levels, place, times = np.unique(tests.p, return_inverse=True, return_counts=True)
    weight = np.bincount(tests.margin, minlength=len(tests.attainable))
    reached = np.array([_largest_up_to(values, levels) for values in tests.attainable])  # P(p <= level), by margin
    odds = np.divide(reached, 1.0 - reached, out=np.full(reached.shape, np.inf), where=reached < 1.0)
    allowed = weight @ odds <= fdr * len(tests.p)
    if not allowed.any():
        return np.ones(len(tests.p))
    last = int(np.flatnonzero(allowed)[-1])
    expected = (weight / (1.0 - reached[:, last])) @ reached
    q = np.where(np.arange(len(levels)) <= last, expected / np.cumsum(times), 1.0)
    corrected = np.minimum(np.minimum.accumulate(q[::-1])[::-1], 1.0)
    return np.asarray(corrected[place])


def _largest_up_to(values: Vector, levels: Vector) -> Vector:
    """Return the largest of the ascending values up to each level, or 0."""
    at = np.searchsorted(values, levels * _TIE, side="right")
    return np.where(at > 0, values[np.maximum(at - 1, 0)], 0.0)
