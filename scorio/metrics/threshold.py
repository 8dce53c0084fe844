"""Thresholds: Pass@k, Pass^k, G-Pass@k and Maj@k are one for so many successes among ``k`` or more, else nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .. import credit
from .._kernels import bank as finite
from .._kernels import hahn, power
from .._kernels.states import States
from ..params import param, unit
from .base import Vector, check_short
from .count import UnitRange


class _Threshold(UnitRange):
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
        bank = self._admit(R)
        budgets = self._budgets(bank, ks)
        check_short(short)
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
