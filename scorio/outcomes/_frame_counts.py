"""Count the rows of a data frame on the frame's own engine; only the counts reach Python.

All libraries that narwhals supports are read in the same way: pandas, Polars, PyArrow, DuckDB, Dask, PySpark, Ibis, ...
"""

import importlib
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from .._arrays import Vector
from .._display.words import shorten
from ..errors import OutcomeError
from ._outcome_values import is_missing

Row = tuple[Hashable, ...]
Rows = Counter[Row]
_KEY = "key {}"
_TIMES = "times"
_ROWS = 10_000  # of a stream that are read at once
_WORD = 48  # numbers of trials that are checked as one group


def count_rows(frame: Any, columns: Sequence[str], times: str | None = None) -> Rows:
    """Return how often each combination of values occurs in some columns; None stands for every kind of null.

    A row counts as often as its value in the column ``times`` says.
    """
    if times is None:
        return added(_collected(_counted(frame, columns)))
    nw = narwhals()
    table, column = _selected(frame, [*columns, times]), nw.col(_KEY.format(len(columns)))
    if not table.collect_schema()[_KEY.format(len(columns))].is_integer():
        raise OutcomeError(f"column {times!r} must hold whole numbers: how often each row counts")
    faults = table.filter(column.is_null() | (column < 0))
    if _collected(faults.select(column).head(1))[0]:
        raise OutcomeError(f"column {times!r} is null or negative in some row: it says how often the row counts")
    keys = [_KEY.format(i) for i in range(len(columns))]
    return added(_collected(table.group_by(*keys).agg(column.sum().alias(_TIMES))))


class Frame:
    """A data frame as columns and counts of rows."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    @property
    def columns(self) -> Sequence[str]:
        """The names of the columns."""
        return unused_columns(self._frame, ())

    def tally(self, names: Sequence[str]) -> Rows:
        """Return how often each combination of values occurs."""
        return count_rows(self._frame, names)


def unused_columns(frame: Any, used: Sequence[str]) -> list[str]:
    """Return the columns of a frame that are not among those used."""
    there = narwhals().from_native(_in_engine(frame)).lazy().collect_schema()
    return [str(column) for column in there if column not in used]


def _in_engine(frame: Any) -> Any:
    """Return a frame that narwhals knows; Arrow's datasets are read by DuckDB, block by block, if it is installed."""
    if not type(frame).__module__.startswith("pyarrow._dataset"):
        return frame
    try:
        return importlib.import_module("duckdb").from_arrow(frame)
    except ImportError:
        return frame.to_table()


def as_frame(values: Any) -> Any:
    """Return a data frame; a Dataset of Hugging Face is the table of Arrow that it holds, with the rows it selects.

    The rows of one that streams, an IterableDataset, are all read.

    >>> as_frame("text")
    'text'
    """
    if type(values).__module__.partition(".")[0] != "datasets" or not hasattr(values, "with_format"):
        return values
    in_arrow = values.with_format("arrow")
    if not type(values).__name__.startswith("Iterable"):
        return in_arrow[:]
    return importlib.import_module("pyarrow").concat_tables(in_arrow.iter(batch_size=_ROWS))


def read_once(frame: Any) -> Any:
    """Return a frame that several queries can read: the rows of a stream of Arrow's are kept in memory."""
    frame = as_frame(frame)
    return frame.read_all() if type(frame).__name__ == "RecordBatchReader" else frame


def continuous_rows(
    frame: Any, outcome: str, columns: Sequence[str], most: int
) -> tuple[Vector, list[list[Any]]] | None:
    """Return the outcome of every row, NaN where it is null, and the values of some columns.

    Counting saves nothing where outcomes are floats with more than ``most`` distinct values; None for others, and where
    one is infinite.
    """
    nw = narwhals()
    table = _selected(frame, [outcome, *columns])
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
    return rewards, [_plain(rows[_KEY.format(i)].to_list()) for i in range(1, len(columns) + 1)]


