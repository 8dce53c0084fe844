"""Outcomes by name: mappings from questions, records and tables, as rows of outcomes with labels.

A table is a data frame, a structured array, or a list of records. Its columns are recognised by their usual names. A
long table has one row per trial; a wide table has one row per question, and one column per trial. Without a column of
questions, the index of a pandas frame labels the questions, unless it only numbers the rows.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._arrays import Indices
from .._display.words import shorten, unknown
from ..errors import OutcomeError, Remedy
from ._column_names import (
    ROW_NUMBERS,
    candidates,
    in_frames,
    misspelt,
    numbered,
    plain,
    usual_costs,
)
from ._foreign_arrays import as_numpy
from ._frame_counts import as_frame, narwhals
from ._labels import cluster_of_each
from ._outcome_values import is_missing
from ._table import is_row
from ._unused_columns import UnusedColumns

_OTHER_ROLES = ("model", "task", "cluster")
_NAMES = "rename one to {!r}, or use from_frame(frame, question=..., outcome=...)"
_EAGER = ("pandas", "polars", "pyarrow", "numpy")  # their columns are arrays in memory


class LabeledRows(NamedTuple):
    """Outcomes of each question, and the labels of the questions and their clusters, if they have any."""

    rows: Any
    questions: Iterable[Hashable] | None = None
    clusters: Iterable[Hashable] | None = None


_ROW_LABELS = "the labels of rows"


class _Columns(NamedTuple):
    """The columns of a table, and the labels that a pandas index gives to the rows."""

    values: dict[str, NDArray[Any]]
    row_labels: list[Any] | None

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.values)

    def tally(self, names: Sequence[str]) -> Mapping[tuple[Any, ...], int]:
        """Return how often each combination of values occurs, of which one may be the label of the row."""
        every = (self.values[name].tolist() if name in self.values else self.row_labels or () for name in names)
        return Counter(zip(*every, strict=True))

    def take(self, rows: Indices) -> "_Columns":
        labels = None if self.row_labels is None else [self.row_labels[i] for i in rows]
        return _Columns({name: column[rows] for name, column in self.values.items()}, labels)

    def only(self, role: str, names: Sequence[str]) -> str | None:
        """Return the column of a role among some, or None; several are an error."""
        columns = candidates(role, names)
        if len(columns) > 1:
            raise OutcomeError(f"several columns may be the {role}, {shorten(columns)}", hint="keep one of them")
        return columns[0] if columns else None


def by_question(values: Any, name: str) -> LabeledRows:
    """Return one model's outcomes: by question where they are a mapping or a table, else as they are."""
    if isinstance(values, LabeledRows):
        return values
    check_no_suite(values)
    if isinstance(values, Mapping):
        return LabeledRows([_trials(each, name) for each in values.values()], tuple(values))
    columns = _columns(values)
    return LabeledRows(values) if columns is None else _of_columns(values, columns)


def single_run(results: Any, questions: Any) -> tuple[Any, Any]:
    """Return rows of one trial, from one outcome per question, and the labels of the questions."""
    if isinstance(results, Mapping):
        if questions is not None:
            raise OutcomeError("questions are labeled twice", hint="leave out questions, which the outcomes name")
        results, questions = list(results.values()), list(results)
    elif questions is None:
        questions = _index(results)
    try:
        table = results if isinstance(results, np.ma.MaskedArray) else as_numpy(results)
    except ValueError:
        table = np.zeros((0, 0))  # rows of different lengths
    if table.ndim != 1:
        problem = "a single run has one outcome per question, in a flat list"
        raise OutcomeError(problem, hint="pass questions x trials to OutcomeMatrix")
    return table.reshape(-1, 1), questions


