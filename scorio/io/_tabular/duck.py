"""DuckDB over files: a database in memory, and Parquet, CSV and JSON lines as tables with a ``file_row_number``.

Text stays text, and types are not guessed: the labels 001, 01, 1 and NA are four. A query holds its result and a few
blocks of rows in memory, whatever the size of the file; beyond a limit it uses a temporary folder.
"""

import importlib
import importlib.util
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from itertools import chain
from pathlib import Path
from typing import Any, Self, TypeVar

from ...errors import OutcomeError
from .interruptible import interruptible

T = TypeVar("T")
FILE = "the file of a row"  # a column with its number from 1 on, which no table has
_NAME = "the name of the file of a row"
_NO_PARTITIONS = "hive_partitioning = false"  # a column in a path would hide that in the file
BATCH = 10_000  # rows fetched at once
_NO_TEXT = re.compile("[\ud800-\udfff]")  # what Python makes of bytes that are not UTF-8
_ERROR_NUMBER = re.compile(r'"errno":"(\d+)"')  # of the system, as DuckDB reports it
_ATTACHED = "attached"  # the name of a database that is read
_SETTINGS = {"memory_limit": "300MB", "autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
_SETUP = (
    "SET enable_progress_bar = false",
    "SET parquet_metadata_cache = true",  # files are read by several queries
    "SET enable_external_access = false",
    "SET lock_configuration = true",  # no statement may change these again
)


def installed() -> bool:
    """Return whether DuckDB is installed."""
    return importlib.util.find_spec("duckdb") is not None


class NotThisWayError(OutcomeError):
    """What DuckDB does not read: another way to read the same file may, or names the fault and its place."""


class _Database:
    """A database in memory that can use some files only; it is opened when the first query needs it."""

    def __init__(self, paths: Iterable[Path], attached: Path | None = None) -> None:
        self.paths = frozenset(paths)
        self._attached = attached
        self.kept: dict[Any, Any] = {}  # what is known of the files
        self._resources = ExitStack()
        self._connection: Any = None

    def connection(self, duckdb: Any) -> Any:
        """Return the connection of DuckDB."""
        if self._connection is None:
            folder = self._resources.enter_context(tempfile.TemporaryDirectory())
            settings = _SETTINGS | {"temp_directory": folder}
            self._connection = duckdb.connect(":memory:", config=settings)
        return self._connection

    @property
    def is_open(self) -> bool:
        """Whether there is a connection."""
        return self._connection is not None

    def setup(self) -> Iterator[str]:
        """Yield the statements that come before all others."""
        paths = [path for path in self.paths if _is_text(path)]
        allowed = {text for path in paths for text in (_pattern(path), literal(_absolute(path)))}
        yield f"SET allowed_paths = [{', '.join(allowed)}]"
        if self._attached is not None:
            yield f"ATTACH {literal(_absolute(self._attached))} AS {_ATTACHED} (READ_ONLY)"
            yield f"USE {_ATTACHED}"
        yield from _SETUP

    def abandon(self) -> None:
        """Leave a connection to its query, which did not stop: it is closed when that ends."""
        self._connection = None

    def close(self) -> None:
        """Close the connection, and delete its temporary files."""
        connection, self._connection = self._connection, None
        with self._resources:
            if connection is not None:
                connection.close()


_SHARED: ContextVar[_Database | None] = ContextVar("the database of a read", default=None)


@contextmanager
def shared(paths: Iterable[Path]) -> Iterator[None]:
    """Let all queries on these files use one database."""
    database = _Database(paths)
    token = _SHARED.set(database)
    try:
        yield
    finally:
        _SHARED.reset(token)
        database.close()


def kept(key: Any, made: Callable[[], T]) -> T:
    """Return what was made for the key before, while a database is shared."""
    database = _SHARED.get()
    if database is None:
        return made()
    if key not in database.kept:
        database.kept[key] = made()
    result: T = database.kept[key]
    return result


@contextmanager
def connected(*paths: Path, problem: str = "it cannot be read as Parquet", apart: bool = False) -> Iterator[Any]:
    """Yield a connection to a database in memory that can use these files; its temporary files are deleted in the end.

    A query whose rows are fetched while others run needs a database ``apart``.
    """
    _check_text(paths)
    common = None if apart else _SHARED.get()
    is_common = common is not None and common.paths.issuperset(paths)
    with _opened(common if common is not None and is_common else _Database(paths), "Parquet files", problem) as made:
        yield made


@contextmanager
def attached(path: Path, until: float | None = None) -> Iterator[Any]:
    """Yield a connection to a database of DuckDB that can only be read, and cannot use any other file.

    A query that runs at the time ``until`` ends with a ``LateError``.
    """
    problem = "the database cannot be read"
    _check_text([path])
    with _opened(_Database((), path), "databases of DuckDB", problem, until) as made:
        yield made


@contextmanager
def _opened(database: _Database, kind: str, problem: str, until: float | None = None) -> Iterator[Any]:
    try:
        duckdb = importlib.import_module("duckdb")
    except ImportError:
        raise OutcomeError(f"{kind} need DuckDB", hint="pip install duckdb") from None
    try:
        yield Connection(duckdb, database, problem, until)
    finally:
        if database is not _SHARED.get():
            database.close()


class Connection:
    """The one way to DuckDB: an interruption is a KeyboardInterrupt, and whatever DuckDB raises a NotThisWayError."""

    def __init__(self, duckdb: Any, database: _Database, problem: str, until: float | None) -> None:
        self._duckdb = duckdb
        self._database = database
        self._problem = problem
        self._until = until
        with self._faults():
            is_new, self._connection = not database.is_open, database.connection(duckdb)
        for statement in database.setup() if is_new else ():
            self.execute(statement)

    def execute(self, query: str, values: Sequence[Any] | None = None) -> Self:
        """Run a query, whose rows are fetched afterwards."""
        self._run(lambda: self._connection.execute(query, values))
        return self

    def fetchmany(self, size: int) -> list[tuple[Any, ...]]:
        """Return the next rows."""
        rows: list[tuple[Any, ...]] = self._run(lambda: self._connection.fetchmany(size))
        return rows

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return all rows that are left."""
        return [*chain.from_iterable(iter(lambda: self.fetchmany(BATCH), []))]

    def fetchnumpy(self) -> dict[str, Any]:
        """Return all rows as arrays of numpy by column."""
        arrays: dict[str, Any] = self._run(self._connection.fetchnumpy)
        return arrays

    def columns(self, query: str) -> list[tuple[str, Any]]:
        """Return the name and the type of each column of a query, as DuckDB's own objects."""
        table = self._run(lambda: self._connection.sql(query))
        return [*zip(table.columns, table.types, strict=True)]

    def kinds_of_statements(self, query: str) -> list[str]:
        """Return the kind of each statement in a text, such as SELECT."""
        statements = self._run(lambda: self._connection.extract_statements(query))
        return [each.type.name.removesuffix("_STATEMENT") for each in statements]

    def _run(self, work: Callable[[], T]) -> T:
        with self._faults():
            return interruptible(work, self._connection.interrupt, self._database.abandon, self._until)

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except (self._duckdb.Error, RuntimeError, UnicodeError) as error:  # DuckDB raises the last two as well
            self._database.close()  # some errors leave a database that answers no further query
            if isinstance(error, self._duckdb.InterruptException) or str(error) == "Query interrupted":
                raise KeyboardInterrupt from None
            raise NotThisWayError(f"{self._problem}: {str(error).partition(chr(10))[0]}") from None


def _is_text(path: Path) -> bool:
    """Return whether a path is text, which names of files need not be."""
    return _NO_TEXT.search(_absolute(path)) is None


def _check_text(paths: Iterable[Path]) -> None:
    for path in paths:
        if not _is_text(path):
            raise NotThisWayError("its path is not UTF-8 text, which DuckDB needs: rename the file or its folder")


def _pattern(path: Path) -> str:
    """Return a pattern in SQL that matches this path alone."""
    return literal(re.sub(r"([*?[])", r"[\1]", _absolute(path)))


def _absolute(path: Path) -> str:
    return os.path.join(os.getcwd(), path)  # noqa: PTH109, PTH118 - this is done for every file, and pathlib is slow


def listed(paths: Sequence[Path]) -> str:
    """Return files in SQL, whose names are no patterns."""
    return f"[{', '.join(map(_pattern, paths))}]"


def quoted(name: str) -> str:
    """Return a column's name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def parquet(*paths: Path) -> str:
    """Return Parquet files of one layout as a table in SQL, with the number of each row's file if there are several."""
    options = f"file_row_number = true, {_NO_PARTITIONS}{_named(paths)}"
    return _with_file(f"read_parquet({listed(paths)}, {options})", paths)


def json_lines(paths: Sequence[Path], columns: Iterable[str]) -> str:
    """Return columns of JSON lines as a table of text in SQL."""
    kinds = f"columns = {_texts(columns)}, {_NO_PARTITIONS}{_named(paths)}"
    return _numbered(f"read_json({listed(paths)}, format = 'newline_delimited', {kinds})", paths)


def json_records(path: Path, columns: Mapping[str, str]) -> str:
    """Return JSON lines as a table in SQL, with the types of its columns by name."""
    types = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in columns.items())
    return f"read_json({_pattern(path)}, format = 'newline_delimited', columns = {{{types}}}, {_NO_PARTITIONS})"


