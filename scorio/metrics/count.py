"""Count metrics: what a draw of ``k`` trials with ``j`` successes is worth decides everything else."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from .. import credit
from .._kernels import bank as finite
from .._kernels import hahn, power, spectrum
from .._kernels.states import States
from ..errors import ParameterError
from ..grouped import frozen
from ..interval import Bounds
from ..mixture import Mixture
from ..outcomes import OutcomeMatrix, as_outcomes
from ..params import budget, param, simplex, unit
from ..prior import UNIFORM, PriorLike, beta_prior
from .base import Metric, Moments, Vector
from .nodes import Ends, of_population, of_questions, pooled
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
        enough = self._long_enough(as_outcomes(R), short)
        return float("nan") if enough is None else enough.states.mean(self._state_scores(enough.states))

    def per_question(self, R: Any, *, short: str = "raise") -> Vector:
        """The expected credit of ``k`` of each question's trials, (M,)."""
        return self._spread(as_outcomes(R), short, self._score_questions)

    def moments(self, R: Any, *, prior: PriorLike = UNIFORM) -> Moments:
        """Posterior mean and variance of each question's expected credit, (M,) each."""
        bank = as_outcomes(R).informed
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
        return pooled(self._posterior, self._ends, informed.states, informed.learnt())

    def _of_population(self, bank: OutcomeMatrix) -> Mixture:
        return of_population(self._posterior, self._ends, shared_prior(bank.informed))

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


class _UnitRange(CountMetric):
    """Credits of 0 and 1 at the ends."""

    def range(self, R: Any = None) -> Bounds:  # noqa: ARG002 - the same for every bank
        """From 0 to 1."""
        return (0.0, 1.0)


class _Threshold(_UnitRange):
    """One for ``hits`` successes or more."""

    @property
    def hits(self) -> int:
        """How many successes are needed."""
        raise NotImplementedError(f"{type(self).__name__} does not say how many successes it needs")

    def credit(self) -> Vector:
        """``1[j >= hits]``."""
        return credit.at_least(self.k, self.hits)

    def _score_states(self, states: States, out: Vector) -> None:
        finite.threshold(states, self.k, self.hits, out)

    def _posterior_states(self, states: States, alpha0: float, beta0: float, mean: Vector, sd: Vector) -> None:
        hahn.threshold(states, self.k, self.hits, alpha0, beta0, mean, sd)


@dataclass(frozen=True)
class PassAtK(_Threshold):
    """Pass@k: at least one success among ``k`` trials (Chen et al. 2021, arXiv:2107.03374).

    >>> round(PassAtK(k=2).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.95
    """

    name: ClassVar[str] = "pass"

    @property
    def hits(self) -> int:
        """One."""
        return 1

    def curve(self, R: Any, ks: Iterable[int] | None = None, *, short: str = "raise") -> Vector:
        """Pass@k for each k, from one pass over the states."""
        bank = as_outcomes(R)
        budgets = self._budgets(bank, ks)
        if not budgets or max(budgets) > bank.min_trials:
            return super().curve(bank, budgets, short=short)
        states = bank.states
        table = np.empty((max(budgets), states.n_states))
        finite.any_success_curve(states, table)
        return np.array([states.mean(table[k - 1]) for k in budgets])

    def _score_states(self, states: States, out: Vector) -> None:
        finite.any_success(states, self.k, out)

    def _posterior_states(self, states: States, alpha0: float, beta0: float, mean: Vector, sd: Vector) -> None:
        power.any_success(states, self.k, alpha0, beta0, mean, sd)


@dataclass(frozen=True)
class PassHatK(_Threshold):
    """Pass^k: all ``k`` trials succeed (Yao et al. 2024, arXiv:2406.12045).

    >>> round(PassHatK(k=2).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.45
    """

    name: ClassVar[str] = "passhat"

    @property
    def hits(self) -> int:
        """All ``k``."""
        return self.k

    def _score_states(self, states: States, out: Vector) -> None:
        finite.all_success(states, self.k, out)

    def _posterior_states(self, states: States, alpha0: float, beta0: float, mean: Vector, sd: Vector) -> None:
        power.all_success(states, self.k, alpha0, beta0, mean, sd)


@dataclass(frozen=True)
class GPassTau(_Threshold):
    """G-Pass@k at ``tau``: at least ``max(1, ceil(tau k))`` of ``k`` succeed (Liu et al. 2024, arXiv:2412.13147).

    >>> round(GPassTau(k=2, tau=0.5).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.95
    """

    name: ClassVar[str] = "gpass"
    tau: float = param(unit)

    @property
    def hits(self) -> int:
        """``max(1, ceil(tau k))`` in exact decimals."""
        return credit.quota(self.k, self.tau)


@dataclass(frozen=True)
class MajAtK(_Threshold):
    """Maj@k: more than half of ``k`` trials succeed.

    >>> round(MajAtK(k=3).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.85
    """

    name: ClassVar[str] = "maj"

    @property
    def hits(self) -> int:
        """``floor(k/2) + 1``."""
        return credit.majority(self.k)


@dataclass(frozen=True)
class MGPass(_UnitRange):
    """mG-Pass@k: ``(2/k) max(j - ceil(k/2), 0)`` for ``j`` successes (Liu et al. 2024, arXiv:2412.13147).

    Nothing at ``k = 1``, and at most ``1 - 1/k`` for odd ``k``.

    >>> round(MGPass(k=2).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.45
    """

    name: ClassVar[str] = "mgpass"

    def credit(self) -> Vector:
        """``(2/k) max(j - ceil(k/2), 0)``."""
        return credit.excess(self.k)

    def _score_states(self, states: States, out: Vector) -> None:
        finite.excess(states, self.k, credit.half(self.k), out)

    def _posterior_states(self, states: States, alpha0: float, beta0: float, mean: Vector, sd: Vector) -> None:
        hahn.excess(states, self.k, credit.half(self.k), alpha0, beta0, mean, sd)


@dataclass(frozen=True)
class AucAtK(_UnitRange):
    """AUC@k: the normalised area under Pass@1..Pass@k by the trapezoid rule (arXiv:2601.08763).

    >>> round(AucAtK(k=2).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.825
    """

    name: ClassVar[str] = "auc"

    def credit(self) -> Vector:
        """The area, as worth of the number of successes among ``k``."""
        return credit.trapezoid(self.k)

    @cached_property
    def steps(self) -> Vector:
        """What each further success adds to the area, known better than by difference."""
        return frozen(credit.trapezoid_steps(self.k))

    def _score_states(self, states: States, out: Vector) -> None:
        finite.trapezoid(states, self.k, out)


@dataclass(frozen=True)
class ThresholdSpectrum(_UnitRange):
    """A threshold spectrum: ``j`` successes among ``k`` are worth ``w_1 + ... + w_j``.

    >>> round(ThresholdSpectrum(k=2, weights=(0.5, 0.5)).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.7
    """

    name: ClassVar[str] = "spectrum"
    aliases: ClassVar[dict[str, str]] = {"w": "weights"}
    weights: Sequence[float] = param(simplex)

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.weights) != self.k:
            raise ParameterError(f"weights must be k = {self.k} numbers; got {len(self.weights)}")

    def credit(self) -> Vector:
        """``w_1 + ... + w_j``."""
        return credit.cumulative(self.weights)

    @cached_property
    def steps(self) -> Vector:
        """The weights."""
        return frozen(np.array(self.weights))
