"""The distribution of each model's rank, and the probability that one model beats another.

The exact distribution of each model's rank by quadrature, for means that are independent normals.

Given that model ``i`` has the mean ``x``, each other model ``j`` is above it with its own probability
``p_j = P(X_j > x)``, so the number above follows a Poisson-binomial distribution, and

    P(rank of i = r + 1) = int f_i(x) P(r of the others above | x) dx.

Where ``A`` models overlap, that distribution changes faster than the density of any model, so a panel is as wide as the
narrowest model in it over ``1 + sqrt(A) / 4``. A model that is much narrower than the others begins a new panel. Ten
Gauss-Legendre nodes per panel give 12 digits for 800 models.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .._arrays import Indices, Vector, cached_property, read_only, underflow_is_zero
from .._kernels.rank_law import leave_one_out, panels
from .._special import log_ndtr, ndtr
from ..estimates import Joint, difference

_REACH = 8.5  # standard deviations that are integrated; probability 1e-17 lies beyond
_NODES = 10
_TOGETHER = 4  # panels in one working array, or more for few models
_FEW = 2**11  # panels times models in one working array
_NARROWEST = 1e-8  # least standard deviation over the scale, so that equal models without uncertainty share a rank
_IMPOSSIBLE = -60.0  # log probability that a node is above all models, below which P(best) gains nothing
_CHUNK = 2**19  # numbers in one working array


@dataclass(frozen=True, eq=False)
class RankPosterior:
    """The distribution of the ranks of models, given their joint posterior; each part is computed on first use.

    It is exact if models are independent, else from ``draws`` draws of the joint posterior. Memory grows as the square
    of the number of models for ``pmf`` and ``beats``, and not for ``best``.

    >>> from scorio import Leaderboard, PassAtK
    >>> board = Leaderboard(PassAtK(1), {"a": [[1, 1], [1, 0]], "b": [[1, 0], [0, 0]]})
    >>> board.posterior.best.round(3), board.posterior.error
    (array([0.875, 0.125]), 0.0)
    """

    joint: Joint
    draws: int
    seed: int

    @cached_property
    def pmf(self) -> Vector:
        """``pmf[i, r]`` is P(model ``i`` has rank ``r + 1``), (L, L)."""
        if self.joint.is_independent:
            return read_only(rank_pmf(self.joint.mu, np.sqrt(self.joint.alone)))
        return read_only(_simulated(self.joint, self.draws, self.seed))

    @cached_property
    @underflow_is_zero
    def beats(self) -> Vector:
        """``beats[i, j]`` is P(model ``i`` beats ``j``), 1/2 on itself, (L, L)."""
        models = np.arange(len(self.joint.mu))
        return read_only(np.array([self.joint.p_above(difference(i, models)) for i in models]))

    @property
    def error(self) -> float:
        """The largest standard error that a probability of ``pmf`` can have: 0 where they are exact."""
        return 0.0 if self.joint.is_independent else 0.5 / math.sqrt(self.draws)

    @cached_property
    def best(self) -> Vector:
        """P(model is the best), (L,)."""
        if self.joint.is_independent:
            return read_only(best_probabilities(self.joint.mu, np.sqrt(self.joint.alone)))
        return self.pmf[:, 0]

    @property
    def expected(self) -> Vector:
        """The expected rank of each model, (L,)."""
        return np.asarray(self.pmf @ np.arange(1.0, len(self.pmf) + 1.0))

    def interval(self, confidence: float) -> Indices:
        """Return the first and last rank of each model's equal-tailed interval, (L, 2)."""
        tail = (1.0 - confidence) / 2.0
        step = max(1, _CHUNK // len(self.pmf))
        ends = []
        for i in range(0, len(self.pmf), step):
            below = np.cumsum(self.pmf[i : i + step], axis=1)
            ends.append([np.argmax(below >= below[:, -1:] * level, axis=1) + 1 for level in (tail, 1.0 - tail)])
        return np.concatenate(ends, axis=1).T


@underflow_is_zero
def _simulated(joint: Joint, draws: int, seed: int) -> Vector:
    """Return how often each model had each rank."""
    rng = np.random.default_rng(seed)
    count = len(joint.mu)
    seen = np.zeros(count * count, np.int64)
    step = max(1, _CHUNK // max(joint.shared.shape))
    for start in range(0, draws, step):
        order = np.argsort(-joint.draw(min(step, draws - start), rng), axis=1)
        seen += np.bincount((order * count + np.arange(count)).ravel(), minlength=count * count)
    return seen.reshape(count, count) / draws


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
    for reached in _in_reach(*_scaled(mu, sigma)):
        leave_one_out(ndtr(-reached.z), ndtr(reached.z), reached.mass, reached.models, reached.higher, scratch, pmf)
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
    for reached in _in_reach(*_scaled(mu, sigma)):
        if reached.higher == 0:
            log_below = log_ndtr(reached.z)
            log_all = log_below.sum(axis=1, keepdims=True)
            possible = log_all[:, 0] > _IMPOSSIBLE
            others = np.exp(log_all[possible] - log_below[possible])
            best[reached.models] += (reached.mass[possible] * others).sum(axis=0)
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
    places = np.array(panels(starts, ends, spread))
    at, weight = np.polynomial.legendre.leggauss(_NODES)
    together = max(_TOGETHER, _FEW // len(centre))
    for first in range(0, len(places), together):
        some = places[first : first + together]
        half = (some[:, 1] - some[:, 0])[:, None] / 2.0
        nodes, weights = (some.mean(axis=1)[:, None] + half * at).ravel(), (half * weight).ravel()
        models = np.flatnonzero((starts < some[-1, 1]) & (ends > some[0, 0]))
        z = (nodes[:, None] - centre[models]) / spread[models]
        mass = weights[:, None] / spread[models] * np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)
        yield _Reached(z, mass, models, int((starts >= some[-1, 1]).sum()))
