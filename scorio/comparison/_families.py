"""Families of pairs that are judged together: corrections of their p-values, and the level of each interval."""

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

import numpy as np

from .._arrays import Indices, Vector, cached_property
from ..errors import ParameterError
from ..estimates import AllPairs, benjamini_hochberg, holm, stepped
from ..inference import Level
from ._comparison import Comparison


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

    def beyond(self, levels: Vector) -> Vector:
        """Return the chance of a p-value of at most each level, as long as the pair is left."""
        return np.where(self._p >= levels, levels, 0.0)

    @property
    def df(self) -> float:
        """The degrees of freedom."""
        return self._comparison.degrees

    def critical(self, error: float) -> float:
        """Return the statistic that equal models do not pass, but for ``error``."""
        return Level.of_error(error).critical(self.df)

    def interval(self, critical: float) -> tuple[Vector, Vector, Vector]:
        """Return the difference and the ends of its interval at a critical statistic."""
        of = self._comparison
        wider = critical / Level.of_error(1.0 - of.confidence).critical(self.df)
        lo = max(of.difference - wider * (of.difference - of.lo), of.support[0])
        hi = min(of.difference + wider * (of.hi - of.difference), of.support[1])
        gap, lo, hi = (of.difference, lo, hi) if of.difference >= 0.0 else (-of.difference, -hi, -lo)
        return np.array([gap]), np.array([lo]), np.array([hi])


Law: TypeAlias = AllPairs | OnePair


class Corrected(NamedTuple):
    """The corrected p-values of each ranking's pairs, and the critical statistic of their intervals."""

    p: list[Vector]
    critical: list[float]


def _each(families: Sequence[Law], error: float) -> Corrected:
    return Corrected([each.p_each for each in families], [Level.of_error(error).critical(each.df) for each in families])


def _holm(families: Sequence[Law], error: float) -> Corrected:
    p = np.concatenate([each.p_each for each in families])
    level = error / max(len(p), 1)
    corrected = np.asarray(holm(p.tolist()), dtype=np.float64)
    return Corrected(_parts(corrected, families), [Level.of_error(level).critical(each.df) for each in families])


def _fdr(families: Sequence[Law], error: float) -> Corrected:
    p = np.concatenate([each.p_each for each in families])
    q = benjamini_hochberg(p)
    level = error * max(int((q <= error).sum()), 1) / max(len(p), 1)
    return Corrected(_parts(q, families), [Level.of_error(level).critical(each.df) for each in families])


def _simultaneous(families: Sequence[Law], error: float) -> Corrected:
    """Correct by the joint law of each ranking; the chances of several rankings are added (Bonferroni)."""
    pairs = [len(each.p_each) for each in families]
    shares = [error * own / max(sum(pairs), 1) for own in pairs]
    critical = [each.critical(share) if share else math.inf for each, share in zip(families, shares, strict=True)]
    return Corrected(_parts(stepped(families), families), critical)


def _parts(p: Vector, families: Sequence[Law]) -> list[Vector]:
    return np.split(p, np.cumsum([len(each.p_each) for each in families])[:-1])


class Correction(NamedTuple):
    """How pairs are corrected for their number, and the error rate in words; ``{error}`` is a percentage."""

    apply: Callable[[Sequence[Law], float], Corrected]
    name: str
    rate: str
    intervals: str


CORRECTIONS: Mapping[str, Correction] = MappingProxyType(
    {
        "each": Correction(
            _each,
            "no correction for their number",
            "error {error} for each pair of equal models",
            "each interval holds alone",
        ),
        "holm": Correction(_holm, "Holm", "family-wise error {error}", "all intervals hold together (Bonferroni)"),
        "fdr": Correction(
            _fdr,
            "Benjamini-Hochberg",
            "false-discovery rate {error}",
            "intervals of called pairs have a false-coverage rate of {error}",
        ),
        "simultaneous": Correction(
            _simultaneous, "joint law of all differences", "family-wise error {error}", "all intervals hold together"
        ),
    }
)
