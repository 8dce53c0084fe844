"""Rows of tables as text: CSV, JSON lines, JSON lists of records and Parquet.

Everything is text, so that the questions 001, 01 and 1 stay three, and one called NA stays one.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..errors import OutcomeError
from . import duck, sql
from .expect import shown, within
from .files import LogFile
from .sql import Alike
from .trial_set import TrialSet

_DELIMITERS = ",\t;|"
_LONGEST_FIELD = 1 << 24
_LARGE = 1 << 22  # bytes, from which on DuckDB reads text too
_ROWS_OF_COLUMNS = 1000  # JSON rows whose keys are the columns: any of them may leave one out

_QUOTED = re.compile(r'"[^"]*"')

_WRITTEN: dict[type, Callable[[Any], str]] = {bool: {True: "true", False: "false"}.__getitem__, int: str, float: repr}

Values = tuple[str | None, ...]


class Row(NamedTuple):
    """Some columns of a row, where it first stands, and how often it is there."""

    place: str
    values: Values
    times: int = 1


@dataclass
class _Group:
    """Alike rows: where the first stands, how many there are, and as which trials."""

    place: str
    times: int = 0
    trials: TrialSet = field(default_factory=TrialSet)


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
        return sql.columns(file.path)
    if file.is_json:
        first = itertools.islice(file.records(), _ROWS_OF_COLUMNS)
        return list(dict.fromkeys(name for _, row in first for name in row))
    return [name for _, fields in itertools.islice(_records(file), 1) for name in fields]


def distinct(file: LogFile, wanted: Sequence[str], trial: str | None = None) -> Alike:
    """The distinct rows of these columns, and of a column of trials: no two are the same but for the last column."""
    if file.head.startswith(b"PAR1"):
        return sql.text_rows(duck.parquet(file.path), wanted, trial)
    return _at_once(file, wanted, trial) or _one_by_one(file, wanted, trial)


def _at_once(file: LogFile, wanted: Sequence[str], trial: str | None) -> Alike | None:
    """The distinct rows of a large file of text; none where it has to be read row by row to say what it is."""
    if file.size < _LARGE or not duck.installed() or (not file.is_lines if file.is_json else _starts_blank(file)):
        return None
    asked = wanted if trial is None else [*wanted, trial]
    source = duck.json_lines(file.path, asked) if file.is_json else _separated(file)
    try:
        found = sql.text_rows(source, wanted, trial)
    except OutcomeError:
        return None
    strange = _strange_json if file.is_json else _strange_csv
    odd = not found.places or any(strange(value) for column in found.columns for value in set(column))
    return None if odd else found


def _strange_json(value: str | None) -> bool:
    """Whether a field may be absent, a list or an object."""
    return value is None or value[:1] in ("[", "{")


def _strange_csv(value: str | None) -> bool:
    """Whether a field has blanks before it, which count if they are quoted only."""
    return value is not None and value[:1] == " "


def _starts_blank(file: LogFile) -> bool:
    return not next(file.lines(), (0, ""))[1].strip()


def _separated(file: LogFile) -> str:
    return duck.separated(file.path, columns(file), _delimiter(_header(file)) or ",")


def _one_by_one(file: LogFile, wanted: Sequence[str], trial: str | None) -> Alike:
    found: dict[Values, _Group] = {}
    given: dict[Values, TrialSet] = defaultdict(TrialSet)
    for row in rows(file, wanted if trial is None else [*wanted, trial]):
        kept = row.values[: len(wanted)]
        group = found.setdefault(kept, _Group(row.place))
        group.times += 1
        if trial is not None:
            with within(row.place):
                name = named(row.values[-1], "trial")
                if not given[kept[:-1]].add(name):
                    how = f'if {trial!r} does not tell trials apart, pass fields={{"trial": None}}'
                    raise OutcomeError(f"trial {name!r} of the same question is there already; {how}")
            group.trials.add(name)
    groups = found.values()
    trials = None if trial is None else [group.trials for group in groups]
    columns = [*zip(*found, strict=True)] or [()] * len(wanted)
    return Alike([group.place for group in groups], columns, [group.times for group in groups], trials)


def rows(file: LogFile, wanted: Sequence[str]) -> Iterator[Row]:
    """These columns of every row; alike rows may come as one."""
    if file.head.startswith(b"PAR1"):
        found = distinct(file, wanted)
        yield from map(Row, found.places, zip(*found.columns, strict=True), found.times)
    elif file.is_json:
        for place, record in file.records():
            with within(place):
                values = tuple([_text(record, name) for name in wanted])
            yield Row(place, values)
    else:
        yield from _of_csv(file, wanted)


def named(value: str | None, role: str) -> str:
    """A value that names something."""
    if value is None or not value.strip():
        raise OutcomeError(f"the {role} is empty")
    return value


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
        yield from ((reader.line_num, fields) for fields in reader if fields not in ([], [""]))
    except csv.Error as error:
        raise OutcomeError(f"line {reader.line_num} is no CSV: {error}") from None


def _header(file: LogFile) -> str:
    """The first line that is not blank."""
    return next((text for _, text in file.lines() if text.strip()), "")


def _delimiter(header: str) -> str | None:
    """The delimiter that occurs most often outside quotes; none where a quote stays open."""
    if header.count('"') % 2:
        return None
    found = Counter(character for character in _QUOTED.sub("", header) if character in _DELIMITERS)
    return found.most_common(1)[0][0] if found else None


def _is_records(document: Any) -> bool:
    return isinstance(document, list) and bool(document) and all(isinstance(row, dict) for row in document)


def _text(record: dict[str, Any], name: str) -> str | None:
    """A plain value as JSON writes it; text as it is."""
    if name not in record:
        raise OutcomeError(f"the row has no {name!r}")
    value = record[name]
    if value is None or type(value) is str:
        return value
    if type(value) not in _WRITTEN:
        raise OutcomeError(f"{name!r} must be a plain value; got {shown(value)}")
    return _WRITTEN[type(value)](value)
