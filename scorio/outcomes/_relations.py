"""Tables as relations: named columns, and how often each combination of their values occurs.

Files and records are counted here. The rows of a data frame are counted by its own engine; only the counts reach
Python. All libraries that narwhals supports are read in the same way: pandas, Polars, PyArrow, DuckDB, Dask, PySpark,
Ibis, ...
"""

from __future__ import annotations

import importlib
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from types import NoneType
from typing import Any, NamedTuple, cast

import numpy as np

from .._base.exports import note_library
from .._base.words import shorten, unknown
from ..errors import OutcomeError, within
from ._column_names import KEYS, candidates
from ._outcome_values import is_missing
from ._table import as_numpy, is_row, row_labels
from ._table_rows import CostSums, TableRows, named, repeated_trial

Values = tuple[Any, ...]
_BLOCK = 100_000  # rows that are counted at once
ROW_LABELS = "the labels of rows"
_EAGER = ("pandas", "polars", "pyarrow")  # whose frames know their columns
_KEY = "key {}"
_TIMES = "times"
_ROWS = 10_000  # of a stream that are read at once
_STATISTICS = {"sum", "count", "size", "mean", "std", "var", "min", "max", "median"}  # names of pandas
_FEW_ROWS = 4096  # which are counted here
_FLOATS = {float, NoneType}
_FIRST = 20  # rows that show what a column holds


class Row(NamedTuple):
    """Some columns of a row, the place of the first equal row, and the number of equal rows."""

    place: str
    values: Values
    times: int = 1


class Relation:
    """Named ``columns`` and their rows, and what files tell of their columns.

    ``rows`` yields some columns of every row, in which lists and objects in ``nested`` columns of files are JSON text;
    equal rows may come as one.
    """

    columns: Any
    rows: Callable[[Sequence[str], Sequence[str]], Iterator[Row]]
    is_frame = False
    kinds: Mapping[str, str] | None = None  # the types of the columns, where a file has types
    has_decimal_commas = False
    has_row_labels: Any = False
    is_rectangular: Any = True
    is_small: Any = True  # so that all columns may be looked at

    def first_values(self, _name: str, /) -> Sequence[Any]:
        """Return a column of the first rows as values, where a file has values and no types of columns."""
        return ()

    def tally(self, names: Sequence[str], nested: Sequence[str] = (), /) -> Mapping[Values, int]:
        """Return how often each combination of values occurs in some columns, with None for every kind of null."""
        rows, counts = self.distinct(names, None, nested), Counter[Values]()
        for row, times in zip(zip(*rows.columns, strict=True), rows.times, strict=True):
            counts[row] += times  # several kinds of null are one
        return counts

    def distinct(
        self, names: Sequence[str], trial: str | None = None, nested: Sequence[str] = (), costs: Sequence[str] = (), /
    ) -> TableRows:
        """Return the distinct rows of some columns, with the trials of each by the column ``trial``, and their costs.

        An engine that counts rows does not name their trials.
        """
        more = [*([] if trial is None else [trial]), *costs]
        number: dict[Values, int] = {}
        times: Counter[int] = Counter()
        texts: list[list[list[Any]]] = [[] for _ in more]  # of each distinct row
        rows = self.rows([*names, *more], nested)
        while some := [row.values for row in islice(rows, _BLOCK)]:
            columns = [*zip(*some, strict=True)]
            codes = [number.setdefault(key, len(number)) for key in zip(*columns[: len(names)], strict=True)]
            times.update(codes)
            for lists, column in zip(texts, columns[len(names) :], strict=True):
                lists += [[] for _ in range(len(number) - len(lists))]
                for code, text in zip(codes, column, strict=True):
                    lists[code].append(text)
        values = list(number)
        trials = None if trial is None else [frozenset(of_row) - {None} for of_row in texts[0]]
        spent = [[*map(CostSums.of, lists)] for lists in texts[len(more) - len(costs) :]]
        keys = [*zip(*values, strict=True)] or [()] * len(names)
        place = partial(self._place, names, nested, values)
        return TableRows(keys, [times[i] for i in range(len(values))], place, trials, spent)

    def _place(self, names: Sequence[str], nested: Sequence[str], values: Sequence[Values], i: int) -> str:
        return next(row.place for row in self.rows(names, nested) if row.values == values[i])

    def check_each_once(self, rows: TableRows, keys: Mapping[str, str], trial: str, nested: Sequence[str], /) -> None:
        """Check that each trial has a name and is there once, in distinct ``rows`` that begin with keys.

        These are the columns of its question and its model by role. The error says where it is not so.
        """
        if rows.are_trials_different(len(keys)):
            return
        seen: set[Values] = set()
        for row in self.rows([*keys.values(), trial], nested):
            with within(row.place):
                named(row.values[-1], "trial")
                if row.times > 1 or row.values in seen:
                    raise repeated_trial(trial, row.values[-1], dict(zip(keys, row.values, strict=False)))
                seen.add(row.values)


