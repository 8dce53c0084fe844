"""Tables as relations: named columns, and how often each combination of their values occurs.

The rows of a data frame are counted by its own engine; only the counts reach Python. All libraries that narwhals
supports are read in the same way: pandas, Polars, PyArrow, DuckDB, Dask, PySpark, Ibis, ... Records are counted here.
"""

import importlib
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from .._arrays import Vector
from .._display.words import shorten, unknown
from ..errors import OutcomeError
from ._outcome_values import is_missing
from ._table import as_numpy, is_row, row_labels
from ._table_rows import TableRows

Row = tuple[Hashable, ...]
Rows = Counter[Row]
ROW_LABELS = "the labels of rows"
_EAGER = ("pandas", "polars", "pyarrow")  # whose frames know their columns
_KEY = "key {}"
_TIMES = "times"
_ROWS = 10_000  # of a stream that are read at once
_FEW_ROWS = 4096  # which are counted here


class Relation:
    """Named ``columns``, and how often each combination of their values occurs; and what files tell of their columns.

    ``tally`` counts the values of some columns, with None for every kind of null; ``every`` has all rows of some
    columns. Lists and objects in ``nested`` columns of files are JSON text.
    """

    is_frame = False
    kinds: Mapping[str, str] | None = None  # the types of the columns, where a file has types
    has_decimal_commas = False
    has_row_labels: Any = False
    is_rectangular: Any = True
    is_small: Any = True  # so that all columns may be looked at

    def first_values(self, _name: str, /) -> Sequence[Any]:
        """Return a column of the first rows as values, where a file has values and no types of columns."""
        return ()


class Frame(Relation):
    """A data frame as columns and counts of rows."""

    is_frame = True

    def __init__(self, frame: Any) -> None:
        self._frame = read_once(frame)

    @property
    def columns(self) -> list[str]:
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

    @property
    def has_row_labels(self) -> bool:
        """Whether a pandas index labels the rows, and not only numbers them."""
        return row_labels(self._frame) is not None

    def records(self) -> "Records":
        """Return all columns in memory, with the labels of a pandas index as one more."""
        labels, names = row_labels(self._frame), self.columns
        if not self._is_in_memory:
            return Records(dict(zip(names, _collected(_selected(self._frame, names)), strict=True)))
        keys = getattr(self._frame, "column_names", self._frame.columns)
        columns = {name: as_numpy(self._frame[key]).tolist() for name, key in zip(names, keys, strict=True)}
        return Records(columns | ({} if labels is None else {ROW_LABELS: labels}))

    def every(self, names: Sequence[str], _nested: Sequence[str] = (), /) -> TableRows:
        """Return some columns of all rows."""
        return self.records().every(names)

    def tally(self, names: Sequence[str], _nested: Sequence[str] = (), /) -> Rows:
        """Return how often each combination of values occurs in some columns."""
        rows: Rows = Counter()
        *values, times = _collected(_counted(self._frame, names))
        for row, count in zip(zip(*values, strict=True), times, strict=True):
            rows[row] += count  # several kinds of null are one
        return rows

    def continuous_rows(self, outcome: str, names: Sequence[str], most: int) -> tuple[Vector, list[list[Any]]] | None:
        """Return the outcome of every row, NaN where it is null, and the values of some columns.

        Counting saves nothing where outcomes are floats with more than ``most`` distinct values; None for others, and
        where one is infinite.
        """
        nw = narwhals()
        table = _selected(self._frame, [outcome, *names])
        first = _KEY.format(0)
        if not table.collect_schema()[first].is_float():
            return None
        distinct = table.group_by(first).agg(nw.len().alias(_TIMES)).head(most + 2)
        if len(_collected(distinct)[0]) < most + 2:  # one of them may be null
            return None
        numbers = nw.col(first).cast(nw.Float64()).fill_null(float("nan"))
        rows = _gathered(table.with_columns(numbers.alias(first)))
        rewards = np.array(rows[first].to_numpy(), np.float64) + 0.0
        if np.isinf(rewards).any():
            return None
        return rewards, [_plain(rows[_KEY.format(i)].to_list()) for i in range(1, len(names) + 1)]

    def repeated(self, names: Sequence[str], name: str) -> Row | None:
        """Return values of some columns for which a name is null or occurs twice; None if there are none."""
        nw = narwhals()
        grouped = _counted(self._frame, [name, *names])
        faults = grouped.filter((nw.col(_TIMES) > 1) | nw.col(_KEY.format(0)).is_null())
        row = next(zip(*_collected(faults.head(1)), strict=True), None)
        return None if row is None else row[1:-1]


