"""Columns in the folders of a table: ``model=a/task=b``, as Hive, Spark, DuckDB and Arrow write partitioned data sets.

Writers of such folders encode ``=`` in a value, so a folder whose name has several ``=`` is an ordinary one.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ..._base.arrays import cached_property
from ...errors import OutcomeError, within
from ...outcomes._relations import Row
from ...outcomes._table_rows import TableRows
from .._files import LogFile
from .table import Table

_FOLDER = re.compile(r"([^=]+)=([^=]*)")
_MISSING = "__HIVE_DEFAULT_PARTITION__"  # how the value of a missing cell is written


class TableInFolders(Table):
    """A table, and the columns of its path, each of which has one value."""

    def __init__(self, table: Table, of_path: Mapping[str, str | None]) -> None:
        super().__init__(table.file)
        self._table, self._of_path = table, of_path

    @cached_property
    def columns(self) -> Sequence[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return list(dict.fromkeys([*self._table.columns, *self._of_path]))

    @property
    def has_decimal_commas(self) -> bool:  # type: ignore[override]
        """Whether numbers are written with decimal commas."""
        return self._table.has_decimal_commas

    @property
    def kinds(self) -> Mapping[str, str] | None:  # type: ignore[override]
        """The type of each column in the file, by its name."""
        return self._table.kinds

    def first_values(self, name: str, /) -> Sequence[Any]:
        return self._table.first_values(name) if name in self._table.columns else [self._of_path[name]]

    def rows(self, names: Sequence[str], nested: Sequence[str] = (), /) -> Iterator[Row]:
        inside = self._inside(names) or [*self._table.columns[:1]]
        for row in self._table.rows(inside, nested):
            values = {**self._of_path, **dict(zip(inside, row.values, strict=True))}
            for _ in range(row.times):
                yield Row(row.place, tuple([values[name] for name in names]))

    def distinct(
        self, names: Sequence[str], trial: str | None = None, nested: Sequence[str] = (), costs: Sequence[str] = (), /
    ) -> TableRows:
        inside, more = self._inside(names), [*([] if trial is None else [trial]), *costs]
        if len(self._inside(more)) < len(more) or not (inside and inside[-1] == names[-1]):
            return super().distinct(names, trial, nested, costs)
        rows = self._table.distinct(inside, trial, nested, costs)
        of_file = dict(zip(inside, rows.columns, strict=True))
        columns = [of_file[name] if name in of_file else [self._of_path[name]] * len(rows.times) for name in names]
        return replace(rows, columns=columns)

    def _inside(self, names: Sequence[str]) -> list[str]:
        """Return those of the columns that the file has; one that its path has as well must say the same."""
        inside = [name for name in names if name in self._table.columns]
        for name in self._of_path.keys() & {*inside}:
            for row in self._table.rows([name], ()):
                with within(row.place):
                    _check_equal(name, row.values[0], self._of_path[name])
        return inside


def in_folders(table: Table) -> Table:
    """Return a table with the columns of its path, if it has some."""
    of_path = path_columns(table.file.path)
    return TableInFolders(table, of_path) if of_path else table


def path_columns(path: Path) -> dict[str, str | None]:
    """Return the values of the columns in a file's path, as the path is given.

    >>> path_columns(Path("runs/model=gpt%2Fx/task=__HIVE_DEFAULT_PARTITION__/part-0.parquet"))
    {'model': 'gpt/x', 'task': None}
    """
    values: dict[str, str | None] = {}
    for match in filter(None, map(_FOLDER.fullmatch, path.parts[:-1])):
        name, text = map(_decoded, match.groups())
        value = None if text == _MISSING else text
        if values.setdefault(name, value) != value:
            problem = f"its path has column {name!r} twice, as {values[name]!r} and as {value!r}"
            raise OutcomeError(problem, hint="read a folder below the first of them, or rename one")
    return values


def _decoded(text: str) -> str:
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise OutcomeError(f"the name of folder {text!r} is not UTF-8 text in percent encoding") from None


def identity(file: LogFile) -> str:
    """Return a text that is equal for two copies of a file in folders of the same columns."""
    values = path_columns(file.path)
    return f"{file.digest} {sorted(values.items())}" if values else file.digest


def _check_equal(name: str, inside: str | None, outside: str | None) -> None:
    """Check that a column has the value in a file that its path says."""
    if inside != outside:
        in_file, in_path = ("missing" if value is None else repr(value) for value in (inside, outside))
        hint = "rename the folder, or leave the column out of the file"
        raise OutcomeError(f"column {name!r} is {in_file} in the file, and {in_path} in its path", hint=hint)
