"""Rows of tables counted by DuckDB: only some columns, equal rows as one; DuckDB downloads nothing."""

import json
import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import OutcomeError
from .._trial_table import MOST_NUMBER, TrialSet
from . import duck, path_columns

_SCHEMA = "(name, type, type_length, repetition_type, num_children, converted_type, scale, precision, logical_type)"
_NESTED = ("STRUCT", "MAP", "UNION")  # and lists, whose names end with brackets
_WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"}


class CostSums(NamedTuple):
    """What equal rows cost: how many tell it, their mean, and the sum of squared deviations from it."""

    told: int
    mean: float
    squares: float


class DistinctRows(NamedTuple):
    """The distinct rows of some columns, column by column: the place of the first, their number, and their trials."""

    places: Sequence[str]
    columns: Sequence[Sequence[str | None]]
    times: Sequence[int]
    trials: Sequence[TrialSet] | None
    costs: Sequence[Sequence[CostSums]] = ()  # of each column of costs, row by row


class TableInSql(NamedTuple):
    """Files as a table in SQL, its columns that are JSON text, and the SQL of a path's value for columns in both."""

    source: str
    texts: Sequence[str] = ()
    in_both: Mapping[str, str] = {}


def schemas(paths: Sequence[Path]) -> dict[Path, int]:
    """Return a number for each Parquet file that is equal for equal schemas; damaged files are left out."""
    names = {os.path.abspath(path): path for path in paths}  # noqa: PTH100 - this is done for every file
    query = f"SELECT file_name, hash(list({_SCHEMA})) FROM parquet_schema({duck.listed(paths)}) GROUP BY file_name"  # noqa: S608
    try:
        with duck.connected(*paths) as connection:
            return {names[os.path.abspath(name)]: number for name, number in connection.execute(query).fetchall()}  # noqa: PTH100
    except duck.NotThisWayError:  # the half that holds the damaged file is halved again
        half = len(paths) // 2
        return schemas(paths[:half]) | schemas(paths[half:]) if half else {}


def columns(path: Path) -> list[str]:
    """Return the names of a Parquet file's columns, with dots between those of nested structs."""
    return list(_expressions(path))


def _expressions(path: Path) -> dict[str, tuple[str, str]]:
    """Return the SQL and the type of each column of a Parquet file, by its name with dots."""
    return duck.kept(("columns", path), lambda: _columns_of(path))


def _columns_of(path: Path) -> dict[str, tuple[str, str]]:
    with duck.connected(path) as connection:
        query = f"SELECT * EXCLUDE file_row_number FROM {duck.parquet(path)} LIMIT 0"  # noqa: S608
        return leaves_of(connection.columns(query))


def leaves_of(columns: Iterable[tuple[str, Any]]) -> dict[str, tuple[str, str]]:
    """Return the SQL and the type of each column with a type of DuckDB, by its name with dots."""
    return dict(_leaves(columns, "", ""))


def _leaves(children: Iterable[tuple[str, Any]], name: str, outer: str) -> Iterator[tuple[str, tuple[str, str]]]:
    for child, kind in children:
        expression = f"{outer}{duck.quoted(child)}"
        yield f"{name}{child}", (expression, str(kind))
        if kind.id == "struct":
            yield from _leaves(kind.children, f"{name}{child}.", f"{expression}.")


def parquet_rows(
    path: Path, names: Sequence[str], trial: str | None, nested: Sequence[str], costs: Sequence[str] = ()
) -> DistinctRows:
    """Return the distinct rows of a Parquet file's columns; lists and structs in ``nested`` ones become JSON text."""
    table = parquet_source([path], [*names, *([] if trial is None else [trial]), *costs], nested)
    return distinct_rows(duck.connected(path), table, names, trial, costs)


def parquet_source(paths: Sequence[Path], every: Sequence[str], nested: Sequence[str]) -> TableInSql:
    """Return Parquet files of one layout as a table in SQL with some columns."""
    return with_nested(duck.parquet(*paths), paths, every, nested, _expressions(paths[0]))


