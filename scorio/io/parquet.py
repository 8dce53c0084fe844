"""Parquet files, read by DuckDB: only the columns asked for, alike rows counted, nothing fetched from anywhere."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import OutcomeError

_SETTINGS = {
    "memory_limit": "2GB",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
_BATCH = 10_000


def columns(path: Path) -> list[str]:
    """The names of the columns."""
    with _connected() as connection:
        connection.execute("SELECT * FROM read_parquet(?) LIMIT 0", [str(path)])
        return [column[0] for column in connection.description]


def rows(path: Path, expressions: Iterable[str]) -> Iterator[tuple[Any, ...]]:
    """The distinct rows of some SQL expressions: their values, the number of the first, and how many there are."""
    with _connected() as connection:
        listed = ", ".join(expressions)
        connection.execute(
            f"SELECT {listed}, min(file_row_number) AS first_row, count(*)"  # noqa: S608 - names are quoted
            " FROM read_parquet(?, file_row_number = true) GROUP BY ALL ORDER BY first_row",
            [str(path)],
        )
        while batch := connection.fetchmany(_BATCH):
            yield from batch


def quoted(name: str) -> str:
    """A column name as SQL takes it."""
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def _connected() -> Iterator[Any]:
    try:
        duckdb = importlib.import_module("duckdb")
    except ImportError:
        raise OutcomeError('Parquet files need DuckDB: pip install "scorio[tables]"') from None
    try:
        with duckdb.connect(":memory:", config=_SETTINGS) as connection:
            connection.execute("SET enable_progress_bar = false")
            yield connection
    except duckdb.Error as error:
        raise OutcomeError(f"it cannot be read as Parquet: {str(error).splitlines()[0]}") from None