def repeated(frame: Any, columns: Sequence[str], name: str) -> Row | None:
    """Return values of some columns for which a name is null or occurs twice; None if there are none.

    Names that are not numbered, and numbers that seem to occur twice, are grouped one by one, which costs more.
    """
    nw = narwhals()
    if _are_distinct_numbers(_selected(frame, [name, *columns])):
        return None
    named = _counted(frame, [name, *columns])
    faults = named.filter((nw.col(_TIMES) > 1) | nw.col(_KEY.format(0)).is_null())
    row = next(zip(*_collected(faults.head(1)), strict=True), None)
    return None if row is None else row[1:-1]


def _are_distinct_numbers(table: Any) -> bool:
    """Return whether the first column has natural numbers that are different where the other columns are equal.

    48 numbers become one group with the sum of 2**(number % 48). A sum of n powers of 2 has as many bits as it has
    terms after equal powers were joined, 2**i + 2**i = 2**(i + 1), until none are equal; every join takes one term
    away. So a group has n bits if, and only if, its numbers are different. A group of at most 48 has a sum below 2**53,
    which is exact in every engine; a larger group and one with a null are not looked into. Where an engine gives a
    negative number a fraction for its bit, rounding the sum leaves fewer bits than numbers.
    """
    nw = narwhals()
    number, *columns = table.collect_schema()
    if not table.collect_schema()[number].is_integer():
        return False
    word = nw.col(number) // _WORD
    bit = nw.lit(2.0) ** (nw.col(number) - word * _WORD).cast(nw.Float64())
    words = table.with_columns(word.alias("word"), bit.alias("bit"))
    groups = words.group_by(*columns, "word").agg(nw.len().alias(_TIMES), nw.col("bit").sum().alias("bits"))
    kept = groups.filter((nw.col(_TIMES) > 1) | nw.col("word").is_null())
    found = _gathered(kept.select(_TIMES, "bits", "word"))
    times, totals = found[_TIMES].to_numpy(), np.asarray(found["bits"].to_numpy(), np.float64)
    if (times > _WORD).any() or found["word"].is_null().any() or not (totals < 1 << 53).all():
        return False
    sums = np.rint(totals).astype(np.uint64)
    bits = np.unpackbits(sums.view(np.uint8)).reshape(-1, 64).sum(axis=1)
    return bool((bits == times).all())


def added(columns: Sequence[Sequence[Any]]) -> Rows:
    """Return rows with their counts, which the last column holds; the counts of equal rows are added up."""
    *values, times = columns
    rows: Rows = Counter()
    for row, count in zip(zip(*values, strict=True), times, strict=True):
        rows[row] += count
    return rows


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
    try:
        there, lazy = _without_dots(frame)
    except (TypeError, nw.exceptions.DuplicateError) as error:
        raise OutcomeError(f"a data frame with distinct columns is needed: {str(error).splitlines()[0]}") from None
    absent = [column for column in columns if column not in there]
    if absent:
        raise OutcomeError(f"there is no column {shorten(absent)}; the columns are {shorten(there)}")
    keys = {_KEY.format(i): column for i, column in enumerate(columns)}
    table = lazy.select(nw.col(there[column]).alias(key) for key, column in keys.items())
    nested = [keys[key] for key, kind in table.collect_schema().items() if kind.is_nested()]
    if nested:
        raise OutcomeError(f"column {nested[0]!r} holds lists or structs: one plain value per row is needed")
    return table


def _without_dots(frame: Any) -> tuple[Mapping[str, str], Any]:
    """Return the name of each column in a lazy narwhals frame, and the frame.

    Where an engine reads a dot in a name as a path, the columns are named by their places.
    """
    nw = narwhals()
    frame = _in_engine(nw.to_native(frame, pass_through=True))
    there = list(nw.from_native(frame).lazy().collect_schema())
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
    known = {value: _python(value) for value in set(values)}
    return [known[value] for value in values]


def _python(value: Any) -> Any:
    if is_missing(value):
        return None
    return value.item() if isinstance(value, np.generic) else value
