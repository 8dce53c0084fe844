"""When models share a rank: the published rules about neighbors in score order, and significant differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np

from .._arrays import Flags, Indices, Vector
from .._special import ndtri
from ..comparison._differences import Differences

AdjacentTie = Literal["zscore_adjacent", "ci_overlap_adjacent"]
Tie = AdjacentTie | Literal["difference"]
AreTied = Callable[[Indices, Indices], Flags]


def _small_z(intervals: Vector, confidence: float) -> AreTied:
    mu, sigma, _, _ = intervals.T
    critical = ndtri(confidence)
    return lambda i, j: np.asarray(np.abs(mu[i] - mu[j]) < critical * np.hypot(sigma[i], sigma[j]))


def _overlap(intervals: Vector, confidence: float) -> AreTied:  # noqa: ARG001 - the intervals have their confidence
    _, _, lo, hi = intervals.T
    return lambda i, j: np.asarray((lo[i] <= hi[j]) & (lo[j] <= hi[i]))


# Published rules: from intervals (L, 4) of mu, sigma, lo and hi, a function that says which models are tied.
ADJACENT_TIES: Mapping[str, Callable[[Vector, float], AreTied]] = MappingProxyType(
    {"zscore_adjacent": _small_z, "ci_overlap_adjacent": _overlap}
)
DIFFERENCE: Literal["difference"] = "difference"
TIES = (DIFFERENCE, *ADJACENT_TIES)


class Ties(NamedTuple):
    """First and last rank of each model, (L,), and whether it is tied with the top model, if the rule says so."""

    first: Indices
    last: Indices
    with_top: Flags | None = None


def adjacent_ties(order: Indices, tied: Flags, with_top: Flags) -> Ties:
    """Return ties of models in score ``order`` whose neighbors are ``tied``: a chain of ties shares one rank."""
    group = np.concatenate(([0], np.cumsum(~tied)))
    last = np.cumsum(np.bincount(group))
    first = last - np.bincount(group) + 1
    where = np.empty(len(order), dtype=np.intp)
    where[order] = group
    return Ties(first[where], last[where], with_top)


def significant_differences(differences: Differences) -> Ties:
    """Return ties by comparison: a rank is one more than the number of models that are called better.

    >>> from scorio.comparison._joint import independent
    >>> significant_differences(Differences(independent([0.9, 0.5, 0.52], [0.05] * 3), 0.95)).first
    array([1, 2, 2])
    """
    models = np.arange(len(differences.joint.mu))
    first, last = np.ones(len(models), dtype=np.intp), np.full(len(models), len(models))
    for i in models:
        better = differences.is_better(i, models)
        first += better
        last[i] -= better.sum()
    return Ties(first, last)
