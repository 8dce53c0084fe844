"""Rankings by function: from scores to ranks, and one ranking per metric, over a tensor (models, questions, trials).

Higher is better. An array of two dimensions is (models, questions), with one trial each.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._base.arrays import TIE, Flags, Indices, Vector, finite_list
from .._base.choices import UNIFORM
from .._base.special import ndtri
from ..errors import ParameterError
from ..inference._level import Level
from ..metrics import (
    AucAtK,
    AvgMetric,
    BayesMetric,
    GeomAtK,
    GeoSpectrum,
    GPassTau,
    MajAtK,
    MaxAtK,
    Metric,
    MGPass,
    PassAtK,
    PassHatK,
)
from ..outcomes import OutcomeSet
from ..outcomes._table import as_numpy
from ..params import choice, nonnegative, open_unit

AdjacentTie = Literal["zscore_adjacent", "ci_overlap_adjacent"]
Ranking = Literal["competition", "competition_max", "dense", "avg"]
Ranks = NDArray[Any]
Ranked = Ranks | tuple[Ranks, Ranks]
Weights = Sequence[float] | None

# How the first and the last rank of each model's group of ties make its rank.
RANKINGS: Mapping[str, Callable[[Indices, Indices], Ranks]] = MappingProxyType(
    {
        "competition": lambda first, last: first,  # noqa: ARG005 - one signature
        "competition_max": lambda first, last: last,  # noqa: ARG005
        "dense": lambda first, last: np.unique(first, return_inverse=True)[1] + 1,  # noqa: ARG005
        "avg": lambda first, last: (first + last) / 2.0,
    }
)


def competition_ranks_from_scores(scores: ArrayLike, tol: float = TIE) -> Ranks:
    """Return ranks 1, 2, 2, 4: higher is better, and neighbors within ``tol`` tie.

    >>> competition_ranks_from_scores([0.95, 0.87, 0.87, 0.72, 0.65])
    array([1, 2, 2, 4, 5])
    """
    return rank_scores(scores, tol)["competition"]


def rank_scores(
    scores: ArrayLike,
    tol: float = TIE,
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
    choice("tie", tie, get_args(AdjacentTie))
    order, tied = score_order(values, nonnegative("tol", tol))
    open_unit("confidence", confidence)
    if sigmas is not None:
        spread = _vector("sigmas", sigmas)
        if spread.shape != values.shape or (spread < 0).any():
            raise ParameterError(f"must be {len(values)} numbers, at least 0, one per score", argument="sigmas")
        ordered, sd = values[order], spread[order]
        if tie == "zscore_adjacent":
            tied |= -np.diff(ordered) < ndtri(confidence) * np.hypot(sd[:-1], sd[1:])
        else:
            reach = Level(confidence).critical() * sd
            tied |= (ordered - reach)[:-1] <= (ordered + reach)[1:]
    group = np.concatenate(([0], np.cumsum(~tied)))  # a chain of ties shares one rank
    of_last = np.cumsum(np.bincount(group))
    of_first = of_last - np.bincount(group) + 1
    where = np.empty(len(order), dtype=np.intp)
    where[order] = group
    return {method: number(of_first[where], of_last[where]) for method, number in RANKINGS.items()}


def score_order(values: Vector, tol: float = TIE) -> tuple[Indices, Flags]:
    """Return the models from best to worst, and whether each has the score of the next within ``tol``."""
    order = np.argsort(-values, kind="stable")
    return order, -np.diff(values[order]) <= tol


def _vector(name: str, values: ArrayLike) -> Vector:
    vector = finite_list(values)
    if vector is None:
        raise ParameterError(f"must be a list of at least one finite number; got {values!r}", argument=name)
    return vector


def _ranked(scores: Sequence[float], method: Ranking, return_scores: bool) -> Ranked:
    values = np.array(scores, dtype=np.float64)
    ranks = rank_scores(values)[method]
    return (ranks, values) if return_scores else ranks


def _by_score(metric: Metric, R: Any, method: Ranking, return_scores: bool) -> Ranked:
    choice("method", method, RANKINGS)
    return _ranked([metric.score(matrix) for matrix in _models(R).values()], method, return_scores)


def _models(R: Any, R0: Any = None) -> OutcomeSet:
    """Return the models of a set, or of a tensor; models x questions have one trial each."""
    if isinstance(R, OutcomeSet) and R0 is None:
        return R
    if not isinstance(R, Mapping):
        with suppress(ValueError):  # rows have different lengths
            table = R if isinstance(R, np.ndarray) else as_numpy(R)
            R = table[:, :, None] if table.ndim == 2 else R
    return OutcomeSet(R, prior=R0)


def avg(R: Any, method: Ranking = "competition", return_scores: bool = False) -> Ranked:
    """Rank by avg@N.

    >>> avg([[[0, 1], [1, 1]], [[0, 0], [1, 1]]])
    array([1, 2])
    """
    return _by_score(AvgMetric(), R, method, return_scores)


def bayes(
    R: Any,
    w: Weights = None,
    R0: Any = None,
    quantile: float | None = None,
    method: Ranking = "competition",
    return_scores: bool = False,
) -> Ranked:
    """Rank by Bayes@N: by ``mu``, or by the quantile ``mu + Phi^-1(quantile) sigma``; R0 shared or per model."""
    choice("method", method, RANKINGS)
    reach = 0.0 if quantile is None else float(ndtri(open_unit("quantile", quantile)))
    intervals = [BayesMetric(w).interval(matrix, prior=UNIFORM) for matrix in _models(R, R0).values()]
    return _ranked([interval.mu + reach * interval.sigma for interval in intervals], method, return_scores)


def pass_at_k(R: Any, k: int, method: Ranking = "competition", return_scores: bool = False) -> Ranked:
    """Rank by Pass@k."""
    return _by_score(PassAtK(k), R, method, return_scores)


def pass_hat_k(R: Any, k: int, method: Ranking = "competition", return_scores: bool = False) -> Ranked:
    """Rank by Pass^k."""
    return _by_score(PassHatK(k), R, method, return_scores)


def g_pass_at_k_tau(R: Any, k: int, tau: float, method: Ranking = "competition", return_scores: bool = False) -> Ranked:
    """Rank by G-Pass@k at ``tau``."""
    return _by_score(GPassTau(k, tau), R, method, return_scores)


def mg_pass_at_k(R: Any, k: int, method: Ranking = "competition", return_scores: bool = False) -> Ranked:
    """Rank by mG-Pass@k."""
    return _by_score(MGPass(k), R, method, return_scores)


def maj_at_k(R: Any, k: int, method: Ranking = "competition", return_scores: bool = False) -> Ranked:
    """Rank by Maj@k."""
    return _by_score(MajAtK(k), R, method, return_scores)


def auc_at_k(R: Any, k: int, method: Ranking = "competition", return_scores: bool = False) -> Ranked:
    """Rank by AUC@k."""
    return _by_score(AucAtK(k), R, method, return_scores)


def max_at_k(R: Any, k: int, w: Weights = None, method: Ranking = "competition", return_scores: bool = False) -> Ranked:
    """Rank by Max@k."""
    return _by_score(MaxAtK(k, w), R, method, return_scores)


def geom_at_k(
    R: Any,
    k: int,
    pass_power: float = 0.5,
    unanimous_power: float = 0.5,
    method: Ranking = "competition",
    return_scores: bool = False,
) -> Ranked:
    """Rank by Geom@k."""
    return _by_score(GeomAtK(k, pass_power, unanimous_power), R, method, return_scores)


def geo_spectrum_at_k(
    R: Any,
    k: int,
    lam: float = 0.5,
    weights: Weights = None,
    method: Ranking = "competition",
    return_scores: bool = False,
) -> Ranked:
    """Rank by GeoSpectrum."""
    return _by_score(GeoSpectrum(k, lam, weights), R, method, return_scores)
