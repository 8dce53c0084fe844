r"""How likely it is by chance that trials are alike.

Success rates of questions are Beta distributed with mean ``m`` and correlation ``r`` of two trials of a question, both
uniform. Given known trials of every question, the chance of further trials is

    E[ prod_q B(a + c + c', b + n - c + n' - c') / B(a + c, b + n - c) | known ],  a = m (1-r)/r,  b = (1-m) (1-r)/r

Copies have the probability 1, so the chance is the inverse of a Bayes factor: over data from this model, it is below
``error`` in at most a share ``error`` of all cases (Markov's inequality).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._arrays import Counts, Vector
from .._special import betaln, expit, gammaln

_NODES_M, _NODES_R = 41, 97
_RANGE_R = (-8.0, 16.0)  # of the logit of r
_REACH = 7.0  # standard deviations of the logit of m
_NEGLIGIBLE = 30.0  # log-weight below the largest
_ROUNDS = 3  # the lattice is laid again where the integrands are


def chance_of(known: Counts, further: Counts, *, ordered: bool = True) -> float:
    """Return the chance of the ``further`` outcomes given the ``known`` ones, both failures and successes, (M, 2).

    ``ordered`` is for outcomes in a given order, else for their numbers.

    >>> round(chance_of(np.array([[0, 1], [1, 0]]), np.array([[0, 1], [1, 0]])), 3)  # two trials that agree twice
    0.567
    """
    states, times = np.unique(np.hstack([known, further]), axis=0, return_counts=True)
    known, further = states[:, :2], states[:, 2:]
    total = np.maximum(known.sum(axis=1) + further.sum(axis=1), 1)
    weight = times @ (total > 0)
    mean = (times @ ((known[:, 1] + further[:, 1]) / total) + 0.5) / (weight + 1.0)
    middle, sd = np.log(mean / (1.0 - mean)), 1.0 / np.sqrt(weight * mean * (1.0 - mean) + 0.25)
    m = middle + np.linspace(-_REACH, _REACH, _NODES_M) * sd
    r = np.linspace(*_RANGE_R, _NODES_R)
    extra = 0.0 if ordered else float(times @ _log_choose(further))
    before = after = np.zeros(0)
    for _ in range(_ROUNDS):
        before, after = _log_weights(m, r, known, further, times)
        if before.max() - before.min() < _NEGLIGIBLE:
            break
        m, r = _narrowed(m, r, before, after)
    top = max(before.max(), after.max())
    return float(np.exp(extra) * np.exp(after - top).sum() / np.exp(before - top).sum())


def _log_weights(m: Vector, r: Vector, known: Counts, further: Counts, times: Counts) -> tuple[Vector, Vector]:
    """Return the log-density of the nodes given the known outcomes, and given all."""
    mean, spread = expit(m)[:, None, None], np.exp(-r)[:, None]
    a, b = mean * spread, expit(-m)[:, None, None] * spread
    prior = (_log_slope(m)[:, None] + _log_slope(r)).ravel()
    both = known + further
    before = _log_beta(a + known[:, 1], b + known[:, 0]) - _log_beta(a, b)
    after = _log_beta(a + both[:, 1], b + both[:, 0]) - _log_beta(a, b)
    return (before @ times).ravel() + prior, (after @ times).ravel() + prior


def _log_beta(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(betaln(a, b))


def _log_slope(x: Vector) -> Vector:
    """Return the log of the derivative of the logistic function."""
    return -np.logaddexp(0.0, x) - np.logaddexp(0.0, -x)


def _log_choose(counts: Counts) -> Vector:
    return np.asarray(gammaln(counts.sum(axis=1) + 1.0) - gammaln(counts[:, 0] + 1.0) - gammaln(counts[:, 1] + 1.0))


def _narrowed(m: Vector, r: Vector, before: Vector, after: Vector) -> tuple[Vector, Vector]:
    """Return nodes over the part of the lattice where either density counts."""
    counts = (before > before.max() - _NEGLIGIBLE) | (after > after.max() - _NEGLIGIBLE)
    there = counts.reshape(len(m), len(r))
    parts = []
    for nodes, used in ((m, there.any(axis=1)), (r, there.any(axis=0))):
        where, step = np.flatnonzero(used), nodes[1] - nodes[0]
        parts.append(np.linspace(nodes[where[0]] - step, nodes[where[-1]] + step, len(nodes)))
    return parts[0], parts[1]
