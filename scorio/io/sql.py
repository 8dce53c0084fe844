"""Rows of tables counted by DuckDB: only the columns asked for, alike rows as one, nothing fetched from anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import OutcomeError
from . import duck
from .trial_set import MOST_NUMBER, TrialSet

_BATCH = 10_000
_NESTED = ("STRUCT", "MAP", "UNION")  # and lists, which end with brackets
_WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"}


class Alike(NamedTuple):
    """The distinct rows of some columns, column by column: where each first stands, how often, and as which trials."""

    places: Sequence[str]
    columns: Sequence[Sequence[str | None]]
    times: Sequence[int]
    trials: Sequence[TrialSet] | None


def columns(path: Path) -> list[str]:
    """The names of a Parquet file's columns."""
    with duck.connected() as connection:
        connection.execute(f"SELECT * EXCLUDE file_row_number FROM {duck.parquet(path)} LIMIT 0")  # noqa: S608
        return [column[0] for column in connection.description]


def kinds(path: Path, names: Sequence[str]) -> dict[str, str]:
    """The types of some columns of a Parquet file."""
    with duck.connected() as connection:
        listed = ", ".join(map(duck.quoted, names))
        described = connection.execute(f"DESCRIBE SELECT {listed} FROM {duck.parquet(path)}").fetchall()  # noqa: S608
        return {name: kind for name, kind, *_ in described}


def rows(path: Path, expressions: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """The distinct rows of some SQL expressions: their values, the number of the first, and how many there are."""
    with duck.connected() as connection:
        yield from chain.from_iterable(_grouped(connection, duck.parquet(path), expressions, expressions, ()))


def text_rows(source: str, names: Sequence[str], trial: str | None) -> Alike:
    """The distinct rows of columns as text; ``source`` is a table in SQL, as ``duck`` writes it."""
    with duck.connected() as connection:
        keys = _keys(connection, source, [duck.quoted(name) for name in names])
        low, sets = (0, "NULL") if trial is None else _trial_sets(connection, source, duck.quoted(trial))
        found: list[list[Any]] = [[] for _ in range(len(keys) + 3)]
        for batch in _grouped(connection, source, keys, map(_text, keys), [sets]):
            for column, values in zip(found, zip(*batch, strict=True), strict=True):
                column.extend(values)
    *columns, first, times, trials = found
    places = [f"row {number + 1}" for number in first]
    return Alike(places, columns, times, None if trial is None else _as_sets(trials, low))


def _keys(connection: Any, source: str, columns: Sequence[str]) -> list[str]:
    """What to group by: of text what a function returns, or the dictionaries of all row groups are kept in memory."""
    described = connection.execute(f"DESCRIBE SELECT {', '.join(columns)} FROM {source}").fetchall()  # noqa: S608 - quoted
    for name, kind, *_ in described:
        if kind.endswith("]") or kind.startswith(_NESTED):
            raise OutcomeError(f"{name!r} must be a column of plain values; it holds {kind}")
    return [
        f"ltrim({column}, '')" if kind == "VARCHAR" else column
        for column, (_, kind, *_) in zip(columns, described, strict=True)
    ]


def _as_sets(trials: Sequence[bytes] | Sequence[list[str]], low: int) -> list[TrialSet]:
    """Trials as the database says them, as bits, the last one the lowest trial, or names; of alike bits one set."""
    known: dict[bytes, TrialSet] = {}
    return [
        TrialSet(each)
        if isinstance(each, list)
        else known.get(each) or known.setdefault(each, TrialSet(bits=int.from_bytes(each) << low))
        for each in trials
    ]


def _trial_sets(connection: Any, source: str, trial: str) -> tuple[int, str]:
    """The lowest trial, and the expression that collects trials: as bits where all are small numbers."""
    [(kind,)] = connection.execute(f"SELECT typeof({trial}) FROM {source} LIMIT 1").fetchall() or [("",)]  # noqa: S608
    if kind in _WHOLE:  # then the file's own statistics answer
        query = f"SELECT min({trial}), max({trial}), count({trial}) = count(*) FROM {source}"  # noqa: S608
        low, high, all_there = connection.execute(query).fetchone()
        if all_there and low >= 0 and high <= MOST_NUMBER:
            return low, _bits(trial, low, high)
    return _read_trial_sets(connection, source, trial)


def _read_trial_sets(connection: Any, source: str, trial: str) -> tuple[int, str]:
    number = f"TRY_CAST({trial} AS BIGINT)"
    small = f"{number} BETWEEN 0 AND {MOST_NUMBER} AND CAST({number} AS VARCHAR) = {_text(trial)}"
    low, high, all_small, empty = connection.execute(
        f"SELECT min({number}), max({number}), bool_and(coalesce({small}, false)),"  # noqa: S608 - names are quoted
        f" min(file_row_number) FILTER (coalesce(trim({_text(trial)}), '') = '') FROM {source}"
    ).fetchone()
    if empty is not None:
        raise OutcomeError(f"row {empty + 1}: the trial is empty")
    return (low, _bits(trial, low, high)) if all_small else (0, f"list({_text(trial)})")


def _bits(trial: str, low: int, high: int) -> str:
    return f"CAST(bitstring_agg(-CAST({trial} AS INTEGER), {-high}, {-low}) AS BLOB)"


def _grouped(
    connection: Any, source: str, keys: Iterable[str], shown: Iterable[str], others: Iterable[str]
) -> Iterator[list[tuple[Any, ...]]]:
    """What is shown of each group of rows, the number of its first, how many there are, and what else: in batches."""
    listed = ", ".join([*shown, "min(file_row_number) AS first_row", "count(*)", *others])
    connection.execute(
        f"SELECT {listed} FROM {source} GROUP BY {', '.join(keys)} ORDER BY first_row"  # noqa: S608 - names are quoted
    )
    while batch := connection.fetchmany(_BATCH):
        yield batch


def _text(expression: str) -> str:
    return f"CAST({expression} AS VARCHAR)"
