"""Priors, posteriors and intervals."""

from ._interval import (
    WHATEVER,
    Bounds,
    BoundsLike,
    Interval,
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
from ._run_noise import SIZES, RunNoise

__all__ = [
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
    "p_of_statistic",
    "quantile_of",
    "satterthwaite",
    "two_sided",
    "within",
]
