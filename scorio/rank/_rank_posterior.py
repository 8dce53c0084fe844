"""The distribution of each model's rank, and the probability that one model beats another."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._arrays import Indices, Vector, read_only, underflow_is_zero
from ..comparison._joint import Joint
from ._quadrature import best_probabilities, rank_pmf

_CHUNK = 2**19  # numbers in one working array


@dataclass(frozen=True, eq=False)
class RankPosterior:
    """The distribution of the ranks of models, given their joint posterior; each part is computed on first use.

    It is exact if models are independent, else from ``draws`` draws of the joint posterior. Memory grows as the square
    of the number of models for ``pmf`` and ``beats``, and not for ``best``.

    >>> from scorio import Leaderboard, PassAtK
    >>> board = Leaderboard(PassAtK(1), {"a": [[1, 1], [1, 0]], "b": [[1, 0], [0, 0]]})
    >>> board.posterior.best.round(3), board.posterior.error
    (array([0.895, 0.105]), 0.0)
    """

    joint: Joint
    draws: int
    seed: int

    @cached_property
    def pmf(self) -> Vector:
        """``pmf[i, r]`` is P(model ``i`` has rank ``r + 1``), (L, L)."""
        if self.joint.is_independent:
            return read_only(rank_pmf(self.joint.mu, np.sqrt(self.joint.own)))
        return read_only(_simulated(self.joint, self.draws, self.seed))

    @cached_property
    @underflow_is_zero
    def beats(self) -> Vector:
        """``beats[i, j]`` is P(model ``i`` beats ``j``), 1/2 on itself, (L, L)."""
        models = np.arange(len(self.joint.mu))
        return read_only(np.array([self.joint.beats(i, models) for i in models]))

    @property
    def error(self) -> float:
        """The largest standard error that a probability of ``pmf`` can have: 0 where they are exact."""
        return 0.0 if self.joint.is_independent else 0.5 / math.sqrt(self.draws)

    @cached_property
    def best(self) -> Vector:
        """P(model is the best), (L,)."""
        if self.joint.is_independent:
            return read_only(best_probabilities(self.joint.mu, np.sqrt(self.joint.own)))
        return self.pmf[:, 0]

    @property
    def expected(self) -> Vector:
        """The expected rank of each model, (L,)."""
        return np.asarray(self.pmf @ np.arange(1.0, len(self.pmf) + 1.0))

    def interval(self, confidence: float) -> Indices:
        """Return the first and last rank of each model's equal-tailed interval, (L, 2)."""
        tail = (1.0 - confidence) / 2.0
        step = max(1, _CHUNK // len(self.pmf))
        return np.concatenate([_equal_tailed(self.pmf[i : i + step], tail) for i in range(0, len(self.pmf), step)])


def _equal_tailed(pmf: Vector, tail: float) -> Indices:
    """Return the first and last rank of each row's interval, (rows, 2)."""
    below = np.cumsum(pmf, axis=1)
    lo, hi = (np.argmax(below >= below[:, -1:] * level, axis=1) + 1 for level in (tail, 1.0 - tail))
    return np.stack([lo, hi], axis=1)


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
