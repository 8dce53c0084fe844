"""Comparisons of two models: on one metric, as a gate, and question by question."""

from ..inference import Methods
from ._claims import Claim, Claims, ClaimVerdict, check_claims, read_claims
from ._comparison import Comparison
from ._cost_comparison import CostComparison, CostLimit, compare_costs
from ._costs import CostInterval, CostPerSuccess, Costs, cost_interval, cost_per_success, cost_per_trial
from ._gate import gate
from ._gate_result import GateCheck, GateResult
from ._history import History, HistoryPoint, HistorySeries, PastRun, analyze_history, history_of
from ._pairs import Block, Pair, Pairs, all_pairs
from ._question_diff import QuestionChange, QuestionDiff, diff_questions
from ._question_flags import discrimination
from ._question_limits import read_limits
from ._question_table import QuestionRow, QuestionTable, describe_questions
from ._rules import compare_rules
from ._two_models import compare, shares_questions

__all__ = [
    "Block",
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
    "GateResult",
    "History",
    "HistoryPoint",
    "HistorySeries",
    "Methods",
    "Pair",
    "Pairs",
    "PastRun",
    "QuestionChange",
    "QuestionDiff",
    "QuestionRow",
    "QuestionTable",
    "all_pairs",
    "analyze_history",
    "check_claims",
    "compare",
    "compare_costs",
    "compare_rules",
    "cost_interval",
    "cost_per_success",
    "cost_per_trial",
    "describe_questions",
    "diff_questions",
    "discrimination",
    "gate",
    "history_of",
    "read_claims",
    "read_limits",
    "shares_questions",
]
