"""Rewards under learned priors: every step between two rewards is a binary outcome with a shared prior of its own.

With ``r_1 < .. < r_L`` the rewards and ``A_l`` the rate of trials below ``r_l``, the best of ``k`` trials is worth

    r_1 + sum_l (r_l - r_(l-1)) (1 - A_l^k),

``k = 1`` being the mean reward: each step is Pass@k with "at least ``r_l``" for a success, and its prior is learned as
that of binary outcomes. Under a Dirichlet the steps are nested, and for ``i`` before ``j``

    Cov(A_i^k, A_j^k) = (E A_i^k / E A_j^k) Var A_j^k;

that is taken for the trials' part, no more than the two deviations allow. What the shared priors leave uncertain is
added as deviations, the steps being about one difficulty.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._arrays import Vector
from .._kernels.distinct import distinct, locate
from ..inference import Mixture
from ..inference._learned_prior import learn
from ..outcomes import OutcomeMatrix
from ._base import Moments
from ._shared_prior import of_states, pooled
from ._threshold import PassAtK


class Step:
    """A trial succeeds when it earns ``r_l`` or more; by that, ``gap`` more than ``r_(l-1)``."""

    mean: Vector
    within: Vector
    between: Vector

    def __init__(self, gap: float, counts: NDArray[np.int64], metric: PassAtK) -> None:
        self.gap = gap
        states, where = distinct(counts), np.empty(len(counts), dtype=np.intp)
        locate(counts, states, where)
        self._about = metric._law(), learn(states)
        self.mean, self.within, self.between = (values[where] for values in of_states(*self._about))

    def pooled(self) -> Mixture:
        """The posterior of what the step adds to the mean over questions."""
        return pooled(*self._about).scaled(0.0, self.gap)

    @property
    def pooled_within(self) -> float:
        """The trials' part of that posterior's variance."""
        return self.gap**2 * float(self.within.sum()) / len(self.within) ** 2


class Steps:
    """The steps between the rewards of a set of outcomes, and the best of ``k`` trials computed from them."""

    def __init__(self, outcomes: OutcomeMatrix, rewards: Vector, k: int) -> None:
        levels, at = np.unique(rewards, return_inverse=True)
        reached = np.zeros((outcomes.n_questions, len(levels)), dtype=np.int64)
        for category in range(min(outcomes.n_categories, len(rewards))):
            reached[:, at[category]] += outcomes.counts[:, category]
        below = np.cumsum(reached, axis=1)
        metric = PassAtK(k)
        self.lowest: float = float(levels[0])
        self.steps: list[Step] = [
            Step(gap, np.stack([below[:, i], below[:, -1] - below[:, i]], axis=1), metric)
            for i, gap in enumerate(np.diff(levels))
        ]

    def moments(self) -> Moments:
        """Mean and variance of every question's value."""
        rises = np.array([step.gap * step.mean for step in self.steps])
        deviations = np.array([step.gap * np.sqrt(step.between) for step in self.steps])
        return Moments(self.lowest + rises.sum(axis=0), self._within() + deviations.sum(axis=0) ** 2)

    def mixture(self) -> Mixture:
        """The posterior of the mean over questions: the components of the least certain step, widened for all."""
        posteriors = [step.pooled() for step in self.steps]
        trials_part = [step.pooled_within for step in self.steps]
        shared_part = [max(each.sigma**2 - own, 0.0) for each, own in zip(posteriors, trials_part, strict=True)]
        deviations = np.sqrt(shared_part).tolist()
        at = int(np.argmax(deviations))
        widest, stretch = posteriors[at], sum(deviations) / max(*deviations, 1e-300)
        mean = self.lowest + sum(each.mu for each in posteriors) + stretch * (widest.mean - widest.mu)
        within = self._within()
        own = float(within.sum()) / len(within) ** 2
        return Mixture(widest.weight, mean, np.maximum(own + stretch**2 * (widest.variance - trials_part[at]), 0.0))

    def _within(self) -> Vector:
        """The trials' part of every question's variance."""
        total: Vector = np.sum([step.gap**2 * step.within for step in self.steps], axis=0)
        for j, outer in enumerate(self.steps):
            for inner in self.steps[:j]:
                nested = np.divide(1.0 - inner.mean, 1.0 - outer.mean, out=np.zeros_like(total), where=outer.mean < 1.0)
                joint = np.minimum(nested * outer.within, np.sqrt(inner.within * outer.within))
                total = total + 2.0 * inner.gap * outer.gap * joint
        return total
