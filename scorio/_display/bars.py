"""Intervals as bars of text beside the numbers of a table, all on one axis."""

import math
from collections.abc import Sequence
from typing import NamedTuple, Self

from .table import Column, Table

WIDTH = 20  # columns of a bar, unless the numbers of the axis need more; wider cells may be broken over lines


class Marks(NamedTuple):
    """The characters of a bar."""

    left: str = "├"
    line: str = "─"
    right: str = "┤"
    point: str = "●"
    empty: str = "·"


UNICODE, ASCII = Marks(), Marks("|", "-", "|", "o", ".")
Spread = tuple[float, float, float]  # the lower end, the score (NaN if unknown), the upper end


class Axis(NamedTuple):
    """The values at both ends of all bars, with the digits that they are written with."""

    low: float
    high: float
    digits: int
    width: int

    @classmethod
    def of(cls, spreads: Sequence[Spread]) -> Self:
        """Return the axis on which all spreads fit, with rounded ends.

        >>> Axis.of([(0.263, 0.31, 0.358), (0.58, 0.63, 0.676)])[:3]
        (0.26, 0.68, 2)
        """
        finite = [value for spread in spreads for value in spread if math.isfinite(value)]
        low, high = min(finite, default=0.0), max(finite, default=1.0)
        digits = 2 if high <= low else max(2, math.ceil(1.0 - math.log10(high - low)))
        step = 10.0**-digits
        low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
        high = high if high > low else low + step
        labels = len(f"{low:.{digits}f}{high:.{digits}f}")
        return cls(round(low, digits), round(high, digits), digits, max(WIDTH, labels + 2))

    def place(self, value: float) -> int:
        """Return the column of a value."""
        share = (value - self.low) / (self.high - self.low)
        return min(max(int(share * self.width), 0), self.width - 1)

    def head(self, marks: Marks = UNICODE) -> str:
        """Return the heading: the values at both ends."""
        low, high = f"{self.low:.{self.digits}f}", f"{self.high:.{self.digits}f}"
        return low + marks.empty * (self.width - len(low) - len(high)) + high

    def bar(self, spread: Spread, marks: Marks = UNICODE) -> str:
        """Draw the interval as a line with two ends, and the score as a point on it.

        >>> Axis(0.0, 1.0, 2, 20).bar((0.2, 0.42, 0.7))
        '····├───●─────┤·····'
        """
        lo, score, hi = spread
        cells = [marks.empty] * self.width
        if math.isfinite(lo) and math.isfinite(hi):
            first, last = self.place(lo), self.place(hi)
            cells[first : last + 1] = [marks.line] * (last + 1 - first)
            cells[first], cells[last] = marks.left, marks.right
        if math.isfinite(score):
            cells[self.place(score)] = marks.point
        return "".join(cells)


def with_bars(table: Table, spreads: Sequence[Spread], marks: Marks = UNICODE) -> Table:
    """Return the table with a bar per row, after the column of intervals.

    >>> table = Table("pears", [Column("kind"), Column("interval")], [["a", "[0.2, 0.7]"], ["b", "[0.5, 1.0]"]])
    >>> print(with_bars(table, [(0.2, 0.42, 0.7), (0.5, 0.9, 1.0)]).text())
    pears
    kind  interval    0.20············1.00
    a     [0.2, 0.7]  ├────●──────┤·······
    b     [0.5, 1.0]  ·······├─────────●─┤
    """
    at = next(i for i, column in enumerate(table.columns) if "interval" in column.head) + 1
    axis = Axis.of(spreads)
    columns = [*table.columns[:at], Column(axis.head(marks)), *table.columns[at:]]
    cells = [
        [*line[:at], axis.bar(spread, marks), *line[at:]] for line, spread in zip(table.cells, spreads, strict=True)
    ]
    return table._replace(columns=columns, cells=cells)
