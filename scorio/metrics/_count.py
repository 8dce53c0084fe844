"""Count metrics: each is defined by its value for ``j`` successes in a draw of ``k`` trials."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from .._arrays import Counts, Vector, read_only
from .._kernels import finite_scores, posterior_credit
from .._kernels.states import States
from ..errors import ParameterError
from ..inference import Mixture
from ..inference._interval import Bounds
from ..inference._prior import PriorLike, beta_prior
from ..outcomes import OutcomeMatrix
from ._binary import ByState
from ._clusters import shared_prior
from ._covariance import CovarianceTerms
from ._shared_prior import Law, credit_on_grid, of_population


@dataclass(frozen=True)
class CountMetric(ByState):
    """A metric of budget ``k``: a subclass defines what ``j = 0..k`` successes are worth.

    The score draws ``k`` of a question's trials without replacement; the posterior is about ``k`` new trials.

    >>> @dataclass(frozen=True)
    ... class Twice(CountMetric):
    ...     def credit(self):
    ...         return np.arange(self.k + 1) >= 2
    >>> round(Twice(k=3).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.85
    """

    fixed_support: ClassVar[Bounds | None] = None  # the support, if it is not the range of the credits
    is_any_success: ClassVar[bool] = False  # whether the metric is Pass@k: some covariances with it have closed forms

    @abstractmethod
    def credit(self) -> Any:
        """Return the worth of ``0..k`` successes: ``k + 1`` numbers."""

    @cached_property
    def credits(self) -> Vector:
        """The result of ``credit()``, checked and cached."""
        vector = np.array(self.credit(), dtype=np.float64)
        if vector.shape != (self.k + 1,) or not np.isfinite(vector).all():
            raise ParameterError(f"credit() of {self} must be {self.k + 1} finite numbers; got {vector!r}")
        return read_only(vector)

    @cached_property
    def steps(self) -> Vector:
        """What each further success adds: the differences of the credits, ``w_1..w_k``."""
        return read_only(np.diff(self.credits))

    def support(self, R: Any = None) -> Bounds:  # noqa: ARG002 - the outcomes do not matter
        """Return the smallest and the largest credit."""
        return self.fixed_support or (float(self.credits.min()), float(self.credits.max()))

    def covariance_terms(self, outcomes: OutcomeMatrix, prior: PriorLike) -> CovarianceTerms:  # noqa: ARG002 - neither matters
        """Return the metric as a sum of count metrics: itself."""
        return [(1.0, self)]

    def fill_any_success_covariance(self, states: States, alpha: float, beta: float, out: Vector) -> bool:  # noqa: ARG002 - for subclasses
        """Write a closed form of the covariance with Pass@k in every state to ``out``; return whether there is one."""
        return False

    def _is_at_bounds(self, outcomes: OutcomeMatrix) -> tuple[bool, bool]:
        """Return whether no question shows more than the lowest credit, and whether none shows less than the highest.

        With fewer than ``k`` trials, a question shows more if the same share of its trials succeeded.
        """
        low, high = self.support()
        states = outcomes._states
        c, n = states.successes, states.trials
        more, less = np.flatnonzero(self.credits != low), np.flatnonzero(self.credits[::-1] != high)
        is_low = self.credits[0] == low and not (len(more) and _reach(c, n, more[0], self.k))
        is_high = self.credits[-1] == high and not (len(less) and _reach(n - c, n, less[0], self.k))
        return bool(is_low), bool(is_high)

    def _law(self) -> Law:
        return Law(self.credits, self._state_moments, lambda prior: credit_on_grid(prior, self.credits))

    def _of_population(self, outcomes: OutcomeMatrix) -> Mixture:
        return of_population(self._law(), shared_prior(outcomes.with_prior_counts))

    def _state_scores(self, states: States) -> Vector:
        values = np.empty(states.n_states)
        self._score_states(states, values)
        return values

    def _state_moments(self, states: States, prior: PriorLike) -> tuple[Vector, Vector]:
        alpha, beta = beta_prior(prior)
        mean, sd = np.empty(states.n_states), np.empty(states.n_states)
        self._posterior_states(states, alpha, beta, mean, sd)
        return mean, sd

    def _score_states(self, states: States, out: Vector) -> None:
        finite_scores.credit(states, self.k, self.credits, out)

    def _posterior_states(self, states: States, alpha: float, beta: float, mean: Vector, sd: Vector) -> None:
        posterior_credit.moments(states, self.k, self.credits, alpha, beta, mean, sd, self.steps)


def _reach(counts: Counts, trials: Counts, needed: np.intp, k: int) -> bool:
    """Return whether ``needed`` of ``k`` draws can be among the ``counts`` of some question's trials."""
    few = np.maximum(-(-needed * trials // k), 1)
    return bool((counts >= np.where(trials < k, few, needed)).any())
