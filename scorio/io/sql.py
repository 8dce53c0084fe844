"""Rows of Parquet files, grouped by DuckDB: alike rows come as one, with the place of the first and their trials."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..errors import OutcomeError
from .duck import connected, literal, quoted
from .trial_set import MOST_NUMBER, TrialSet

_BATCH = 10_000
_FAULT = "it cannot be read as Parquet"


def columns(path: Path) -> list[str]:
    """The names of the columns."""
    with connected(_FAULT) as connection:
        connection.execute(f"SELECT * EXCLUDE (file_row_number) FROM {_source(path)} LIMIT 0")  # noqa: S608 - quoted
        return [column[0] for column in connection.description]


def rows(path: Path, expressions: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """The distinct rows of some SQL expressions: their values, the number of the first, and how many there are."""
    with connected(_FAULT) as connection:
        yield from _grouped(connection, path, expressions, expressions, ())


def text_rows(
    path: Path, names: Sequence[str], trial: str | None
) -> Iterator[tuple[int, tuple[str | None, ...], int, TrialSet | None]]:
    """The distinct rows of columns as text: the number of the first, their values, how many there are, their trials."""
    columns = [quoted(name) for name in names]
    with connected(_FAULT) as connection:
        low, sets = (0, "NULL") if trial is None else _trial_sets(connection, path, quoted(trial))
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
        f" min(file_row_number) FILTER (coalesce(trim({_text(trial)}), '') = '') FROM {_source(path)}"
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
        f"SELECT {listed} FROM {_source(path)} GROUP BY {', '.join(keys)} ORDER BY first_row"  # noqa: S608 - names are quoted
    )
    while batch := connection.fetchmany(_BATCH):
        yield from batch


def _source(path: Path) -> str:
    return f"read_parquet({literal(str(path))}, hive_partitioning = false, file_row_number = true)"


def _text(expression: str) -> str:
    return f"CAST({expression} AS VARCHAR)"
