"""Metrics of continuous rewards: what avg, Bayes@N and Max@k are where rewards have no categories.

A question's value is the mean of its trials, or the best of ``k`` of them; the estimates, their errors and intervals
are those of ``QuestionMeans``. There are no pseudo-counts: every prior is the one that is learned.
"""

from dataclasses import dataclass

import numpy as np

from .._arrays import Vector
from .._choices import TARGETS
from ..errors import OutcomeError, ParameterError
from ..inference import (
    Beta,
    Bounds,
    Prior,
    QuestionEstimates,
    QuestionMeans,
    SkewedT,
    best_of,
)
from ..outcomes import RewardMatrix
from ..params import choice
from ._clusters import check_clusters, groups


@dataclass(frozen=True, eq=False)
class ContinuousMean:
    """The mean over questions of the expected best of ``k`` trials, or ``worst``; for ``k`` of 1 it is the mean reward.

    If ``learned``, questions with unequally many trials share what is learned from them. The matrix keeps the results.
    """

    rewards: RewardMatrix
    k: int
    learned: bool
    worst: bool = False

    @property
    def estimates(self) -> QuestionEstimates:
        """The value of each question, with the variance and third moment of that estimate."""
        return self.rewards._cached(f"question estimates {self.k} {self.worst}", self._estimate)

    @property
    def means(self) -> QuestionMeans:
        """The mean over questions."""
        key = f"question means {self.k} {self.learned} {self.worst}"
        return self.rewards._cached(key, lambda: QuestionMeans(self.estimates, self.learned))

    def per_question(self) -> Vector:
        """Return the value of each question; without a trial, the mean of the others."""
        value, present = self.estimates.value, self.rewards.trials > 0
        return value if present.all() else np.where(present, value, value[present].mean())

    def moments(self, prior: Prior) -> tuple[Vector, Vector]:
        """Return the mean and variance of each question's true value."""
        check_continuous_prior(prior)
        return self.means.of_each()

    def posterior(self, prior: Prior, target: str) -> SkewedT:
        """Return the posterior of the mean over these questions or over the population."""
        check_continuous_prior(prior)
        rewards, has_trials = self.rewards, self.rewards.trials > 0
        if choice("target", target, TARGETS) == "population":
            check_clusters(rewards.select(has_trials))
            return self.means.of_population(groups(rewards))
        if has_trials.sum() < 2 and rewards.max_trials < 2:
            raise OutcomeError("one trial of one question does not show how much rewards vary: there is no interval")
        return self.means.of_these()

    @np.errstate(under="ignore")
    def _estimate(self) -> QuestionEstimates:
        if self.k > 1 and self.worst:
            best = best_of(-self.rewards.ordered[::-1], self.rewards.trials[::-1], self.k)
            return QuestionEstimates(-best.value[::-1], best.variance[::-1], -best.third[::-1], best.trials[::-1])
        if self.k > 1:
            return best_of(self.rewards.ordered, self.rewards.trials, self.k)
        summary, n = self.rewards._summary, self.rewards.trials.astype(np.float64)
        variance, third = np.full((2, len(n)), np.nan)
        np.divide(summary.squares, (n - 1.0) * n, out=variance, where=n > 1)
        np.divide(summary.cubes, (n - 1.0) * (n - 2.0) * n, out=third, where=n > 2)
        return QuestionEstimates(summary.mean, variance, third, n)


def support_of(rewards: RewardMatrix) -> Bounds:
    """Return the smallest and largest value that a reward can have, infinite where they are not known."""
    return rewards.support or (-np.inf, np.inf)


def check_continuous_prior(prior: Prior, subject: str = "continuous rewards") -> None:
    """Check that the prior is a learned one, or the default."""
    if not (prior.is_learned or prior == Beta(1.0, 1.0)):
        raise ParameterError(
            f'must be "learned": {subject} have no categories to give pseudo-counts to; got {prior}',
            argument="prior",
        )
