"""Outcomes of repeated trials: validated once, reduced to counts, immutable."""

from ._accumulator import Accumulator
from ._matrix import OutcomeMatrix, as_outcomes
from ._outcome_set import OutcomeSet, Suite
from ._reward_matrix import RewardMatrix
from ._saved_counts import SavedCounts

__all__ = ["Accumulator", "OutcomeMatrix", "OutcomeSet", "RewardMatrix", "SavedCounts", "Suite", "as_outcomes"]
