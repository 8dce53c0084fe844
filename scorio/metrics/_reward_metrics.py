"""Bayes@N, avg@N and Max@k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from .._arrays import Vector
from ..inference import Mixture
from ..inference._prior import UNIFORM, PriorLike, dirichlet_prior, is_learned
from ..outcomes import OutcomeMatrix, as_outcomes
from ..params import budget, param
from ._base import Moments
from ._best_reward import best_of, best_of_posterior
from ._categorical import RATE, Categorical, mean_reward, pays_success, profiles_of, rescale, rewards
from ._covariance import CovarianceTerms
from ._rubric import Rubric
from ._threshold import PassAtK, PassHatK
from ._too_few import with_enough_trials


@dataclass(frozen=True)
class BayesMetric(Categorical):
    """Bayes@N: the posterior mean of the weighted category rates (arXiv:2510.04265).

    Without weights, outcomes are binary; ``weights`` may be a Rubric.

    >>> round(BayesMetric(weights=(0, 0.5, 1)).score([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]), 6)
    0.5625
    """

    name: ClassVar[str] = "bayes"
    _shares: ClassVar[bool] = True
    weights: Sequence[float] | Rubric | None = param(rewards, default=None)

    @property
    def required_trials(self) -> int:
        """0: without trials, the score is the prior mean."""
        return 0

    def score(self, R: Any, *, too_few: str = "raise") -> float:
        """Return the posterior mean under the uniform prior, prior outcomes included."""
        return super().score(as_outcomes(R).with_prior_counts, too_few=too_few)

    def observed(self, R: Any, *, too_few: str = "raise") -> float:  # noqa: ARG002 - questions without trials are left out
        """Return the mean of the recorded trials; prior outcomes and questions without trials are left out."""
        outcomes = as_outcomes(R)
        return self._mean.score(outcomes, too_few="omit")

    @cached_property
    def _mean(self) -> AvgMetric:
        return AvgMetric(self.weights)

    def per_question(self, R: Any, *, too_few: str = "raise") -> Vector:
        """Return the posterior mean of each question, (M,)."""
        return super().per_question(as_outcomes(R).with_prior_counts, too_few=too_few)

    def _scores(self, outcomes: OutcomeMatrix) -> Vector:
        return self._posterior(outcomes, UNIFORM)[0]

    def _posterior(self, outcomes: OutcomeMatrix, prior: PriorLike) -> tuple[Vector, Vector]:
        return mean_reward(outcomes, self.rewards(outcomes), prior)

    def covariance_terms(self, outcomes: OutcomeMatrix, prior: PriorLike) -> CovarianceTerms:  # noqa: ARG002 - the prior does not matter
        """Return Pass@1 times the gain of a success."""
        return [(self._binary_gain(outcomes), PassAtK(1))]


@dataclass(frozen=True)
class AvgMetric(Categorical):
    """avg@N: the mean of the weighted outcomes; its standard deviation is that of Bayes@N times ``T/N``.

    Without weights, outcomes are binary; ``weights`` may be a Rubric. Prior outcomes are ignored.

    >>> round(AvgMetric().score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.7
    """

    name: ClassVar[str] = "avg"
    aliases: ClassVar[tuple[str, ...]] = ("accuracy", "acc", "mean")
    estimate_ignores_prior: ClassVar[bool] = True
    weights: Sequence[float] | Rubric | None = param(rewards, default=None)

    def _scores(self, outcomes: OutcomeMatrix) -> Vector:
        return _mean_outcome(outcomes, self.rewards(outcomes))

    def _posterior(self, outcomes: OutcomeMatrix, prior: PriorLike) -> tuple[Vector, Vector]:
        with_enough_trials(self, outcomes, "raise")
        rewards = self.rewards(outcomes)
        trials = outcomes._profile_rows.sum(axis=1)
        _, sd = mean_reward(outcomes, rewards, prior)
        weight = trials + dirichlet_prior(prior, len(rewards)).sum()
        return _mean_outcome(outcomes, rewards, trials), sd * (weight / trials)

    def moments(self, R: Any, *, prior: PriorLike = UNIFORM) -> Moments:
        """Return each question's mean outcome and the posterior mean of its squared error, (M,) each."""
        posterior = super().moments(R, prior=prior)
        if not is_learned(prior):
            return posterior
        mean = self.per_question(R)
        return Moments(mean, posterior.variance + (posterior.mean - mean) ** 2)

    def _calibrated(self, outcomes: OutcomeMatrix) -> Mixture:
        posterior, mean = super()._calibrated(outcomes), self.score(outcomes)
        return Mixture.single(mean, float(np.hypot(posterior.sigma, posterior.mu - mean)))

    def _recorded(self, outcomes: OutcomeMatrix) -> OutcomeMatrix:
        return outcomes

    def covariance_terms(self, outcomes: OutcomeMatrix, prior: PriorLike) -> CovarianceTerms:
        """Return Pass@1 times the gain of a success and each question's ratio of standard deviations."""
        return [(self._binary_gain(outcomes) * self._stretch(outcomes, prior), PassAtK(1))]

    def _stretch(self, outcomes: OutcomeMatrix, prior: PriorLike) -> Vector:
        own, base = (metric.moments(outcomes, prior=prior).variance for metric in (self, BayesMetric(self.weights)))
        return np.sqrt(np.divide(own, base, out=np.zeros_like(own), where=base > 0.0))


def _mean_outcome(outcomes: OutcomeMatrix, rewards: Vector, trials: Vector | None = None) -> Vector:
    """Return the mean reward of every profile's trials, whose numbers are computed if they are not given."""
    if pays_success(outcomes, rewards):
        rates = RATE._state_scores(outcomes._states)
        return rescale(rewards, rates, rates)[0]
    profiles = profiles_of(outcomes, len(rewards))
    return np.asarray(profiles @ rewards / (profiles.sum(axis=1) if trials is None else trials))


@dataclass(frozen=True)
class MaxAtK(Categorical):
    """Max@k: the expected best reward among ``k`` trials (arXiv:2510.23393, arXiv:2505.15201).

    Without weights, outcomes are binary; ``weights`` may be a Rubric.

    >>> round(MaxAtK(k=2, weights=(0, 0.5, 1)).score([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]), 6)
    0.85
    """

    name: ClassVar[str] = "max"
    k: int = param(budget)
    weights: Sequence[float] | Rubric | None = param(rewards, default=None)

    @property
    def required_trials(self) -> int:
        """``k``, because trials are drawn without replacement."""
        return self.k

    def _scores(self, outcomes: OutcomeMatrix) -> Vector:
        rewards = self.rewards(outcomes)
        if not pays_success(outcomes, rewards):
            return best_of(profiles_of(outcomes, len(rewards)), rewards, self.k)
        values = self._rate._state_scores(outcomes._states)
        return rescale(rewards, values, values)[0]

    def _posterior(self, outcomes: OutcomeMatrix, prior: PriorLike) -> tuple[Vector, Vector]:
        rewards = self.rewards(outcomes)
        if not pays_success(outcomes, rewards):
            profiles = profiles_of(outcomes, len(rewards))
            return best_of_posterior(profiles, rewards, dirichlet_prior(prior, len(rewards)), self.k)
        return rescale(rewards, *self._rate._state_moments(outcomes._states, prior))

    @cached_property
    def _rate(self) -> PassAtK:
        return PassAtK(self.k)

    def covariance_terms(self, outcomes: OutcomeMatrix, prior: PriorLike) -> CovarianceTerms:  # noqa: ARG002 - the prior does not matter
        """Return the gain of a success times Pass@k, or times Pass^k if the gain is negative."""
        gain = self._binary_gain(outcomes)
        return [(gain, self._rate if gain >= 0.0 else PassHatK(self.k))]
