"""A table of a SQLite or DuckDB file, or the result of a query on it, read as the rows of a table.

Databases are opened for reading only, and a query can use nothing but its own database: no other file, no network, no
extension.
"""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..._display.words import shorten
from ...errors import OutcomeError, Remedy
from .._files import LogFile
from .._request import Request, choose
from .._validate import shown
from . import duck, sql
from .columns import NoSingleTableError

_SQLITE = b"SQLite format 3\0"
_DUCKDB = b"DUCK"  # after a checksum of eight bytes
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}


class DatabaseTable(LogFile, ABC):
    """A table or a query of a database."""

    def __init__(self, path: Path, request: Request) -> None:
        super().__init__(path)
        self._request = request

    @cached_property
    def source(self) -> str:
        """The rows in SQL: the table or the query that the user names, or the only table."""
        if self._request.query is not None:
            return f"(\n{self._request.query.strip().rstrip(';')}\n)"
        known = self.tables()
        if self._request.table is None and len(known) != 1:
            problem = f"it is a database with several tables, {shorten(known)}" if known else "it has no table"
            remedies = [Remedy("table", "...", "chooses one"), Remedy("query", "select ...", "reads its result")]
            raise NoSingleTableError(problem, remedies=remedies if known else ())
        return known[choose(self._request.table, known, "table", "table")]

    @abstractmethod
    def tables(self) -> Mapping[str, str]:
        """Return the SQL of each table and view by its name."""

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """The type of each column by its name."""
        return self._kinds()

    @abstractmethod
    def _kinds(self) -> Mapping[str, str]:
        """Return the type of each column."""


def is_database(file: LogFile) -> bool:
    """Return whether a file is a database of SQLite or of DuckDB."""
    return file.head.startswith(_SQLITE) or _is_duckdb(file)


def _is_duckdb(file: LogFile) -> bool:
    return file.head[8:12] == _DUCKDB


def database_table(file: LogFile, request: Request) -> DatabaseTable:
    """Return the table or the query of a database that the user asks for."""
    return (DuckTable if _is_duckdb(file) else SqliteTable)(file.path, request)


class SqliteTable(DatabaseTable):
    """A table or a query of SQLite, read by the standard library."""

    def tables(self) -> Mapping[str, str]:
        names = (
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        )
        with self._opened() as connection:
            return {name: duck.quoted(name) for (name,) in connection.execute(f"{names} ORDER BY rowid")}

    def _kinds(self) -> Mapping[str, str]:
        with self._opened() as connection:
            table = connection.execute(f"SELECT * FROM {self.source} LIMIT 0")  # noqa: S608 - the user's own query
            names = [name for name, *_ in table.description]
        return dict.fromkeys(names, "")

    def rows(self, names: Sequence[str]) -> Iterator[tuple[str | None, ...]]:
        """Yield some columns of every row as text."""
        columns = ", ".join(map(duck.quoted, names)) or "NULL"
        with self._opened() as connection:
            for row in connection.execute(f"SELECT {columns} FROM {self.source}"):  # noqa: S608 - names are quoted
                yield tuple([_text(value, name) for value, name in zip(row, names, strict=False)])

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            address = f"file:{quote(self.path.absolute().as_posix())}?mode=ro"
            with closing(sqlite3.connect(address, uri=True)) as connection:
                connection.execute("PRAGMA trusted_schema = OFF")
                connection.set_authorizer(_may)
                yield connection
        except sqlite3.Error as error:
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


class DuckTable(DatabaseTable):
    """A table or a query of DuckDB, counted by DuckDB."""

    def tables(self) -> Mapping[str, str]:
        own = "WHERE database_name = current_database() AND NOT internal"
        query = f"SELECT schema_name, table_name FROM duckdb_tables() {own}"  # noqa: S608 - no name is in it
        query += f" UNION ALL SELECT schema_name, view_name FROM duckdb_views() {own}"  # noqa: S608
        with self._opened() as connection:
            names = connection.execute(query).fetchall()
        return {
            name if schema == "main" else f"{schema}.{name}": f"{duck.quoted(schema)}.{duck.quoted(name)}"
            for schema, name in names
        }

    @cached_property
    def _known(self) -> Mapping[str, tuple[str, str]]:
        with self._opened() as connection:
            table = connection.sql(f"SELECT * FROM {self.source} LIMIT 0")  # noqa: S608 - the user's own query
            return sql.leaves_of(table)

    def _kinds(self) -> Mapping[str, str]:
        return {name: kind for name, (_, kind) in self._known.items()}

    def distinct(self, names: Sequence[str], trial: str | None, nested: Sequence[str]) -> sql.DistinctRows:
        """Return the distinct rows of some columns, with the trials of each."""
        every = names if trial is None else [*names, trial]
        table = sql.with_nested(duck.numbered(self.source), [self.path], every, nested, self._known)
        return sql.distinct_rows(self._opened(), table, names, trial)

    def _opened(self) -> Any:
        return duck.attached(self.path)
