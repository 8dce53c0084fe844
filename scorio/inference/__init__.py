"""Priors, posteriors and intervals."""

from .._choices import CATEGORICAL, CONTINUOUS, SAMPLES
from ._best_of_sample import best_of
from ._chosen import ChosenScore, chosen_scores
from ._interval import (
    BEYOND,
    NO_REACH,
    WHATEVER,
    Bounds,
    BoundsLike,
    Interval,
    binomial_interval,
    check_bounds,
    has_common_tails,
    is_support,
    normal_interval,
    quantile_interval,
    serves_quantiles,
    shape_or_default,
    students_interval,
    within,
)
from ._law import Mixture, SkewedT, SmoothLaw
from ._learned_prior import SharedPrior, below_at_nodes, beta_binomial, beta_priors, draw_rates, learn
from ._level import Level, quantile_of
from ._looks import Looks
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
)
from ._question_means import QuestionEstimates, QuestionMeans
from ._run_noise import SCALE, SCALE_OF_DIFFERENCES, SIZES, RunNoise, posterior_of_sizes
from ._student import Student, satterthwaite
from ._terms import Terms

__all__ = [
    "BEYOND",
    "CATEGORICAL",
    "CONTINUOUS",
    "LEARNED",
    "NO_REACH",
    "SAMPLES",
    "SCALE",
    "SCALE_OF_DIFFERENCES",
    "SIZES",
    "UNIFORM",
    "WHATEVER",
    "Beta",
    "Bounds",
    "BoundsLike",
    "ChosenScore",
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
    "SmoothLaw",
    "Student",
    "Terms",
    "as_prior",
    "below_at_nodes",
    "best_of",
    "beta_binomial",
    "beta_priors",
    "binomial_interval",
    "check_bounds",
    "chosen_scores",
    "cited_metrics",
    "draw_rates",
    "has_common_tails",
    "is_support",
    "learn",
    "methods_of",
    "normal_interval",
    "of_errors",
    "of_runs",
    "posterior_of_sizes",
    "quantile_interval",
    "quantile_of",
    "satterthwaite",
    "serves_quantiles",
    "shape_or_default",
    "students_interval",
    "within",
]
