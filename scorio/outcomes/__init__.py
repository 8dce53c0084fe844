"""Outcomes of repeated trials: validated once, reduced to counts, immutable."""

from ._accumulator import Accumulator
from ._answers import Normalize, coded_answers, normalize_answer
from ._column_names import (
    KEYS,
    MODEL,
    ROLES,
    SEVERAL,
    candidates,
    cost_name,
    counted_by,
    is_header,
    labels_text,
    metric_column,
    misspelt,
    names_runs,
    numbered,
    plain,
    question_series,
    row_name,
    stems,
    turn_columns,
    usual_costs,
    usual_factors,
)
from ._combining import align, union
from ._contradictions import CONTRADICTIONS, contradictions_text
from ._foreign_arrays import as_numpy
from ._from_rewards import RewardTrials
from ._labels import check_texts, look_swapped
from ._matrix import OutcomeMatrix, as_outcomes
from ._outcome_set import OutcomeSet, Suite
from ._outcome_values import (
    FAIL,
    OMIT,
    PASS_FAIL,
    RAISE,
    ColumnReader,
    Levels,
    is_missing,
    missing_code,
    reward,
)
from ._reward_matrix import RewardMatrix
from ._reward_summary import RewardSummary, summarize
from ._saved_content import combined
from ._saved_counts import SavedCounts
from ._saved_layout import HEADER
from ._set_parts import Conditions
from ._trial_costs import MeanCost, costs_by_question, if_of_successes, mean_of, of_trials, spread_over
from ._trial_order import chance_of_order, cochran, warn_of_order
from ._trials import KnownTrials, Labelled, known_of_models, score_values, trials_by_run
from ._unused_columns import UnusedColumns
from ._whole_file import whole_file

__all__ = [
    "CONTRADICTIONS",
    "FAIL",
    "HEADER",
    "KEYS",
    "MODEL",
    "OMIT",
    "PASS_FAIL",
    "RAISE",
    "ROLES",
    "SEVERAL",
    "Accumulator",
    "ColumnReader",
    "Conditions",
    "KnownTrials",
    "Labelled",
    "Levels",
    "MeanCost",
    "Normalize",
    "OutcomeMatrix",
    "OutcomeSet",
    "RewardMatrix",
    "RewardSummary",
    "RewardTrials",
    "SavedCounts",
    "Suite",
    "UnusedColumns",
    "align",
    "as_numpy",
    "as_outcomes",
    "candidates",
    "chance_of_order",
    "check_texts",
    "cochran",
    "coded_answers",
    "combined",
    "contradictions_text",
    "cost_name",
    "costs_by_question",
    "counted_by",
    "if_of_successes",
    "is_header",
    "is_missing",
    "known_of_models",
    "labels_text",
    "look_swapped",
    "mean_of",
    "metric_column",
    "missing_code",
    "misspelt",
    "names_runs",
    "normalize_answer",
    "numbered",
    "of_trials",
    "plain",
    "question_series",
    "reward",
    "row_name",
    "score_values",
    "spread_over",
    "stems",
    "summarize",
    "trials_by_run",
    "turn_columns",
    "union",
    "usual_costs",
    "usual_factors",
    "warn_of_order",
    "whole_file",
]
