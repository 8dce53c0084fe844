"""Families of pairs that are judged together: corrections of their p-values, and the level of each interval."""

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from .._arrays import Vector
from ..estimates import AllPairs, benjamini_hochberg, holm, stepped
from ..inference import Level


class Corrected(NamedTuple):
    """The corrected p-values of each ranking's pairs, and the critical statistic of their intervals."""

    p: list[Vector]
    critical: list[float]


def _each(families: Sequence[AllPairs], error: float) -> Corrected:
    return Corrected(
        [family.p_each for family in families], [Level.of_error(error).critical(family.df) for family in families]
    )


def _holm(families: Sequence[AllPairs], error: float) -> Corrected:
    p = np.concatenate([family.p_each for family in families])
    level = error / max(len(p), 1)
    corrected = np.asarray(holm(p.tolist()), dtype=np.float64)
    return Corrected(_parts(corrected, families), [Level.of_error(level).critical(family.df) for family in families])


def _fdr(families: Sequence[AllPairs], error: float) -> Corrected:
    p = np.concatenate([family.p_each for family in families])
    q = benjamini_hochberg(p)
    level = error * max(int((q <= error).sum()), 1) / max(len(p), 1)
    return Corrected(_parts(q, families), [Level.of_error(level).critical(family.df) for family in families])


def _simultaneous(families: Sequence[AllPairs], error: float) -> Corrected:
    """Correct by the joint law of each ranking; the chances of several rankings are added (Bonferroni)."""
    pairs = [len(family.p_each) for family in families]
    shares = [error * pair / max(sum(pairs), 1) for pair in pairs]
    critical = [family.critical(share) if share else math.inf for family, share in zip(families, shares, strict=True)]
    return Corrected(_parts(stepped(families), families), critical)


def _parts(p: Vector, families: Sequence[AllPairs]) -> list[Vector]:
    return np.split(p, np.cumsum([len(family.p_each) for family in families])[:-1])


class Correction(NamedTuple):
    """How pairs are corrected for their number, and the error rate in words; ``{error}`` is a percentage."""

    apply: Callable[[Sequence[AllPairs], float], Corrected]
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
