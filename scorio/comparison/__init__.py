"""Comparisons of two models: on one metric, as a gate, and question by question."""

from ._claims import Claim as Claim, Claims as Claims, ClaimVerdict as ClaimVerdict, check_claims
from ._comparison import Comparison as Comparison
from ._cost_comparison import CostComparison as CostComparison, CostLimit as CostLimit, compare_costs
from ._costs import CostInterval as CostInterval, CostPerSuccess as CostPerSuccess
from ._gate import GateOptions, gate
from ._gate_result import GateCheck as GateCheck, GateResult as GateResult
from ._history import History as History, HistoryPoint as HistoryPoint, PastRun as PastRun, analyze_history
from ._question_diff import QuestionChange as QuestionChange, QuestionDiff as QuestionDiff, diff_questions
from ._question_table import QuestionRow as QuestionRow, QuestionTable as QuestionTable, describe_questions
from ._two_models import compare

__all__ = [
    "GateOptions",
    "analyze_history",
    "check_claims",
    "compare",
    "compare_costs",
    "describe_questions",
    "diff_questions",
    "gate",
]
