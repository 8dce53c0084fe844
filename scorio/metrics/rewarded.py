"""Bayes@N, avg@N and Max@k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..mixture import Mixture
from ..outcomes import OutcomeMatrix, as_outcomes
from ..params import budget, param
from ..prior import UNIFORM, PriorLike, dirichlet_prior, is_learnt
from .base import Moments, Vector
from .categorical import RATE, Categorical, linear, profiles_of, rewards, rises, stretched
from .ladder import best_of, best_of_posterior
from .rubric import Rubric
from .terms import Terms
from .threshold import PassAtK, PassHatK


@dataclass(frozen=True)
class BayesMetric(Categorical):
    """Bayes@N: the posterior mean of the weighted category rates (arXiv:2510.04265); binary without weights.

    ``weights`` may be a Rubric.

    >>> round(BayesMetric(weights=(0, 0.5, 1)).score([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]), 6)
    0.5625
    """

    name: ClassVar[str] = "bayes"
    weights: Sequence[float] | Rubric | None = param(rewards, default=None)

    @property
    def needs(self) -> int:
        """None: without trials the prior speaks."""
        return 0

    def score(self, R: Any, *, short: str = "raise") -> float:
        """The posterior mean under the uniform prior and the prior outcomes."""
        return super().score(as_outcomes(R).informed, short=short)

    def per_question(self, R: Any, *, short: str = "raise") -> Vector:
        """The posterior mean of each question, (M,)."""
        return super().per_question(as_outcomes(R).informed, short=short)

    def _scores(self, bank: OutcomeMatrix) -> Vector:
        return self._posterior(bank, UNIFORM)[0]

    def _posterior(self, bank: OutcomeMatrix, prior: PriorLike) -> tuple[Vector, Vector]:
        return linear(bank, self.rewards(bank), prior)

    def linear_terms(self, bank: OutcomeMatrix, prior: PriorLike) -> Terms:  # noqa: ARG002 - same for every prior
        """The gain of a success, times Pass@1."""
        return [(self._binary_gain(bank), PassAtK(1))]


@dataclass(frozen=True)
class AvgMetric(Categorical):
    """avg@N: the mean of the weighted outcomes, with the Bayes deviation stretched by ``T/N``; binary without weights.

    ``weights`` may be a Rubric. Prior outcomes play no part.

    >>> round(AvgMetric().score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.7
    """

    name: ClassVar[str] = "avg"
    weights: Sequence[float] | Rubric | None = param(rewards, default=None)

    def _scores(self, bank: OutcomeMatrix) -> Vector:
        found = self.rewards(bank)
        if rises(bank, found):
            rates = RATE._state_scores(bank.states)
            return stretched(found, rates, rates)[0]
        profiles = profiles_of(bank, len(found))
        means: Vector = profiles @ found / profiles.sum(axis=1)
        return means

    def _posterior(self, bank: OutcomeMatrix, prior: PriorLike) -> tuple[Vector, Vector]:
        self._long_enough(bank, "raise")
        found = self.rewards(bank)
        trials = profiles_of(bank, len(found)).sum(axis=1)
        _, sd = linear(bank, found, prior)
        return self._scores(bank), sd * ((trials + dirichlet_prior(prior, len(found)).sum()) / trials)

    def moments(self, R: Any, *, prior: PriorLike = UNIFORM) -> Moments:
        """The mean of each question's outcomes, (M,), and the mean square of the latent value's distance from it."""
        found = super().moments(R, prior=prior)
        if not is_learnt(prior):
            return found
        mean = self.per_question(R)
        return Moments(mean, found.variance + (found.mean - mean) ** 2)

    def _calibrated(self, bank: OutcomeMatrix) -> Mixture:
        found, mean = super()._calibrated(bank), self.score(bank)
        return Mixture.single(mean, float(np.hypot(found.sigma, found.mu - mean)))

    def _recorded(self, bank: OutcomeMatrix) -> OutcomeMatrix:
        return bank

    def linear_terms(self, bank: OutcomeMatrix, prior: PriorLike) -> Terms:
        """Pass@1, times the gain and the stretch of each question."""
        return [(self._binary_gain(bank) * self._stretch(bank, prior), PassAtK(1))]

    def _stretch(self, bank: OutcomeMatrix, prior: PriorLike) -> Vector:
        own, base = (metric.moments(bank, prior=prior).variance for metric in (self, BayesMetric(self.weights)))
        return np.sqrt(np.divide(own, base, out=np.zeros_like(own), where=base > 0.0))


@dataclass(frozen=True)
class MaxAtK(Categorical):
    """Max@k: the expected best reward among ``k`` trials (arXiv:2510.23393, arXiv:2505.15201); binary without weights.

    ``weights`` may be a Rubric.

    >>> round(MaxAtK(k=2, weights=(0, 0.5, 1)).score([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]), 6)
    0.85
    """

    name: ClassVar[str] = "max"
    k: int = param(budget)
    weights: Sequence[float] | Rubric | None = param(rewards, default=None)

    @property
    def needs(self) -> int:
        """``k``: a draw without replacement has no fewer trials."""
        return self.k

    def _scores(self, bank: OutcomeMatrix) -> Vector:
        found = self.rewards(bank)
        if not rises(bank, found):
            return best_of(profiles_of(bank, len(found)), found, self.k)
        values = self._rate._state_scores(bank.states)
        return stretched(found, values, values)[0]

    def _posterior(self, bank: OutcomeMatrix, prior: PriorLike) -> tuple[Vector, Vector]:
        found = self.rewards(bank)
        if not rises(bank, found):
            profiles = profiles_of(bank, len(found))
            return best_of_posterior(profiles, found, dirichlet_prior(prior, len(found)), self.k)
        return stretched(found, *self._rate._state_moments(bank.states, prior))

    @cached_property
    def _rate(self) -> PassAtK:
        return PassAtK(self.k)

    def linear_terms(self, bank: OutcomeMatrix, prior: PriorLike) -> Terms:  # noqa: ARG002 - same for every prior
        """The gain of a success, times Pass@k, or Pass^k where a success is worth less."""
        gain = self._binary_gain(bank)
        return [(gain, self._rate if gain >= 0.0 else PassHatK(self.k))]
