"""Rows of tables as text: CSV, JSON lines, JSON lists of records and Parquet.

Everything stays text, so that 001, 01 and 1 are three questions, and NA is the name of one.
"""

import csv
import itertools
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import OutcomeError, Remedy, within
from ...outcomes import names_runs
from .._files import LogFile
from .._trial_table import TrialSet
from ..checks import shown, storable
from . import duck, path_columns, sql
from .columns import NESTED_QUESTIONS
from .database import DatabaseTable, DuckTable, SqliteTable
from .sheet import SheetTable
from .sql import CostSums, DistinctRows

_DELIMITERS = ",\t;|"
_LONGEST_FIELD = 1 << 24  # characters of a field of CSV
LARGE = 1 << 22  # bytes of a text file from which on DuckDB reads it
_FIRST_ROWS = 20  # rows that show whether a text is a table, and whether a column holds lists
_ROWS_OF_COLUMNS = 1000  # JSON rows whose keys are the columns, as a row may leave out a column

_QUOTED = re.compile(r'"[^"]*"')
_SEPARATOR = re.compile(r"sep=[,;|\t]?[\r\n]*$", re.IGNORECASE)  # the line by which spreadsheets name the delimiter

_WRITTEN: dict[type, Callable[[Any], str]] = {bool: {True: "true", False: "false"}.__getitem__, int: str, float: repr}

Values = tuple[str | None, ...]


class Row(NamedTuple):
    """Some columns of a row, the place of the first equal row, and the number of equal rows."""

    place: str
    values: Values
    times: int = 1


class RepeatedTrialError(OutcomeError):
    """A trial of a question that is there twice."""


@dataclass
class _Group:
    """Equal rows: the place of the first, their number, and their trials."""

    place: str
    times: int = 0
    trials: TrialSet = field(default_factory=TrialSet)
    costs: list[CostSums] = field(default_factory=list)


def is_table(file: LogFile) -> bool:
    """Return whether a file has rows and columns."""
    if file.head.startswith(b"PAR1"):
        return True
    if file.is_json:
        return file.is_lines or _is_records(file.document)
    return b"\0" not in file.head and _delimiter(_header(file)) is not None


def is_separated(file: LogFile) -> bool:
    """Return whether a file is text whose columns are separated by commas or the like."""
    return not (file.head.startswith(b"PAR1") or file.is_json or isinstance(file, (DatabaseTable, SheetTable)))


def is_rectangular(file: LogFile) -> bool:
    """Return whether most of the first rows have as many fields as the first line, if there are any rows."""
    if not is_separated(file):
        return True
    try:
        header, *widths = [len(fields) for _, fields in itertools.islice(_records(file), 1 + _FIRST_ROWS)]
    except OutcomeError:
        return False
    return 2 * widths.count(header) >= len(widths) > 0


def columns(file: LogFile) -> list[str]:
    """Return the names of the columns, in order: those in the file, then those in its path."""
    return path_columns.all_columns(own_columns(file), file.path)


def own_columns(file: LogFile) -> list[str]:
    """Return the names of the columns that are in the file itself, in order."""
    if isinstance(file, DatabaseTable):
        return list(file.kinds)
    if isinstance(file, SheetTable):
        return file.columns
    if file.head.startswith(b"PAR1"):
        return sql.columns(file.path)
    if file.is_json:
        first = itertools.islice(file.records(), _ROWS_OF_COLUMNS)
        return list(dict.fromkeys(name for _, row in first for name in leaves(row)))
    return [name for _, fields in itertools.islice(_records(file), 1) for name in fields]


def distinct(
    file: LogFile,
    names: Sequence[str],
    trial: str | None = None,
    nested: Sequence[str] = (),
    costs: Sequence[str] = (),
) -> DistinctRows:
    """Return the distinct rows of some columns, with the trials of each by the column ``trial``, and their costs.

    Two rows with one trial that differ in the last of the columns only are an error. Lists and objects in ``nested``
    columns become JSON text.
    """
    if isinstance(file, DuckTable):
        return file.distinct(names, trial, nested, costs)
    if file.head.startswith(b"PAR1"):
        return sql.parquet_rows(file.path, names, trial, nested, costs)
    return _at_once(file, names, trial, costs) or _one_by_one(file, names, trial, nested, costs)


def _at_once(file: LogFile, names: Sequence[str], trial: str | None, costs: Sequence[str]) -> DistinctRows | None:
    """Return the distinct rows of a large text file; None if the file has to be read row by row."""
    is_text = not isinstance(file, (SqliteTable, SheetTable))
    if not is_text or file.size < LARGE or not duck.installed() or not is_plain(file):
        return None
    every = [*names, *([] if trial is None else [trial]), *costs]
    try:
        table = sql.distinct_rows(duck.connected(file.path), text_source([file.path], every), names, trial, costs)
    except duck.NotThisWayError:
        return None
    unsure = unsure_json if file.is_json else unsure_csv
    again = not table.places or any(unsure(value) for column in table.columns for value in set(column))
    return None if again else table