def separated(paths: Sequence[Path], header: Iterable[str], delimiter: str) -> str:
    """Return CSV files of one header with all its columns as a table of text in SQL."""
    dialect = f"""delim = {literal(delimiter)}, quote = '"', escape = '"', header = true, auto_detect = false"""
    kinds = f"columns = {_texts(header)}, {_NO_PARTITIONS}{_named(paths)}"
    return _numbered(f"read_csv({listed(paths)}, {dialect}, {kinds})", paths)


def by_file(paths: Sequence[Path], values: Sequence[str | None]) -> str:
    """Return the text that belongs to the file of a row in SQL."""
    texts = ["NULL" if value is None else literal(value) for value in values]
    if len(set(texts)) == 1:
        return f"CAST({texts[0]} AS VARCHAR)"
    return f"list_extract([{', '.join(texts)}], {file_number(paths)})"


def places(paths: Sequence[Path]) -> list[str]:
    """Return the columns in SQL that say where a row is: its number, and that of its file if there are several."""
    return ["file_row_number", *([quoted(FILE)] if len(paths) > 1 else [])]


def file_number(paths: Sequence[Path]) -> str:
    """Return the number of a row's file in SQL, from 1 on."""
    return quoted(FILE) if len(paths) > 1 else "1"


def _numbers_files() -> bool:
    """Return whether DuckDB itself numbers files, as it does since 1.3."""
    version = importlib.import_module("duckdb").__version__.split(".")
    return tuple(map(int, version[:2])) >= (1, 3)


