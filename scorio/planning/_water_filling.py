"""Water-filling: spread trials so that the sum of posterior variances falls as far as possible.

An item has posterior variance ``v``, and its posterior is worth ``T`` trials. After ``n`` more trials, its expected
variance is ``v T / (T + n)``. The sum over items, at a cost of ``c`` per trial within a budget,
is smallest for ``n = max(0, sqrt(v T / (level c)) - T)``, with the level that uses up the budget. For whole
trials, the real solution is rounded down and single trials are added where the gain per cost is largest. For equal
costs that is exact, because the gain of an item falls from trial to trial. Cost: 60 sums over items, then a heap.
"""

import heapq

import numpy as np

from .._arrays import Counts, Vector

_HALVINGS = 200
_LEAST_KNOWN = 1e-6  # trials; a smaller number is raised to this one
_BACK = 1.0  # trials that are taken off the real solution before single trials are added


def expected_variances(variance: Vector, known: Vector, more: Counts | Vector) -> Vector:
    """Return the expected variance of every item after ``more`` trials."""
    after = known + more
    share = np.divide(known, after, out=np.ones_like(after), where=after > 0.0)
    return np.asarray(variance * share)


def fill(variance: Vector, known: Vector, cost: Vector, budget: float) -> Counts:
    """Return whole numbers of trials whose total cost is at most ``budget``.

    >>> fill(np.array([0.04, 0.01]), np.array([4.0, 4.0]), np.ones(2), 8)
    array([7, 1])
    """
    scale = float(variance.max(initial=0.0))
    if scale == 0.0:
        return np.zeros(len(variance), dtype=np.int64)
    variance, known = variance / scale, np.maximum(known, _LEAST_KNOWN)
    whole = np.maximum(np.floor(_real_solution(variance, known, cost, budget) - _BACK), 0.0)
    return _topped_up(whole, variance, known, cost, budget).astype(np.int64)


def _real_solution(variance: Vector, known: Vector, cost: Vector, budget: float) -> Vector:
    weight = variance * known / cost
    high = float(np.max(weight / known**2))

    def trials(level: float) -> Vector:
        return np.maximum(np.sqrt(weight / level) - known, 0.0)

    low, top = high * 1e-30, high
    for _ in range(_HALVINGS):
        middle = float(np.sqrt(low * top))
        low, top = (middle, top) if float(trials(middle) @ cost) > budget else (low, middle)
        if top <= low * (1.0 + 1e-12):
            break
    return trials(top)


def _topped_up(whole: Vector, variance: Vector, known: Vector, cost: Vector, budget: float) -> Vector:
    """Add single trials, largest gain per cost first, until no further trial fits into the budget."""

    def gain(item: int) -> float:
        after = known[item] + whole[item]
        return float(variance[item] * known[item] / (after * (after + 1.0) * cost[item]))

    left = budget * (1.0 + 1e-12) - float(whole @ cost)
    heap = [(-gain(item), item) for item in np.flatnonzero(variance > 0.0).tolist()]
    heapq.heapify(heap)
    while heap:
        _, item = heapq.heappop(heap)
        if cost[item] > left:
            continue
        whole[item] += 1.0
        left -= float(cost[item])
        heapq.heappush(heap, (-gain(item), item))
    return whole


def level_up(trials: Counts, cost: Vector, budget: float, at_least: int) -> Counts:
    """Return the trials that bring every item to ``at_least``, fewest trials first, as far as the budget allows.

    >>> level_up(np.array([0, 1, 5]), np.ones(3), 10.0, 2)
    array([2, 1, 0])
    """
    more, left = np.zeros(len(trials), dtype=np.int64), budget * (1.0 + 1e-12)
    for height in range(at_least):
        for item in np.flatnonzero(trials + more <= height):
            if cost[item] <= left:
                more[item] += 1
                left -= float(cost[item])
    return more
