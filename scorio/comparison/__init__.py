"""Comparisons of two models: on one metric, as a gate, and question by question."""

from ._claims import Claim as Claim
from ._claims import Claims as Claims
from ._claims import ClaimVerdict as ClaimVerdict
from ._claims import check_claims
from ._comparison import Comparison as Comparison
from ._cost_comparison import CostComparison as CostComparison
from ._cost_comparison import CostLimit as CostLimit
from ._cost_comparison import compare_costs
from ._costs import CostInterval as CostInterval
from ._costs import CostPerSuccess as CostPerSuccess
from ._gate import GateOptions, gate
from ._gate_result import GateCheck as GateCheck
from ._gate_result import GateResult as GateResult
from ._history import History as History
from ._history import HistoryPoint as HistoryPoint
from ._history import PastRun as PastRun
from ._history import analyze_history
from ._question_diff import QuestionChange as QuestionChange
from ._question_diff import QuestionDiff as QuestionDiff
from ._question_diff import diff_questions
from ._question_table import QuestionRow as QuestionRow
from ._question_table import QuestionTable as QuestionTable
from ._question_table import describe_questions
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
