"""What is known of numbers: models on tasks, weighted sums of them, and their errors, at any level."""

from ._contest import Contest, TaskContest, settled
from ._difference_law import DifferenceLaw
from ._estimate import Estimate, mean
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
    "estimate",
    "extent_of",
    "holm",
    "mean",
    "metric_of_tasks",
    "metrics_of_tasks",
    "of_model",
    "only_model",
    "pair_of_models",
    "parse_statement",
    "settled",
    "shares_of",
    "usual_curve",
]
