"""Comparisons of two models: on one metric, as a gate, and question by question."""

from ._claims import Claim as Claim
from ._claims import Claims, check_claims
from ._claims import ClaimVerdict as ClaimVerdict
from ._comparison import Comparison
from ._cost_comparison import CostComparison, compare_costs
from ._cost_comparison import CostLimit as CostLimit
from ._costs import CostInterval as CostInterval
from ._costs import CostPerSuccess as CostPerSuccess
from ._gate import GateOptions, gate
from ._gate_result import GateCheck as GateCheck
from ._gate_result import GateResult
from ._history import History, analyze_history
from ._history import HistoryPoint as HistoryPoint
from ._history import PastRun as PastRun
from ._question_diff import QuestionChange as QuestionChange
from ._question_diff import QuestionDiff, diff_questions
from ._question_table import QuestionRow as QuestionRow
from ._question_table import QuestionTable, describe_questions
from ._two_models import compare

__all__ = [
    "Claims",
    "Comparison",
    "CostComparison",
    "GateOptions",
    "GateResult",
    "History",
    "QuestionDiff",
    "QuestionTable",
    "analyze_history",
    "check_claims",
    "compare",
    "compare_costs",
    "describe_questions",
    "diff_questions",
    "gate",
]
