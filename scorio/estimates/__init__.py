"""What is known of numbers: models on tasks, weighted sums of them, and their errors, at any level."""

from ._all_pairs import AllPairs, stepped
from ._contest import Contest, TaskContest, level_of, settled, span_of
from ._corrections import benjamini_hochberg, holm
from ._difference_law import DifferenceLaw
from ._few_trials import mcnemar
from ._form import difference
from ._joint import Joint, mean_with_one_more
from ._open_reach import open_reach
from ._overall import added_reach, overall_intervals, pull, pull_of
from ._run_noise import widened_intervals
from ._stack import Stack
from ._tasks import (
    ONLY,
    TaskMetrics,
    Weights,
    as_tasks,
    as_vector,
    at_task,
    check_tasks,
    default_metric,
    extent_of,
    metric_of_tasks,
    metrics_of_tasks,
    of_model,
    only_model,
    pair_of_models,
    shares_of,
    weights_of,
)

__all__ = [
    "ONLY",
    "AllPairs",
    "Contest",
    "DifferenceLaw",
    "Joint",
    "Stack",
    "TaskContest",
    "TaskMetrics",
    "Weights",
    "added_reach",
    "as_tasks",
    "as_vector",
    "at_task",
    "benjamini_hochberg",
    "check_tasks",
    "default_metric",
    "difference",
    "extent_of",
    "holm",
    "level_of",
    "mcnemar",
    "mean_with_one_more",
    "metric_of_tasks",
    "metrics_of_tasks",
    "of_model",
    "only_model",
    "open_reach",
    "overall_intervals",
    "pair_of_models",
    "pull",
    "pull_of",
    "settled",
    "shares_of",
    "span_of",
    "stepped",
    "weights_of",
    "widened_intervals",
]