def text_source(paths: Sequence[Path], every: Sequence[str]) -> sql.TableInSql:
    """Return text files of one layout as a table in SQL with some columns."""
    first = LogFile(paths[0])
    own = own_columns(first)
    source = (
        duck.json_lines(paths, [name for name in dict.fromkeys(every) if name in own])
        if first.is_json
        else duck.separated(paths, own, delimiter(first))
    )
    return sql.selected(source, paths, every, own, {})


def unsure_json(value: str | None) -> bool:
    """Return whether a field may be absent, a list or an object."""
    return value is None or value[:1] in ("[", "{")


def unsure_csv(value: str | None) -> bool:
    """Return whether a field begins with a blank, which counts only if it is quoted."""
    return value is not None and value[:1] == " "


def is_plain(file: LogFile) -> bool:
    """Return whether DuckDB can read a text file: JSON lines, or CSV that begins with the names of its columns."""
    first = next(file.lines(), (0, ""))[1]
    return file.is_lines if file.is_json else bool(first.strip()) and not _SEPARATOR.match(first)


def _one_by_one(
    file: LogFile, names: Sequence[str], trial: str | None, nested: Sequence[str], costs: Sequence[str]
) -> DistinctRows:
    groups: dict[Values, _Group] = {}
    known: dict[Values, TrialSet] = defaultdict(TrialSet)
    none = [CostSums(0, 0.0, 0.0)] * len(costs)
    for row in rows(file, [*names, *([] if trial is None else [trial]), *costs], nested):
        kept, others = row.values[: len(names)], row.values[len(names) :]
        group = groups.setdefault(kept, _Group(row.place))
        group.times += 1
        if costs:
            group.costs = [*map(_with_cost, group.costs or none, others[-len(costs) :])]
        if trial is not None:
            with within(row.place):
                name = named(others[0], "trial")
                if not known[kept[:-1]].add(name):
                    problem = f"trial {name!r} of the same question is there already"
                    raise RepeatedTrialError(problem, remedies=if_no_number(trial))
            group.trials.add(name)
    rest = groups.values()
    trials = None if trial is None else [group.trials for group in rest]
    columns = [*zip(*groups, strict=True)] or [()] * len(names)
    spent = [*zip(*(group.costs for group in rest), strict=True)] if costs else []
    return DistinctRows([group.place for group in rest], columns, [group.times for group in rest], trials, spent)


def if_no_number(column: str) -> list[Remedy]:
    """Return what to do about a column that is taken to number trials, and does not."""
    runs = [Remedy("fields", {"run": column}, "if it names runs of several trials")] if names_runs(column) else []
    return [*runs, Remedy("fields", {"trial": None}, f"if {column!r} does not number the trials")]


def _with_cost(sums: CostSums, text: str | None) -> CostSums:
    """Return the sums with the cost of one more row (Welford 1962); a row without a possible cost changes nothing."""
    try:
        cost = float(text or "nan")
    except ValueError:
        return sums
    if not 0.0 <= cost < math.inf:
        return sums
    told, gap = sums.told + 1, cost - sums.mean
    mean = sums.mean + gap / told
    return CostSums(told, mean, sums.squares + gap * (cost - mean))


def rows(file: LogFile, names: Sequence[str], nested: Sequence[str] = ()) -> Iterator[Row]:
    """Yield some columns of every row; equal rows may come as one."""
    if file.head.startswith(b"PAR1") or isinstance(file, DuckTable):
        table = distinct(file, names, nested=nested)
        yield from map(Row, table.places, zip(*table.columns, strict=True), table.times)
    elif path_columns.path_columns(file.path).keys().isdisjoint(names):
        yield from _own_rows(file, names, nested)
    else:
        every = own_columns(file)
        own = [name for name in names if name in every]
        for row in _own_rows(file, own, nested):
            with within(row.place):
                values = path_columns.completed(file.path, names, own, row.values)
            yield row._replace(values=values)


def _own_rows(file: LogFile, names: Sequence[str], nested: Sequence[str]) -> Iterator[Row]:
    """Yield some columns of every row of a text file, a SQLite database or a sheet."""
    if isinstance(file, SqliteTable):
        for number, texts in enumerate(file.rows(names), 1):
            yield Row(f"row {number}", texts)
    elif isinstance(file, SheetTable):
        for number, texts in file.rows(names):
            yield Row(f"row {number}", texts)
    elif file.is_json:
        for place, record in file.records():
            with within(place):
                values = tuple([_text(record, name, nested) for name in names])
            yield Row(place, values)
    else:
        yield from _of_csv(file, names)


def named(value: str | None, role: str) -> str:
    """Return a value that must not be empty."""
    if value is None or not value.strip():
        raise OutcomeError(f"the {role} is empty")
    return storable(value, f"the {role}")


def _of_csv(file: LogFile, names: Sequence[str]) -> Iterator[Row]:
    records = _records(file)
    _, header = next(records)
    indices = [header.index(name) for name in names]
    for number, fields in records:
        if len(fields) != len(header):
            raise OutcomeError(f"line {number} has {len(fields)} fields where the header has {len(header)}")
        yield Row(f"line {number}", tuple(fields[i] for i in indices))


