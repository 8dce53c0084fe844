"""A table: named columns, and rows of text, wherever they come from.

Everything stays text, so that 001, 01 and 1 are three questions, and NA is the name of one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from ...outcomes import Relation, TableRows, check_each_once
from .._costs import CostSums
from .._files import LogFile

Values = tuple[str | None, ...]
BLOCK = 100_000  # rows that are counted at once
_MOST_BYTES = 1 << 25  # of a table all of whose columns are looked at


class Row(NamedTuple):
    """Some columns of a row, the place of the first equal row, and the number of equal rows."""

    place: str
    values: Values
    times: int = 1


class Table(Relation):
    """The rows and columns of a file.

    ``columns`` are the names of the columns, and ``rows`` yields some of these of every row, in which lists and objects
    in ``nested`` columns are JSON text; equal rows may come as one.
    """

    columns: Any
    rows: Callable[[Sequence[str], Sequence[str]], Iterator[Row]]

    def __init__(self, file: LogFile) -> None:
        self.file = file

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