class Frame(Relation):
    """A data frame, whose rows are counted by its own engine."""

    is_frame = True

    def __init__(self, frame: Any) -> None:
        note_library(frame)
        self._frame = read_once(frame)

    @property
    def columns(self) -> list[str]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The names of the columns."""
        if self._is_in_memory:
            names = [*getattr(self._frame, "column_names", ())] or [*self._frame.columns]
        else:
            names = [*_lazy(self._frame)[0]]
        if len({*map(str, names)}) < len(names):
            raise OutcomeError(f"two columns of the data frame have one name; the columns are {shorten(names)}")
        return [*map(str, names)]

    @property
    def _is_in_memory(self) -> bool:
        """Whether the columns are arrays, which need no engine to be read."""
        kind = type(self._frame)
        is_eager = kind.__module__.partition(".")[0] in _EAGER and kind.__name__ != "LazyFrame"
        return is_eager and hasattr(self._frame, "columns")

    @property
    def is_small(self) -> bool:
        """Whether the rows are counted faster here than by an engine."""
        return self._is_in_memory and len(self._frame) <= _FEW_ROWS

    def numeric(self, names: Sequence[str]) -> list[bool]:
        """Return whether each of some columns has numbers."""
        return [kind.is_numeric() for kind in _selected(self._frame, names).collect_schema().values()]

    @property
    def has_row_labels(self) -> bool:
        """Whether a pandas index labels the rows, and not only numbers them."""
        return row_labels(self._frame) is not None

    def records(self) -> Records:
        """Return all columns in memory, with the labels of a pandas index as one more."""
        labels, names = row_labels(self._frame), self.columns
        if not self._is_in_memory:
            return Records(dict(zip(names, _collected(_selected(self._frame, names)), strict=True)))
        keys = getattr(self._frame, "column_names", self._frame.columns)
        columns = {name: as_numpy(self._frame[key]).tolist() for name, key in zip(names, keys, strict=True)}
        return Records(columns | ({} if labels is None else {ROW_LABELS: labels}))

    def first_values(self, name: str, /) -> Sequence[Any]:
        if not self._is_in_memory or name not in self.columns:
            return ()
        return narwhals().from_native(self._frame)[name].head(_FIRST).to_list()  # type: ignore[no-any-return]

    def rows(self, names: Sequence[str], nested: Sequence[str] = (), /) -> Iterator[Row]:
        return self.records().rows(names, nested)

    def where(self, column: str, value: Any) -> Frame:
        """Return the rows with a value in a column."""
        nw = narwhals()
        return Frame(nw.from_native(self._frame).filter(nw.col(column) == value).to_native())

    def distinct(
        self, names: Sequence[str], _trial: str | None = None, _nested: Sequence[str] = (), costs: Sequence[str] = (), /
    ) -> TableRows:
        columns = _collected(_counted(self._frame, names, costs))
        sums = (columns[i : i + 4] for i in range(len(names) + 1, len(columns), 4))
        spent = [[_cost_sums(*of_row) for of_row in zip(*of_cost, strict=True)] for of_cost in sums]
        return TableRows(columns[: len(names)], columns[len(names)], costs=spent)

    def check_each_once(self, _rows: TableRows, keys: Mapping[str, str], trial: str, _nested: Sequence[str], /) -> None:
        nw = narwhals()
        grouped = _counted(self._frame, [trial, *keys.values()])
        faults = grouped.filter((nw.col(_TIMES) > 1) | nw.col(_KEY.format(0)).is_null())
        for name, *values, _ in zip(*_collected(faults.head(1)), strict=True):
            raise repeated_trial(trial, name, dict(zip(keys, values, strict=True)))


class Records(Relation):
    """Columns in memory."""

    is_frame = True

    def __init__(self, values: Mapping[str, Sequence[Any]]) -> None:
        self._values = {name: _plain([*column]) for name, column in values.items()}

    @property
    def columns(self) -> list[str]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The names of the columns, without that of the labels of rows."""
        return [name for name in self._values if name != ROW_LABELS]

    @property
    def has_row_labels(self) -> bool:
        """Whether the rows have labels beside the columns."""
        return ROW_LABELS in self._values

    def records(self) -> Records:
        """Return the columns themselves."""
        return self

    def labelled(self, name: str) -> Records:
        """Return the columns with the labels of the rows as one of them."""
        return Records({name if key == ROW_LABELS else key: column for key, column in self._values.items()})

    def where(self, column: str, value: Any) -> Records:
        """Return the rows with a value in a column."""
        rows = [i for i, other in enumerate(self.column(column)) if other == value]
        return Records({name: [values[i] for i in rows] for name, values in self._values.items()})

    def first_values(self, name: str, /) -> Sequence[Any]:
        return [value.tolist() if isinstance(value, np.ndarray) else value for value in self.column(name)[:_FIRST]]

    def rows(self, names: Sequence[str], nested: Sequence[str] = (), /) -> Iterator[Row]:
        columns = [map(_json, self.column(name)) if name in nested else self.column(name) for name in names]
        for i, values in enumerate(zip(*columns, strict=True)):
            yield Row(f"record {i}", values)

    def distinct(
        self, names: Sequence[str], trial: str | None = None, nested: Sequence[str] = (), costs: Sequence[str] = (), /
    ) -> TableRows:
        try:
            return super().distinct(names, trial, nested, costs)
        except TypeError as error:
            raise OutcomeError(f"the values of {shorten(names)} cannot be counted: {error}") from None

    def column(self, name: str) -> Sequence[Any]:
        """Return the values of a column, row by row."""
        if name not in self._values:
            raise OutcomeError(unknown("column", name, self.columns))
        return self._values[name]


