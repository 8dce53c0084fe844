"""What is known of the ranks: the distribution of every model's rank, and who beats whom."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..grouped import frozen
from ..paired import Joint
from .quadrature import rank_pmf

Vector = NDArray[np.float64]
_CHUNK = 2**19  # numbers in a work array


@dataclass(frozen=True, eq=False)
class RankPosterior:
    """``pmf[i, r]`` is P(model ``i`` has rank ``r + 1``), ``beats[i, j]`` is P(model ``i`` beats ``j``), 1/2 on itself.

    ``error`` is the largest standard error a probability of ``pmf`` can have: 0 where they are exact.

    >>> from scorio import Leaderboard, PassAtK
    >>> board = Leaderboard(PassAtK(1), {"a": [[1, 1], [1, 0]], "b": [[1, 0], [0, 0]]})
    >>> board.posterior.best.round(3), board.posterior.error
    (array([0.884, 0.116]), 0.0)
    """

    pmf: Vector
    beats: Vector
    error: float

    @property
    def best(self) -> Vector:
        """P(model is the best), (L,)."""
        return self.pmf[:, 0]

    @property
    def expected(self) -> Vector:
        """The expected rank of each model, (L,)."""
        return np.asarray(self.pmf @ np.arange(1.0, len(self.pmf) + 1.0))

    def interval(self, confidence: float) -> NDArray[np.intp]:
        """The first and last rank of each model's equal-tailed interval, (L, 2)."""
        tail = (1.0 - confidence) / 2.0
        below = np.cumsum(self.pmf, axis=1)
        lo, hi = (np.argmax(below >= below[:, -1:] * level, axis=1) + 1 for level in (tail, 1.0 - tail))
        return np.stack([lo, hi], axis=1)


def rank_posterior(joint: Joint, draws: int, seed: int) -> RankPosterior:
    """Exact where models are independent, else from ``draws`` draws of the joint posterior."""
    models = np.arange(len(joint.mu))
    beats = frozen(np.array([joint.beats(i, models) for i in models]))
    if joint.is_independent:
        return RankPosterior(frozen(rank_pmf(joint.mu, np.sqrt(joint.own))), beats, 0.0)
    return RankPosterior(frozen(_simulated(joint, draws, seed)), beats, 0.5 / math.sqrt(draws))


def _simulated(joint: Joint, draws: int, seed: int) -> Vector:
    """How often each model had each rank."""
    rng = np.random.default_rng(seed)
    count = len(joint.mu)
    seen = np.zeros(count * count, np.int64)
    step = max(1, _CHUNK // max(joint.shared.shape))
    for start in range(0, draws, step):
        order = np.argsort(-joint.draw(min(step, draws - start), rng), axis=1)
        seen += np.bincount((order * count + np.arange(count)).ravel(), minlength=count * count)
    return seen.reshape(count, count) / draws
