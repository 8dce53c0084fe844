"""Count metrics: what a draw of ``k`` trials with ``j`` successes is worth decides everything else."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .._kernels import bank as finite
from .._kernels import spectrum
from .._kernels.states import States
from ..errors import ParameterError
from ..grouped import frozen
from ..interval import Bounds
from ..mixture import Mixture
from ..outcomes import OutcomeMatrix, right_or_wrong
from ..params import budget, param
from ..prior import UNIFORM, PriorLike, beta_prior
from .base import Metric, Moments, Vector
from .nodes import Ends, each_node, of_population, of_questions, pooled
from .population import shared_prior
from .terms import Terms, covariance


@dataclass(frozen=True)
class CountMetric(Metric):
    """A metric of budget ``k``: a subclass says what ``j = 0..k`` successes are worth.

    The score draws ``k`` of a question's trials without replacement, the posterior draws ``k`` new ones.

    >>> @dataclass(frozen=True)
    ... class Twice(CountMetric):
    ...     def credit(self):
    ...         return np.arange(self.k + 1) >= 2
    >>> round(Twice(k=3).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.85
    """

    k: int = param(budget)

    @abstractmethod
    def credit(self) -> Any:
        """The worth of ``0..k`` successes: ``k + 1`` numbers."""

    @property
    def needs(self) -> int:
        """``k``: a draw without replacement has no fewer trials."""
        return self.k

    @cached_property
    def credits(self) -> Vector:
        """``credit()``, checked and kept."""
        vector = np.array(self.credit(), dtype=np.float64)
        if vector.shape != (self.k + 1,) or not np.isfinite(vector).all():
            raise ParameterError(f"credit() of {self} must be {self.k + 1} finite numbers; got {vector!r}")
        return frozen(vector)

    @cached_property
    def steps(self) -> Vector:
        """What each further success adds: the differences of the credits, ``w_1..w_k``."""
        return frozen(np.diff(self.credits))

    def range(self, R: Any = None) -> Bounds:  # noqa: ARG002 - the range is the credit's
        """The smallest and the largest credit."""
        return float(self.credits.min()), float(self.credits.max())

    def score(self, R: Any, *, short: str = "raise") -> float:
        """The mean over questions of the expected credit of ``k`` of the question's trials."""
        enough = self._long_enough(self._admit(R), short)
        return float("nan") if enough is None else enough.states.mean(self._state_scores(enough.states))

    def per_question(self, R: Any, *, short: str = "raise") -> Vector:
        """The expected credit of ``k`` of each question's trials, (M,)."""
        return self._spread(self._admit(R), short, self._score_questions)

    def moments(self, R: Any, *, prior: PriorLike = UNIFORM) -> Moments:
        """Posterior mean and variance of each question's expected credit, (M,) each."""
        bank = self._admit(R).informed
        return of_questions(self._posterior, self._ends, bank, prior)

    def cov(self, other: Metric, R: Any, *, prior: PriorLike = UNIFORM) -> float:
        """Posterior covariance with another metric on the same outcomes."""
        return covariance(self, other, R, prior)

    def linear_terms(self, bank: OutcomeMatrix, prior: PriorLike) -> Terms:  # noqa: ARG002 - same for every bank
        """The metric as a sum of count metrics: itself."""
        return [(1.0, self)]

    @property
    def _ends(self) -> Ends:
        """The value where every trial fails, and where every one succeeds."""
        return float(self.credits[0]), float(self.credits[-1])

    def _estimate(self, bank: OutcomeMatrix, prior: PriorLike) -> tuple[float, float]:
        states = bank.informed.states
        mean, sd = self._posterior(states, prior)
        return states.mean(mean), states.norm(sd) / states.n_questions

    def _calibrated(self, bank: OutcomeMatrix) -> Mixture:
        informed = bank.informed
        return pooled(each_node(self._posterior), self._ends, informed.states, informed.learnt())

    def _of_population(self, bank: OutcomeMatrix) -> Mixture:
        return of_population(self._posterior, self._ends, shared_prior(bank.informed))

    def _admit(self, R: Any) -> OutcomeMatrix:
        return right_or_wrong(R)

    def _score_questions(self, bank: OutcomeMatrix) -> Vector:
        return self._state_scores(bank.states)[bank.state_of_question]

    def _state_scores(self, states: States) -> Vector:
        values = np.empty(states.n_states)
        self._score_states(states, values)
        return values

    def _posterior(self, states: States, prior: PriorLike) -> tuple[Vector, Vector]:
        alpha0, beta0 = beta_prior(prior)
        mean, sd = np.empty(states.n_states), np.empty(states.n_states)
        self._posterior_states(states, alpha0, beta0, mean, sd)
        return mean, sd

    def _score_states(self, states: States, out: Vector) -> None:
        finite.credit(states, self.k, self.credits, out)

    def _posterior_states(self, states: States, alpha0: float, beta0: float, mean: Vector, sd: Vector) -> None:
        spectrum.moments(states, self.k, self.credits, alpha0, beta0, mean, sd, self.steps)


class UnitRange(CountMetric):
    """Credits of 0 and 1 at the ends."""

    def range(self, R: Any = None) -> Bounds:  # noqa: ARG002 - the same for every bank
        """From 0 to 1."""
        return (0.0, 1.0)
