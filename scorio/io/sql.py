"""Parquet files, counted by DuckDB: only the columns asked for, alike rows as one, nothing fetched from anywhere."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import OutcomeError
from .trial_set import MOST_NUMBER, TrialSet

_SETTINGS = {
    "memory_limit": "400MB",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
_BATCH = 10_000
_SOURCE = "read_parquet($path, file_row_number = true)"


def columns(path: Path) -> list[str]:
    """The names of the columns."""
    with _connected() as connection:
        connection.execute("SELECT * FROM read_parquet($path) LIMIT 0", {"path": str(path)})
        return [column[0] for column in connection.description]


def rows(path: Path, expressions: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """The distinct rows of some SQL expressions: their values, the number of the first, and how many there are."""
    with _connected() as connection:
        yield from _grouped(connection, path, expressions, expressions, ())


def text_rows(
    path: Path, names: Sequence[str], trial: str | None
) -> Iterator[tuple[int, tuple[str | None, ...], int, TrialSet | None]]:
    """The distinct rows of columns as text: the number of the first, their values, how many there are, their trials."""
    columns = [_quoted(name) for name in names]
    with _connected() as connection:
        low, sets = (0, "NULL") if trial is None else _trial_sets(connection, path, _quoted(trial))
        for *values, first, times, trials in _grouped(connection, path, columns, map(_text, columns), [sets]):
            yield first, tuple(values), times, _trial_set(trials, low)


def _trial_set(trials: bytes | list[str] | None, low: int) -> TrialSet | None:
    """A set of trials as the database says it: bits, the last one the lowest trial, or names."""
    if trials is None:
        return None
    return TrialSet(bits=int.from_bytes(trials) << low) if isinstance(trials, bytes) else TrialSet(trials)


def _trial_sets(connection: Any, path: Path, trial: str) -> tuple[int, str]:
    """The lowest trial, and the expression that collects trials: as bits where all are small numbers."""
    number = f"TRY_CAST({trial} AS BIGINT)"
    small = f"{number} BETWEEN 0 AND {MOST_NUMBER} AND CAST({number} AS VARCHAR) = {_text(trial)}"
    low, high, all_small, empty = connection.execute(
        f"SELECT min({number}), max({number}), bool_and(coalesce({small}, false)),"  # noqa: S608 - names are quoted
        f" min(file_row_number) FILTER (coalesce(trim({_text(trial)}), '') = '') FROM {_SOURCE}",
        {"path": str(path)},
    ).fetchone()
    if empty is not None:
        raise OutcomeError(f"row {empty + 1}: the trial is empty")
    if not all_small:
        return 0, f"list({_text(trial)})"
    return low, f"CAST(bitstring_agg(-CAST({trial} AS INTEGER), {-high}, {-low}) AS BLOB)"


def _grouped(
    connection: Any, path: Path, keys: Iterable[str], shown: Iterable[str], others: Iterable[str]
) -> Iterator[tuple[Any, ...]]:
    """What is shown of each group of rows, the number of its first, how many there are, and what else is asked."""
    listed = ", ".join([*shown, "min(file_row_number) AS first_row", "count(*)", *others])
    connection.execute(
        f"SELECT {listed} FROM {_SOURCE} GROUP BY {', '.join(keys)} ORDER BY first_row",  # noqa: S608 - names are quoted
        {"path": str(path)},
    )
    while batch := connection.fetchmany(_BATCH):
        yield from batch


def _text(expression: str) -> str:
    return f"CAST({expression} AS VARCHAR)"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def _connected() -> Iterator[Any]:
    try:
        duckdb = importlib.import_module("duckdb")
    except ImportError:
        raise OutcomeError('Parquet files need DuckDB: pip install "scorio[tables]"') from None
    with tempfile.TemporaryDirectory() as folder:
        try:
            with duckdb.connect(":memory:", config=_SETTINGS | {"temp_directory": folder}) as connection:
                connection.execute("SET enable_progress_bar = false")
                yield connection
        except duckdb.Error as error:
            raise OutcomeError(f"it cannot be read as Parquet: {str(error).splitlines()[0]}") from None
