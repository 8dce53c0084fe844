"""A sheet of an Excel workbook (.xlsx), read as the rows of a table by the standard library.

The first row with a value has the names of the columns. Cells are text, as in any table: numbers as the file has them,
truth values as true and false. Formulas count with the value that was stored with them.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import Any

from ..._arrays import cached_property
from ..._display.words import shorten
from ...errors import OutcomeError, Remedy, within
from .._files import MOST_VALUES, Archive, LogFile
from .._request import Request, choose
from .._xml import parse_xml

_BOOK, _RELATIONS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
_STRINGS = "xl/sharedStrings.xml"
_MOST_BYTES = 1 << 28  # of one sheet
_REFERENCE = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")  # of a character that XML cannot hold
_LETTERS = 26
_TRUTHS = {"0": "false", "1": "true"}

Cells = dict[int, str]  # the texts of a row by the number of the column


def is_workbook(file: LogFile) -> bool:
    """Return whether a file is an Excel workbook."""
    return file.archive is not None and _BOOK in file.archive.names


class SheetTable(LogFile):
    """The sheet of a workbook that the user names, or the only one with values."""

    def __init__(self, file: LogFile, request: Request) -> None:
        super().__init__(file.path)
        self._sheet = _chosen(file, request.table)

    @property
    def name(self) -> str:
        """The name of the sheet."""
        return self._sheet.name

    @cached_property
    def _header(self) -> tuple[int, Cells]:
        number, cells = next(iter(self._sheet.rows.items()), (0, {}))
        if not cells:
            raise OutcomeError(f"the sheet {self._sheet.name!r} is empty")
        named = {column: name for column, name in cells.items() if name.strip()}
        merged = next((each for each in self._sheet.merged if _touches(each, number, named)), None)
        if merged is not None:
            hint = "unmerge them in the sheet, and write the value into each"
            raise OutcomeError(f"the cells {merged} are merged: only the first of them has a value", hint=hint)
        return number, named

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._header[1].values())

    def rows(self, names: Sequence[str]) -> Iterator[tuple[int, tuple[str | None, ...]]]:
        """Yield the number and some columns of every row that is not empty."""
        first, header = self._header
        at = {name: column for column, name in reversed(header.items())}
        for number, cells in self._sheet.rows.items():
            if number > first and not header.keys().isdisjoint(cells):
                with within(f"row {number}"):
                    yield number, tuple([self._value(number, cells, at[name]) for name in names])

    def _value(self, number: int, cells: Cells, column: int) -> str | None:
        if (number, column) in self._sheet.uncomputed:
            hint = "open the workbook in a spreadsheet program and save it, or save it as CSV"
            raise OutcomeError(f"cell {_letters(column)}{number} holds a formula without its value", hint=hint)
        return cells.get(column)


def _touches(merged: str, first: int, columns: Cells) -> bool:
    """Return whether merged cells are part of a table that begins in a row."""
    (left, _), (right, bottom) = map(_place, (merged.partition(":")[0], merged.rpartition(":")[2]))
    return bottom >= first and any(left <= column <= right for column in columns)


def _chosen(file: LogFile, name: str | None) -> "_Sheet":
    archive = file.archive
    if archive is None or _BOOK not in archive.names:
        raise OutcomeError("it is no Excel workbook (.xlsx)")
    paths = _paths(archive)
    strings = _Strings(archive).texts if _STRINGS in archive.names else []
    if name is not None:
        chosen = choose(name, paths, "table", "sheet")
        return _Sheet(archive, chosen, paths[chosen], strings)
    sheets = [each for each in (_Sheet(archive, own, path, strings) for own, path in paths.items()) if each.rows]
    if len(sheets) > 1:
        problem = f"the workbook has several sheets with values, {shorten(each.name for each in sheets)}"
        raise OutcomeError(problem, remedies=[Remedy.choice("table", [each.name for each in sheets])])
    if not sheets:
        raise OutcomeError("the workbook holds no values")
    return sheets[0]


def _paths(archive: Archive) -> dict[str, str]:
    """Return the member of each sheet by its name, in order."""
    found: list[tuple[str, dict[str, str]]] = []
    for member in (_BOOK, _RELATIONS):
        with within(member):
            if member not in archive.names:
                raise OutcomeError("the workbook lacks it")
            parse_xml([archive.member(member)], lambda name, own: found.append((_local(name), own)), lambda _: None)
    targets = {own.get("Id"): own.get("Target", "") for name, own in found if name == "Relationship"}
    ids = [
        (own.get("name", ""), next((value for key, value in own.items() if _local(key) == "id"), ""))
        for name, own in found
        if name == "sheet"
    ]
    paths = {name: posixpath.normpath(posixpath.join("xl", targets.get(key, ""))).lstrip("/") for name, key in ids}
    return {name: path for name, path in paths.items() if "worksheets/" in path}


class _Strings:
    """The shared texts of a workbook."""

    def __init__(self, archive: Archive) -> None:
        self.texts: list[str] = []
        self._text, self._inside, self._skipped = "", False, 0
        with within(_STRINGS):
            parse_xml([archive.member(_STRINGS, _MOST_BYTES)], self._start, self._end, self._read)

    def _start(self, name: str, _: dict[str, str]) -> None:
        kind = _local(name)
        if kind == "si":
            self._text = ""
        self._skipped += kind == "rPh"  # how a text is pronounced
        self._inside = kind == "t" and not self._skipped

    def _read(self, text: str) -> None:
        if self._inside:
            self._text += text

    def _end(self, name: str) -> None:
        kind = _local(name)
        self._inside = False
        self._skipped -= kind == "rPh"
        if kind == "si":
            self.texts.append(_unescaped(self._text))


class _Sheet:
    """The rows of a sheet by their numbers, which cells are merged, and formulas whose value was not stored."""

    def __init__(self, archive: Archive, name: str, path: str, strings: Sequence[str]) -> None:
        self.name, self.rows = name, dict[int, Cells]()
        self.merged: list[str] = []
        self.uncomputed: set[tuple[int, int]] = set()
        self._strings, self._row, self._column, self._count = strings, 0, 0, 0
        self._kind, self._is_formula = "n", False
        self._text: str | None = None
        self._path: list[str] = []  # of the elements around what is parsed
        with within(f"sheet {name!r}"):
            if path not in archive.names:
                raise OutcomeError(f"the workbook lacks {path}")
            parse_xml([archive.member(path, _MOST_BYTES)], self._start, self._end, self._read)

    def _start(self, name: str, attributes: dict[str, Any]) -> None:
        kind = _local(name)
        self._path.append(kind)
        if kind == "row":
            self._row, self._column = int(attributes.get("r", self._row + 1)), 0
        elif kind == "c":
            self._column = _place(attributes["r"])[0] if "r" in attributes else self._column + 1
            self._kind, self._text, self._is_formula = attributes.get("t", "n"), None, False
        elif kind == "f":
            self._is_formula = True
        elif kind == "mergeCell":
            self.merged.append(attributes.get("ref", ""))

    def _read(self, text: str) -> None:
        if self._path[-1:] == ["v"] or (self._path[-1:] == ["t"] and "rPh" not in self._path):
            self._text = (self._text or "") + text

    def _end(self, name: str) -> None:
        self._path.pop()
        if _local(name) != "c":
            return
        if self._text is None:
            if self._is_formula:
                self.uncomputed.add((self._row, self._column))
                self.rows.setdefault(self._row, {})[self._column] = ""
            return
        self._count += 1
        if self._count > MOST_VALUES:
            raise OutcomeError(f"it has more than {MOST_VALUES:,} cells: save it as CSV")
        with within(f"cell {_letters(self._column)}{self._row}"):
            self.rows.setdefault(self._row, {})[self._column] = self._value(self._text)

    def _value(self, text: str) -> str:
        if self._kind == "s":
            at = int(text) if text.isdecimal() else -1
            if not 0 <= at < len(self._strings):
                raise OutcomeError(f"there is no shared text {text}")
            return self._strings[at]
        if self._kind == "b":
            return _TRUTHS.get(text, text)
        return _unescaped(text) if self._kind in ("str", "inlineStr") else text


def _local(name: str) -> str:
    """Return the name of an element without its prefix."""
    return name.rpartition(":")[2]


def _place(reference: str) -> tuple[int, int]:
    """Return the column and the row of a cell.

    >>> _place("B3"), _place("AA10"), _letters(27)
    ((2, 3), (27, 10), 'AA')
    """
    match = _REFERENCE.fullmatch(reference)
    if match is None:
        raise OutcomeError(f"{reference!r} is no cell")
    column = 0
    for letter in match[1]:
        column = column * _LETTERS + ord(letter) - ord("A") + 1
    return column, int(match[2])


def _letters(column: int) -> str:
    text = ""
    while column:
        column, rest = divmod(column - 1, _LETTERS)
        text = chr(ord("A") + rest) + text
    return text


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
