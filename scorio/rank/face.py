"""The functional face of ranking: one function a metric over a tensor (models, questions, trials); higher is better."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import ndtri

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
from ..outcome_set import OutcomeSet
from ..params import open_unit
from .rules import Method, Ranks, check_method, rank_scores

Ranked = Ranks | tuple[Ranks, Ranks]
Weights = Sequence[float] | None


def _ranked(scores: Sequence[float], method: Method, return_scores: bool) -> Ranked:
    check_method(method)
    values = np.array(scores, dtype=np.float64)
    ranks = rank_scores(values)[method]
    return (ranks, values) if return_scores else ranks


def _by_score(metric: Metric, R: Any, method: Method, return_scores: bool) -> Ranked:
    check_method(method)
    return _ranked([metric.score(matrix) for matrix in _models(R).values()], method, return_scores)


def _models(R: Any, R0: Any = None) -> OutcomeSet:
    return R if isinstance(R, OutcomeSet) and R0 is None else OutcomeSet(R, prior=R0)


def avg(R: Any, method: Method = "competition", return_scores: bool = False) -> Ranked:
    """Ranks by avg@N.

    >>> avg([[[0, 1], [1, 1]], [[0, 0], [1, 1]]])
    array([1, 2])
    """
    return _by_score(AvgMetric(), R, method, return_scores)


def bayes(
    R: Any,
    w: Weights = None,
    R0: Any = None,
    quantile: float | None = None,
    method: Method = "competition",
    return_scores: bool = False,
) -> Ranked:
    """Ranks by Bayes@N: by ``mu``, or by the quantile ``mu + Phi^-1(quantile) sigma``; R0 shared or per model."""
    check_method(method)
    reach = 0.0 if quantile is None else float(ndtri(open_unit("quantile", quantile)))
    found = [BayesMetric(w).interval(matrix) for matrix in _models(R, R0).values()]
    return _ranked([each.mu + reach * each.sigma for each in found], method, return_scores)


def pass_at_k(R: Any, k: int, method: Method = "competition", return_scores: bool = False) -> Ranked:
    """Ranks by Pass@k."""
    return _by_score(PassAtK(k), R, method, return_scores)


def pass_hat_k(R: Any, k: int, method: Method = "competition", return_scores: bool = False) -> Ranked:
    """Ranks by Pass^k."""
    return _by_score(PassHatK(k), R, method, return_scores)


def g_pass_at_k_tau(R: Any, k: int, tau: float, method: Method = "competition", return_scores: bool = False) -> Ranked:
    """Ranks by G-Pass@k at ``tau``."""
    return _by_score(GPassTau(k, tau), R, method, return_scores)


def mg_pass_at_k(R: Any, k: int, method: Method = "competition", return_scores: bool = False) -> Ranked:
    """Ranks by mG-Pass@k."""
    return _by_score(MGPass(k), R, method, return_scores)


def maj_at_k(R: Any, k: int, method: Method = "competition", return_scores: bool = False) -> Ranked:
    """Ranks by Maj@k."""
    return _by_score(MajAtK(k), R, method, return_scores)


def auc_at_k(R: Any, k: int, method: Method = "competition", return_scores: bool = False) -> Ranked:
    """Ranks by AUC@k."""
    return _by_score(AucAtK(k), R, method, return_scores)


def max_at_k(R: Any, k: int, w: Weights = None, method: Method = "competition", return_scores: bool = False) -> Ranked:
    """Ranks by Max@k."""
    return _by_score(MaxAtK(k, w), R, method, return_scores)


def geom_at_k(
    R: Any,
    k: int,
    pass_power: float = 0.5,
    unanimous_power: float = 0.5,
    method: Method = "competition",
    return_scores: bool = False,
) -> Ranked:
    """Ranks by Geom@k."""
    return _by_score(GeomAtK(k, pass_power, unanimous_power), R, method, return_scores)


def geo_spectrum_at_k(
    R: Any,
    k: int,
    lam: float = 0.5,
    weights: Weights = None,
    method: Method = "competition",
    return_scores: bool = False,
) -> Ranked:
    """Ranks by GeoSpectrum."""
    return _by_score(GeoSpectrum(k, lam, weights), R, method, return_scores)
