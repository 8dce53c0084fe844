"""Tables that other programs store: a sheet of an Excel workbook (.xlsx), a table of a SQLite file or a query on it.

openpyxl reads workbooks. The first row with a value has the names of the columns. Cells are text, as in any table:
numbers as Python writes them, truth values as true and false. Formulas count with the value that was stored with them.

The standard library reads databases. The file is opened for reading only, and a query can use nothing but its own
database: no other file, no extension.
"""

import importlib
import sqlite3
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..._base.arrays import cached_property
from ..._base.jobs import check_interrupted
from ..._base.words import shorten
from ...errors import OutcomeError, Remedy, within
from ...outcomes._relations import Row
from ...outcomes._roles import choose
from ...outcomes._table_layout import NoSingleTableError
from .._files import LogFile
from .._format import Request
from ..checks import shown
from .duck import quoted
from .table import Table

_BOOK = "xl/workbook.xml"
_MOST_BYTES = 1 << 28  # of a workbook, unpacked
_SQLITE = b"SQLite format 3\0"
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_LONGEST = 1 << 24  # characters of a value
_STEPS = 100_000  # of SQLite's machine, after which it looks whether it was interrupted
_FEW = 5  # tables of which one is proposed
_MLFLOW = {"assessments", "trace_info"}  # tables of its store


def is_workbook(file: LogFile) -> bool:
    """Return whether a file is an Excel workbook."""
    return file.archive is not None and _BOOK in file.archive.names


class SheetTable(Table):
    """The sheet of a workbook that the user names, or the only one with values."""

    def __init__(self, file: LogFile, request: Request) -> None:
        super().__init__(file)
        if not is_workbook(file):
            raise OutcomeError("it is no Excel workbook (.xlsx)")
        self._sheet = _chosen(file.path, request.table)

    @property
    def name(self) -> str:
        """The name of the sheet."""
        return str(self._sheet.title)

    @cached_property
    def _header(self) -> dict[int, str]:
        """The names of the columns, by the place of the column in a row."""
        number, cells = next(_rows(self._sheet), (0, {}))
        if not cells:
            raise OutcomeError(f"the sheet {self.name!r} is empty")
        named = {place: name for place, name in cells.items() if name.strip()}
        for merged in self._sheet.merged_cells.ranges:
            if merged.max_row >= number and any(merged.min_col <= place + 1 <= merged.max_col for place in named):
                hint = "unmerge them in the sheet, and write the value into each"
                problem = f"the cells {merged.coord} are merged: only the first of them has a value"
                raise OutcomeError(problem, hint=hint)
        return named

    @property
    def columns(self) -> Sequence[str]:
        return list(self._header.values())

    @cached_property
    def _formulas(self) -> Any:
        """The same sheet with formulas in place of their values."""
        return _workbook(self.file.path, values=False)[self.name]

    def rows(self, names: Sequence[str], _nested: Sequence[str], /) -> Iterator[Row]:
        header = self._header
        place_of = {name: place for place, name in reversed(header.items())}
        wanted = [place_of[name] for name in names]
        below = _rows(self._sheet)
        next(below, None)
        for number, cells in below:
            if header.keys().isdisjoint(cells):
                continue
            with within(f"row {number}"):
                for place in wanted:
                    if place not in cells and (cell := self._formulas.cell(number, place + 1)).data_type == "f":
                        hint = "open the workbook in a spreadsheet program and save it, or save it as CSV"
                        raise OutcomeError(f"cell {cell.coordinate} holds a formula without its value", hint=hint)
            yield Row(f"row {number}", tuple(map(cells.get, wanted)))


def _rows(sheet: Any) -> Iterator[tuple[int, dict[int, str]]]:
    """Yield the number of every row with a value, and the texts of its cells by their place."""
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        values = ((place, value) for place, value in enumerate(row) if value is not None)
        cells = {place: str(value).lower() if isinstance(value, bool) else str(value) for place, value in values}
        if cells:
            yield number, cells


def _chosen(path: Path, name: str | None) -> Any:
    book = _workbook(path, values=True)
    if name is not None:
        return book[choose(name, [worksheet.title for worksheet in book.worksheets], "table", "sheet")]
    sheets = [worksheet for worksheet in book.worksheets if next(_rows(worksheet), None)]
    if len(sheets) > 1:
        titles = [sheet.title for sheet in sheets]
        problem = f"the workbook has several sheets with values, {shorten(titles)}"
        raise OutcomeError(problem, remedies=[Remedy.choice("table", titles)])
    if not sheets:
        raise OutcomeError("the workbook holds no values")
    return sheets[0]


