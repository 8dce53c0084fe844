"""Outcomes of repeated trials: validated once, reduced to counts, immutable."""

from ._accumulator import Accumulator
from ._column_names import (
    MODEL,
    ROLES,
    SEVERAL,
    candidates,
    columns_apart,
    names_runs,
    plain,
    row_name,
)
from ._combining import Conditions, align, union
from ._labels import by_question, check_texts, look_swapped, warn_of_flat
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
from ._relations import Relation
from ._reward_matrix import RewardMatrix, question_rewards
from ._rewards import RewardSummary, RewardTrials, summarize
from ._roles import UnusedColumns, choose, layout_of
from ._saved_counts import SavedCounts, combined
from ._saved_layout import HEADER, whole_file
from ._table import as_numpy
from ._table_layout import (
    FACTOR,
    NESTED_QUESTIONS,
    Asked,
    NoSingleTableError,
    NotATableError,
    TableLayout,
    UnknownColumnsError,
    recognise_columns,
)
from ._table_rows import (
    RepeatedTrialError,
    TableRows,
    TableTrials,
    check_each_once,
    trials_of_table,
)
from ._trial_costs import MeanCost, costs_together
from ._trial_order import cochran, warn_of_order
from ._trials import (
    CONTRADICTIONS,
    Labelled,
    Normalize,
    TrialColumns,
    coded_answers,
    contradictions_text,
    known_of_models,
    normalize_answer,
    score_values,
    trials_by_run,
)

__all__ = [
    "CONTRADICTIONS",
    "FACTOR",
    "FAIL",
    "HEADER",
    "MODEL",
    "NESTED_QUESTIONS",
    "PASS_FAIL",
    "RAISE",
    "ROLES",
    "SEVERAL",
    "Accumulator",
    "Asked",
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
    "Relation",
    "RepeatedTrialError",
    "RewardMatrix",
    "RewardSummary",
    "RewardTrials",
    "SavedCounts",
    "Suite",
    "TableLayout",
    "TableRows",
    "TableTrials",
    "TrialColumns",
    "UnknownColumnsError",
    "UnusedColumns",
    "align",
    "as_numpy",
    "as_outcomes",
    "by_question",
    "candidates",
    "check_each_once",
    "check_texts",
    "choose",
    "cochran",
    "coded_answers",
    "columns_apart",
    "combined",
    "contradictions_text",
    "costs_together",
    "is_missing",
    "known_of_models",
    "layout_of",
    "look_swapped",
    "missing_code",
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
    "trials_of_table",
    "union",
    "warn_of_flat",
    "warn_of_order",
    "whole_file",
]
