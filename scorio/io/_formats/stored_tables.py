"""Excel workbooks and SQLite files: a sheet, a table or a query is read as any other table."""

from dataclasses import replace

from .._files import LogFile
from .._format import Request
from .._records import Run
from .._tabular.stored import SheetTable, SqliteTable, is_database, is_workbook
from .tables import TableFormat


class DatabaseFormat(TableFormat):
    """SQLite files."""

    name = "database"
    options = TableFormat.options | {"table", "query"}

    def matches(self, file: LogFile) -> bool:
        return is_database(file)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        return self.runs(SqliteTable(file, request), request)


class ExcelFormat(TableFormat):
    """Excel workbooks (.xlsx)."""

    name = "excel"
    options = TableFormat.options | {"table"}

    def matches(self, file: LogFile) -> bool:
        return is_workbook(file)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        sheet = SheetTable(file, request)
        return [replace(run, notes={**run.notes, "sheet": repr(sheet.name)}) for run in self.runs(sheet, request)]
