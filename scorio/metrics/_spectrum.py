"""Metrics that grow with every success, or every success above half: mG-Pass@k, AUC@k and threshold spectra."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._arrays import Vector, cached_property, read_only
from .._kernels import finite_scores, posterior_threshold
from .._kernels.states import States
from ..errors import ParameterError
from ..inference import Bounds
from ..params import param, simplex
from . import _credit as credit
from ._count import CountMetric

__all__ = ["MGPass", "AucAtK", "ThresholdSpectrum"]  # noqa: RUF022 - in the order of lists and tables


@dataclass(frozen=True)
class MGPass(CountMetric):
    """mG-Pass@k: ``(2/k) max(j - ceil(k/2), 0)`` for ``j`` successes (Liu et al. 2024, arXiv:2412.13147).

    It is 0 at ``k = 1``, and at most ``1 - 1/k`` for odd ``k``.

    >>> round(MGPass(k=2).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.45
    """

    _fixed_support: ClassVar[Bounds | None] = (0.0, 1.0)
    name: ClassVar[str] = "mgpass"
    aliases: ClassVar[tuple[str, ...]] = ("mg_pass",)

    def credit(self) -> Vector:
        """Return ``(2/k) max(j - ceil(k/2), 0)``."""
        return credit.excess(self.k)

    def _score_states(self, states: States, out: Vector) -> None:
        finite_scores.excess(states, self.k, credit.half(self.k), out)

    def _posterior_states(self, states: States, alpha: float, beta: float, mean: Vector, sd: Vector) -> None:
        posterior_threshold.excess(states, self.k, credit.half(self.k), alpha, beta, mean, sd)

    def _fill_any_success_covariance(self, states: States, alpha: float, beta: float, out: Vector) -> bool:
        """Write the covariance with Pass@k to ``out``."""
        posterior_threshold.any_success_excess_cov(states, self.k, credit.half(self.k), alpha, beta, out)
        return True


@dataclass(frozen=True)
class AucAtK(CountMetric):
    """AUC@k: the normalized area under Pass@1..Pass@k by the trapezoid rule (arXiv:2601.08763).

    >>> round(AucAtK(k=2).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.825
    """

    _fixed_support: ClassVar[Bounds | None] = (0.0, 1.0)
    name: ClassVar[str] = "auc"
    _trend: ClassVar[int] = 1

    def credit(self) -> Vector:
        """Return the area as a function of the number of successes among ``k``."""
        return credit.trapezoid(self.k)

    @cached_property
    def credit_steps(self) -> Vector:
        """What each further success adds to the area, without the rounding error of differences."""
        return read_only(credit.trapezoid_steps(self.k))

    def _score_states(self, states: States, out: Vector) -> None:
        finite_scores.trapezoid(states, self.k, out)


@dataclass(frozen=True)
class ThresholdSpectrum(CountMetric):
    """A threshold spectrum: ``j`` successes among ``k`` are worth ``w_1 + ... + w_j``.

    >>> round(ThresholdSpectrum(k=2, weights=(0.5, 0.5)).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.7
    """

    _fixed_support: ClassVar[Bounds | None] = (0.0, 1.0)
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
        return credit.cumulative(self.weights)

    @cached_property
    def credit_steps(self) -> Vector:
        """The weights."""
        return read_only(np.array(self.weights))
