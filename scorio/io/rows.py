"""Rows of tables as text: CSV, JSON lines, JSON lists of records and Parquet.

Everything is text, so that the questions 001, 01 and 1 stay three, and one called NA stays one.
"""

from __future__ import annotations

import csv
import itertools
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..errors import OutcomeError
from . import parquet
from .expect import shown, within
from .files import LogFile

_DELIMITERS = ",\t;|"
_LONGEST_FIELD = 1 << 24
_ROWS_OF_COLUMNS = 1000  # JSON rows whose keys are the columns: any of them may leave one out

Values = tuple[str | None, ...]


class Row(NamedTuple):
    """Some columns of a row, where it stands, and how often it is there."""

    place: str
    values: Values
    times: int = 1


def is_table(file: LogFile) -> bool:
    """Whether a file holds rows of columns at all."""
    if file.head.startswith(b"PAR1"):
        return True
    if file.is_json:
        return file.is_lines or _is_records(file.document)
    return b"\0" not in file.head and _delimiter(_header(file)) is not None


def columns(file: LogFile) -> list[str]:
    """The names of the columns, in order."""
    if file.head.startswith(b"PAR1"):
        return parquet.columns(file.path)
    if file.is_json:
        first = itertools.islice(file.records(), _ROWS_OF_COLUMNS)
        return list(dict.fromkeys(name for _, row in first for name in row))
    return [name for _, fields in itertools.islice(_records(file), 1) for name in fields]


def rows(file: LogFile, wanted: Sequence[str]) -> Iterator[Row]:
    """These columns of every row; alike rows may come as one."""
    if file.head.startswith(b"PAR1"):
        expressions = [f"CAST({parquet.quoted(name)} AS VARCHAR)" for name in wanted]
        for found in parquet.rows(file.path, expressions):
            yield Row(f"row {found[-2] + 1}", found[:-2], found[-1])
    elif file.is_json:
        for place, record in file.records():
            with within(place):
                values = tuple(_text(record, name) for name in wanted)
            yield Row(place, values)
    else:
        yield from _of_csv(file, wanted)


def _of_csv(file: LogFile, wanted: Sequence[str]) -> Iterator[Row]:
    records = _records(file)
    _, header = next(records)
    where = [header.index(name) for name in wanted]
    for number, fields in records:
        if len(fields) != len(header):
            raise OutcomeError(f"line {number} has {len(fields)} fields where the header has {len(header)}")
        yield Row(f"line {number}", tuple(fields[i] for i in where))


def _records(file: LogFile) -> Iterator[tuple[int, list[str]]]:
    """The fields of every line that is not blank, and its number."""
    delimiter = _delimiter(_header(file))
    if delimiter is None:
        raise OutcomeError("a table was expected: a first line of column names with commas, tabs, ; or | between them")
    csv.field_size_limit(_LONGEST_FIELD)
    reader = csv.reader((text for _, text in file.lines()), delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        yield from ((reader.line_num, fields) for fields in reader if fields)
    except csv.Error as error:
        raise OutcomeError(f"line {reader.line_num} is no CSV: {error}") from None


def _header(file: LogFile) -> str:
    return next(file.lines(), (0, ""))[1]


def _delimiter(header: str) -> str | None:
    """The delimiter that occurs most often."""
    found = Counter(character for character in header if character in _DELIMITERS)
    return found.most_common(1)[0][0] if found else None


def _is_records(document: Any) -> bool:
    return isinstance(document, list) and bool(document) and all(isinstance(row, dict) for row in document)


def _text(record: dict[str, Any], name: str) -> str | None:
    """A plain value as JSON writes it; text as it is."""
    if name not in record:
        raise OutcomeError(f"the row has no {name!r}")
    value = record[name]
    if isinstance(value, (dict, list)):
        raise OutcomeError(f"{name!r} must be a plain value; got {shown(value)}")
    return value if value is None or isinstance(value, str) else json.dumps(value)