def numbered(source: str) -> str:
    """Return a table with the number of each row."""
    return f"(SELECT *, row_number() OVER () - 1 AS file_row_number FROM {source})"  # noqa: S608 - names are quoted


def _named(paths: Sequence[Path]) -> str:
    return f", filename = {literal(_NAME)}" if len(paths) > 1 and not _numbers_files() else ""


def _with_file(source: str, paths: Sequence[Path]) -> str:
    if len(paths) == 1:
        return source
    names = ", ".join(literal(_absolute(path)) for path in paths)
    number = "file_index + 1" if _numbers_files() else f"list_position([{names}], {quoted(_NAME)})"
    return f"(SELECT *, CAST({number} AS BIGINT) AS {quoted(FILE)} FROM {source})"  # noqa: S608 - names are quoted


def _numbered(source: str, paths: Sequence[Path]) -> str:
    return numbered(_with_file(source, paths))


def _texts(columns: Iterable[str]) -> str:
    return "{" + ", ".join(f"{literal(column)}: 'VARCHAR'" for column in columns) + "}"


def literal(text: str) -> str:
    """Return text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def write_parquet(path: Path, records: Iterable[Mapping[str, Any]], columns: Mapping[str, str]) -> None:
    """Write records to a Parquet file; ``columns`` are the SQL types by name."""
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder, "records.jsonl")
        with lines.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)
        try:
            with connected(lines, path, problem=f"{path} cannot be written") as connection:
                connection.execute(
                    f"COPY (SELECT * FROM {json_records(lines, columns)}) "  # noqa: S608 - paths and names are quoted
                    f"TO {literal(str(path.absolute()))} (FORMAT parquet, USE_TMP_FILE false)"
                )
        except NotThisWayError as error:
            number = _ERROR_NUMBER.search(error.problem)
            if number is None:
                raise
            raise OSError(int(number[1]), os.strerror(int(number[1])), str(path)) from None
