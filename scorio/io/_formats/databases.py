"""SQLite files: a table or a query is read as any other table."""

from .._files import LogFile
from .._records import Run
from .._request import Request
from .._tabular.database import SqliteTable, is_database
from .tables import TableFormat


class DatabaseFormat(TableFormat):
    """SQLite files."""

    name = "database"
    options = TableFormat.options | {"table", "query"}
    companions = ()

    def matches(self, file: LogFile) -> bool:
        return is_database(file)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        return self.runs(SqliteTable(file, request), request)
