"""Metrics worth more with every success, or every one above half: mG-Pass@k, AUC@k and threshold spectra."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from .. import credit
from .._kernels import bank as finite
from .._kernels import hahn
from .._kernels.states import States
from ..errors import ParameterError
from ..grouped import frozen
from ..params import param, simplex
from .base import Vector
from .count import UnitRange


@dataclass(frozen=True)
class MGPass(UnitRange):
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
class AucAtK(UnitRange):
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
class ThresholdSpectrum(UnitRange):
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
