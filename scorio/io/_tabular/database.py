"""A table of a SQLite file, or the result of a query on it, read by the standard library as the rows of a table.

The file is opened for reading only, and a query can use nothing but its own database: no other file, no extension.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple
from urllib.parse import quote

from ..._arrays import cached_property
from ..._display.words import shorten
from ..._jobs import check_interrupted
from ...errors import OutcomeError, Remedy
from ...outcomes import NoSingleTableError, choose
from .._files import LogFile
from .._request import Request
from ..checks import shown
from .duck import quoted
from .table import Row, Table

_SQLITE = b"SQLite format 3\0"
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_LONGEST = 1 << 24  # characters of a value
_STEPS = 100_000  # of SQLite's machine, after which it looks whether it was interrupted
_FEW = 5  # tables of which one is proposed
_MLFLOW = {"assessments", "trace_info"}  # tables of its store


class _Relation(NamedTuple):
    """A table or a view of a database: its SQL, and whether it holds its rows itself."""

    source: str
    is_table: bool


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
            self._check_one_statement(self._request.query)
            return f"(\n{self._request.query.strip().rstrip(';')}\n)"
        relations = self._relations()
        if self._request.table is not None:
            return relations[choose(self._request.table, relations, "table", "table")].source
        tables = [relation.source for relation in relations.values() if relation.is_table]
        if len(tables) == 1:
            return tables[0]
        problem = f"it is a database with several tables, {shorten(relations)}" if tables else "it has no table"
        if relations and not tables:
            problem += f", and only these views: {shorten(relations)}"
        remedies = [Remedy.choice("table", relations)] if 0 < len(relations) <= _FEW else []
        remedies += [Remedy("query", "select ...", "reads its result")] if relations else []
        is_mlflow = relations.keys() >= _MLFLOW
        hint = "it is a store of mlflow, for which the page on readers has a query" if is_mlflow else None
        raise NoSingleTableError(problem, remedies=remedies, hint=hint)

    def _relations(self) -> Mapping[str, _Relation]:
        """Return each table and view by its name."""
        names = (
            "SELECT name, rootpage > 0 AND type = 'table' FROM sqlite_master"
            " WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
        )
        with self._opened() as connection:  # a virtual table has no page of its own
            return {name: _Relation(quoted(name), bool(is_table)) for name, is_table in connection.execute(names)}

    def _check_one_statement(self, query: str) -> None:
        """Check that a query is one statement, so that none can hide behind another."""
        with self._opened() as connection:
            connection.execute(f"EXPLAIN {query.strip()}").fetchall()

    @cached_property
    def own_columns(self) -> Sequence[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        with self._opened() as connection:
            rows = connection.execute(f"SELECT * FROM {self.rows_in_sql} LIMIT 0")  # noqa: S608 - the user's own query
            return list(dict.fromkeys(name for name, *_ in rows.description))

    def own_rows(self, names: Sequence[str], _nested: Sequence[str], /) -> Iterator[Row]:
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
