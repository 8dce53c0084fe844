"""Comparisons of two models: on one metric, as a gate, and question by question."""

from ..estimates import (
    ONLY,
    AllPairs,
    Contest,
    Joint,
    Stack,
    TaskContest,
    TaskMetrics,
    Weights,
    as_tasks,
    as_vector,
    at_task,
    default_metric,
    extent_of,
    holm,
    level_of,
    mean_with_one_more,
    metric_of_tasks,
    metrics_of_tasks,
    open_reach,
    overall_intervals,
    pair_of_models,
    pull,
    settled,
    shares_of,
    span_of,
    weights_of,
    widened_intervals,
)
from ..inference import Methods
from ._claims import Claim, Claims, ClaimVerdict, check_claims, read_claims
from ._comparison import Comparison
from ._cost_comparison import CostComparison, compare_costs
from ._cost_limit import CostLimit
from ._cost_per_success import CostPerSuccess, CostTerms, cost_per_success
from ._families import OnePair
from ._gate import gate
from ._gate_result import GateCheck, GateResult
from ._history import History, HistoryPoint, HistorySeries, PastRun, analyze_history, history_of
from ._pairs import Block, Pair, Pairs, all_pairs
from ._question_diff import QuestionChange, QuestionDiff, diff_questions
from ._question_flags import discrimination
from ._question_limits import read_limits
from ._question_table import QuestionRow, QuestionTable, describe_questions
from ._rules import RuleComparison, compare_rules
from ._trial_cost import CostInterval, Costs, cost_interval, cost_per_trial
from ._two_models import compare, shares_questions

__all__ = [
    "ONLY",
    "AllPairs",
    "Block",
    "Claim",
    "ClaimVerdict",
    "Claims",
    "Comparison",
    "Contest",
    "CostComparison",
    "CostInterval",
    "CostLimit",
    "CostPerSuccess",
    "CostTerms",
    "Costs",
    "GateCheck",
    "GateResult",
    "History",
    "HistoryPoint",
    "HistorySeries",
    "Joint",
    "Methods",
    "OnePair",
    "Pair",
    "Pairs",
    "PastRun",
    "QuestionChange",
    "QuestionDiff",
    "QuestionRow",
    "QuestionTable",
    "RuleComparison",
    "Stack",
    "TaskContest",
    "TaskMetrics",
    "Weights",
    "all_pairs",
    "analyze_history",
    "as_tasks",
    "as_vector",
    "at_task",
    "check_claims",
    "compare",
    "compare_costs",
    "compare_rules",
    "cost_interval",
    "cost_per_success",
    "cost_per_trial",
    "default_metric",
    "describe_questions",
    "diff_questions",
    "discrimination",
    "extent_of",
    "gate",
    "history_of",
    "holm",
    "level_of",
    "mean_with_one_more",
    "metric_of_tasks",
    "metrics_of_tasks",
    "open_reach",
    "overall_intervals",
    "pair_of_models",
    "pull",
    "read_claims",
    "read_limits",
    "settled",
    "shares_of",
    "shares_questions",
    "span_of",
    "weights_of",
    "widened_intervals",
]