def _records(file: LogFile) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the fields of every line that is not blank."""
    mark = _delimiter(_header(file))
    if mark is None:
        raise OutcomeError("a table was expected: a first line of column names with commas, tabs, ; or | between them")
    csv.field_size_limit(_LONGEST_FIELD)
    texts = ("\n" if number == 1 and _SEPARATOR.match(text) else text for number, text in file.lines())
    reader = csv.reader(texts, delimiter=mark, skipinitialspace=True, strict=True)
    try:
        yield from ((reader.line_num, fields) for fields in reader if fields not in ([], [""]))
    except csv.Error as error:
        if "\r" in _header(file).rstrip("\r\n"):
            hint = "save it with the line ends of this machine, or as CSV UTF-8"
            raise OutcomeError("its lines end as on an old Macintosh, by a carriage return alone", hint=hint) from None
        raise OutcomeError(f"line {reader.line_num} is not valid CSV: {error}") from None


def delimiter(file: LogFile) -> str:
    """Return the delimiter of a CSV file."""
    return _delimiter(_header(file)) or ","


def _header(file: LogFile) -> str:
    """Return the first line that is not blank, and does not name the delimiter."""
    return next((text for i, text in file.lines() if text.strip() and not (i == 1 and _SEPARATOR.match(text))), "")


def _delimiter(header: str) -> str | None:
    """Return the delimiter that occurs most often outside quotes; None if there is none, or a quote stays open."""
    if header.count('"') % 2:
        return None
    counts = Counter(character for character in _QUOTED.sub("", header) if character in _DELIMITERS)
    return counts.most_common(1)[0][0] if counts else None


def _is_records(document: Any) -> bool:
    return isinstance(document, list) and bool(document) and all(isinstance(row, dict) for row in document)


def leaves(record: dict[str, Any]) -> Iterator[str]:
    """Yield the names of a row's values, with dots between those of nested objects.

    An object that may be a question has a name itself, because it is read as JSON text.

    >>> list(leaves({"id": 1, "scores": {"exact": 1, "by": {"judge": 0}}, "input": {"q": "?"}}))
    ['id', 'scores.exact', 'scores.by.judge', 'input', 'input.q']
    """
    for name, value in record.items():
        if not isinstance(value, dict) or not value or name in NESTED_QUESTIONS:
            yield name
        if isinstance(value, dict):
            yield from (f"{name}.{inner}" for inner in leaves(value))


def _text(record: dict[str, Any], name: str, nested: Sequence[str]) -> str | None:
    """Return a plain value as JSON writes it, and text as it is; NaN is null."""
    value = record[name] if name in record else _inner(record, name)
    if value is None or type(value) is str:
        return value
    if type(value) is float and math.isnan(value):
        return None
    if type(value) in _WRITTEN:
        return _WRITTEN[type(value)](value)
    if name not in nested:
        raise OutcomeError(f"{name!r} must be a plain value; got {shown(value)}")
    return json.dumps(value, ensure_ascii=False)


def _inner(record: dict[str, Any], name: str) -> Any:
    """Return the value of a name with dots; None if an inner object lacks it."""
    for cut in (i for i, character in enumerate(name) if character == "."):
        value = record.get(name[:cut], name)
        if value is None:
            return None
        if isinstance(value, dict):
            return _innermost(value, name[cut + 1 :])
    raise OutcomeError(f"the row has no {name!r}")


def _innermost(record: dict[str, Any], name: str) -> Any:
    try:
        return record[name] if name in record else _inner(record, name)
    except OutcomeError:
        return None


def lists_of_flags(file: LogFile) -> list[str]:
    """Return the columns that hold a list of truth values in each of the first rows."""
    kinds = _kinds(file)
    if kinds is not None:
        return [name for name, kind in kinds.items() if kind == "BOOLEAN[]"]
    if not file.is_json:
        return []
    first = [row for _, row in itertools.islice(file.records(), _FIRST_ROWS)]
    return [name for name in first[0] if all(_is_list_of_flags(row.get(name)) for row in first)] if first else []


def holds_lists(file: LogFile, name: str) -> bool:
    """Return whether the first value of a column is a list."""
    kinds = _kinds(file)
    if kinds is not None:
        return kinds.get(name, "").endswith("]")
    values = (row.get(name) for _, row in itertools.islice(file.records(), _FIRST_ROWS)) if file.is_json else ()
    return isinstance(next((value for value in values if value is not None), None), list)


def _kinds(file: LogFile) -> Mapping[str, str] | None:
    """Return the types of the columns, where a file has types."""
    if isinstance(file, DatabaseTable):
        return file.kinds
    return sql.kinds(file.path) if file.head.startswith(b"PAR1") else None


def as_text(value: Any) -> str:
    """Return one outcome of a list as text."""
    if isinstance(value, (list, dict)):
        raise OutcomeError(f"an outcome in a list must be a plain value; got {shown(value)}")
    return value if isinstance(value, str) else json.dumps(value)


def _is_list_of_flags(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, bool) for each in value)
