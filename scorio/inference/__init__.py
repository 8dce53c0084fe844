"""Priors, posteriors and intervals."""

from .._kernels.shared_prior import SharedPrior
from ._interval import (
    BEYOND,
    NO_REACH,
    WHATEVER,
    Bounds,
    BoundsLike,
    Interval,
    limits_of,
    serves_quantiles,
    within,
)
from ._law import Mixture, SkewedT
from ._level import Level, Student, p_of_statistic, quantile_of, satterthwaite, two_sided
from ._looks import Looks, Terms
from ._methods import Methods, cited_metrics, methods_of, of_errors, of_runs
from ._prior import (
    LEARNED,
    UNIFORM,
    Beta,
    Dirichlet,
    Jeffreys,
    Learned,
    Prior,
    PriorLike,
    as_prior,
    beta_priors,
    learn,
)
from ._question_means import QuestionEstimates, QuestionMeans
from ._run_noise import SIZES, RunNoise, posterior_of_sizes

__all__ = [
    "BEYOND",
    "LEARNED",
    "NO_REACH",
    "SIZES",
    "UNIFORM",
    "WHATEVER",
    "Beta",
    "Bounds",
    "BoundsLike",
    "Dirichlet",
    "Interval",
    "Jeffreys",
    "Learned",
    "Level",
    "Looks",
    "Methods",
    "Mixture",
    "Prior",
    "PriorLike",
    "QuestionEstimates",
    "QuestionMeans",
    "RunNoise",
    "SharedPrior",
    "SkewedT",
    "Student",
    "Terms",
    "as_prior",
    "beta_priors",
    "cited_metrics",
    "learn",
    "limits_of",
    "methods_of",
    "of_errors",
    "of_runs",
    "p_of_statistic",
    "posterior_of_sizes",
    "quantile_of",
    "satterthwaite",
    "serves_quantiles",
    "two_sided",
    "within",
]
