"""Intervals as bars of text beside the numbers of a table, all on one axis."""

import math
from collections.abc import Sequence

from .table import Column, Table

_WIDTH = 20  # columns of a bar, unless the numbers of the axis need more; wider cells may be broken over lines
_LEFT, _LINE, _RIGHT, _POINT, _EMPTY = MARKS = "├─┤●·"
Spread = tuple[float, float, float]  # the lower end, the score (NaN if unknown), the upper end


def with_bars(table: Table, spreads: Sequence[Spread]) -> Table:
    """Return the table with a bar per row, after the column of intervals; its heading has the ends of the axis.

    >>> table = Table("pears", [Column("kind"), Column("interval")], [["a", "[0.2, 0.7]"], ["b", "[0.5, 1.0]"]])
    >>> print(with_bars(table, [(0.2, 0.42, 0.7), (0.5, 0.9, 1.0)]).text())
    pears
    kind  interval    0.20············1.00
    a     [0.2, 0.7]  ├────●──────┤·······
    b     [0.5, 1.0]  ·······├─────────●─┤
    """
    finite = [value for spread in spreads for value in spread if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    digits = 2 if high <= low else max(2, math.ceil(1.0 - math.log10(high - low)))
    step = 10.0**-digits
    low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    low, high = round(low, digits), round(max(high, low + step), digits)
    ends = f"{low:.{digits}f}", f"{high:.{digits}f}"
    width = max(_WIDTH, len("".join(ends)) + 2)
    head = ends[0] + _EMPTY * (width - len("".join(ends))) + ends[1]
    places = (
        [min(int((value - low) / (high - low) * width), width - 1) if math.isfinite(value) else -1 for value in spread]
        for spread in spreads
    )
    at = next(i for i, column in enumerate(table.columns) if "interval" in column.head) + 1
    columns = [*table.columns[:at], Column(head), *table.columns[at:]]
    cells = [[*line[:at], _bar(row, width), *line[at:]] for line, row in zip(table.cells, places, strict=True)]
    return table._replace(columns=columns, cells=cells)


def _bar(places: Sequence[int], width: int) -> str:
    """Draw the interval as a line with two ends, and the score as a point on it; a place below 0 is unknown.

    >>> _bar([4, 8, 14], 20)
    '····├───●─────┤·····'
    """
    first, point, last = places
    cells = [_EMPTY] * width
    if min(first, last) >= 0:
        cells[first : last + 1] = [_LINE] * (last + 1 - first)
        cells[first], cells[last] = _LEFT, _RIGHT
    if point >= 0:
        cells[point] = _POINT
    return "".join(cells)
