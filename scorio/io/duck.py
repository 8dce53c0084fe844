"""DuckDB as a reader of CSV, JSON lines and Parquet files: what a file is in SQL, and what its errors mean.

Text stays text: nothing is sniffed, so that the labels 001, 01, 1 and NA are four. A query holds its result and a few
blocks of rows in memory, whatever the size of the file; what it needs beyond its limit it spills to a temporary folder.
"""

from __future__ import annotations

import csv
import importlib
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..errors import OutcomeError
from ..labels import listed

_SETTINGS = {
    "memory_limit": "300MB",
    "threads": "4",
    "preserve_insertion_order": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
_HEAD = 4096
_BOM = "utf-8-sig"  # UTF-8, with or without a byte-order mark
_CSV_FAULT = re.compile(r"CSV Error on Line: (\d+)\n.*\n+(.*)")
_JSON_FAULT = re.compile(r'JSON.* in file ".*", (.*)')


@contextmanager
def connected(what: str) -> Iterator[Any]:
    """A database in memory; its errors are about the file that is named."""
    try:
        duckdb = importlib.import_module("duckdb")
    except ImportError:
        raise OutcomeError(f'{what}: it needs DuckDB to be counted: pip install "scorio[tables]"') from None
    with tempfile.TemporaryDirectory(prefix="scorio-", ignore_cleanup_errors=True) as folder:
        try:
            with duckdb.connect(":memory:", config=_SETTINGS | {"temp_directory": folder}) as connection:
                connection.execute("SET enable_progress_bar = false")
                yield connection
        except duckdb.Error as error:
            raise OutcomeError(f"{what}: {_reason(str(error))}") from None


def quoted(name: str, mark: str = '"') -> str:
    """A column's name in SQL; a text, with ``'`` for a mark."""
    return mark + name.replace(mark, mark * 2) + mark


def table(connection: Any, path: str, wanted: Sequence[str], delimiter: str) -> str:
    """The rows of a file in SQL: Parquet and JSON lines are known by their first bytes, all else is CSV."""
    head = _head(path)
    if head.startswith(b"PAR1"):
        return _parquet(connection, path, wanted)
    if head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        kinds = _texts(wanted)
        return f"read_json({_literal(path)}, format = 'newline_delimited', columns = {kinds})"
    return _csv(path, wanted, delimiter)


def _head(path: str) -> bytes:
    try:
        with open(path, "rb") as stream:  # noqa: PTH123 - paths travel to other processes as text
            return stream.read(_HEAD)
    except OSError as error:
        raise OutcomeError(f"{path}: it cannot be read: {error.strerror}") from None


def _parquet(connection: Any, path: str, wanted: Sequence[str]) -> str:
    source = f"read_parquet({_literal(path)}, hive_partitioning = false)"
    there = connection.execute(f"SELECT * FROM {source} LIMIT 0").description  # noqa: S608 - quoted
    _demand(wanted, [column[0] for column in there], path)
    return source


def _csv(path: str, wanted: Sequence[str], delimiter: str) -> str:
    with open(path, encoding=_BOM, errors="replace", newline="") as stream:  # noqa: PTH123
        try:
            header = next(csv.reader(stream, delimiter=delimiter, skipinitialspace=True), [])
        except csv.Error as error:
            raise OutcomeError(f"{path}: the first line is no CSV: {error}") from None
    if any("\ufffd" in name for name in header):
        raise OutcomeError(f"{path}: the first line is not UTF-8 text")
    _demand(wanted, header, path)
    dialect = f"""delim = {quoted(delimiter, "'")}, quote = '"', escape = '"', header = true, auto_detect = false"""
    return f"read_csv({_literal(path)}, columns = {_texts(header)}, {dialect})"


def _demand(wanted: Sequence[str], there: Sequence[str], path: str) -> None:
    """Check that the columns are there, each once."""
    wrong = [name for name in wanted if list(there).count(name) != 1]
    if wrong:
        how = "several columns" if wrong[0] in there else "no column"
        raise OutcomeError(f"{path}: there is {how} {wrong[0]!r}; the columns are {listed(there) or 'none'}")


def _literal(path: str) -> str:
    """A path in SQL, no part of which is a pattern."""
    return quoted(re.sub(r"([*?[])", r"[\1]", path), "'")


def _texts(columns: Sequence[str]) -> str:
    return "{" + ", ".join(f"{quoted(column, chr(39))}: 'VARCHAR'" for column in columns) + "}"


def _reason(message: str) -> str:
    """What DuckDB says is wrong, in one line."""
    found = _CSV_FAULT.search(message)
    if found:
        return f"line {found[1]}: {found[2]}"
    found = _JSON_FAULT.search(message)
    return found[1].strip() if found else message.splitlines()[0].rpartition("Error: ")[2]
