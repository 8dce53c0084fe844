"""Parquet files of one layout, counted by DuckDB: only some columns are read, and equal rows come as one."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..._base.arrays import cached_property
from ...errors import OutcomeError
from ...outcomes._relations import Row
from ...outcomes._table_rows import CostSums, TableRows
from .._files import LogFile
from . import duck
from .table import Table

_SCHEMA = "(name, type, type_length, repetition_type, num_children, converted_type, scale, precision, logical_type)"
_FILE = 1 << 40  # more rows than a file has: the place of a row is the number of its file times this, plus its own
_NESTED = ("STRUCT", "MAP", "UNION")  # and lists, whose names end with brackets


class ParquetTable(Table):
    """A Parquet file, or several of one layout.

    Where it ``names_trials``, equal rows tell the names of their trials. Else they are only checked, which is faster: a
    trial without a name, or one that is there twice, is an error without its place.
    """

    def __init__(self, file: LogFile, others: Sequence[Path] = (), *, names_trials: bool = True) -> None:
        super().__init__(file)
        self._names_trials = names_trials
        self.paths = [file.path, *others]
        self.source = duck.parquet(self.paths)

    @cached_property
    def expressions(self) -> Mapping[str, tuple[str, str]]:
        """The SQL and the type of each column by its name, with dots between those of nested structs."""
        first = duck.parquet([self.file.path])
        with duck.connected() as connection:
            columns = connection.columns(f"SELECT * FROM {first} LIMIT 0")  # noqa: S608 - paths are quoted
        return dict(_leaves((column for column in columns if column[0] != "file_row_number"), "", ""))

    @property
    def kinds(self) -> Mapping[str, str]:  # type: ignore[override]
        """The type of each column by its name."""
        return {name: kind for name, (_, kind) in self.expressions.items()}

    @property
    def columns(self) -> Sequence[str]:
        return list(self.expressions)

    def rows(self, names: Sequence[str], nested: Sequence[str] = (), /) -> Iterator[Row]:
        table = self.distinct(names, None, nested)
        for i, (values, times) in enumerate(zip(zip(*table.columns, strict=True), table.times, strict=True)):
            yield Row(table.at(i, ""), values, times)

    def distinct(
        self, names: Sequence[str], trial: str | None = None, nested: Sequence[str] = (), costs: Sequence[str] = (), /
    ) -> TableRows:
        keys, has_names = [self.in_sql(name, nested) for name in names], trial is not None and self._names_trials
        trials = f"list({_text(self.in_sql(trial or '', ()))})" if has_names else "NULL"
        place = f"min(file_index::BIGINT * {_FILE} + file_row_number)"
        shown = ", ".join([*map(_text, keys), place, "count(*)", trials, *self._sums_of(costs)])
        query = f"SELECT {shown} FROM {self.source} GROUP BY {', '.join(keys)} ORDER BY {len(keys) + 1}"  # noqa: S608 - names are quoted
        with duck.connected() as connection:
            rows = connection.rows(query)
        columns: list[Sequence[Any]] = [*zip(*rows, strict=True)] or [()] * (len(keys) + 3 + 3 * len(costs))
        first, times, sets, *sums = columns[len(keys) :]
        of_each = [frozenset(trials_here) for trials_here in sets] if has_names else None
        texts = [
            # as the standard library writes JSON
            [text and json.dumps(json.loads(text), ensure_ascii=False) for text in values]
            if _is_nested(self.kinds.get(name, ""))
            else values
            for name, values in zip(names, columns, strict=False)
        ]
        return TableRows(texts, times, lambda i: f"row {first[i] % _FILE + 1}", of_each, _costs_of(sums))

    def check_each_once(self, rows: TableRows, keys: Mapping[str, str], trial: str, nested: Sequence[str], /) -> None:
        """Check that no trial is empty, and that no two rows have one hash of question and trial."""
        if self._names_trials:
            super().check_each_once(rows, keys, trial, nested)
            return
        name, is_text = self.in_sql(trial, ()), self.kinds.get(trial, "VARCHAR") == "VARCHAR"
        blank = f"coalesce(trim({name}) = '', true)" if is_text else f"{name} IS NULL"
        of_trial = ", ".join([*(self.in_sql(key, nested) for key in keys.values()), name])
        by_trial = f"SELECT bool_or({blank}) AS blank, count(*) AS times FROM {self.source}"  # noqa: S608 - names are quoted
        query = f"SELECT bool_or(blank), max(times) FROM ({by_trial} GROUP BY hash({of_trial}))"  # noqa: S608
        with duck.connected() as connection:
            [(is_blank, times)] = connection.rows(query)
        if is_blank is None or is_blank or times > 1:
            raise duck.NotThisWayError("there are no rows, or a trial has no name, or is there twice")

    def values(self, expressions: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield the distinct rows of some SQL expressions, as Python values, and how often each occurs."""
        every = ", ".join(expressions)
        query = f"SELECT {every}, count(*) FROM {self.source} GROUP BY {every} ORDER BY min(file_row_number)"  # noqa: S608
        with duck.connected() as connection:
            yield from connection.rows(query)

    def in_sql(self, name: str, nested: Sequence[str]) -> str:
        """Return a column in SQL; text passes a function, or DuckDB keeps the dictionaries of all row groups."""
        expression, kind = self.expressions[name]
        if _is_nested(kind):
            if name not in nested:
                raise OutcomeError(f"{name!r} must be a column of plain values; it holds {kind}")
            return f"CAST(to_json({expression}) AS VARCHAR)"
        return f"ltrim({expression}, '')" if kind == "VARCHAR" else expression

    def _sums_of(self, costs: Sequence[str]) -> list[str]:
        """Return the SQL of the sums of columns of costs, over the rows of a group that tell a possible cost."""
        listed: list[str] = []
        for name in costs:
            value = f"TRY_CAST({self.in_sql(name, ())} AS DOUBLE)"
            told = f"FILTER (isfinite({value}) AND {value} >= 0)"
            listed += [f"count({value}) {told}", f"favg({value}) {told}", f"var_pop({value}) {told}"]
        return listed


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


def _costs_of(sums: Sequence[Sequence[Any]]) -> list[list[CostSums]]:
    """Return the costs of each column, from the columns of a result that ``_sums_of`` describes."""
    parts = zip(sums[::3], sums[1::3], sums[2::3], strict=True)
    return [
        [CostSums(told, mean or 0.0, told * (spread or 0.0)) for told, mean, spread in zip(*part, strict=True)]
        for part in parts
    ]


def _is_nested(kind: str) -> bool:
    return kind.endswith("]") or kind.startswith(_NESTED)


def _text(expression: str) -> str:
    return f"CAST({expression} AS VARCHAR)"
