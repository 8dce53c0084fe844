"""Metrics of successes and failures: the value of a question depends on its state, ``(successes, trials)``."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

from .._arrays import Vector
from .._kernels.states import States
from ..inference import Mixture
from ..inference._prior import LEARNED, UNIFORM, PriorLike, is_learned
from ..outcomes import OutcomeMatrix
from ..outcomes._admitted import pass_fail_outcomes
from ..params import budget, param
from ._base import Metric, Moments
from ._covariance import covariance
from ._fits import learned_prior
from ._shared_prior import Law, of_states, pooled
from ._too_few import values_or_nan, with_enough_trials


@dataclass(frozen=True)
class ByState(Metric):
    """A metric of budget ``k``: the mean over questions of the values of their states."""

    k: int = param(budget)

    @property
    def required_trials(self) -> int:
        """``k``, because trials are drawn without replacement."""
        return self.k

    def score(self, R: Any, *, too_few: str = "raise") -> float:
        """Return the mean over questions of the expected value of ``k`` of a question's trials."""
        enough = with_enough_trials(self, self._admit(R), too_few)
        return float("nan") if enough is None else enough._states.mean(self._state_scores(enough._states))

    def per_question(self, R: Any, *, too_few: str = "raise") -> Vector:
        """Return the expected value of ``k`` of each question's trials, (M,)."""
        return values_or_nan(self, self._admit(R), too_few, self._score_questions)

    def moments(self, R: Any, *, prior: PriorLike = UNIFORM) -> Moments:
        """Return the posterior mean and variance of each question's value, (M,) each."""
        outcomes = self._admit(R).with_prior_counts
        where = outcomes._state_of_question
        if is_learned(prior):
            mean, within, between = of_states(self._law(), learned_prior(outcomes))
            return Moments(mean[where], (within + between)[where])
        mean, sd = self._state_moments(outcomes._states, prior)
        return Moments(mean[where], (sd * sd)[where])

    def cov(self, other: Metric, R: Any, *, prior: PriorLike = UNIFORM) -> float:
        """Return the posterior covariance with another metric on the same outcomes; for blends, to first order."""
        return covariance(self, other, R, prior)

    @abstractmethod
    def _law(self) -> Law:
        """What the learned prior needs to know of the metric."""

    @abstractmethod
    def _state_scores(self, states: States) -> Vector:
        """Return the score of every state."""

    @abstractmethod
    def _state_moments(self, states: States, prior: PriorLike) -> tuple[Vector, Vector]:
        """Return the posterior mean and standard deviation of every state's value."""

    def _admit(self, R: Any) -> OutcomeMatrix:
        return pass_fail_outcomes(R)

    def _score_questions(self, outcomes: OutcomeMatrix) -> Vector:
        return self._state_scores(outcomes._states)[outcomes._state_of_question]

    def _estimate(self, outcomes: OutcomeMatrix, prior: PriorLike) -> tuple[float, float]:
        states = outcomes.with_prior_counts._states
        mean, sd = self._state_moments(states, prior)
        return states.mean(mean), states.norm(sd) / states.n_questions

    def _calibrated(self, outcomes: OutcomeMatrix) -> Mixture:
        return pooled(self._law(), learned_prior(outcomes.with_prior_counts))

    def _learned_moments(self, outcomes: OutcomeMatrix) -> Moments:
        return self.moments(outcomes, prior=LEARNED)
