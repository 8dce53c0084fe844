"""Databases: a table or a query of a SQLite or DuckDB file, read as any other table."""

from __future__ import annotations

from .._files import LogFile
from .._records import Run
from .._request import Request
from .._tabular.database import database_table, is_database
from .tables import TableFormat


class DatabaseFormat(TableFormat):
    """SQLite and DuckDB files."""

    name = "database"
    options = TableFormat.options | {"table", "query"}

    def matches(self, file: LogFile) -> bool:
        return is_database(file)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        return super().read(database_table(file, request), request)
