"""The expected best of ``k`` trials, from the sorted trials of each question, with the variance of that estimate.

With ``x_(1) <= .. <= x_(n)`` the mean of the largest of ``k`` over all choices of ``k`` trials is

    U = sum_i w_i x_(i),    w_i = C(i-1, k-1) / C(n, k),

which has no bias. The weights follow from ``w_n = k/n`` and ``w_(i-1) = w_i (i-k)/(i-1)``: products of numbers at
most 1, so nothing overflows.

With ``U_-j`` the same without trial ``j``, the jackknife variance is ``(n-1)/n sum_j (U - U_-j)^2``. By Efron and
Stein (1981) it is not below the true variance on average, so the interval is wide rather than narrow where ``k`` is
close to ``n``. At ``k = 1`` it is the usual ``s^2/n``. At ``k = n`` nothing can be left out of a choice of ``n``, and
the bound of Efron and Stein is taken with the best of the others in place of ``U_-j``: the square of the distance
between the best two. Sums are of distances from the row's mean, so a large common value costs no digits.

The cost is linear in the number of trials once these are sorted, a question-by-trial table per number of trials.
"""

import numpy as np

from .._arrays import Counts, Vector
from ..inference import QuestionEstimates


def weights(n: int, k: int) -> Vector:
    """``C(i-1, k-1) / C(n, k)`` for ``i = 1..n``.

    >>> weights(4, 2)
    array([0.        , 0.16666667, 0.33333333, 0.5       ])
    """
    rank = np.arange(n, k, -1.0)
    factor = np.concatenate([[k / n], (rank - k) / (rank - 1.0)])
    result = np.zeros(n)
    result[k - 1 :] = np.cumprod(factor)[::-1]
    return result


@np.errstate(under="ignore")
def best_of(ordered: Vector, trials: Counts, k: int) -> QuestionEstimates:
    """Return the best of ``k`` for each question, of which ``ordered`` holds the sorted trials, one after another.

    Questions with fewer than ``k`` trials have NaN.
    """
    count = len(trials)
    value, variance, third = np.full(count, np.nan), np.full(count, np.nan), np.full(count, np.nan)
    first = np.cumsum(trials) - trials
    for n in np.unique(trials[trials >= k]).tolist():
        here = np.flatnonzero(trials == n)
        table = _rows(ordered, first[here], n)
        value[here], variance[here], third[here] = _moments(table, k)
    return QuestionEstimates(value, variance, third, np.where(trials >= k, trials, 0).astype(np.float64))


def _rows(ordered: Vector, first: Counts, n: int) -> Vector:
    if len(first) * n == len(ordered):
        return ordered.reshape(-1, n)
    return np.asarray(ordered[first[:, None] + np.arange(n)])


def _moments(table: Vector, k: int) -> tuple[Vector, Vector, Vector]:
    """Return the value, its jackknife variance and its third central moment, for rows with one number of trials."""
    n = table.shape[1]
    center = table.mean(axis=1)
    distance = table - center[:, None]
    value = distance @ weights(n, k)
    if n == 1:
        unknown = np.full(len(table), np.nan)
        return center + value, unknown, unknown
    if k == n:
        gap = table[:, -1] - table[:, -2]
        return center + value, gap * gap, gap * gap * gap
    without = _without_each(distance, k)
    moved = value[:, None] - without
    return center + value, np.einsum("aj,aj->a", moved, moved) * ((n - 1.0) / n), np.sum(moved**3, axis=1)


def _without_each(table: Vector, k: int) -> Vector:
    """Return the best of ``k`` without each trial in turn: those below keep their rank, those above lose one."""
    n = table.shape[1]
    lighter = weights(n - 1, k)
    out = np.zeros_like(table)
    np.cumsum(table[:, :-1] * lighter, axis=1, out=out[:, 1:])
    above = np.cumsum((table[:, 1:] * lighter)[:, ::-1], axis=1)
    out[:, :-1] += above[:, ::-1]
    return out
