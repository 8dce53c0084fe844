"""A table: named columns, and rows of text, wherever they come from.

Everything stays text, so that 001, 01 and 1 are three questions, and NA is the name of one. A file in the folders
``model=a/task=b`` (Hive partitions) has the columns model and task as well. Writers of such folders encode ``=`` in a
value, so a folder whose name has several ``=`` is an ordinary one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from ..._arrays import cached_property
from ...errors import OutcomeError, within
from ...outcomes import Relation, TableRows, check_each_once
from .._costs import CostSums
from .._files import LogFile

Values = tuple[str | None, ...]
_FOLDER = re.compile(r"([^=]+)=([^=]*)")
_MISSING = "__HIVE_DEFAULT_PARTITION__"  # how the value of a missing cell is written
BLOCK = 100_000  # rows that are counted at once
_MOST_BYTES = 1 << 25  # of a table all of whose columns are looked at


class Row(NamedTuple):
    """Some columns of a row, the place of the first equal row, and the number of equal rows."""

    place: str
    values: Values
    times: int = 1


class Table(Relation):
    """The rows and columns of a file: those in it, and those in its path (Hive partitions).

    ``own_columns`` are the names of the columns in the file itself, and ``own_rows`` yields some of these of every row;
    equal rows may come as one.
    """

    own_columns: Any
    own_rows: Callable[[Sequence[str], Sequence[str]], Iterator[Row]]

    def __init__(self, file: LogFile) -> None:
        self.file = file

    @cached_property
    def columns(self) -> list[str]:
        """The names of all columns, in order."""
        return [*self.own_columns, *(name for name in self._of_path if name not in self.own_columns)]

    @cached_property
    def _of_path(self) -> Mapping[str, str | None]:
        return path_columns(self.file.path)

    def rows(self, names: Sequence[str], nested: Sequence[str] = ()) -> Iterator[Row]:
        """Yield some columns of every row; lists and objects in ``nested`` ones become JSON text."""
        outside = self._of_path
        if outside.keys().isdisjoint(names):
            yield from self.own_rows(names, nested)
            return
        in_file = [name for name in names if name in self.own_columns]
        for row in self.own_rows(in_file, nested):
            inside = dict(zip(in_file, row.values, strict=True))
            with within(row.place):
                for name in outside.keys() & inside.keys():
                    check_equal(name, inside[name], outside[name])
            values = tuple([inside[name] if name in inside else outside[name] for name in names])
            yield row._replace(values=values)

    @property
    def is_small(self) -> bool:
        """Whether all columns may be looked at."""
        return self.file.size <= _MOST_BYTES

    def tally(self, names: Sequence[str], nested: Sequence[str] = (), /) -> Mapping[Values, int]:
        """Return how often each combination of values occurs in some columns."""
        rows = self.distinct(names, nested=nested)
        return dict(zip(zip(*rows.columns, strict=True), rows.times, strict=True))

    def every(self, names: Sequence[str], nested: Sequence[str] = (), /) -> TableRows:
        """Return some columns of all rows; equal rows may come as one."""
        rows = list(self.rows(names, nested))
        columns = [*zip(*(row.values for row in rows), strict=True)] or [()] * len(names)
        return TableRows(columns, [row.times for row in rows], lambda i: rows[i].place)

    def blocks(self, names: Sequence[str], nested: Sequence[str]) -> Iterator[Sequence[Values]]:
        """Yield some columns of all rows, many rows at once."""
        rows = self.rows(names, nested)
        while some := [row.values for row in islice(rows, BLOCK)]:
            yield [*zip(*some, strict=True)]

    def distinct(
        self, names: Sequence[str], trial: str | None = None, nested: Sequence[str] = (), costs: Sequence[str] = ()
    ) -> TableRows:
        """Return the distinct rows of some columns, with the trials of each by the column ``trial``, and their costs.

        Two rows with one trial that differ in the last of the columns only are an error.
        """
        more = [*([] if trial is None else [trial]), *costs]
        number: dict[Values, int] = {}
        times: Counter[int] = Counter()
        texts: list[list[list[Any]]] = [[] for _ in more]  # of each distinct row
        for columns in self.blocks([*names, *more], nested):
            codes = [number.setdefault(key, len(number)) for key in zip(*columns[: len(names)], strict=True)]
            times.update(codes)
            for lists, column in zip(texts, columns[len(names) :], strict=True):
                lists += [[] for _ in range(len(number) - len(lists))]
                for code, text in zip(codes, column, strict=True):
                    lists[code].append(text)
        values = list(number)
        trials = None if trial is None else [frozenset(filter(None, of_row)) for of_row in texts[0]]
        spent = [[*map(CostSums.of, lists)] for lists in texts[len(more) - len(costs) :]]
        keys = [*zip(*values, strict=True)] or [()] * len(names)
        place = partial(self._place, names, nested, values)
        rows = TableRows(keys, [times[i] for i in range(len(values))], place, trials, spent)
        if trial is not None and not rows.are_trials_different():
            check_each_once(((row.place, row.values) for row in self.rows([*names, trial], nested)), trial)
        return rows

    def _place(self, names: Sequence[str], nested: Sequence[str], values: Sequence[Values], i: int) -> str:
        return next(row.place for row in self.rows(names, nested) if row.values == values[i])


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


def check_equal(name: str, inside: str | None, outside: str | None) -> None:
    """Check that a column has the value in a file that its path says."""
    if inside != outside:
        in_file, in_path = ("missing" if value is None else repr(value) for value in (inside, outside))
        hint = "rename the folder, or leave the column out of the file"
        raise OutcomeError(f"column {name!r} is {in_file} in the file, and {in_path} in its path", hint=hint)
