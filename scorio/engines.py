"""Counting the rows of a data frame on the frame's own engine; only the counts reach Python.

Every library that narwhals knows takes the same way: pandas, Polars, PyArrow, DuckDB, Dask, PySpark, Ibis and more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from .errors import OutcomeError
from .intake import is_missing
from .labels import listed

Row = tuple[Hashable, ...]
Rows = Counter[Row]
_KEY = "key {}"
_TIMES = "times"


def count_rows(frame: Any, columns: Sequence[str]) -> Rows:
    """How often each combination of values occurs in some columns; None stands for every kind of null."""
    return added(_collected(_counted(frame, columns)))


def repeated(frame: Any, columns: Sequence[str], name: str) -> Row | None:
    """Values of some columns under which a name is null or occurs twice; None where there are none."""
    nw = _narwhals()
    named = _counted(frame, [name, *columns])
    wrong = named.filter((nw.col(_TIMES) > 1) | nw.col(_KEY.format(0)).is_null())
    found = next(zip(*_collected(wrong.head(1)), strict=True), None)
    return None if found is None else found[1:-1]


def added(columns: Sequence[Sequence[Any]]) -> Rows:
    """Rows with how often they occur in the last column; alike ones are added up."""
    *values, times = columns
    found: Rows = Counter()
    for row, count in zip(zip(*values, strict=True), times, strict=True):
        found[row] += count
    return found


def _narwhals() -> Any:
    try:
        import narwhals
    except ImportError:
        raise ImportError('reading a data frame needs narwhals: pip install "scorio[frames]"') from None
    return narwhals


def _counted(frame: Any, columns: Sequence[str]) -> Any:
    """A lazy narwhals frame with a row for each combination of values, and how often it occurs."""
    nw = _narwhals()
    try:
        there, lazy = _without_dots(frame)
    except (TypeError, nw.exceptions.DuplicateError) as error:
        raise OutcomeError(f"a data frame with distinct columns is needed: {str(error).splitlines()[0]}") from None
    lost = [column for column in columns if column not in there]
    if lost:
        raise OutcomeError(f"there is no column {listed(lost)}; the columns are {listed(there)}")
    keys = {_KEY.format(i): column for i, column in enumerate(columns)}
    table = lazy.select(nw.col(there[column]).alias(key) for key, column in keys.items())
    nested = [keys[key] for key, kind in table.collect_schema().items() if kind.is_nested()]
    if nested:
        raise OutcomeError(f"column {nested[0]!r} holds lists or structs: one plain value a row is needed")
    try:
        return table.group_by(*keys).agg(nw.len().alias(_TIMES))
    except TypeError as error:
        raise OutcomeError(f"the values of {listed(columns)} cannot be counted: {error}") from None


def _without_dots(frame: Any) -> tuple[Mapping[str, str], Any]:
    """What each column is called in a lazy narwhals frame, and the frame.

    Where a dot in a name may be taken for a part of something, columns are named by their places.
    """
    nw = _narwhals()
    frame = nw.to_native(frame, pass_through=True)
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
    """The columns of a small result as plain Python values."""
    try:
        table = lazy.collect()
    except ModuleNotFoundError as error:
        raise ImportError(f"the counts of this data frame need {error.name}: pip install {error.name}") from None
    return [_plain(table[name].to_list()) for name in table.columns]


def _plain(values: list[Any]) -> list[Any]:
    """The same values as Python's own, with None for every kind of null."""
    known = {value: _python(value) for value in set(values)}
    return [known[value] for value in values]


def _python(value: Any) -> Any:
    if is_missing(value):
        return None
    return value.item() if isinstance(value, np.generic) else value
