"""Corrections for the number of pairs: p-values, the level of each interval, and the error rate in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from .._arrays import Vector
from ._difference_law import holm
from ._discrimination import benjamini_hochberg
from ._family_law import Family
from ._joint import quantile_of


class Corrected(NamedTuple):
    """The corrected p-values of each ranking's pairs, and the critical statistic of their intervals."""

    p: list[Vector]
    critical: list[float]


def _each(families: Sequence[Family], error: float) -> Corrected:
    return Corrected([each.p_each for each in families], [_quantile(each, error) for each in families])


def _holm(families: Sequence[Family], error: float) -> Corrected:
    p = np.concatenate([each.p_each for each in families])
    level = error / max(len(p), 1)
    corrected = np.asarray(holm(p.tolist()), dtype=np.float64)
    return Corrected(_parts(corrected, families), [_quantile(each, level) for each in families])


def _fdr(families: Sequence[Family], error: float) -> Corrected:
    p = np.concatenate([each.p_each for each in families])
    q = benjamini_hochberg(p)
    level = error * max(int((q <= error).sum()), 1) / max(len(p), 1)
    return Corrected(_parts(q, families), [_quantile(each, level) for each in families])


def _simultaneous(families: Sequence[Family], error: float) -> Corrected:
    """Correct by the joint law of each ranking, and by the number of rankings (Bonferroni)."""
    count = len(families)
    p = [np.minimum(count * each.p_family, 1.0) for each in families]
    return Corrected(p, [each.critical(error / count) for each in families])


def _parts(p: Vector, families: Sequence[Family]) -> list[Vector]:
    return np.split(p, np.cumsum([len(each.p_each) for each in families])[:-1])


def _quantile(family: Family, error: float) -> float:
    return -float(quantile_of(family.df, error / 2.0))


class Correction(NamedTuple):
    """How pairs are corrected for their number, and the error rate in words; ``{error}`` is a percentage."""

    apply: Callable[[Sequence[Family], float], Corrected]
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
