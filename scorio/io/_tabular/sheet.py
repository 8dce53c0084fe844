"""A sheet of an Excel workbook (.xlsx), read by openpyxl as the rows of a table.

The first row with a value has the names of the columns. Cells are text, as in any table: numbers as Python writes them,
truth values as true and false. Formulas count with the value that was stored with them.
"""

import importlib
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..._arrays import cached_property
from ..._display.words import shorten
from ...errors import OutcomeError, Remedy, within
from ...outcomes import choose
from .._files import LogFile
from .._request import Request
from .table import Row, Table

_BOOK = "xl/workbook.xml"
_MOST_BYTES = 1 << 28  # of a workbook, unpacked
_TRUTHS = {True: "true", False: "false"}


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
    def own_columns(self) -> Sequence[str]:
        return list(self._header.values())

    @cached_property
    def _formulas(self) -> Any:
        """The same sheet with formulas in place of their values."""
        return _opened(self.file.path, values=False)[self.name]

    def own_rows(self, names: Sequence[str], _nested: Sequence[str], /) -> Iterator[Row]:
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
                    if place not in cells:
                        self._check_no_formula(number, place + 1)
            yield Row(f"row {number}", tuple(map(cells.get, wanted)))

    def _check_no_formula(self, row: int, column: int) -> None:
        cell = self._formulas.cell(row, column)
        if cell.data_type == "f":
            hint = "open the workbook in a spreadsheet program and save it, or save it as CSV"
            raise OutcomeError(f"cell {cell.coordinate} holds a formula without its value", hint=hint)


def _rows(sheet: Any) -> Iterator[tuple[int, dict[int, str]]]:
    """Yield the number of every row with a value, and the texts of its cells by their place."""
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        cells = {place: _text(value) for place, value in enumerate(row) if value is not None}
        if cells:
            yield number, cells


def _text(value: Any) -> str:
    return _TRUTHS[value] if isinstance(value, bool) else str(value)


def _chosen(path: Path, name: str | None) -> Any:
    book = _opened(path, values=True)
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


def _opened(path: Path, *, values: bool) -> Any:
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
        with warnings.catch_warnings(action="ignore"):  # of styles and the like
            return openpyxl.load_workbook(path, data_only=values)
    except Exception as error:  # noqa: BLE001 - openpyxl checks little, so a damaged workbook is any error
        raise OutcomeError(f"the workbook cannot be read: {error}") from None
