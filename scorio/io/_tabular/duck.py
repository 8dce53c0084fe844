"""DuckDB: a database in memory that reads Parquet files.

It downloads nothing, and beyond a limit of memory it uses a temporary folder.
"""

import importlib
import importlib.util
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Self, TypeVar

from ..._base.jobs import check_interrupted
from ..._base.words import text_fault
from ...errors import OutcomeError

T = TypeVar("T")
_SETTINGS = {"memory_limit": "300MB", "autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
_SETUP = ("SET enable_progress_bar = false", "SET parquet_metadata_cache = true")  # several queries read a file


def installed() -> bool:
    """Return whether DuckDB is installed."""
    return importlib.util.find_spec("duckdb") is not None


class NotThisWayError(OutcomeError):
    """What DuckDB does not read: another way to read the same file may, or names the fault and its place."""


class Connection:
    """The one way to DuckDB: an interruption is a KeyboardInterrupt, and whatever DuckDB raises a NotThisWayError.

    The database is opened by the first query.
    """

    def __init__(self) -> None:
        self._resources = ExitStack()
        self._opened: Any = None

    @property
    def _duckdb(self) -> Any:
        try:
            return importlib.import_module("duckdb")
        except ImportError:
            raise OutcomeError("Parquet files need DuckDB", hint="pip install duckdb") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened = None
        self._resources.close()

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        return self._run(lambda connection: connection.execute(query).fetchall())

    def columns(self, query: str) -> list[tuple[str, Any]]:
        """Return the name and the type of each column of a query, as DuckDB's own objects."""
        table = self._run(lambda connection: connection.sql(query))
        return [*zip(table.columns, table.types, strict=True)]

    def _run(self, work: Callable[[Any], T]) -> T:
        check_interrupted()
        try:
            if self._opened is None:
                self._opened = self._database()
            return work(self._opened)
        except (self._duckdb.Error, RuntimeError, UnicodeError) as error:  # DuckDB raises the last two as well
            self.__exit__()  # some errors leave a database that answers no further query
            if isinstance(error, self._duckdb.InterruptException) or str(error) == "Query interrupted":
                raise KeyboardInterrupt from None
            raise NotThisWayError(f"it cannot be read as Parquet: {str(error).partition(chr(10))[0]}") from None

    def _database(self) -> Any:
        folder = self._resources.enter_context(tempfile.TemporaryDirectory())
        settings = _SETTINGS | {"temp_directory": folder}
        connection = self._duckdb.connect(":memory:", config=settings)
        self._resources.callback(connection.close)
        for statement in _SETUP:
            connection.execute(statement)
        return connection


_SHARED: ContextVar[Connection | None] = ContextVar("the database of a read", default=None)


@contextmanager
def shared() -> Iterator[None]:
    """Let all queries on Parquet files use one database."""
    with Connection() if installed() else nullcontext() as connection:
        token = _SHARED.set(connection)
        try:
            yield
        finally:
            _SHARED.reset(token)


def connected() -> AbstractContextManager[Connection]:
    """Return a connection to the database that is shared, or to one of its own, which can read files."""
    connection = _SHARED.get()
    return Connection() if connection is None else nullcontext(connection)


def _literal(path: Path) -> str:
    """Return a file in SQL, whose name is no pattern."""
    text = os.path.join(os.getcwd(), path)  # noqa: PTH109, PTH118 - this is done for every file, and pathlib is slow
    if text_fault(text) is not None:
        raise NotThisWayError("its path is not UTF-8 text, which DuckDB needs: rename the file or its folder")
    return "'" + re.sub(r"([*?[])", r"[\1]", text.replace("'", "''")) + "'"


def listed(paths: Sequence[Path]) -> str:
    """Return files in SQL."""
    return f"[{', '.join(map(_literal, paths))}]"


def quoted(name: str) -> str:
    """Return a column's name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def parquet(paths: Sequence[Path]) -> str:
    """Return Parquet files of one layout as a table in SQL, with the number of each row, and without columns in paths.

    Rows also have the ``file_index``, the number of their file, which ``*`` leaves out.
    """
    return f"read_parquet({listed(paths)}, file_row_number = true, hive_partitioning = false)"
