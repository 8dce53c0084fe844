"""From scores to ranks: four ways to number ties, and ties of uncertain scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._arrays import Flags, Indices, Vector
from ..errors import ParameterError
from ..inference._interval import two_sided_z
from ..params import choice, nonnegative, open_unit
from ._ties import ADJACENT_TIES, AdjacentTie, adjacent_ties

Ranking = Literal["competition", "competition_max", "dense", "avg"]
Ranks = NDArray[Any]
TOLERANCE = 1e-12  # neighbors in score order with scores within this tie

# How the first and the last rank of each model's group of ties make its rank.
RANKINGS: Mapping[str, Callable[[Indices, Indices], Ranks]] = MappingProxyType(
    {
        "competition": lambda first, last: first,  # noqa: ARG005 - one signature
        "competition_max": lambda first, last: last,  # noqa: ARG005
        "dense": lambda first, last: np.unique(first, return_inverse=True)[1] + 1,  # noqa: ARG005
        "avg": lambda first, last: (first + last) / 2.0,
    }
)


def competition_ranks_from_scores(scores: ArrayLike, tol: float = TOLERANCE) -> Ranks:
    """Return ranks 1, 2, 2, 4: higher is better, and neighbors within ``tol`` tie.

    >>> competition_ranks_from_scores([0.95, 0.87, 0.87, 0.72, 0.65])
    array([1, 2, 2, 4, 5])
    """
    return rank_scores(scores, tol)["competition"]


def rank_scores(
    scores: ArrayLike,
    tol: float = TOLERANCE,
    sigmas: ArrayLike | None = None,
    confidence: float = 0.95,
    tie: AdjacentTie = "zscore_adjacent",
) -> dict[str, Ranks]:
    """Return ranks by every method, higher is better: ``competition``, ``competition_max``, ``dense``, ``avg``.

    Neighbors in score order tie if they are within ``tol``. With ``sigmas`` they also tie if
    ``z = |difference| / sqrt(sigma^2 + sigma'^2)`` is below ``Phi^-1(confidence)`` (``"zscore_adjacent"``), or if
    their intervals ``score -+ z sigma`` overlap (``"ci_overlap_adjacent"``).

    >>> rank_scores([0.9, 0.5, 0.52], sigmas=[0.05, 0.05, 0.05])["competition"]
    array([1, 2, 2])
    """
    values = _vector("scores", scores)
    rule = ADJACENT_TIES[choice("tie", tie, ADJACENT_TIES)]
    order, tied = score_order(values, nonnegative("tol", tol))
    open_unit("confidence", confidence)
    if sigmas is not None:
        spread = _vector("sigmas", sigmas)
        if spread.shape != values.shape or (spread < 0).any():
            raise ParameterError(f"must be {len(values)} numbers, at least 0, one per score", argument="sigmas")
        reach = two_sided_z(confidence) * spread
        intervals = np.stack([values, spread, values - reach, values + reach], axis=1)
        tied |= rule(intervals, confidence)(order[:-1], order[1:])
    ties = adjacent_ties(order, tied, tied)
    return {method: number(ties.first, ties.last) for method, number in RANKINGS.items()}


def score_order(values: Vector, tol: float = TOLERANCE) -> tuple[Indices, Flags]:
    """Return the models from best to worst, and whether each has the score of the next within ``tol``."""
    order = np.argsort(-values, kind="stable")
    return order, -np.diff(values[order]) <= tol


def _vector(name: str, values: ArrayLike) -> Vector:
    try:
        vector = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"must be numbers; got {values!r}", argument=name) from None
    if vector.ndim != 1 or not vector.size or not np.isfinite(vector).all():
        raise ParameterError(f"must be a list of at least one finite number; got {values!r}", argument=name)
    return vector