Data = Frame | Records


def relation_of(values: Any) -> Data | None:
    """Return a data frame, a structured array or a list of records as a relation; None for anything else."""
    if isinstance(values, np.ndarray):
        names = values.dtype.names
        return None if names is None else Records({name: values[name].tolist() for name in names})
    if isinstance(values, (list, tuple)):
        return _of_records(values) if values and _is_record(values[0]) else None
    if hasattr(values, "to_frame") and getattr(getattr(values, "index", None), "nlevels", 1) > 1:
        values = as_frame(values)
    is_frame = hasattr(type(values), "columns") or hasattr(type(values), "column_names")
    if not is_frame or isinstance(values, Mapping):
        return None
    return _by_axes(values) if type(values).__module__.startswith("pandas") else Frame(values)


def as_frame(values: Any) -> Any:
    """Return a series, whose index names its values, as a frame; anything else as it is."""
    if not hasattr(values, "to_frame"):
        return values
    name = str(values.name)
    return values.to_frame(name if candidates("outcome", [name]) else "outcome")


def _by_axes(frame: Any) -> Data:
    """Return a pandas frame as a relation, in which the named axes of a pivoted one are columns.

    Such a frame has a column of outcomes for each model, trial or question, and the names of the axes say which.
    """
    if frame.columns.nlevels == 1 and _roles_of(frame.columns.names):  # keys that were put beside a pivoted frame
        keys = [name for name in frame.columns if any(candidates(role, [str(name)]) for role in (*KEYS, "trial"))]
        frame = frame.set_index(keys) if 0 < len(keys) < len(frame.columns) else frame
    if frame.columns.nlevels == 1:
        frame = frame.rename(columns=str)
    levels = enumerate(frame.columns.names if frame.columns.nlevels > 1 else ())
    same = [i for i, name in levels if name is None and frame.columns.get_level_values(i).nunique() == 1]
    frame = frame.droplevel(same, axis=1) if same else frame  # as pivot_table has it, the name of the outcome
    of_rows, of_columns = (_roles_of(axis.names) for axis in (frame.index, frame.columns))
    names = [*map(str, frame.columns)]
    is_summary = len(_STATISTICS.intersection(names)) > 1
    if is_summary or any(candidates(role, names) for role in ("question", "outcome", "trials")):
        return Frame(frame.reset_index() if of_rows or frame.index.nlevels > 1 else frame)
    if not (of_columns or of_rows - {"question"} or frame.columns.nlevels > 1):
        return Frame(frame.reset_index() if frame.index.nlevels > 1 else frame)
    for axis in ("index", "columns"):
        named = getattr(frame, axis).names
        if len(named) > 1 and None in named:
            hint = f'name each, as in frame.rename_axis({axis}=["model", ..])'
            raise OutcomeError(f"levels of frame.{axis} have no name: {', '.join(map(str, named))}", hint=hint)
    rest = "trial" if "question" in of_rows | of_columns else "question"
    rows, columns = (axis.set_names([name or rest for name in axis.names]) for axis in (frame.index, frame.columns))
    labels = {name: rows.get_level_values(name).repeat(len(columns)).tolist() for name in rows.names}
    labels |= {name: columns.get_level_values(name).tolist() * len(rows) for name in columns.names}
    return Records({**labels, "outcome": frame.to_numpy().ravel().tolist()})


