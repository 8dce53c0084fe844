"""One comparison as a family of a single pair, so that comparisons can be judged together."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from .._arrays import Indices, Vector
from ..errors import ParameterError
from ._comparison import Comparison
from ._difference_law import critical_value


class OnePair:
    """The pair of one comparison; the model of the higher posterior mean is the first."""

    def __init__(self, comparison: Comparison) -> None:
        if comparison.p_value is None:
            raise ParameterError("has comparisons at many looks, which have no p-value", argument="parts")
        if comparison.rule != "interval":
            problem = f"has a comparison with the rule {comparison.rule!r}, which is one-sided"
            raise ParameterError(problem, argument="parts", hint='families judge those with rule="interval"')
        self._comparison = comparison
        self._p = comparison.p_value

    @cached_property
    def pairs(self) -> tuple[Indices, Indices]:
        """The places of the two models."""
        first = 0 if self._comparison.difference >= 0.0 else 1
        return np.array([first]), np.array([1 - first])

    @cached_property
    def p_each(self) -> Vector:
        """The two-sided p-value."""
        return np.array([self._p])

    @property
    def p_family(self) -> Vector:
        """The same: the pair is alone."""
        return self.p_each

    @property
    def df(self) -> float:
        """The degrees of freedom."""
        return self._comparison.degrees

    def critical(self, error: float) -> float:
        """Return the statistic that equal models do not pass, but for ``error``."""
        return critical_value(self.df, error)

    def interval(self, critical: float) -> tuple[Vector, Vector, Vector]:
        """Return the difference and the ends of its interval at a critical statistic."""
        of = self._comparison
        wider = critical / critical_value(self.df, 1.0 - of.confidence)
        lo = max(of.difference - wider * (of.difference - of.lo), of.support[0])
        hi = min(of.difference + wider * (of.hi - of.difference), of.support[1])
        gap, lo, hi = (of.difference, lo, hi) if of.difference >= 0.0 else (-of.difference, -hi, -lo)
        return np.array([gap]), np.array([lo]), np.array([hi])
