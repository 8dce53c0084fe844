"""Outcomes of repeated trials: validated once, reduced to counts, immutable."""

from ._accumulator import Accumulator
from ._answers import Normalize, coded_answers, normalize_answer
from ._column_names import (
    MODEL,
    ROLES,
    SEVERAL,
    candidates,
    counted_by,
    is_header,
    labels_text,
    metric_column,
    misspelt,
    names_runs,
    plain,
    row_name,
    turn_columns,
    usual_factors,
)
from ._combining import align, union
from ._contradictions import CONTRADICTIONS, contradictions_text
from ._foreign_arrays import as_numpy
from ._from_rewards import RewardTrials
from ._labels import check_texts, look_swapped
from ._matrix import OutcomeMatrix, as_outcomes
from ._outcome_set import ModelsOnTasks, OutcomeSet, Suite
from ._outcome_values import (
    FAIL,
    PASS_FAIL,
    RAISE,
    ColumnReader,
    is_missing,
    missing_code,
    reward,
)
from ._question_rewards import question_rewards
from ._reward_matrix import RewardMatrix
from ._reward_summary import RewardSummary, summarize
from ._saved_content import combined
from ._saved_counts import SavedCounts
from ._saved_layout import HEADER
from ._set_parts import Conditions
from ._table_layout import (
    FACTOR,
    METRIC,
    NESTED_QUESTIONS,
    UNNAMED,
    NoSingleTableError,
    NotATableError,
    TableLayout,
    UnknownColumnsError,
    export_of,
    kept_columns,
    recognise_columns,
)
from ._trial_costs import MeanCost, costs_together
from ._trial_order import cochran, warn_of_order
from ._trials import Labelled, TrialColumns, known_of_models, score_values, trials_by_run
from ._unused_columns import UnusedColumns
from ._whole_file import whole_file

__all__ = [
    "CONTRADICTIONS",
    "FACTOR",
    "FAIL",
    "HEADER",
    "METRIC",
    "MODEL",
    "NESTED_QUESTIONS",
    "PASS_FAIL",
    "RAISE",
    "ROLES",
    "SEVERAL",
    "UNNAMED",
    "Accumulator",
    "ColumnReader",
    "Conditions",
    "Labelled",
    "MeanCost",
    "ModelsOnTasks",
    "NoSingleTableError",
    "Normalize",
    "NotATableError",
    "OutcomeMatrix",
    "OutcomeSet",
    "RewardMatrix",
    "RewardSummary",
    "RewardTrials",
    "SavedCounts",
    "Suite",
    "TableLayout",
    "TrialColumns",
    "UnknownColumnsError",
    "UnusedColumns",
    "align",
    "as_numpy",
    "as_outcomes",
    "candidates",
    "check_texts",
    "cochran",
    "coded_answers",
    "combined",
    "contradictions_text",
    "costs_together",
    "counted_by",
    "export_of",
    "is_header",
    "is_missing",
    "kept_columns",
    "known_of_models",
    "labels_text",
    "look_swapped",
    "metric_column",
    "missing_code",
    "misspelt",
    "names_runs",
    "normalize_answer",
    "plain",
    "question_rewards",
    "recognise_columns",
    "reward",
    "row_name",
    "score_values",
    "summarize",
    "trials_by_run",
    "turn_columns",
    "union",
    "usual_factors",
    "warn_of_order",
    "whole_file",
]
