"""DuckDB over files: a database in memory, and Parquet, CSV and JSON lines as tables with a ``file_row_number``.

Text stays text: nothing is sniffed, so that the labels 001, 01, 1 and NA are four. A query holds its result and a few
blocks of rows in memory, whatever the size of the file; beyond its limit it spills to a temporary folder.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import OutcomeError

_SETTINGS = {
    "memory_limit": "300MB",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


def installed() -> bool:
    """Whether there is a DuckDB."""
    return importlib.util.find_spec("duckdb") is not None


@contextmanager
def connected() -> Iterator[Any]:
    """A database that is gone afterwards, with all that it spilled."""
    try:
        duckdb = importlib.import_module("duckdb")
    except ImportError:
        raise OutcomeError('Parquet files need DuckDB: pip install "scorio[tables]"') from None
    with tempfile.TemporaryDirectory() as folder:
        try:
            with duckdb.connect(":memory:", config=_SETTINGS | {"temp_directory": folder}) as connection:
                connection.execute("SET enable_progress_bar = false")
                yield connection
        except (duckdb.Error, RuntimeError, UnicodeError) as error:  # which it raises too
            raise OutcomeError(f"it cannot be read as Parquet: {str(error).partition(chr(10))[0]}") from None


def quoted(name: str) -> str:
    """A column's name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def parquet(path: Path) -> str:
    """A Parquet file as a table."""
    return f"read_parquet({_pattern(path)}, file_row_number = true, hive_partitioning = false)"


def json_lines(path: Path, columns: Iterable[str]) -> str:
    """Columns of JSON lines as a table of text."""
    return _numbered(f"read_json({_pattern(path)}, format = 'newline_delimited', columns = {_texts(columns)})")


def separated(path: Path, header: Iterable[str], delimiter: str) -> str:
    """A CSV file with all the columns of its header as a table of text."""
    dialect = f"""delim = {_literal(delimiter)}, quote = '"', escape = '"', header = true, auto_detect = false"""
    return _numbered(f"read_csv({_pattern(path)}, columns = {_texts(header)}, {dialect})")


def _numbered(source: str) -> str:
    return f"(SELECT *, row_number() OVER () - 1 AS file_row_number FROM {source})"  # noqa: S608 - names are quoted


def _texts(columns: Iterable[str]) -> str:
    return "{" + ", ".join(f"{_literal(column)}: 'VARCHAR'" for column in columns) + "}"


def _pattern(path: Path) -> str:
    """A pattern that matches this path alone."""
    return _literal(re.sub(r"([*?[])", r"[\1]", str(path)))


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
