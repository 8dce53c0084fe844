"""A table of a SQLite or DuckDB file, or the result of a query on it, read as the rows of a table.

Databases are opened for reading only, and a query can use nothing but its own database: no other file, no network, no
extension.
"""

import sqlite3
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

from ..._arrays import cached_property
from ..._display.words import shorten
from ...errors import OutcomeError, Remedy
from .._files import LogFile
from .._request import Request, choose
from ..checks import shown
from . import duck, sql
from .columns import NoSingleTableError
from .interruptible import LateError, interruptible

T = TypeVar("T")
_SQLITE = b"SQLite format 3\0"
_DUCKDB = b"DUCK"  # after a checksum of eight bytes
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_LONGEST = 1 << 24  # characters of a value
_ROWS = 1000  # of SQLite, fetched at once
_SECONDS = 30.0  # for reading what the user did not ask for, and more for a large file: one second for so many bytes
_FEW = 5  # tables of which one is proposed
_MLFLOW = {"assessments", "trace_info"}  # tables of its store
_SLOWEST = 100_000


class Known(NamedTuple):
    """A table or a view of a database: its SQL, and whether it holds its rows itself."""

    source: str
    is_table: bool


class DatabaseTable(LogFile, ABC):
    """A table or a query of a database.

    Views and the like compute their rows, perhaps without end. They are read only if the user names one, and what the
    user did not ask for may take only so long.
    """

    def __init__(self, path: Path, request: Request) -> None:
        super().__init__(path)
        self._request = request
        self._is_asked = request.table is not None or request.query is not None
        self._seconds = _SECONDS + self.size / _SLOWEST

    @cached_property
    def source(self) -> str:
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

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """The type of each column by its name."""
        with self._bounded():
            return self._kinds()

    @abstractmethod
    def _kinds(self) -> Mapping[str, str]:
        """Return the type of each column."""

    @abstractmethod
    def _check_one_statement(self, query: str) -> None:
        """Check that a query is one statement, so that none can hide behind another."""

    @cached_property
    def _until(self) -> float | None:
        """The time at which reading ends; None if the user asked for what is read."""
        return None if self._is_asked else time.monotonic() + self._seconds

    @contextmanager
    def _bounded(self) -> Iterator[None]:
        try:
            yield
        except LateError:
            problem = f"the database takes longer than {self._seconds:.0f} seconds, too long for its size"
            raise OutcomeError(problem, remedies=[Remedy("table", "...", "reads one however long it takes")]) from None


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

    def tables(self) -> Mapping[str, Known]:
        names = (
            "SELECT name, rootpage > 0 AND type = 'table' FROM sqlite_master"
            " WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
        )
        with self._bounded(), self._opened() as run:  # a virtual table has no page of its own
            found = run(lambda connection: connection.execute(names).fetchall())
        return {name: Known(duck.quoted(name), bool(is_table)) for name, is_table in found}

    def _kinds(self) -> Mapping[str, str]:
        query = f"SELECT * FROM {self.source} LIMIT 0"  # noqa: S608 - the user's own query
        with self._opened() as run:
            return dict.fromkeys(
                [name for name, *_ in run(lambda connection: connection.execute(query).description)], ""
            )

    def rows(self, names: Sequence[str]) -> Iterator[tuple[str | None, ...]]:
        """Yield some columns of every row as text."""
        columns = ", ".join(map(duck.quoted, names)) or "NULL"
        query = f"SELECT {columns} FROM {self.source}"  # noqa: S608 - names are quoted
        with self._bounded(), self._opened() as run:
            cursor = run(lambda connection: connection.execute(query))
            while some := run(lambda _: _texts(cursor, names)):
                yield from some

    def _check_one_statement(self, query: str) -> None:
        with self._opened() as run:
            run(lambda connection: connection.execute(f"EXPLAIN {query.strip()}").fetchall())

    @contextmanager
    def _opened(self) -> Iterator[Callable[[Callable[[sqlite3.Connection], T]], T]]:
        """Yield a function that runs work on a connection; it is the one way to SQLite."""
        address = f"file:{quote(self.path.absolute().as_posix())}?mode=ro"
        try:
            with ExitStack() as resources:
                connection = sqlite3.connect(address, uri=True, check_same_thread=False)
                resources.callback(connection.close)
                connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
                connection.execute("PRAGMA trusted_schema = OFF")
                connection.set_authorizer(_may)
                stop, abandon = connection.interrupt, resources.pop_all
                yield lambda work: interruptible(lambda: work(connection), stop, abandon, self._until)
        except sqlite3.Error as error:
            raise OutcomeError(f"the database cannot be read: {error}") from None


def _texts(cursor: sqlite3.Cursor, names: Sequence[str]) -> list[tuple[str | None, ...]]:
    """Return the next rows as text: a thousand of them, or fewer if they are long."""
    some: list[tuple[str | None, ...]] = []
    size = 0
    for row in cursor:
        some.append(tuple([_text(value, name) for value, name in zip(row, names, strict=False)]))
        size += sum(map(len, filter(None, some[-1])))
        if len(some) == _ROWS or size > _LONGEST:
            break
    return some


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

    def tables(self) -> Mapping[str, Known]:
        own = "WHERE database_name = current_database() AND NOT internal"
        query = f"SELECT schema_name, table_name, true FROM duckdb_tables() {own}"  # noqa: S608 - no name is in it
        query += f" UNION ALL SELECT schema_name, view_name, false FROM duckdb_views() {own}"  # noqa: S608
        with self._bounded(), self._opened() as connection:
            names = connection.execute(query).fetchall()
        return {
            name if schema == "main" else f"{schema}.{name}": Known(
                f"{duck.quoted(schema)}.{duck.quoted(name)}", is_table
            )
            for schema, name, is_table in names
        }

    @cached_property
    def _columns(self) -> Mapping[str, tuple[str, str]]:
        with self._opened() as connection:
            query = f"SELECT * FROM {self.source} LIMIT 0"  # noqa: S608 - the user's own query
            return sql.leaves_of(connection.columns(query))

    def _kinds(self) -> Mapping[str, str]:
        return {name: kind for name, (_, kind) in self._columns.items()}

    def distinct(
        self, names: Sequence[str], trial: str | None, nested: Sequence[str], costs: Sequence[str] = ()
    ) -> sql.DistinctRows:
        """Return the distinct rows of some columns, with the trials and the costs of each."""
        every = [*names, *([] if trial is None else [trial]), *costs]
        table = sql.with_nested(duck.numbered(self.source), [self.path], every, nested, self._columns)
        with self._bounded():
            return sql.distinct_rows(self._opened(), table, names, trial, costs)

    def _check_one_statement(self, query: str) -> None:
        with self._opened() as connection:
            kinds = connection.kinds_of_statements(query)
        if kinds != ["SELECT"]:
            found = f"it holds {len(kinds)}" if len(kinds) != 1 else f"it is {kinds[0]}"
            raise OutcomeError(f"the database cannot be read: the query must be one SELECT statement, and {found}")

    def _opened(self) -> Any:
        return duck.attached(self.path, self._until)