class Records(Relation):
    """Columns in memory."""

    is_frame = True

    def __init__(self, values: Mapping[str, Sequence[Any]]) -> None:
        self._values = {name: _plain([*column]) for name, column in values.items()}

    @property
    def columns(self) -> list[str]:
        """The names of the columns, without that of the labels of rows."""
        return [name for name in self._values if name != ROW_LABELS]

    @property
    def has_row_labels(self) -> bool:
        """Whether the rows have labels beside the columns."""
        return ROW_LABELS in self._values

    def records(self) -> "Records":
        """Return the columns themselves."""
        return self

    def every(self, names: Sequence[str], _nested: Sequence[str] = (), /) -> TableRows:
        """Return some columns of all rows."""
        return TableRows([*map(self.column, names)], [1] * len(next(iter(self._values.values()), ())))

    def tally(self, names: Sequence[str], _nested: Sequence[str] = (), /) -> Rows:
        """Return how often each combination of values occurs in some columns."""
        absent = [name for name in names if name not in self._values]
        if absent:
            raise OutcomeError(f"there is no column {shorten(absent)}; the columns are {shorten(self._values)}")
        try:
            return Counter(zip(*(self._values[name] for name in names), strict=True))
        except TypeError as error:
            raise OutcomeError(f"the values of {shorten(names)} cannot be counted: {error}") from None

    def continuous_rows(self, _outcome: str, _names: Sequence[str], _most: int) -> None:
        """Return None: all rows are counted."""
        return

    def repeated(self, names: Sequence[str], name: str) -> Row | None:
        """Return values of some columns for which a name is null or occurs twice; None if there are none."""
        rows = self.tally([name, *names])
        return next((row[1:] for row, times in rows.items() if times > 1 or row[0] is None), None)

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
    is_frame = hasattr(type(values), "columns") or hasattr(type(values), "column_names")
    return Frame(values) if is_frame and not isinstance(values, Mapping) else None


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


def _counted(frame: Any, columns: Sequence[str]) -> Any:
    """Return a lazy narwhals frame with one row per combination of values, and how often it occurs."""
    nw = narwhals()
    table = _selected(frame, columns)
    try:
        return table.group_by(*(_KEY.format(i) for i in range(len(columns)))).agg(nw.len().alias(_TIMES))
    except TypeError as error:
        raise OutcomeError(f"the values of {shorten(columns)} cannot be counted: {error}") from None


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
        raise OutcomeError(f"column {nested[0]!r} holds lists or structs: one plain value per row is needed")
    return table


def _lazy(frame: Any) -> tuple[Mapping[str, str], Any]:
    """Return the name of each column in a lazy narwhals frame, and the frame.

    Where an engine reads a dot in a name as a path, the columns are named by their places.
    """
    nw = narwhals()
    frame = _in_engine(nw.to_native(frame, pass_through=True))
    try:
        there = list(nw.from_native(frame).lazy().collect_schema())
    except (TypeError, nw.exceptions.DuplicateError) as error:
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
    table = _gathered(lazy)
    return [_plain(table[name].to_list()) for name in table.columns]


def _gathered(lazy: Any) -> Any:
    """Return the result of a lazy frame."""
    try:
        return lazy.collect()
    except ModuleNotFoundError as error:
        raise ImportError(f"the counts of this data frame need {error.name}: pip install {error.name}") from None


def _plain(values: list[Any]) -> list[Any]:
    """Return the same values as Python objects, with None for every kind of null."""
    try:
        plain_value = {value: _python(value) for value in set(values)}
    except TypeError:  # lists and the like, which nobody counts
        return values
    return [plain_value[value] for value in values]


def _python(value: Any) -> Any:
    if is_missing(value):
        return None
    return value.item() if isinstance(value, np.generic) else value
