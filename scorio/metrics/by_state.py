"""Metrics of right or wrong: what a question is worth follows from its state, its successes and its trials."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

from .._kernels.states import States
from ..mixture import Mixture
from ..outcomes import OutcomeMatrix, right_or_wrong
from ..params import budget, param
from ..prior import LEARNT, UNIFORM, PriorLike
from .base import Metric, Moments, Vector
from .nodes import Ends, each_node, of_questions, pooled
from .terms import covariance


@dataclass(frozen=True)
class ByState(Metric):
    """A metric of budget ``k``, the mean over questions of what their states are worth."""

    k: int = param(budget)

    @property
    def needs(self) -> int:
        """``k``: a draw without replacement has no fewer trials."""
        return self.k

    def score(self, R: Any, *, short: str = "raise") -> float:
        """The mean over questions of the worth of ``k`` of each question's trials."""
        enough = self._long_enough(self._admit(R), short)
        return float("nan") if enough is None else enough.states.mean(self._state_scores(enough.states))

    def per_question(self, R: Any, *, short: str = "raise") -> Vector:
        """The worth of ``k`` of each question's trials, (M,)."""
        return self._spread(self._admit(R), short, self._score_questions)

    def moments(self, R: Any, *, prior: PriorLike = UNIFORM) -> Moments:
        """Posterior mean and variance of each question's worth, (M,) each."""
        return of_questions(self._state_moments, self._ends, self._admit(R).informed, prior)

    def cov(self, other: Metric, R: Any, *, prior: PriorLike = UNIFORM) -> float:
        """Posterior covariance with another metric on the same outcomes, of blends to first order."""
        return covariance(self, other, R, prior)

    @property
    @abstractmethod
    def _ends(self) -> Ends:
        """The value where every trial fails, and where every one succeeds."""

    @abstractmethod
    def _state_scores(self, states: States) -> Vector:
        """The worth of every state."""

    @abstractmethod
    def _state_moments(self, states: States, prior: PriorLike) -> tuple[Vector, Vector]:
        """Posterior mean and standard deviation of every state's worth."""

    def _admit(self, R: Any) -> OutcomeMatrix:
        return right_or_wrong(R)

    def _score_questions(self, bank: OutcomeMatrix) -> Vector:
        return self._state_scores(bank.states)[bank.state_of_question]

    def _estimate(self, bank: OutcomeMatrix, prior: PriorLike) -> tuple[float, float]:
        states = bank.informed.states
        mean, sd = self._state_moments(states, prior)
        return states.mean(mean), states.norm(sd) / states.n_questions

    def _calibrated(self, bank: OutcomeMatrix) -> Mixture:
        informed = bank.informed
        return pooled(each_node(self._state_moments), self._ends, informed.states, informed.learnt())

    def _learnt_moments(self, bank: OutcomeMatrix) -> Moments:
        return self.moments(bank, prior=LEARNT)
