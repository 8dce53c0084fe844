"""A curve without a formula: monotone regression, with a band that needs no more than that the curve is monotone.

The rate at a value is at most the mean rate of questions on its better side, and at least that of questions on its
other side. So the upper end of the band is the upper end of an interval for the mean of a window of questions to one
side, and the lower end that for a window to the other side. Intervals of windows are those of Korn and Graubard (1998):
Clopper and Pearson's, with the number of questions that would be as precise if they were independent. Where a window
has too few questions, nothing is claimed. The band is about questions like these: what these questions alone say about
a place between two of them depends on a formula.
"""

import math

import numpy as np

from .._arrays import Counts, Indices, Vector
from .._special import betaincinv, stdtrit

_FEWEST = 4  # questions of a window that says anything
_ROUNDING = 1e-9  # of a mean of rates that are all 0 or all 1
_POWER = 2.0 / 3.0  # windows grow so with the number of questions


def monotone(x: Vector, y: Vector, weights: Vector, *, increasing: bool) -> Vector:
    """Return the weighted monotone regression of ``y`` on ``x``; questions with equal ``x`` share a height.

    >>> monotone(np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.2, 0.4]), np.ones(3), increasing=False)
    array([1. , 0.3, 0.3])
    """
    places, inverse = np.unique(x if increasing else -x, return_inverse=True)
    total = np.bincount(inverse, weights, len(places))
    height = np.bincount(inverse, weights * y, len(places))
    blocks: list[list[float]] = []
    for own, weight in zip(height.tolist(), total.tolist(), strict=True):
        blocks.append([own, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] >= blocks[-1][0] * blocks[-2][1]:
            last = blocks.pop()
            blocks[-1] = [mine + more for mine, more in zip(blocks[-1], last, strict=True)]
    level = np.repeat([own / weight for own, weight, _ in blocks], [int(count) for *_, count in blocks])
    return np.asarray(level[inverse])


def band(
    x: Vector,
    y: Vector,
    weights: Vector,
    trials: Counts,
    clusters: Indices,
    at: Vector,
    error: float,
    *,
    increasing: bool,
) -> tuple[Vector, Vector]:
    """Return the lower and the upper end of the band at the places ``at``, each with half of the error."""
    sign = 1.0 if increasing else -1.0
    order = np.argsort(sign * x, kind="stable")
    known = sign * x[order]

    def ends(which: slice) -> tuple[float, float]:
        some = order[which]
        return _ends(y[some], weights[some], trials[some], clusters[some], error)

    size = max(math.ceil(len(x) ** _POWER), _FEWEST)
    lo, hi = np.zeros(len(at)), np.ones(len(at))
    for i, place in enumerate(sign * at):
        before = int(np.searchsorted(known, place, side="right"))
        after = int(np.searchsorted(known, place, side="left"))
        worse, better = slice(max(before - size, 0), before), slice(after, after + size)
        if before >= _FEWEST:
            lo[i] = ends(worse)[0]
        if len(x) - after >= _FEWEST:
            hi[i] = ends(better)[1]
    along = np.argsort(sign * at, kind="stable")
    lo[along], hi[along] = np.sort(lo), np.sort(hi)  # monotone again, which never covers less
    return lo, hi


def _ends(y: Vector, weights: Vector, trials: Counts, clusters: Indices, error: float) -> tuple[float, float]:
    """Return the interval for the mean of the questions of a window."""
    share = weights / weights.sum()
    mean = float(share @ y)
    _, member = np.unique(clusters, return_inverse=True)
    count = int(member.max()) + 1
    variance = float((np.bincount(member, share * (y - mean)) ** 2).sum()) * count / max(count - 1, 1)
    size = float(count)
    if mean < _ROUNDING or mean > 1.0 - _ROUNDING:
        mean = round(mean)
    elif variance > 0.0 and count > 1:
        t = float(stdtrit(count - 1, error / 2.0)), float(stdtrit(max(len(y) - 1, 1), error / 2.0))
        size = min(mean * (1.0 - mean) / variance * (t[1] / t[0]) ** 2, float(trials.sum()))
    successes, failures = mean * size, (1.0 - mean) * size
    lo = float(betaincinv(successes, failures + 1.0, error / 2.0)) if successes > 0.0 else 0.0
    hi = float(betaincinv(successes + 1.0, failures, 1.0 - error / 2.0)) if failures > 0.0 else 1.0
    return lo, hi
