"""Excel workbooks: a sheet is a table."""

from dataclasses import replace

from .._files import LogFile
from .._records import Run
from .._request import Request
from .._tabular.sheet import SheetTable, is_workbook
from .tables import TableFormat


class ExcelFormat(TableFormat):
    """Excel workbooks (.xlsx)."""

    name = "excel"
    options = TableFormat.options | {"table"}
    companions = ()

    def matches(self, file: LogFile) -> bool:
        return is_workbook(file)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        sheet = SheetTable(file, request)
        return [replace(run, notes={**run.notes, "sheet": repr(sheet.name)}) for run in self.runs(sheet, request)]
