"""Outcomes of repeated trials: validated once, reduced to counts, immutable."""

from ._accumulator import Accumulator
from ._combining import align
from ._matrix import OutcomeMatrix, as_outcomes
from ._outcome_set import OutcomeSet, Suite
from ._reward_matrix import RewardMatrix
from ._saved_counts import SavedCounts
from ._trials import normalize_answer

__all__ = [
    "Accumulator",
    "OutcomeMatrix",
    "OutcomeSet",
    "RewardMatrix",
    "SavedCounts",
    "Suite",
    "align",
    "as_outcomes",
    "normalize_answer",
]
