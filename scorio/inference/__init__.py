"""Priors, posteriors and intervals."""

from ._interval import (
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
from ._methods import Methods
from ._prior import (
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
    "NO_REACH",
    "SIZES",
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
    "SkewedT",
    "Student",
    "Terms",
    "as_prior",
    "beta_priors",
    "learn",
    "limits_of",
    "p_of_statistic",
    "posterior_of_sizes",
    "quantile_of",
    "satterthwaite",
    "serves_quantiles",
    "two_sided",
    "within",
]
