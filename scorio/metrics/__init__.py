"""Metrics: frozen objects that turn outcomes into scores and intervals."""

from . import _blend, _reward_metrics, _selectors, _threshold
from ._base import Metric, Moments
from ._blend import *  # noqa: F403 - the classes that its __all__ names, as of the next five
from ._blend import Blend
from ._checks import has_even_trials, prior_or_default, warn_of_biased_score, warn_of_fixed_prior
from ._count import CountMetric, count_sum
from ._intervals import LeftOpen, few_questions_note, left_open
from ._names import check_metric_class, is_metric_name, metric_names
from ._registry import METRICS, as_metric, as_metrics, list_metrics, spelt
from ._reward_metrics import *  # noqa: F403
from ._reward_metrics import Categorical
from ._rubric import Rubric
from ._runs import RunSums, run_sums, warn_of_runs
from ._sample_metric import SampleMetric
from ._selectors import *  # noqa: F403
from ._selectors import Draw, RuleAtK, rule_sum
from ._shared_prior import (
    Averaged,
    check_clusters,
    cluster_count,
    clustered,
    degrees_of_mean,
    groups,
    learned_prior,
    of_states,
    shifts,
    shifts_of_mean,
)
from ._threshold import *  # noqa: F403

__all__ = [
    "METRICS",
    "Averaged",
    "Blend",
    "Categorical",
    "CountMetric",
    "Draw",
    "LeftOpen",
    "Metric",
    "Moments",
    "Rubric",
    "RuleAtK",
    "RunSums",
    "SampleMetric",
    "as_metric",
    "as_metrics",
    "check_clusters",
    "check_metric_class",
    "cluster_count",
    "clustered",
    "count_sum",
    "degrees_of_mean",
    "few_questions_note",
    "groups",
    "has_even_trials",
    "is_metric_name",
    "learned_prior",
    "left_open",
    "list_metrics",
    "metric_names",
    "of_states",
    "prior_or_default",
    "rule_sum",
    "run_sums",
    "shifts",
    "shifts_of_mean",
    "spelt",
    "warn_of_biased_score",
    "warn_of_fixed_prior",
    "warn_of_runs",
]
__all__ += _reward_metrics.__all__
__all__ += _threshold.__all__
__all__ += _blend.__all__
__all__ += _selectors.__all__