def by_model(values: Any, models: Sequence[str] | None = None) -> Any:
    """Return outcomes of each model by name where they are a table; else the values.

    ``models`` are the columns of a table with one column per model.
    """
    check_no_suite(values)
    columns = _columns(values)
    if columns is None:
        return values
    if models is not None:
        return _by_column(columns, models)
    model = columns.only("model", list(columns.values))
    if model is None:
        problem = f"no column of models was found; the columns are {shorten(columns.values)}"
        raise OutcomeError(problem, hint=_without_models(columns))
    _check_one_task(columns, list(columns.values))
    rows_of: dict[str, list[int]] = {}
    for i, label in enumerate(_labels(columns.values[model], model)):
        rows_of.setdefault(str(label), []).append(i)
    parts = {label: _of_columns(None, columns.take(np.array(rows))) for label, rows in rows_of.items()}
    return {label: _with_all_questions(part, parts.values()) for label, part in parts.items()}


def _by_column(columns: _Columns, models: Sequence[str]) -> dict[str, LabeledRows]:
    """Return the outcomes of models that have one column each; the rows of a question are its trials."""
    absent = [name for name in models if name not in columns.values]
    if absent:
        raise OutcomeError(unknown("column", absent[0], list(columns.values)))
    rest = [name for name in columns.values if name not in models]
    question = columns.only("question", rest)
    labels = columns.row_labels if question is None else _labels(columns.values[question], question)
    if labels is None:
        return {name: LabeledRows([[value] for value in columns.values[name].tolist()]) for name in models}
    return {name: _long(columns, [name, *rest], name, labels) for name in models}


def _without_models(columns: _Columns) -> str:
    """Say how to read a table without a column of models."""
    question = columns.only("question", list(columns.values))
    rest = [name for name in columns.values if name != question]
    if len(rest) > 1 and all(columns.values[name].dtype.kind in "biuf" for name in rest):
        names = ", ".join(f'"{name}"' for name in rest)
        return f"if each column is a model, write OutcomeSet(frame, models=[{names}])"
    return (
        'OutcomeSet.from_frame(frame, model="..", question="..", outcome="..") names the columns; pass the outcomes of'
        " one model to OutcomeMatrix"
    )


def _with_all_questions(part: LabeledRows, parts: Any) -> LabeledRows:
    """Return the rows with one that has no trial for each question that only other models have."""
    if part.questions is None:
        return part
    own = set(part.questions)
    absent = list(dict.fromkeys(label for each in parts for label in each.questions if label not in own))
    clusters: dict[Hashable, Hashable] = {}
    for each in parts:
        clusters |= zip(each.questions, each.clusters or (), strict=False)
    questions = (*part.questions, *absent)
    return LabeledRows(
        [*part.rows, *([] for _ in absent)] if absent else part.rows,
        questions,
        tuple(clusters[label] for label in questions) if clusters else None,
    )


def check_no_suite(values: Any) -> None:
    """Check that outcomes are those of one task."""
    if getattr(type(values), "_holds_tasks", False):
        hint = "choose a task, suite['task'], or join all tasks into one set: suite.pooled()"
        raise OutcomeError("a suite holds outcomes of several tasks, and those of one are needed here", hint=hint)


def _trials(value: Any, name: str) -> Any:
    """Return the trials of one question, from a list, a mapping from trials, or one outcome."""
    if isinstance(value, Mapping):
        trials = list(value.values())
        if any(isinstance(each, Mapping) or is_row(each) for each in trials):
            problem = f"{name} is a mapping of mappings of lists, from models to questions to trials"
            raise OutcomeError(problem, hint="pass it to OutcomeSet, or choose a model first")
        return trials
    if hasattr(value, "n_questions"):
        raise OutcomeError(f"{name} holds several models", hint="pass it to OutcomeSet, or choose one: R['model']")
    return value if is_row(value) else [value]


def _columns(values: Any) -> _Columns | None:
    """Return the columns of a data frame, a structured array or a list of records; None for anything else."""
    if isinstance(values, np.ndarray):
        names = values.dtype.names
        return None if names is None else _Columns({each: values[each] for each in names}, None)
    if isinstance(values, (list, tuple)):
        return _of_records(values) if values and _is_record(values[0]) else None
    kind = type(values)
    if isinstance(values, Mapping) or not (hasattr(kind, "columns") or hasattr(kind, "column_names")):
        return None
    frame = _in_memory(as_frame(values))
    names = frame.column_names if hasattr(frame, "column_names") else frame.columns
    columns = {str(each): each for each in names}
    if len(columns) < len(names):
        raise OutcomeError(f"two columns of the data frame have one name; the columns are {shorten(names)}")
    return _Columns({name: as_numpy(frame[key]) for name, key in columns.items()}, _index(frame))


