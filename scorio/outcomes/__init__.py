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
from ._combining import align, union, with_failures
from ._labels import by_question, check_texts, cluster_of_each, warn_of_flat
from ._matrix import OutcomeMatrix, as_outcomes
from ._model_rows import ModelRows, check_complete, totals, with_several_runs
from ._outcome_set import ModelsOnTasks, OutcomeSet, Suite
from ._outcome_values import (
    FAIL,
    PASS_FAIL,
    RAISE,
    ColumnReader,
    missing_code,
    reward,
)
from ._relations import BLOCK, Relation, Row
from ._reward_matrix import RewardMatrix
from ._rewards import RewardTrials
from ._roles import UnusedColumns, choose, layout_of
from ._saved_counts import SavedCounts, combined
from ._saved_layout import whole_file
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
    CostSums,
    RepeatedTrialError,
    TableRows,
    TableTrials,
    trials_of_table,
)
from ._trial_costs import MeanCost, costs_together
from ._trial_order import cochran
from ._trials import (
    Labelled,
    Normalize,
    TrialColumns,
    coded_answers,
    contradictions_text,
    normalize_answer,
    score_values,
)

__all__ = [
    "BLOCK",
    "FACTOR",
    "FAIL",
    "MODEL",
    "NESTED_QUESTIONS",
    "PASS_FAIL",
    "RAISE",
    "ROLES",
    "SEVERAL",
    "Accumulator",
    "Asked",
    "ColumnReader",
    "CostSums",
    "Labelled",
    "MeanCost",
    "ModelRows",
    "ModelsOnTasks",
    "NoSingleTableError",
    "Normalize",
    "NotATableError",
    "OutcomeMatrix",
    "OutcomeSet",
    "Relation",
    "RepeatedTrialError",
    "RewardMatrix",
    "RewardTrials",
    "Row",
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
    "check_complete",
    "check_texts",
    "choose",
    "cluster_of_each",
    "cochran",
    "coded_answers",
    "columns_apart",
    "combined",
    "contradictions_text",
    "costs_together",
    "layout_of",
    "missing_code",
    "names_runs",
    "normalize_answer",
    "plain",
    "recognise_columns",
    "reward",
    "row_name",
    "score_values",
    "totals",
    "trials_of_table",
    "union",
    "warn_of_flat",
    "whole_file",
    "with_failures",
    "with_several_runs",
]
