"""Comparisons of two models: on one metric, as a gate, and question by question."""

from ._claims import Claim, Claims, ClaimVerdict, check_claims
from ._comparison import Comparison
from ._cost_comparison import CostComparison, CostLimit, compare_costs
from ._costs import CostInterval, CostPerSuccess, ModelCosts
from ._gate import GateOptions, gate
from ._gate_result import GateCheck, GateResult
from ._history import History, HistoryPoint, PastRun, analyze_history
from ._question_diff import QuestionChange, QuestionDiff, diff_questions
from ._question_table import QuestionRow, QuestionTable, describe_questions, discrimination
from ._two_models import compare

__all__ = [
    "Claim",
    "ClaimVerdict",
    "Claims",
    "Comparison",
    "CostComparison",
    "CostInterval",
    "CostLimit",
    "CostPerSuccess",
    "GateCheck",
    "GateOptions",
    "GateResult",
    "History",
    "HistoryPoint",
    "ModelCosts",
    "PastRun",
    "QuestionChange",
    "QuestionDiff",
    "QuestionRow",
    "QuestionTable",
    "analyze_history",
    "check_claims",
    "compare",
    "compare_costs",
    "describe_questions",
    "diff_questions",
    "discrimination",
    "gate",
]
