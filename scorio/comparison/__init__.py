"""Comparisons of two models: on one metric, as a gate, and question by question."""

from ._claims import Claim, Claims, ClaimVerdict, check_claims, read_claims
from ._comparison import Comparison
from ._cost_comparison import CostComparison, CostLimit, compare_costs
from ._costs import CostInterval, CostPerSuccess, Costs, cost_interval, cost_per_success, cost_per_trial
from ._gate import GateOptions, gate
from ._gate_result import GateCheck, GateResult
from ._history import History, HistoryPoint, PastRun, analyze_history, history_of
from ._question_diff import QuestionChange, QuestionDiff, diff_questions
from ._question_table import QuestionRow, QuestionTable, describe_questions, discrimination
from ._two_models import compare, shares_questions

__all__ = [
    "Claim",
    "ClaimVerdict",
    "Claims",
    "Comparison",
    "CostComparison",
    "CostInterval",
    "CostLimit",
    "CostPerSuccess",
    "Costs",
    "GateCheck",
    "GateOptions",
    "GateResult",
    "History",
    "HistoryPoint",
    "PastRun",
    "QuestionChange",
    "QuestionDiff",
    "QuestionRow",
    "QuestionTable",
    "analyze_history",
    "check_claims",
    "compare",
    "compare_costs",
    "cost_interval",
    "cost_per_success",
    "cost_per_trial",
    "describe_questions",
    "diff_questions",
    "discrimination",
    "gate",
    "history_of",
    "read_claims",
    "shares_questions",
]
