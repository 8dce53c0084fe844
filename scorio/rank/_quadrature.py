"""The exact distribution of each model's rank by quadrature, for means that are independent normals.

Given that model ``i`` has the mean ``x``, each other model ``j`` is above it with its own probability
``p_j = P(X_j > x)``, so the number above follows a Poisson-binomial distribution, and

    P(rank of i = r + 1) = int f_i(x) P(r of the others above | x) dx.

Where ``A`` models overlap, that distribution changes faster than the density of any model, so a panel is as wide as the
narrowest model in it over ``1 + sqrt(A) / 4``. A model that is much narrower than the others begins a new panel. Ten
Gauss-Legendre nodes per panel give 12 digits for 800 models.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .._arrays import Flags, Indices, Vector, underflow_is_zero
from .._kernels.rank_law import leave_one_out
from .._special import log_ndtr, ndtr

_REACH = 8.5  # standard deviations that are integrated; probability 1e-17 lies beyond
_NODES = 10
_TOGETHER = 4  # panels in one working array
_NARROWER = 0.5  # a model begins a panel if it is narrower than this share of the narrowest one there
_NARROWEST = 1e-8  # least standard deviation over the scale, so that equal models without uncertainty share a rank
_IMPOSSIBLE = -60.0  # log probability that a node is above all models, below which P(best) gains nothing


@underflow_is_zero
def rank_pmf(mu: Vector, sigma: Vector) -> Vector:
    """Return ``pmf[i, r]``, the probability that model ``i`` has rank ``r + 1``; equal models have equal rows.

    >>> rank_pmf(np.array([0.6, 0.5]), np.array([0.03, 0.04])).round(5)
    array([[0.97725, 0.02275],
           [0.02275, 0.97725]])
    """
    if len(mu) == 1:
        return np.ones((1, 1))
    pmf, scratch = np.zeros((len(mu), len(mu))), np.empty((2, len(mu) + 1))
    for each in _in_reach(*_scaled(mu, sigma)):
        leave_one_out(ndtr(-each.z), ndtr(each.z), each.mass, each.models, each.higher, scratch, pmf)
    return np.clip(pmf, 0.0, 1.0, out=pmf)


@underflow_is_zero
def best_probabilities(mu: Vector, sigma: Vector) -> Vector:
    """Return the first column of ``rank_pmf`` alone, in time nearly proportional to the number of models.

    >>> best_probabilities(np.array([0.6, 0.5]), np.array([0.03, 0.04])).round(5)
    array([0.97725, 0.02275])
    """
    if len(mu) == 1:
        return np.ones(1)
    best = np.zeros(len(mu))
    for each in _in_reach(*_scaled(mu, sigma)):
        if each.higher == 0:
            log_below = log_ndtr(each.z)
            log_all = log_below.sum(axis=1, keepdims=True)
            possible = log_all[:, 0] > _IMPOSSIBLE
            others = np.exp(log_all[possible] - log_below[possible])
            best[each.models] += (each.mass[possible] * others).sum(axis=0)
    return np.clip(best, 0.0, 1.0, out=best)


def _scaled(mu: Vector, sigma: Vector) -> tuple[Vector, Vector]:
    """Return centres and positive standard deviations."""
    scale = max(float(sigma.max()), float(np.ptp(mu))) or 1.0
    return mu - mu.mean(), np.maximum(sigma, _NARROWEST * scale)


class _Reached(NamedTuple):
    """Some nodes and the ``models`` in reach of them; ``higher`` counts the models above all of these nodes.

    ``z`` and ``mass`` are (nodes, models): the standardized distance of the node from the model's mean, and the
    probability that the node stands for.
    """

    z: Vector
    mass: Vector
    models: Indices
    higher: int


def _in_reach(centre: Vector, spread: Vector) -> Iterator[_Reached]:
    """Yield the nodes of a few panels at a time."""
    starts, ends = centre - _REACH * spread, centre + _REACH * spread
    panels = _panels(starts, ends, spread)
    at, weight = np.polynomial.legendre.leggauss(_NODES)
    for first in range(0, len(panels), _TOGETHER):
        some = panels[first : first + _TOGETHER]
        half = (some[:, 1] - some[:, 0])[:, None] / 2.0
        nodes, weights = (some.mean(axis=1)[:, None] + half * at).ravel(), (half * weight).ravel()
        models = np.flatnonzero((starts < some[-1, 1]) & (ends > some[0, 0]))
        z = (nodes[:, None] - centre[models]) / spread[models]
        mass = weights[:, None] / spread[models] * np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)
        yield _Reached(z, mass, models, int((starts >= some[-1, 1]).sum()))


def _panels(starts: Vector, ends: Vector, spread: Vector) -> Vector:
    """Return start and end of each panel, (P, 2); together the panels cover every model."""
    panels, x = [], float(starts.min())
    while x < ends.max():
        here = (starts <= x) & (x < ends)
        if not here.any():
            x = float(starts[starts > x].min())
            continue
        narrowest = float(spread[here].min())
        coming = (starts > x) & (starts < x + _width(narrowest, here))
        narrow = coming & (spread < _NARROWER * narrowest)
        near = here | (coming & ~narrow)
        end = x + _width(float(spread[near].min()), near)
        end = min(end, float(starts[narrow].min(initial=np.inf)), float(ends[near].max()))
        panels.append((x, end))
        x = end
    return np.array(panels)


def _width(narrowest: float, models: Flags) -> float:
    return float(narrowest / (1.0 + np.sqrt(np.count_nonzero(models)) / 4.0))
