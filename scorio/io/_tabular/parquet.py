"""Parquet files of one layout, counted by DuckDB: only some columns are read, and equal rows come as one."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..._arrays import cached_property
from ...errors import OutcomeError
from ...outcomes import TableRows
from .._costs import CostSums
from .._files import LogFile
from . import duck
from .table import Row, Table, check_equal, path_columns

_SCHEMA = "(name, type, type_length, repetition_type, num_children, converted_type, scale, precision, logical_type)"
_NESTED = ("STRUCT", "MAP", "UNION")  # and lists, whose names end with brackets


class ParquetTable(Table):
    """A Parquet file, or several of one layout."""

    def __init__(self, file: LogFile, others: Sequence[Path] = ()) -> None:
        super().__init__(file)
        self.paths = [file.path, *others]
        self.source = duck.parquet(self.paths)

    @cached_property
    def expressions(self) -> Mapping[str, tuple[str, str]]:
        """The SQL and the type of each column by its name, with dots between those of nested structs."""
        first = duck.parquet([self.file.path])
        with duck.connected() as connection:
            columns = connection.columns(f"SELECT * FROM {first} LIMIT 0")  # noqa: S608 - paths are quoted
        return dict(_leaves((column for column in columns if column[0] not in ("file_row_number", duck.FILE)), "", ""))

    @property
    def kinds(self) -> Mapping[str, str]:  # type: ignore[override]
        """The type of each column by its name."""
        return {name: kind for name, (_, kind) in self.expressions.items()}

    @property
    def own_columns(self) -> Sequence[str]:
        return list(self.expressions)

    def rows(self, names: Sequence[str], nested: Sequence[str] = ()) -> Iterator[Row]:
        table = self.distinct(names, nested=nested)
        for i, (values, times) in enumerate(zip(zip(*table.columns, strict=True), table.times, strict=True)):
            yield Row(table.at(i, ""), values, times)

    def distinct(
        self, names: Sequence[str], trial: str | None = None, nested: Sequence[str] = (), costs: Sequence[str] = ()
    ) -> TableRows:
        self.check_path([*names, trial, *costs])
        trials = "NULL" if trial is None else f"list({_text(self.in_sql(trial, ()))})"
        others = ["min(file_row_number)", "count(*)", trials, *self.sums_of(costs)]
        columns, (first, times, sets, *sums) = self.grouped(names, nested, others)
        of_each = None if trial is None else [frozenset(trials) for trials in sets]
        for row, trials_here in zip(first, of_each or (), strict=False):
            if not all(name and name.strip() for name in trials_here):
                raise OutcomeError("the trial is empty", where=f"row {row + 1}")
        return TableRows(columns, times, lambda i: f"row {first[i] + 1}", of_each, costs_of_sums(sums))

    def grouped(
        self, names: Sequence[str], nested: Sequence[str], others: Sequence[str]
    ) -> tuple[list[Sequence[str | None]], list[Sequence[Any]]]:
        """Return the distinct values of columns as text, and ``others`` of each group, by the first of these."""
        keys = [self.in_sql(name, nested) for name in names]
        shown = ", ".join([*map(_text, keys), *others])
        query = f"SELECT {shown} FROM {self.source} GROUP BY {', '.join(keys)} ORDER BY {len(keys) + 1}"  # noqa: S608 - names are quoted
        with duck.connected() as connection:
            rows = connection.rows(query)
        columns: list[Sequence[Any]] = [*zip(*rows, strict=True)] or [()] * (len(keys) + len(others))
        return [
            [*map(_spaced, values)] if _is_nested(self.kinds.get(name, "")) else values
            for name, values in zip(names, columns, strict=False)
        ], columns[len(keys) :]

    def values(self, expressions: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield the distinct rows of some SQL expressions, as Python values, and how often each occurs."""
        every = ", ".join(expressions)
        query = f"SELECT {every}, count(*) FROM {self.source} GROUP BY {every} ORDER BY min(file_row_number)"  # noqa: S608
        with duck.connected() as connection:
            yield from connection.rows(query)

    def in_sql(self, name: str, nested: Sequence[str]) -> str:
        """Return a column in SQL; text passes a function, or DuckDB keeps the dictionaries of all row groups."""
        if name not in self.expressions:
            return duck.by_file([path_columns(path)[name] for path in self.paths])
        expression, kind = self.expressions[name]
        if _is_nested(kind):
            if name not in nested:
                raise OutcomeError(f"{name!r} must be a column of plain values; it holds {kind}")
            return f"CAST(to_json({expression}) AS VARCHAR)"
        return f"ltrim({expression}, '')" if kind == "VARCHAR" else expression

    def sums_of(self, costs: Sequence[str]) -> list[str]:
        """Return the SQL of the sums of columns of costs, over the rows of a group that tell a possible cost."""
        listed: list[str] = []
        for name in costs:
            value = f"TRY_CAST({self.in_sql(name, ())} AS DOUBLE)"
            told = f"FILTER (isfinite({value}) AND {value} >= 0)"
            listed += [f"count({value}) {told}", f"favg({value}) {told}", f"var_pop({value}) {told}"]
        return listed

    def check_path(self, names: Iterable[str | None]) -> None:
        """Check that those of the columns that the path has as well have the same values there."""
        for name in self._of_path.keys() & self.expressions.keys() & {*names}:
            inside = _text(self.in_sql(name, ()))
            outside = duck.by_file([path_columns(path)[name] for path in self.paths])
            query = f"SELECT {inside}, {outside} FROM {self.source}"  # noqa: S608 - names are quoted
            with duck.connected() as connection:
                different = connection.rows(f"{query} WHERE {inside} IS DISTINCT FROM {outside} LIMIT 1")
            for values in different:
                check_equal(name, *values)


def schemas(paths: Sequence[Path]) -> dict[Path, int]:
    """Return a number for each Parquet file that is equal for equal schemas; none if a file is damaged."""
    names = {str(path.absolute()): path for path in paths}
    try:
        source = f"parquet_schema({duck.listed(paths)})"
        query = f"SELECT file_name, hash(list({_SCHEMA})) FROM {source} GROUP BY file_name"  # noqa: S608
        with duck.connected() as connection:
            return {names[str(Path(name).absolute())]: number for name, number in connection.rows(query)}
    except duck.NotThisWayError:
        return {}


def _leaves(children: Iterable[tuple[str, Any]], name: str, outer: str) -> Iterator[tuple[str, tuple[str, str]]]:
    for child, kind in children:
        expression = f"{outer}{duck.quoted(child)}"
        yield f"{name}{child}", (expression, str(kind))
        if kind.id == "struct":
            yield from _leaves(kind.children, f"{name}{child}.", f"{expression}.")


def costs_of_sums(sums: Sequence[Sequence[Any]]) -> list[list[CostSums]]:
    """Return the costs of each column, from the columns of a result that ``sums_of`` describes."""
    parts = zip(sums[::3], sums[1::3], sums[2::3], strict=True)
    return [
        [CostSums(told, mean or 0.0, told * (spread or 0.0)) for told, mean, spread in zip(*part, strict=True)]
        for part in parts
    ]


def _spaced(text: str | None) -> str | None:
    """Return JSON text as the standard library writes it."""
    return None if text is None else json.dumps(json.loads(text), ensure_ascii=False)


def _is_nested(kind: str) -> bool:
    return kind.endswith("]") or kind.startswith(_NESTED)


def _text(expression: str) -> str:
    return f"CAST({expression} AS VARCHAR)"
