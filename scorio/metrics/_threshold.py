"""Count metrics: Pass@k, Pass^k, G-Pass@k and Maj@k are 1 with enough successes among ``k`` trials, otherwise 0.

Agreement@k is 1 at both ends: with none and with all. mG-Pass@k, AUC@k and threshold spectra grow with every success,
or every success above half.
"""

import functools
import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._base.arrays import Vector, cached_property, read_only
from .._kernels import finite_scores, posterior_power, posterior_threshold
from .._kernels.states import States
from ..errors import ParameterError
from ..inference._interval import Bounds
from ..params import param, simplex, unit
from ._count import CountMetric

__all__ = [  # noqa: RUF022 - in the order of lists and tables
    "PassAtK",
    "PassHatK",
    "GPassTau",
    "MajAtK",
    "AgreementAtK",
    "MGPass",
    "AucAtK",
    "ThresholdSpectrum",
]
_MOST_LOST = 64  # times k: with more trials than this, the closed form of the covariance loses too many digits


@dataclass(frozen=True)
class Threshold(CountMetric):
    """Worth 1 with ``_hits`` successes or more, otherwise 0."""

    _known_support: ClassVar[Bounds | None] = (0.0, 1.0)

    @property
    @abstractmethod
    def _hits(self) -> int:
        """The number of successes needed."""

    def credit(self) -> Vector:
        """Return ``1[j >= hits]``."""
        return (np.arange(self.k + 1) >= self._hits).astype(np.float64)

    def _score_states(self, states: States, out: Vector) -> None:
        finite_scores.threshold(states, self.k, self._hits, out)

    def _posterior_states(self, states: States, alpha: float, beta: float, mean: Vector, sd: Vector) -> None:
        posterior_threshold.threshold(states, self.k, self._hits, alpha, beta, mean, sd)


@dataclass(frozen=True)
class PassAtK(Threshold):
    """Pass@k: at least one success among ``k`` trials (Chen et al. 2021, arXiv:2107.03374).

    >>> round(PassAtK(k=2).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.95
    """

    name: ClassVar[str] = "pass"
    _trend: ClassVar[int] = 1
    _has_closed_moments: ClassVar[bool] = True
    _is_any_success: ClassVar[bool] = True

    @property
    def _hits(self) -> int:
        return 1

    def _score_states(self, states: States, out: Vector) -> None:
        finite_scores.any_success(states, self.k, out)

    def _posterior_states(self, states: States, alpha: float, beta: float, mean: Vector, sd: Vector) -> None:
        posterior_power.any_success(states, self.k, alpha, beta, mean, sd)


@dataclass(frozen=True)
class PassHatK(Threshold):
    """Pass^k: all ``k`` trials succeed (Yao et al. 2024, arXiv:2406.12045).

    >>> round(PassHatK(k=2).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.45
    """

    name: ClassVar[str] = "passhat"
    aliases: ClassVar[tuple[str, ...]] = ("pass^", "pass_hat", "unanimous")
    _trend: ClassVar[int] = -1
    _has_closed_moments: ClassVar[bool] = True

    @property
    def _hits(self) -> int:
        return self.k

    def _score_states(self, states: States, out: Vector) -> None:
        finite_scores.all_success(states, self.k, out)

    def _posterior_states(self, states: States, alpha: float, beta: float, mean: Vector, sd: Vector) -> None:
        posterior_power.all_success(states, self.k, alpha, beta, mean, sd)

    def _fill_any_success_covariance(self, states: States, alpha: float, beta: float, out: Vector) -> bool:
        """Write the covariance with Pass@k to ``out``."""
        posterior_power.cross(states, self.k, alpha, beta, out)
        return True


def quota(k: int, tau: float) -> int:
    """Return ``max(1, ceil(tau k))`` as if ``tau`` were an exact decimal number.

    >>> quota(25, 0.28)
    7
    """
    j = math.floor(tau * k)
    return max(1, j + (tau > j / k))


@dataclass(frozen=True)
class GPassTau(Threshold):
    """G-Pass@k at ``tau``: at least ``max(1, ceil(tau k))`` of ``k`` succeed (Liu et al. 2024, arXiv:2412.13147).

    >>> round(GPassTau(k=2, tau=0.5).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.95
    """

    name: ClassVar[str] = "gpass"
    aliases: ClassVar[tuple[str, ...]] = ("g_pass",)
    tau: float = param(unit)

    @property
    def _hits(self) -> int:
        return quota(self.k, self.tau)


@dataclass(frozen=True)
class MajAtK(Threshold):
    """Maj@k: more than half of ``k`` trials succeed.

    >>> round(MajAtK(k=3).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.85
    """

    name: ClassVar[str] = "maj"
    aliases: ClassVar[tuple[str, ...]] = ("majority",)

    @property
    def _hits(self) -> int:
        return self.k // 2 + 1


@dataclass(frozen=True)
class AgreementAtK(CountMetric):
    """Agreement@k: all ``k`` trials have the same outcome, Pass^k + 1 - Pass@k; for ``k = 2``, consistency is 2x - 1.

    >>> round(AgreementAtK(k=2).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.5
    """

    name: ClassVar[str] = "agreement"
    aliases: ClassVar[tuple[str, ...]] = ("agree",)
    _trend: ClassVar[int] = -1

    def credit(self) -> Vector:
        """Return 1 for no success and for ``k`` of them."""
        return np.isin(np.arange(self.k + 1), (0, self.k)).astype(np.float64)


