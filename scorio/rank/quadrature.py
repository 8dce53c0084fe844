"""The distribution of every model's rank, when models' means are independent normals: exact, by quadrature.

Given that model ``i`` has the mean ``x``, each other model ``j`` is above it with its own probability
``p_j = P(X_j > x)``, so the number above follows a Poisson-binomial law, and

    P(rank of i = r + 1) = int f_i(x) P(r of the others above | x) dx.

The law's own features are narrower than a model by the root of how many overlap, so panels are as narrow as the
narrowest model that is there over ``1 + sqrt(A) / 4``; ten Gauss-Legendre nodes in each give 12 digits of 800 models.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from .._kernels.ranks import leave_one_out

Vector = NDArray[np.float64]
_REACH = 8.5  # standard deviations; 1e-17 lies beyond
_NODES = 10
_CHUNK = 2**19  # numbers in a work array
_NARROWEST = 1e-8  # of the scale: what a model without uncertainty is given, so that equal ones share a rank


def rank_pmf(mu: Vector, sigma: Vector) -> Vector:
    """``pmf[i, r]``, the probability that model ``i`` has rank ``r + 1``; equal models share alike.

    >>> rank_pmf(np.array([0.6, 0.5]), np.array([0.03, 0.04])).round(5)
    array([[0.97725, 0.02275],
           [0.02275, 0.97725]])
    """
    if len(mu) == 1:
        return np.ones((1, 1))
    scale = max(float(sigma.max()), float(np.ptp(mu))) or 1.0
    spread = np.maximum(sigma, _NARROWEST * scale)
    centre = mu - mu.mean()
    nodes, weights = _nodes(_panels(centre, spread))
    pmf, law = np.zeros((len(mu), len(mu))), np.empty(len(mu) + 1)
    step = max(1, _CHUNK // len(mu))
    for start in range(0, len(nodes), step):
        z = (nodes[start : start + step, None] - centre) / spread
        mass = weights[start : start + step, None] / spread * np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)
        leave_one_out(ndtr(-z), ndtr(z), mass, law, pmf)
    return np.clip(pmf, 0.0, 1.0)


def _panels(centre: Vector, spread: Vector) -> Vector:
    """Start and end of each panel, (P, 2): they cover every model, each narrower than any model within."""
    starts, ends = centre - _REACH * spread, centre + _REACH * spread
    panels, x = [], float(starts.min())
    while x < ends.max():
        here = (starts <= x) & (x < ends)
        following = float(starts[starts > x].min(initial=np.inf))
        if here.any():
            width = float(spread[here].min() / (1.0 + np.sqrt(here.sum()) / 4.0))
            end = min(following, x + width, float(ends[here].max()))
            panels.append((x, end))
            x = end
        else:
            x = following
    return np.array(panels)


def _nodes(panels: Vector) -> tuple[Vector, Vector]:
    """Nodes and weights of all panels."""
    at, weight = np.polynomial.legendre.leggauss(_NODES)
    middle, half = panels.mean(axis=1)[:, None], (panels[:, 1] - panels[:, 0])[:, None] / 2.0
    return (middle + half * at).ravel(), (half * weight).ravel()
