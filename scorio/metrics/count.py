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
from ..outcomes import OutcomeMatrix
from ..prior import PriorLike, beta_prior
from .base import Vector
from .by_state import ByState
from .nodes import Ends, of_population
from .population import shared_prior
from .terms import Terms


@dataclass(frozen=True)
class CountMetric(ByState):
    """A metric of budget ``k``: a subclass says what ``j = 0..k`` successes are worth.

    The score draws ``k`` of a question's trials without replacement, the posterior draws ``k`` new ones.

    >>> @dataclass(frozen=True)
    ... class Twice(CountMetric):
    ...     def credit(self):
    ...         return np.arange(self.k + 1) >= 2
    >>> round(Twice(k=3).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.85
    """

    @abstractmethod
    def credit(self) -> Any:
        """The worth of ``0..k`` successes: ``k + 1`` numbers."""

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

    def linear_terms(self, bank: OutcomeMatrix, prior: PriorLike) -> Terms:  # noqa: ARG002 - same for every bank
        """The metric as a sum of count metrics: itself."""
        return [(1.0, self)]

    @property
    def _ends(self) -> Ends:
        return float(self.credits[0]), float(self.credits[-1])

    def _of_population(self, bank: OutcomeMatrix) -> Mixture:
        return of_population(self._state_moments, self._ends, shared_prior(bank.informed))

    def _state_scores(self, states: States) -> Vector:
        values = np.empty(states.n_states)
        self._score_states(states, values)
        return values

    def _state_moments(self, states: States, prior: PriorLike) -> tuple[Vector, Vector]:
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