def _is_record(value: Any) -> bool:
    return isinstance(value, Mapping) and not any(is_row(each) or isinstance(each, Mapping) for each in value.values())


def _of_records(records: Sequence[Any]) -> _Columns:
    for i, record in enumerate(records):
        if not _is_record(record):
            raise OutcomeError(f"record {i} is no mapping from columns to values, but the first one is")
    columns: dict[str, NDArray[Any]] = {}
    for name in dict.fromkeys(key for record in records for key in record):
        columns[str(name)] = column = np.empty(len(records), object)
        column[:] = [record.get(name) for record in records]
    return _Columns(columns, None)


def _in_memory(frame: Any) -> Any:
    """Return a data frame whose columns are arrays: those of a database or a cluster are collected."""
    kind = type(frame)
    if kind.__module__.partition(".")[0] in _EAGER and kind.__name__ != "LazyFrame":
        return frame
    nw = narwhals()
    try:
        return nw.from_native(frame).lazy().collect()
    except TypeError as error:
        raise OutcomeError(f"a data frame is needed: {str(error).splitlines()[0]}") from None


def _index(frame: Any) -> list[Any] | None:
    """Return the labels of a pandas index; None for one that numbers the rows."""
    index = getattr(frame, "index", None)
    if index is None or callable(index) or type(index).__name__ == "RangeIndex":
        return None
    return list(index)


def _of_columns(values: Any, columns: _Columns) -> LabeledRows:
    names = list(columns.values)
    question = columns.only("question", names)
    rest = [name for name in names if name != question]
    if columns.only("trials", rest) and columns.only("successes", rest) and not candidates("trial", rest):
        raise OutcomeError("the columns hold counts", hint="pass successes and trials to OutcomeMatrix.from_counts")
    outcome = columns.only("outcome", rest)
    if outcome is not None and question is not None and not candidates("trial", rest):
        others = [name for name in rest if name != outcome]
        UnusedColumns(columns, [question], others, in_frames).check_no_counts(outcome, lambda _: ())
    labels = columns.row_labels if question is None else _labels(columns.values[question], question)
    if labels is None:
        is_frame = values is not None and not isinstance(values, (list, tuple, np.ndarray))
        if outcome is None and is_frame and not _numbers(names):
            return LabeledRows(values)  # a wide frame without labels
        problem = f"no column of questions was found; the columns are {shorten(names)}"
        raise OutcomeError(problem, hint=_NAMES.format("question"))
    _check_one(columns, rest)
    if question is not None:
        UnusedColumns(columns, [question], rest, in_frames).check_question(
            lambda name: Remedy("question", name, f"of OutcomeSet.from_frame takes {name!r}"),
            has_trials=bool(candidates("trial", rest)),
        )
    if outcome is None:
        return _wide(columns, rest, labels, is_pivot=question is None)
    return _long(columns, rest, outcome, labels)


def _numbers(names: Sequence[str]) -> list[str]:
    """Return the columns that number rows or trials, which are no outcomes."""
    return [name for name in names if plain(name) in ROW_NUMBERS or candidates("trial", [name])]


def _check_one(columns: _Columns, names: Sequence[str]) -> None:
    """Check that the rows are about one model and one task."""
    for column in candidates("model", names):
        _check_one_label(columns, column, "model", "pass the table to OutcomeSet")
    _check_one_task(columns, names)


def _check_one_task(columns: _Columns, names: Sequence[str]) -> None:
    for column in candidates("task", names):
        call = f'Suite.from_frame(frame, task="{column}") reads every task; or keep the rows of one'
        _check_one_label(columns, column, "task", call)


def _check_one_label(columns: _Columns, column: str, role: str, advice: str) -> None:
    labels = list(dict.fromkeys(columns.values[column].tolist()))
    if len(labels) > 1:
        raise OutcomeError(f"column {column!r} holds several {role}s, {shorten(labels)}", hint=advice)