def with_nested(
    source: str,
    paths: Sequence[Path],
    every: Sequence[str],
    nested: Sequence[str],
    known: Mapping[str, tuple[str, str]],
) -> TableInSql:
    """Return some columns of a table whose columns have this SQL and these types; ``nested`` ones become JSON text."""
    inner = [name for name in every if name in known and known[name][0] != duck.quoted(name)]
    texts = [name for name in nested if name in known and _is_nested(known[name][1])]
    shown = {name: known[name][0] for name in inner} | {
        name: f"CAST(to_json({known[name][0]}) AS VARCHAR)" for name in texts
    }
    return selected(source, paths, every, known, shown)._replace(texts=texts)


def selected(
    source: str, paths: Sequence[Path], every: Sequence[str], own: Container[str], shown: Mapping[str, str]
) -> TableInSql:
    """Return some columns of a table: those ``shown`` as other SQL, and those of the paths besides its ``own``."""
    outside = path_columns.in_sql(paths, every)
    shown = {**shown, **{name: text for name, text in outside.items() if name not in own}}
    if shown:
        plain = [duck.quoted(name) for name in dict.fromkeys(every) if name not in shown]
        made = [f"{expression} AS {duck.quoted(name)}" for name, expression in shown.items()]
        source = f"(SELECT {', '.join([*plain, *made, *duck.places(paths)])} FROM {source})"  # noqa: S608 - names are quoted
    return TableInSql(source, in_both={name: text for name, text in outside.items() if name in own})


def spaced(text: str | None) -> str | None:
    """Return JSON text as the standard library writes it."""
    return None if text is None else json.dumps(json.loads(text), ensure_ascii=False)


def _is_nested(kind: str) -> bool:
    return kind.endswith("]") or kind.startswith(_NESTED)


def kinds(path: Path) -> dict[str, str]:
    """Return the types of the columns of a Parquet file."""
    return {name: kind for name, (_, kind) in _expressions(path).items()}


