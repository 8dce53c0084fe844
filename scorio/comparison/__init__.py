"""Comparisons of two models: on one metric, as a gate, and question by question."""

from ._comparison import Comparison
from ._gate import gate
from ._gate_check import GateCheck
from ._gate_result import GateResult
from ._history import History, history
from ._history_series import HistoryPoint, HistorySeries, PastRun
from ._methods import Methods
from ._pairs import Pair, Pairs
from ._question_change import QuestionChange
from ._question_diff import QuestionDiff, question_diff
from ._question_table import QuestionRow, QuestionTable, question_table
from ._two_models import compare

__all__ = [
    "Comparison",
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
    "compare",
    "gate",
    "history",
    "question_diff",
    "question_table",
]