@dataclass(frozen=True)
class MGPass(CountMetric):
    """mG-Pass@k: ``(2/k) max(j - ceil(k/2), 0)`` for ``j`` successes (Liu et al. 2024, arXiv:2412.13147).

    It is 0 at ``k = 1``, and at most ``1 - 1/k`` for odd ``k``.

    >>> round(MGPass(k=2).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.45
    """

    _known_support: ClassVar[Bounds | None] = (0.0, 1.0)
    name: ClassVar[str] = "mgpass"
    aliases: ClassVar[tuple[str, ...]] = ("mg_pass",)

    def credit(self) -> Vector:
        """Return ``(2/k) max(j - ceil(k/2), 0)``."""
        return np.maximum(np.arange(self.k + 1) - self._half, 0) * (2.0 / self.k)

    @property
    def _half(self) -> int:
        """``ceil(k / 2)``, the number of successes above which there is credit."""
        return (self.k + 1) // 2

    def _score_states(self, states: States, out: Vector) -> None:
        finite_scores.excess(states, self.k, self._half, out)

    def _posterior_states(self, states: States, alpha: float, beta: float, mean: Vector, sd: Vector) -> None:
        posterior_threshold.excess(states, self.k, self._half, alpha, beta, mean, sd)

    def _fill_any_success_covariance(self, states: States, alpha: float, beta: float, out: Vector) -> bool:
        """Write the covariance with Pass@k to ``out``, if that loses few digits."""
        if alpha + beta + states.max_trials > _MOST_LOST * self.k:
            return False
        posterior_threshold.any_success_excess_cov(states, self.k, self._half, alpha, beta, out)
        return True


@dataclass(frozen=True)
class AucAtK(CountMetric):
    """AUC@k: the normalized area under Pass@1..Pass@k by the trapezoid rule (arXiv:2601.08763).

    >>> round(AucAtK(k=2).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.825
    """

    _known_support: ClassVar[Bounds | None] = (0.0, 1.0)
    name: ClassVar[str] = "auc"
    _trend: ClassVar[int] = 1

    def credit(self) -> Vector:
        """Return the area as a function of the number of successes among ``k``."""
        return trapezoid(self.k)

    @cached_property
    def credit_steps(self) -> Vector:
        """What each further success adds to the area, without the rounding error of differences."""
        return trapezoid_steps(self.k)

    def _score_states(self, states: States, out: Vector) -> None:
        finite_scores.trapezoid(states, self.k, out)


@functools.lru_cache(maxsize=16)
def trapezoid(k: int) -> Vector:
    """Return the normalized area under Pass@1..Pass@k as a credit of the number of successes among ``k``.

    With ``j`` successes among ``k``, ``sum_i P(no success in the first i draws) = (k - j) / (j + 1)``; the half weights
    of the trapezoid rule at both ends subtract ``(k - j) / 2k``.

    >>> trapezoid(2)
    array([0.  , 0.75, 1.  ])
    """
    if k == 1:
        return read_only(np.array([0.0, 1.0]))
    j = np.arange(1, k + 1)
    credit = np.zeros(k + 1)
    credit[1:] = 1.0 - (k - j) / (k - 1.0) * (1.0 / (j + 1.0) - 1.0 / (2.0 * k))
    return read_only(credit)


@functools.lru_cache(maxsize=16)
def trapezoid_steps(k: int) -> Vector:
    """Return the differences of ``trapezoid(k)``, each to full precision.

    >>> trapezoid_steps(2)
    array([0.75, 0.25])
    """
    if k == 1:
        return read_only(np.ones(1))
    r = np.arange(1, k + 1)
    steps = ((k + 1.0) / (r * (r + 1.0)) - 1.0 / (2.0 * k)) / (k - 1.0)
    steps[0] = 0.5 + 1.0 / (2.0 * k)
    return read_only(steps)


@dataclass(frozen=True)
class ThresholdSpectrum(CountMetric):
    """A threshold spectrum: ``j`` successes among ``k`` are worth ``w_1 + ... + w_j``.

    >>> round(ThresholdSpectrum(k=2, weights=(0.5, 0.5)).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.7
    """

    _known_support: ClassVar[Bounds | None] = (0.0, 1.0)
    name: ClassVar[str] = "spectrum"
    aliases: ClassVar[tuple[str, ...]] = ("threshold_spectrum",)
    parameter_aliases: ClassVar[dict[str, str]] = {"w": "weights"}
    weights: Sequence[float] = param(simplex)

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.weights) != self.k:
            raise ParameterError(f"must be k = {self.k} numbers; got {len(self.weights)}", argument="weights")

    def credit(self) -> Vector:
        """Return ``w_1 + ... + w_j``."""
        return np.concatenate(([0.0], np.cumsum(self.weights)))

    @cached_property
    def credit_steps(self) -> Vector:
        """The weights."""
        return read_only(np.array(self.weights))