def rows(path: Path, expressions: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield the distinct rows of some SQL expressions: their values, the number of the first row, and their count."""
    with duck.connected(path, apart=True) as connection:
        yield from chain.from_iterable(_grouped(connection, duck.parquet(path), expressions, expressions, ()))


def distinct_rows(
    opened: AbstractContextManager[Any],
    table: TableInSql,
    names: Sequence[str],
    trial: str | None,
    costs: Sequence[str] = (),
) -> DistinctRows:
    """Return the distinct rows of columns as text, with the sums of costs; ``opened`` is the connection."""
    source = table.source
    with opened as connection:
        path_columns.check_in_both(connection, source, table.in_both)
        keys = group_keys(connection, source, [duck.quoted(name) for name in names])
        low, sets = (0, "NULL") if trial is None else _trial_sets(connection, source, duck.quoted(trial))
        sums = sums_of_costs(costs)
        collected: list[list[Any]] = [[] for _ in range(len(keys) + 3 + len(sums))]
        for batch in _grouped(connection, source, keys, map(_text, keys), [sets, *sums]):
            for column, values in zip(collected, zip(*batch, strict=True), strict=True):
                column.extend(values)
    columns, (first, times, trials, *spent) = collected[: len(keys)], collected[len(keys) :]
    columns = [
        [*map(spaced, values)] if name in table.texts else values for name, values in zip(names, columns, strict=True)
    ]
    places = [f"row {number + 1}" for number in first]
    sets_of = None if trial is None else _as_sets(trials, low)
    return DistinctRows(places, columns, times, sets_of, costs_of_sums(spent))


def sums_of_costs(columns: Sequence[str]) -> list[str]:
    """Return the SQL of the sums of columns of costs, over the rows of a group that tell a possible cost.

    >>> len(sums_of_costs(["usd", "seconds"]))
    6
    """
    listed: list[str] = []
    for column in columns:
        value = f"TRY_CAST({duck.quoted(column)} AS DOUBLE)"
        told = f"FILTER (isfinite({value}) AND {value} >= 0)"
        listed += [f"count({value}) {told}", f"favg({value}) {told}", f"var_pop({value}) {told}"]
    return listed


def costs_of_sums(sums: Sequence[Sequence[Any]]) -> list[list[CostSums]]:
    """Return the costs of each column, from the columns of a result that ``sums_of_costs`` describes."""
    parts = zip(sums[::3], sums[1::3], sums[2::3], strict=True)
    return [
        [CostSums(told, mean or 0.0, told * (spread or 0.0)) for told, mean, spread in zip(*part, strict=True)]
        for part in parts
    ]


def group_keys(connection: Any, source: str, columns: Sequence[str]) -> list[str]:
    """Return the SQL to group by; text passes a function, or DuckDB keeps the dictionaries of all row groups."""
    return plain_keys(columns, described(connection, source, columns))


def described(connection: Any, source: str, columns: Sequence[str]) -> list[tuple[str, str]]:
    """Return the name and the type of each column."""
    query = f"DESCRIBE SELECT {', '.join(columns)} FROM {source}"  # noqa: S608 - names are quoted
    return [(name, kind) for name, kind, *_ in connection.execute(query).fetchall()]


def plain_keys(columns: Sequence[str], kinds: Sequence[tuple[str, str]]) -> list[str]:
    """Return the SQL to group by, of columns with these names and types."""
    for name, kind in kinds:
        if _is_nested(kind):
            raise OutcomeError(f"{name!r} must be a column of plain values; it holds {kind}")
    return [
        f"ltrim({column}, '')" if kind == "VARCHAR" else column
        for column, (_, kind) in zip(columns, kinds, strict=True)
    ]


def _as_sets(trials: Sequence[bytes] | Sequence[list[str]], low: int) -> list[TrialSet]:
    """Return sets of trials from bits (the last bit is the lowest trial) or names; equal bits share one set."""
    known: dict[bytes, TrialSet] = {}
    return [
        TrialSet(each)
        if isinstance(each, list)
        else known.get(each) or known.setdefault(each, TrialSet(bits=int.from_bytes(each) << low))
        for each in trials
    ]


def _trial_sets(connection: Any, source: str, trial: str) -> tuple[int, str]:
    """Return the lowest trial, and the SQL that collects trials: as bits if all are small numbers."""
    [(kind,)] = connection.execute(f"SELECT typeof({trial}) FROM {source} LIMIT 1").fetchall() or [("",)]  # noqa: S608
    if kind in _WHOLE:  # then the file's own statistics suffice
        query = f"SELECT min({trial}), max({trial}), count({trial}) = count(*) FROM {source}"  # noqa: S608
        [(low, high, all_there)] = connection.execute(query).fetchall()
        if all_there and low >= 0 and high <= MOST_NUMBER:
            return low, _bits(trial, low, high)
    return _read_trial_sets(connection, source, trial)


def _read_trial_sets(connection: Any, source: str, trial: str) -> tuple[int, str]:
    number = f"TRY_CAST({trial} AS BIGINT)"
    small = f"{number} BETWEEN 0 AND {MOST_NUMBER} AND CAST({number} AS VARCHAR) = {_text(trial)}"
    [(low, high, all_small, empty)] = connection.execute(
        f"SELECT min({number}), max({number}), bool_and(coalesce({small}, false)),"  # noqa: S608 - names are quoted
        f" min(file_row_number) FILTER (coalesce(trim({_text(trial)}), '') = '') FROM {source}"
    ).fetchall()
    if empty is not None:
        raise duck.NotThisWayError(f"row {empty + 1}: the trial is empty")
    return (low, _bits(trial, low, high)) if all_small else (0, f"list({_text(trial)})")


def _bits(trial: str, low: int, high: int) -> str:
    return f"CAST(bitstring_agg(-CAST({trial} AS INTEGER), {-high}, {-low}) AS BLOB)"


def _grouped(
    connection: Any, source: str, keys: Iterable[str], shown: Iterable[str], others: Iterable[str]
) -> Iterator[list[tuple[Any, ...]]]:
    """Yield batches with a row per group: ``shown``, the number of its first row, its size, and ``others``."""
    listed = ", ".join([*shown, "min(file_row_number) AS first_row", "count(*)", *others])
    connection.execute(
        f"SELECT {listed} FROM {source} GROUP BY {', '.join(keys)} ORDER BY first_row"  # noqa: S608 - names are quoted
    )
    while batch := connection.fetchmany(duck.BATCH):
        yield batch


def _text(expression: str) -> str:
    return f"CAST({expression} AS VARCHAR)"