def _workbook(path: Path, *, values: bool) -> Any:
    """Return a workbook with the values of formulas, or with the formulas themselves."""
    try:
        openpyxl = importlib.import_module("openpyxl")
    except ImportError:
        raise OutcomeError("Excel workbooks need openpyxl", hint="pip install openpyxl") from None
    with zipfile.ZipFile(path) as archive:
        size = sum(member.file_size for member in archive.infolist())
    if size > _MOST_BYTES:
        raise OutcomeError(f"it unpacks to {size:,} bytes: save it as CSV")
    try:
        with path.open("rb") as file, warnings.catch_warnings(action="ignore"):  # of styles and the like
            return openpyxl.load_workbook(file, data_only=values)
    except Exception as error:  # noqa: BLE001 - openpyxl checks little, so a damaged workbook is any error
        raise OutcomeError(f"the workbook cannot be read: {error}") from None


def is_database(file: LogFile) -> bool:
    """Return whether a file is a database of SQLite."""
    return file.head.startswith(_SQLITE)


class SqliteTable(Table):
    """A table or a query of SQLite.

    Views and the like compute their rows, perhaps without end: they are read only if the user names one.
    """

    def __init__(self, file: LogFile, request: Request) -> None:
        super().__init__(file)
        self._request = request

    @cached_property
    def rows_in_sql(self) -> str:
        """The rows in SQL: the table or the query that the user names, or the only table."""
        if self._request.query is not None:
            return f"(\n{self._request.query.strip().rstrip(';')}\n)"
        relations = self._relations()
        if self._request.table is not None:
            return quoted(choose(self._request.table, relations, "table", "table"))
        tables = [name for name, is_table in relations.items() if is_table]
        if len(tables) == 1:
            return quoted(tables[0])
        problem = f"it is a database with several tables, {shorten(relations)}" if tables else "it has no table"
        if relations and not tables:
            problem += f", and only these views: {shorten(relations)}"
        remedies = [Remedy.choice("table", relations)] if 0 < len(relations) <= _FEW else []
        remedies += [Remedy("query", "select ...", "reads its result")] if relations else []
        is_mlflow = relations.keys() >= _MLFLOW
        hint = "it is a store of mlflow, for which the page on readers has a query" if is_mlflow else None
        raise NoSingleTableError(problem, remedies=remedies, hint=hint)

    def _relations(self) -> dict[str, bool]:
        """Return the names of tables and views, and whether each holds its rows itself."""
        names = (
            "SELECT name, rootpage > 0 AND type = 'table' FROM sqlite_master"
            " WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
        )
        with self._opened() as connection:  # a virtual table has no page of its own
            return dict(connection.execute(names))

    @cached_property
    def columns(self) -> Sequence[str]:
        with self._opened() as connection:
            rows = connection.execute(f"SELECT * FROM {self.rows_in_sql} LIMIT 0")  # noqa: S608 - the user's own query
            return list(dict.fromkeys(name for name, *_ in rows.description))

    def rows(self, names: Sequence[str], _nested: Sequence[str], /) -> Iterator[Row]:
        columns = ", ".join(map(quoted, names)) or "NULL"
        with self._opened() as connection:
            rows = connection.execute(f"SELECT {columns} FROM {self.rows_in_sql}")  # noqa: S608 - names are quoted
            for number, row in enumerate(rows, 1):
                yield Row(f"row {number}", tuple([_text(value, name) for value, name in zip(row, names, strict=False)]))

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection, whose queries end with a KeyboardInterrupt when they are interrupted."""
        address = f"file:{quote(self.file.path.absolute().as_posix())}?mode=ro"
        try:
            with ExitStack() as resources:
                connection = sqlite3.connect(address, uri=True)
                resources.callback(connection.close)
                connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
                connection.execute("PRAGMA trusted_schema = OFF")
                connection.set_authorizer(_may)
                connection.set_progress_handler(check_interrupted, _STEPS)
                yield connection
        except sqlite3.Error as error:
            if str(error) == "interrupted":
                raise KeyboardInterrupt from None
            raise OutcomeError(f"the database cannot be read: {error}") from None


def _may(action: int, first: str | None, second: str | None, *_: Any) -> int:
    """Return whether SQLite may do what a query asks for: nothing but to read."""
    loads = action == sqlite3.SQLITE_FUNCTION and "load_extension" in (first, second)
    return sqlite3.SQLITE_OK if action in _ALLOWED and not loads else sqlite3.SQLITE_DENY


def _text(value: Any, name: str) -> str | None:
    if value is None or type(value) is str:
        return value
    if type(value) not in (int, float):
        raise OutcomeError(f"{name!r} must be a plain value; got {shown(value)}")
    return repr(value)
