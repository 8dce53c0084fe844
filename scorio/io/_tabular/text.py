"""Tables as text: CSV, JSON lines and JSON lists of records, read by the standard library."""

import csv
import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from ..._base.arrays import cached_property
from ...errors import OutcomeError
from ...outcomes._relations import Row
from ...outcomes._table_layout import NESTED_QUESTIONS
from .._files import LogFile
from ..checks import shown
from .table import Table

_DELIMITERS = ",\t;|"
_LONGEST_FIELD = 1 << 24  # characters of a field of CSV
_FIRST_ROWS = 20  # rows that show whether a text is a table, and whether a column holds lists
_ROWS_OF_COLUMNS = 1000  # JSON rows whose keys are the columns, as a row may leave out a column
_QUOTED = re.compile(r'"[^"]*"')
_SEPARATOR = re.compile(r"sep=[,;|\t]?[\r\n]*$", re.IGNORECASE)  # the line by which spreadsheets name the delimiter
_WRITTEN: dict[type, Callable[[Any], str]] = {bool: {True: "true", False: "false"}.__getitem__, int: str, float: repr}
_BLANK: tuple[list[str], ...] = ([], [""])


class JsonTable(Table):
    """JSON lines, or a JSON list of records."""

    @cached_property
    def columns(self) -> Sequence[str]:
        """The names of all values in the first rows."""
        first = islice(self.file.walk(), _ROWS_OF_COLUMNS)
        return list(dict.fromkeys(name for row in first for name in leaves(row.value)))

    def rows(self, names: Sequence[str], nested: Sequence[str], /) -> Iterator[Row]:
        for row in self.file.walk():
            with row.here:
                values = tuple([_text(row.value, name, nested) for name in names])
            yield Row(row.where, values)

    def first_values(self, name: str, /) -> Sequence[Any]:
        return [row.value.get(name) for row in islice(self.file.walk(), _FIRST_ROWS)]


class CsvTable(Table):
    """Text whose columns are separated by commas, tabs, semicolons or bars."""

    @cached_property
    def columns(self) -> Sequence[str]:
        return next(self.as_records(), (0, []))[1]

    @cached_property
    def _header(self) -> tuple[int, str]:
        """The first line that is not blank, and does not name the delimiter, with its number."""
        lines = self.file.lines()
        told = ((i, text) for i, text in lines if text.strip() and not (i == 1 and _SEPARATOR.match(text)))
        return next(told, (0, ""))

    @cached_property
    def delimiter(self) -> str | None:
        """The delimiter that occurs most often outside quotes; None if there is none, or a quote stays open."""
        header = _QUOTED.sub("", self._header[1])
        count, _, delimiter = max([(header.count(mark), -header.find(mark), mark) for mark in _DELIMITERS])
        return delimiter if count and '"' not in header else None

    @property
    def has_decimal_commas(self) -> bool:  # type: ignore[override]
        """Whether numbers may have decimal commas, because semicolons separate the columns."""
        return self.delimiter == ";"

    @cached_property
    def is_rectangular(self) -> bool:
        """Return whether most of the first rows have as many fields as the first line, if there are any rows."""
        try:
            header, *widths = [len(fields) for _, fields in islice(self.as_records(), 1 + _FIRST_ROWS)]
        except OutcomeError:
            return False
        return 2 * widths.count(header) >= len(widths) > 0

    def rows(self, names: Sequence[str], _nested: Sequence[str], /) -> Iterator[Row]:
        records = self.as_records()
        _, header = next(records)
        indices = [header.index(name) for name in names]
        for number, fields in records:
            if len(fields) != len(header):
                raise OutcomeError(f"line {number} has {len(fields)} fields where the header has {len(header)}")
            yield Row(f"line {number}", tuple([fields[i] for i in indices]))

    def as_records(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the number and the fields of every line that is not blank."""
        if self.delimiter is None:
            problem = "a table was expected: a first line of column names with commas, tabs, ; or | between them"
            raise OutcomeError(problem)
        csv.field_size_limit(_LONGEST_FIELD)
        texts = ("\n" if number == 1 and _SEPARATOR.match(text) else text for number, text in self.file.lines())
        reader = csv.reader(texts, delimiter=self.delimiter, skipinitialspace=True, strict=True)
        try:
            yield from ((reader.line_num, fields) for fields in reader if fields not in _BLANK)
        except csv.Error as error:
            if "\r" in self._header[1].rstrip("\r\n"):
                hint = "save it with the line ends of this machine, or as CSV UTF-8"
                problem = "its lines end as on an old Macintosh, by a carriage return alone"
                raise OutcomeError(problem, hint=hint) from None
            raise OutcomeError(f"line {reader.line_num} is not valid CSV: {error}") from None


def is_separated(file: LogFile) -> bool:
    """Return whether a file is text whose first line names columns, with commas or the like between them."""
    return not file.is_json and b"\0" not in file.head and CsvTable(file).delimiter is not None


def is_records(file: LogFile) -> bool:
    """Return whether a file is JSON lines, or a JSON list of objects."""
    rows = None if file.is_lines else file.document
    return file.is_lines or (isinstance(rows, list) and bool(rows) and all(isinstance(row, dict) for row in rows))


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
            rest = name[cut + 1 :]
            try:
                return value[rest] if rest in value else _inner(value, rest)
            except OutcomeError:
                return None
    raise OutcomeError(f"the row has no {name!r}")