def _roles_of(names: Sequence[Any]) -> set[str]:
    """Return which of questions, models and trials the levels of an axis are named after."""
    return {role for role in ("question", "model", "trial") if candidates(role, map(str, names))}


def _is_record(value: Any) -> bool:
    return isinstance(value, Mapping) and not any(is_row(cell) or isinstance(cell, Mapping) for cell in value.values())


def _of_records(records: Sequence[Any]) -> Records:
    for i, record in enumerate(records):
        if not _is_record(record):
            raise OutcomeError(f"record {i} is no mapping from columns to values, but the first one is")
    names = dict.fromkeys(key for record in records for key in record)
    return Records({str(name): [record.get(name) for record in records] for name in names})


def _in_engine(frame: Any) -> Any:
    """Return a frame that narwhals knows; Arrow's datasets are read by DuckDB, block by block, if it is installed."""
    if not type(frame).__module__.startswith("pyarrow._dataset"):
        return frame
    try:
        return importlib.import_module("duckdb").from_arrow(frame)
    except ImportError:
        return frame.to_table()


def read_once(frame: Any) -> Any:
    """Return a frame that several queries can read.

    A Dataset of Hugging Face is the table of Arrow that it holds, with the rows it selects. The rows of one that
    streams, an IterableDataset, and those of a stream of Arrow's are all kept in memory.
    """
    if type(frame).__name__ == "RecordBatchReader":
        return frame.read_all()
    if type(frame).__module__.partition(".")[0] != "datasets" or not hasattr(frame, "with_format"):
        return frame
    in_arrow = frame.with_format("arrow")
    if not type(frame).__name__.startswith("Iterable"):
        return in_arrow[:]
    return importlib.import_module("pyarrow").concat_tables(in_arrow.iter(batch_size=_ROWS))


def narwhals() -> Any:
    """Return the module narwhals, which reads data frames of all libraries."""
    try:
        return importlib.import_module("narwhals")
    except ImportError:
        raise ImportError("reading a data frame needs narwhals: pip install narwhals") from None


