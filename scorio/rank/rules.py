"""From scores to ranks: four conventions for ties, and ties that uncertainty makes."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ParameterError
from ..interval import two_sided_z
from ..params import Check, open_unit
from .ties import Alike, overlap, zscore

Method = Literal["competition", "competition_max", "dense", "avg"]
Tie = Literal["zscore_adjacent", "ci_overlap_adjacent"]
Ranks = NDArray[Any]
METHODS: tuple[Method, ...] = ("competition", "competition_max", "dense", "avg")
TIES: tuple[Tie, ...] = ("zscore_adjacent", "ci_overlap_adjacent")
TOLERANCE = 1e-12  # between the scores of neighbours that tie

_tolerance = Check("a number, at least 0", lambda value: _at_least_zero(float(value)))


def _at_least_zero(value: float) -> float:
    if not value >= 0.0:
        raise ValueError
    return value


def check_method(method: str) -> None:
    """Raise a ParameterError unless ``method`` is a way of ranking ties."""
    if method not in METHODS:
        raise ParameterError(f"method must be one of {METHODS}; got {method!r}")


def competition_ranks_from_scores(scores: ArrayLike, tol: float = TOLERANCE) -> Ranks:
    """Ranks 1, 2, 2, 4: higher is better, and neighbours within ``tol`` tie.

    >>> competition_ranks_from_scores([0.95, 0.87, 0.87, 0.72, 0.65])
    array([1, 2, 2, 4, 5])
    """
    return rank_scores(scores, tol)["competition"]


def rank_scores(
    scores: ArrayLike,
    tol: float = TOLERANCE,
    sigmas: ArrayLike | None = None,
    confidence: float = 0.95,
    tie: Tie = "zscore_adjacent",
) -> dict[str, Ranks]:
    """Ranks by every method, higher is better: ``competition``, ``competition_max``, ``dense``, ``avg``.

    Neighbours in score order tie when they are within ``tol``. With ``sigmas`` they also tie when
    ``z = |difference| / sqrt(sigma^2 + sigma'^2)`` is below ``Phi^-1(confidence)`` (``"zscore_adjacent"``), or when
    their intervals ``score -+ z sigma`` overlap (``"ci_overlap_adjacent"``).

    >>> rank_scores([0.9, 0.5, 0.52], sigmas=[0.05, 0.05, 0.05])["competition"]
    array([1, 2, 2])
    """
    values = _vector("scores", scores)
    if tie not in TIES:
        raise ParameterError(f"tie must be one of {TIES}; got {tie!r}")
    order, tied = score_order(values, _tolerance("tol", tol))
    open_unit("confidence", confidence)
    if sigmas is not None:
        spread = _vector("sigmas", sigmas)
        if spread.shape != values.shape or (spread < 0).any():
            raise ParameterError(f"sigmas must be {len(values)} numbers, at least 0, one a score")
        tied |= _rule(values, spread, confidence, tie)(order[:-1], order[1:])
    return {method: group_ranks(order, tied, method) for method in METHODS}


def _vector(name: str, values: ArrayLike) -> NDArray[np.float64]:
    try:
        vector = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be numbers; got {values!r}") from None
    if vector.ndim != 1 or not vector.size or not np.isfinite(vector).all():
        raise ParameterError(f"{name} must be a list of at least one finite number; got {values!r}")
    return vector


def score_order(values: NDArray[np.float64], tol: float = TOLERANCE) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Models from best to worst, and whether each has the score of the next within ``tol``."""
    order = np.argsort(-values, kind="stable")
    return order, -np.diff(values[order]) <= tol


def _rule(values: NDArray[np.float64], spread: NDArray[np.float64], confidence: float, tie: Tie) -> Alike:
    """Whether two models' uncertain scores are alike."""
    if tie == "zscore_adjacent":
        return zscore(values, spread, confidence)
    reach = two_sided_z(confidence) * spread
    return overlap(values - reach, values + reach)


def group_ranks(order: NDArray[np.intp], tied: NDArray[np.bool_], method: Method) -> Ranks:
    """Ranks in the models' own order, from score order and which neighbours tie."""
    group = np.concatenate(([0], np.cumsum(~tied)))
    size = np.bincount(group)
    last = np.cumsum(size)
    first = last - size + 1
    of_group: Ranks = {
        "competition": first,
        "competition_max": last,
        "dense": np.arange(1, len(size) + 1),
        "avg": (first + last) / 2.0,
    }[method]
    ranks = np.empty(len(order), dtype=of_group.dtype)
    ranks[order] = of_group[group]
    return ranks