def _labels(column: NDArray[Any], name: str) -> list[Any]:
    labels: list[Any] = column.tolist()
    if any(is_missing(label) for label in set(labels)):
        raise OutcomeError(f"column {name!r} is null in some row: every row needs its label")
    return labels


def _wide(columns: _Columns, names: Sequence[str], questions: list[Any], *, is_pivot: bool) -> LabeledRows:
    """Return the trials of a table with one column per trial.

    Several columns that are not numbered are trials in a pivot only, a frame whose index names the questions.
    """
    series = numbered(names)
    roles = {role: columns.only(role, names) for role in _OTHER_ROLES}
    others = {*roles.values(), *usual_costs(names).values()}
    rest = [each for each in names if each not in others]
    trials = next(iter(series.values())) if len(series) == 1 else rest
    is_guess = not is_pivot and len(series) != 1 and len(trials) > 1
    if not trials or is_guess or _numbers(rest):
        problem = f"no column of outcomes was found; the columns are {shorten(columns.values)}"
        raise OutcomeError(problem, hint=_NAMES.format("outcome"))
    parts = [columns.values[name] for name in trials]
    if any(part.dtype.kind not in "biuf" for part in parts):
        parts = [part.astype(object) for part in parts]
    cluster = roles["cluster"]
    clusters = None if cluster is None else tuple(_labels(columns.values[cluster], cluster))
    return LabeledRows(np.stack(parts, axis=1), tuple(questions), clusters)


def _long(columns: _Columns, names: Sequence[str], outcome: str, questions: list[Any]) -> LabeledRows:
    """Return the trials of a table with one row per trial."""
    rest = [name for name in names if name != outcome]
    cluster, trial = columns.only("cluster", rest), columns.only("trial", rest)
    near = [] if candidates("model", rest) else misspelt("model", rest)
    rows: dict[Any, list[Any]] = {}
    for question, value in zip(questions, columns.values[outcome].tolist(), strict=True):
        rows.setdefault(question, []).append(value)
    if trial is not None:
        _check_trials(questions, columns.values[trial].tolist(), trial, near)
    keys = [columns.only("question", list(columns.values)) or _ROW_LABELS]
    unused = UnusedColumns(columns, keys, [name for name in rest if name not in (*keys, cluster)], in_frames)
    unused.warn_of_pooled(has_model=bool(candidates("model", rest)), has_run=False)
    if cluster is None:
        return LabeledRows(list(rows.values()), tuple(rows))
    clusters = cluster_of_each(questions, _labels(columns.values[cluster], cluster), cluster)
    return LabeledRows(list(rows.values()), tuple(rows), tuple(clusters.values()))


def _check_trials(questions: Sequence[Any], trials: Sequence[Any], column: str, models: Sequence[str]) -> None:
    """Check that no trial is there twice; ``models`` are columns that may name models by a name that is misspelt."""
    pair, times = Counter(zip(questions, trials, strict=True)).most_common(1)[0]
    if times == 1:
        return
    hint = (
        "if the rows differ in another column, such as a prompt, use"
        ' OutcomeSet.from_frame(frame, factors=["prompt"], ..); drop the column if it does not number trials'
    )
    if models:
        hint = f"column {models[0]!r} seems to name models: OutcomeSet.from_frame(frame, model={models[0]!r}, ..)"
    raise OutcomeError(f"column {column!r} has trial {pair[1]!r} twice for question {pair[0]!r}", hint=hint)


def labeled(
    values: Any, name: str, questions: Iterable[Hashable] | None, clusters: Iterable[Hashable] | None
) -> LabeledRows:
    """Return rows of outcomes with the user's labels, else those that the values have."""
    own = by_question(values, name)
    if questions is not None and own.questions is not None:
        raise OutcomeError("questions are labeled twice", hint="leave out questions, which the outcomes name")
    chosen = own.questions if questions is None else questions
    return LabeledRows(own.rows, chosen, own.clusters if clusters is None else clusters)
