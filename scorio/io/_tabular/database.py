"""A table of a SQLite or DuckDB file, or the result of a query on it, read as the rows of a table.

Databases are opened for reading only, and a query can use nothing but its own database: no other file, no network, no
extension.
"""

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple
from urllib.parse import quote

from ..._arrays import cached_property
from ..._display.words import shorten
from ..._jobs import check_interrupted
from ...errors import OutcomeError, Remedy
from ...outcomes import NoSingleTableError
from .._files import LogFile
from .._request import Request, choose
from ..checks import shown
from . import duck
from .sql import SqlTable, leaves_of
from .table import Row, Table

_SQLITE = b"SQLite format 3\0"
_DUCKDB = b"DUCK"  # after a checksum of eight bytes
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_LONGEST = 1 << 24  # characters of a value
_STEPS = 100_000  # of SQLite's machine, after which it looks whether it was interrupted
_FEW = 5  # tables of which one is proposed
_MLFLOW = {"assessments", "trace_info"}  # tables of its store


class Known(NamedTuple):
    """A table or a view of a database: its SQL, and whether it holds its rows itself."""

    source: str
    is_table: bool


class DatabaseTable(Table, ABC):
    """A table or a query of a database.

    Views and the like compute their rows, perhaps without end: they are read only if the user names one.
    """

    def __init__(self, file: LogFile, request: Request) -> None:
        super().__init__(file)
        self._request = request

    @cached_property
    def rows_in_sql(self) -> str:
        """The rows in SQL: the table or the query that the user names, or the only table."""
        if self._request.query is not None:
            self._check_one_statement(self._request.query)
            return f"(\n{self._request.query.strip().rstrip(';')}\n)"
        every = self.tables()
        if self._request.table is not None:
            return every[choose(self._request.table, every, "table", "table")].source
        tables = [each.source for each in every.values() if each.is_table]
        if len(tables) == 1:
            return tables[0]
        problem = f"it is a database with several tables, {shorten(every)}" if tables else "it has no table"
        if every and not tables:
            problem += f", and only these views: {shorten(every)}"
        remedies = [Remedy.choice("table", every)] if 0 < len(every) <= _FEW else []
        remedies += [Remedy("query", "select ...", "reads its result")] if every else []
        hint = "it is a store of mlflow, for which the page on readers has a query" if every.keys() >= _MLFLOW else None
        raise NoSingleTableError(problem, remedies=remedies, hint=hint)

    @abstractmethod
    def tables(self) -> Mapping[str, Known]:
        """Return each table and view by its name."""

    @abstractmethod
    def _check_one_statement(self, query: str) -> None:
        """Check that a query is one statement, so that none can hide behind another."""


def is_database(file: LogFile) -> bool:
    """Return whether a file is a database of SQLite or of DuckDB."""
    return file.head.startswith(_SQLITE) or _is_duckdb(file)


def _is_duckdb(file: LogFile) -> bool:
    return file.head[8:12] == _DUCKDB


def database_table(file: LogFile, request: Request) -> DatabaseTable:
    """Return the table or the query of a database that the user asks for."""
    return (DuckTable if _is_duckdb(file) else SqliteTable)(file, request)


class SqliteTable(DatabaseTable):
    """A table or a query of SQLite, read by the standard library."""

    def tables(self) -> Mapping[str, Known]:
        names = (
            "SELECT name, rootpage > 0 AND type = 'table' FROM sqlite_master"
            " WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
        )
        with self._opened() as connection:  # a virtual table has no page of its own
            return {name: Known(duck.quoted(name), bool(is_table)) for name, is_table in connection.execute(names)}

    @cached_property
    def own_columns(self) -> Sequence[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        with self._opened() as connection:
            found = connection.execute(f"SELECT * FROM {self.rows_in_sql} LIMIT 0")  # noqa: S608 - the user's own query
            return list(dict.fromkeys(name for name, *_ in found.description))

    def own_rows(self, names: Sequence[str], _nested: Sequence[str], /) -> Iterator[Row]:
        columns = ", ".join(map(duck.quoted, names)) or "NULL"
        with self._opened() as connection:
            found = connection.execute(f"SELECT {columns} FROM {self.rows_in_sql}")  # noqa: S608 - names are quoted
            for number, row in enumerate(found, 1):
                yield Row(f"row {number}", tuple([_text(value, name) for value, name in zip(row, names, strict=False)]))

    def _check_one_statement(self, query: str) -> None:
        with self._opened() as connection:
            connection.execute(f"EXPLAIN {query.strip()}").fetchall()

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


class DuckTable(DatabaseTable, SqlTable):
    """A table or a query of DuckDB, counted by DuckDB."""

    def tables(self) -> Mapping[str, Known]:
        own = "WHERE database_name = current_database() AND NOT internal"
        query = f"SELECT schema_name, table_name, true FROM duckdb_tables() {own}"  # noqa: S608 - no name is in it
        query += f" UNION ALL SELECT schema_name, view_name, false FROM duckdb_views() {own}"  # noqa: S608
        with self.connected() as connection:
            names = connection.rows(query)
        return {
            name if schema == "main" else f"{schema}.{name}": Known(
                f"{duck.quoted(schema)}.{duck.quoted(name)}", is_table
            )
            for schema, name, is_table in names
        }

    @property
    def source(self) -> str:
        return f"(SELECT *, row_number() OVER () - 1 AS file_row_number FROM {self.rows_in_sql})"  # noqa: S608

    @cached_property
    def expressions(self) -> Mapping[str, tuple[str, str]]:  # pyright: ignore[reportIncompatibleMethodOverride]
        with self.connected() as connection:
            return leaves_of(connection.columns(f"SELECT * FROM {self.rows_in_sql} LIMIT 0"))  # noqa: S608

    def connected(self) -> duck.Connection:
        return duck.Connection(self.file.path, "the database cannot be read")

    def _check_one_statement(self, query: str) -> None:
        with self.connected() as connection:
            kinds = connection.kinds_of_statements(query)
        if kinds != ["SELECT"]:
            found = f"it holds {len(kinds)}" if len(kinds) != 1 else f"it is {kinds[0]}"
            raise OutcomeError(f"the database cannot be read: the query must be one SELECT statement, and {found}")
