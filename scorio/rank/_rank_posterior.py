"""The probability that a model is the best, and that one model beats another.

The probability to be the best is exact for means that are independent normals, by quadrature: model ``i`` is the best
with the probability ``int f_i(x) prod_j P(X_j < x) dx``.

Where ``A`` models overlap, that product changes faster than the density of any model, so a panel is as wide as the
narrowest model in it over ``1 + sqrt(A) / 4``. A model that is much narrower than the others begins a new panel. Ten
Gauss-Legendre nodes per panel give 12 digits for 800 models.
"""

import math
from dataclasses import dataclass

import numpy as np

from .._base.arrays import Vector, cached_property, read_only, underflow_is_zero
from .._base.special import log_ndtr
from .._kernels.rank_law import panels
from ..estimates._joint import Joint, difference

DRAWS = 20_000  # of a joint posterior
_REACH = 8.5  # standard deviations that are integrated; probability 1e-17 lies beyond
_NODES = 10
_TOGETHER = 4  # panels in one working array, or more for few models
_FEW = 2**11  # panels times models in one working array
_NARROWEST = 1e-8  # least standard deviation over the scale, so that equal models without uncertainty share a rank
_IMPOSSIBLE = -60.0  # log probability that a node is above all models, below which P(best) gains nothing
_CHUNK = 2**19  # numbers in one working array


@dataclass(frozen=True, eq=False)
class RankPosterior:
    """Which models are the best, and which beat others, given their joint posterior; computed on first use.

    ``best`` is exact if models are independent, else from draws of the joint posterior.

    >>> from scorio import Leaderboard, PassAtK
    >>> board = Leaderboard(PassAtK(1), {"a": [[1, 1], [1, 0]], "b": [[1, 0], [0, 0]]})
    >>> board.posterior.best.round(3), board.posterior.error
    (array([0.875, 0.125]), 0.0)
    """

    joint: Joint
    seed: int

    @cached_property
    @underflow_is_zero
    def beats(self) -> Vector:
        """``beats[i, j]`` is P(model ``i`` beats ``j``), 1/2 on itself, (L, L)."""
        models = np.arange(len(self.joint.mu))
        return read_only(np.array([self.joint.p_above(difference(i, models)) for i in models]))

    @property
    def error(self) -> float:
        """The largest standard error that a probability of ``best`` can have: 0 where they are exact."""
        return 0.0 if self.joint.is_independent else 0.5 / math.sqrt(DRAWS)

    @cached_property
    @underflow_is_zero
    def best(self) -> Vector:
        """P(model is the best), (L,)."""
        if self.joint.is_independent:
            return read_only(best_probabilities(self.joint.mu, np.sqrt(self.joint.alone)))
        rng, count = np.random.default_rng(self.seed), len(self.joint.mu)
        step, times = max(1, _CHUNK // max(self.joint.shared.shape)), np.zeros(count)
        for start in range(0, DRAWS, step):
            first = self.joint.draw(min(step, DRAWS - start), rng).argmax(axis=1)
            times += np.bincount(first, minlength=count)
        return read_only(times / DRAWS)

    @property
    def expected(self) -> Vector:
        """The expected rank of each model, (L,): one more than the number of models that may be expected to beat it."""
        return np.asarray(self.beats.sum(axis=0) + 0.5)


@underflow_is_zero
def best_probabilities(mu: Vector, sigma: Vector) -> Vector:
    """Return the probability of each model to be the best, in time nearly proportional to the number of models.

    >>> best_probabilities(np.array([0.6, 0.5]), np.array([0.03, 0.04])).round(5)
    array([0.97725, 0.02275])
    """
    if len(mu) == 1:
        return np.ones(1)
    scale = max(float(sigma.max()), float(np.ptp(mu))) or 1.0
    centre, spread = mu - mu.mean(), np.maximum(sigma, _NARROWEST * scale)
    starts, ends = centre - _REACH * spread, centre + _REACH * spread
    places, best = np.array(panels(starts, ends, spread)), np.zeros(len(mu))
    at, weight = np.polynomial.legendre.leggauss(_NODES)
    together = max(_TOGETHER, _FEW // len(mu))
    for first in range(0, len(places), together):
        some = places[first : first + together]
        if (starts >= some[-1, 1]).any():  # a model is above all of these nodes
            continue
        half = (some[:, 1] - some[:, 0])[:, None] / 2.0
        nodes, weights = (some.mean(axis=1)[:, None] + half * at).ravel(), (half * weight).ravel()
        models = np.flatnonzero((starts < some[-1, 1]) & (ends > some[0, 0]))
        z = (nodes[:, None] - centre[models]) / spread[models]
        mass = weights[:, None] / spread[models] * np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)
        log_below = log_ndtr(z)
        log_all = log_below.sum(axis=1, keepdims=True)
        possible = log_all[:, 0] > _IMPOSSIBLE
        others = np.exp(log_all[possible] - log_below[possible])
        best[models] += (mass[possible] * others).sum(axis=0)
    return np.clip(best, 0.0, 1.0, out=best)