def _counted(frame: Any, columns: Sequence[str], costs: Sequence[str] = ()) -> Any:
    """Return a lazy narwhals frame with one row per combination of values, how often it occurs, and sums of costs."""
    nw = narwhals()
    keys = [_KEY.format(i) for i in range(len(columns) + len(costs))]
    values = [nw.col(key) for key in keys[len(columns) :]]
    sums = [part for cost in values for part in (cost.count(), cost.mean(), cost.var(ddof=0), cost.min())]
    named_sums = [part.alias(f"sum {i}") for i, part in enumerate(sums)]
    try:
        table = _selected(frame, [*columns, *costs])
        return table.group_by(*keys[: len(columns)]).agg(nw.len().alias(_TIMES), *named_sums)
    except TypeError as error:
        raise OutcomeError(f"the values of {shorten(columns)} cannot be counted: {error}") from None


def _cost_sums(told: int, mean: float | None, spread: float | None, least: float | None) -> CostSums:
    """Return what equal rows cost; nothing if a cost is impossible."""
    is_possible = mean is not None and math.isfinite(mean) and cast("float", least) >= 0.0
    return CostSums(told, cast("float", mean), told * (spread or 0.0)) if is_possible else CostSums(0, 0.0, 0.0)


def _selected(frame: Any, columns: Sequence[str]) -> Any:
    """Return a lazy narwhals frame with some columns, named by ``_KEY``."""
    nw = narwhals()
    there, lazy = _lazy(frame)
    absent = [column for column in columns if column not in there]
    if absent:
        raise OutcomeError(f"there is no column {shorten(absent)}; the columns are {shorten(there)}")
    keys = {_KEY.format(i): column for i, column in enumerate(columns)}
    table = lazy.select(nw.col(there[column]).alias(key) for key, column in keys.items())
    nested = [keys[key] for key, kind in table.collect_schema().items() if kind.is_nested()]
    if nested:
        hint = f"frame.explode({nested[0]!r}) gives each a row"
        raise OutcomeError(f"column {nested[0]!r} holds lists or structs, not one plain value per row", hint=hint)
    return table


def _lazy(frame: Any) -> tuple[Mapping[str, str], Any]:
    """Return the name of each column in a lazy narwhals frame, and the frame.

    Where an engine reads a dot in a name as a path, the columns are named by their places.
    """
    nw = narwhals()
    frame = _in_engine(nw.to_native(frame, pass_through=True))
    try:
        there = list(nw.from_native(frame).lazy().collect_schema())
    except TypeError:
        raise OutcomeError(f"a data frame is needed; got a {type(frame).__name__}") from None
    except nw.exceptions.DuplicateError as error:
        raise OutcomeError(f"a data frame with distinct columns is needed: {str(error).splitlines()[0]}") from None
    places = [f"column {i}" for i in range(len(there))]
    if hasattr(frame, "toDF"):
        renamed = frame.toDF(*places)
    elif hasattr(frame, "project"):
        renamed = frame.project(", ".join(f'#{i} AS "{place}"' for i, place in enumerate(places, 1)))
    else:
        places, renamed = there, frame
    return dict(zip(there, places, strict=True)), nw.from_native(renamed).lazy()


def _collected(lazy: Any) -> list[list[Any]]:
    """Return the columns of a small result as plain Python values."""
    try:
        table = lazy.collect()
    except ModuleNotFoundError as error:
        raise ImportError(f"the counts of this data frame need {error.name}: pip install {error.name}") from None
    return [_plain(table[name].to_list()) for name in table.columns]


def _plain(values: list[Any]) -> list[Any]:
    """Return the same values as Python objects, with None for every kind of null."""
    if _FLOATS.issuperset(map(type, values)):
        return [None if value != value else value for value in values]  # noqa: PLR0124 - NaN alone
    try:
        plain_value = {value: _python(value) for value in set(values)}
    except TypeError:  # lists and the like, which nobody counts
        return values
    return [plain_value[value] for value in values]


def _json(value: Any) -> Any:
    """Return a list as JSON text, as files have it; anything else as it is."""
    return json.dumps(value, default=lambda part: part.tolist()) if is_row(value) else value


def _python(value: Any) -> Any:
    if is_missing(value):
        return None
    return value.item() if isinstance(value, np.generic) else value
