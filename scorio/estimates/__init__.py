"""What is known of numbers: models on tasks, weighted sums of them, and their errors, at any level."""

from ._all_pairs import AllPairs, stepped
from ._contest import Contest, TaskContest, settled
from ._difference_law import DifferenceLaw, ends_of_ratio, sum_of_laws
from ._estimate import Estimate, joint_effects, mean
from ._family import Family, Statement, Statements, benjamini_hochberg, estimate, holm, parse_statement
from ._joint import Joint, difference
from ._stack import Stack
from ._tasks import (
    ONLY,
    TaskMetrics,
    Weights,
    as_models,
    as_tasks,
    at_task,
    check_tasks,
    complete_tasks,
    default_metric,
    extent_of,
    metric_of_tasks,
    metrics_of_tasks,
    of_model,
    only_model,
    pair_of_models,
    shares_of,
    usual_curve,
)

__all__ = [
    "ONLY",
    "AllPairs",
    "Contest",
    "DifferenceLaw",
    "Estimate",
    "Family",
    "Joint",
    "Stack",
    "Statement",
    "Statements",
    "TaskContest",
    "TaskMetrics",
    "Weights",
    "as_models",
    "as_tasks",
    "at_task",
    "benjamini_hochberg",
    "check_tasks",
    "complete_tasks",
    "default_metric",
    "difference",
    "ends_of_ratio",
    "estimate",
    "extent_of",
    "holm",
    "joint_effects",
    "mean",
    "metric_of_tasks",
    "metrics_of_tasks",
    "of_model",
    "only_model",
    "pair_of_models",
    "parse_statement",
    "settled",
    "shares_of",
    "stepped",
    "sum_of_laws",
    "usual_curve",
]
