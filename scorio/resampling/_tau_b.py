"""Kendall's tau-b of many rankings with one: ``(P - Q) / sqrt((T - t)(T - u))``.

``T`` pairs, of which ``P`` are in the same order in both rankings, ``Q`` in opposite order, ``t`` tied in the one and
``u`` in the other. These are whole numbers up to the last division, so equal rankings have exactly 1.
"""

import numpy as np

from .._arrays import Flags, Indices, Vector


def tau_b(scores: Vector, better: Indices, tolerance: float, free_ties: bool) -> tuple[Vector, Flags]:
    """Return tau-b of every ranking with a gold ranking, and whether it is that ranking; NaN and no for NaN scores.

    ``scores`` (models, ..) come in the order of the gold ranking, best first, and ``better`` says how many models come
    strictly before each of them there. Scores tie with their neighbours within the tolerance, and a chain of such ties
    ties all of them. With ``free_ties`` models that tie in the gold ranking may come in any order.

    >>> tau_b(np.array([[0.9, 0.2], [0.5, 0.5], [0.1, 0.8]]), np.array([0, 1, 2]), 1e-12, False)
    (array([ 1., -1.]), array([ True, False]))
    """
    order = np.argsort(-scores, axis=0, kind="stable")
    is_below = -np.diff(np.take_along_axis(scores, order, axis=0), axis=0) > tolerance
    start = np.zeros((1, *scores.shape[1:]), np.intp)
    ranks = np.empty(scores.shape, np.intp)
    np.put_along_axis(ranks, order, np.concatenate([start, np.cumsum(is_below, axis=0)]), axis=0)
    places = np.arange(1, len(scores)).reshape(-1, *(1 for _ in scores.shape[1:]))
    ordered = np.maximum.accumulate(np.where(is_below, places, 0), axis=0).sum(axis=0)
    net = np.zeros(scores.shape[1:], np.intp)
    for rank, before in zip(ranks, better.tolist(), strict=True):
        net += np.sum(ranks[:before] < rank, axis=0) - np.sum(ranks[:before] > rank, axis=0)
    gold_ordered = int(better.sum())
    is_number = ~np.isnan(scores).any(axis=0)
    with np.errstate(invalid="ignore"):
        tau = np.where(is_number, net / np.sqrt(float(gold_ordered) * ordered), np.nan)
    return tau, is_number & (net == gold_ordered) & (free_ties | (ordered == gold_ordered))
