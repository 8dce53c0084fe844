"""Rankings by function: one per metric, over a tensor (models, questions, trials); higher is better.

An array of two dimensions is (models, questions), with one trial each.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from .._special import ndtri
from ..inference import UNIFORM
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
from ..outcomes import OutcomeSet, as_numpy
from ..params import choice, open_unit
from ._rules import RANKINGS, Ranking, Ranks, rank_scores

Ranked = Ranks | tuple[Ranks, Ranks]
Weights = Sequence[float] | None


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
