"""The best reward of ``k`` trials, and the mean reward, as sums over the steps between rewards.

A trial passes a step if its reward is above it, so each step is Pass@k. Scores and moments under a fixed prior come
from the kernel ``best_reward``. Under learned priors every step is a binary outcome with a shared prior of its own.
With ``r_1 < .. < r_L`` the rewards and ``A_l`` the rate of trials below ``r_l``, the best of ``k`` trials is worth

    r_1 + sum_l (r_l - r_(l-1)) (1 - A_l^k),

``k = 1`` being the mean reward: each step is Pass@k with "at least ``r_l``" for a success, and its prior is learned as
that of binary outcomes. Under a Dirichlet the steps are nested, and for ``i`` before ``j``

    Cov(A_i^k, A_j^k) = (E A_i^k / E A_j^k) Var A_j^k;

that is taken for the trials' part, no more than the two deviations allow. What the shared priors leave uncertain is
added as deviations, the steps being about one difficulty.
"""

import numpy as np

from .._arrays import Vector
from ..inference import NO_REACH, Bounds, Level, Mixture, learn
from ..outcomes import OutcomeMatrix
from ._base import Moments
from ._shared_prior import of_states, pooled
from ._threshold import PassAtK


class Step:
    """A trial succeeds when it earns ``r_l`` or more; by that, ``gap`` more than ``r_(l-1)``."""

    mean: Vector
    within: Vector
    between: Vector

    def __init__(self, gap: float, outcomes: OutcomeMatrix, metric: PassAtK) -> None:
        self.gap, self._outcomes, self._metric = gap, outcomes, metric
        where = outcomes.state_of_question
        self._about = metric._worth, learn(outcomes.states)
        self.mean, self.within, self.between = (values[where] for values in of_states(*self._about))

    def pooled(self) -> Mixture:
        """The posterior of what the step adds to the mean over questions."""
        return pooled(*self._about, self._outcomes).scaled(0.0, self.gap)

    def reach(self, level: Level, target: str) -> Bounds:
        """Return what rare successes, or failures, of the step allow; of others, ``NO_REACH``."""
        least, most = self._metric._reach(self._outcomes, level, "questions")
        if target == "population":
            law = self._metric._of_population(self._outcomes).on(0.0, 1.0)
            low, high = law.equal_tailed(level.tail)
            least, most = min(low, least) if least < 1.0 else least, max(high, most) if most > 0.0 else most
        return least, most

    def range(self, level: Level, target: str) -> Bounds:
        """Return the least and the largest value that fits the outcomes."""
        ends = self._metric._range(self._outcomes, level, target)
        assert ends is not None  # steps are binary
        return ends

    @property
    def pooled_within(self) -> float:
        """The trials' part of that posterior's variance."""
        return self.gap**2 * float(self.within.sum()) / len(self.within) ** 2


class Steps:
    """The steps between the rewards of a set of outcomes, and the best of ``k`` trials computed from them.

    With the ``sign`` -1 it is the worst: minus the best of minus the rewards.
    """

    def __init__(self, outcomes: OutcomeMatrix, rewards: Vector, k: int, sign: int = 1) -> None:
        self.sign = sign
        levels, at = np.unique(sign * rewards, return_inverse=True)
        reached = np.zeros((outcomes.n_questions, len(levels)), dtype=np.int64)
        for category in range(min(outcomes.n_categories, len(rewards))):
            reached[:, at[category]] += outcomes.counts[:, category]
        below = np.cumsum(reached, axis=1)
        metric = PassAtK(k)
        self.lowest: float = float(levels[0])
        self.steps: list[Step] = [
            Step(gap, outcomes.replaced(counts=np.stack([failed, below[:, -1] - failed], axis=1), levels=None), metric)
            for gap, failed in zip(np.diff(levels), below.T[:-1], strict=True)
        ]

    def moments(self) -> Moments:
        """Mean and variance of every question's value."""
        rises = np.array([step.gap * step.mean for step in self.steps])
        deviations = np.array([step.gap * np.sqrt(step.between) for step in self.steps])
        mean = self.sign * (self.lowest + rises.sum(axis=0))
        return Moments(mean, self._within() + deviations.sum(axis=0) ** 2)

    def mixture(self) -> Mixture:
        """The posterior of the mean over questions: the components of the least certain step, widened for all."""
        if not self.steps:  # all rewards are equal
            return Mixture.single(self.sign * self.lowest, 0.0)
        posteriors = [step.pooled() for step in self.steps]
        trials_part = [step.pooled_within for step in self.steps]
        shared_part = [
            max(posterior.sd**2 - of_trials, 0.0) for posterior, of_trials in zip(posteriors, trials_part, strict=True)
        ]
        deviations = np.sqrt(shared_part).tolist()
        at = int(np.argmax(deviations))
        widest, stretch = posteriors[at], sum(deviations) / max(*deviations, 1e-300)
        mean = self.lowest + sum(posterior.mean for posterior in posteriors) + stretch * (widest.means - widest.mean)
        within = self._within()
        of_trials = float(within.sum()) / len(within) ** 2
        variance = np.maximum(of_trials + stretch**2 * (widest.variances - trials_part[at]), 0.0)
        return Mixture(widest.weights, self.sign * mean, variance)

    def reach(self, level: Level, target: str) -> Bounds:
        """Return the least value that rare falls below the highest reward allow, and the largest for rare rises."""
        return self._summed([step.reach(level, target) for step in self.steps] or [NO_REACH])

    def range(self, level: Level, target: str) -> Bounds:
        """Return the sums of the least and of the largest values of all steps that fit the outcomes."""
        return self._summed([step.range(level, target) for step in self.steps] or [(0.0, 0.0)])

    def _summed(self, ends: list[Bounds]) -> Bounds:
        least, most = np.array(ends).T
        gaps = np.array([step.gap for step in self.steps] or [1.0])
        low, high = self.lowest + float(gaps @ least), self.lowest + float(gaps @ most)
        return (low, high) if self.sign > 0 else (-high, -low)

    def _within(self) -> Vector:
        """The trials' part of every question's variance."""
        total: Vector = np.sum([step.gap**2 * step.within for step in self.steps], axis=0)
        for j, outer in enumerate(self.steps):
            for inner in self.steps[:j]:
                nested = np.divide(1.0 - inner.mean, 1.0 - outer.mean, out=np.zeros_like(total), where=outer.mean < 1.0)
                joint = np.minimum(nested * outer.within, np.sqrt(inner.within * outer.within))
                total = total + 2.0 * inner.gap * outer.gap * joint
        return total
