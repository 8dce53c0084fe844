"""A table on a screen that may be narrow: long texts are broken over lines, and columns that do not fit come below.

Nothing is left out: a table that is wider than the screen is written in blocks, one below the other, and every block
begins with the columns that name the rows. No number is broken.
"""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from .table import Column, Table, plain, width

_GAP = 2  # blanks between columns
_SHORT = 16  # columns of text up to this width are not broken
_MOST_KEYS, _KEYS = 3, 0.6  # columns of text that name the rows at most, and the share of the width that they may take


class Line(NamedTuple):
    """A line of a table as it is shown: of its title, headings, rows or notes."""

    part: str
    text: str


def laid_out(table: Table, most: int) -> Iterator[Line]:
    r"""Yield the lines of a table on a screen of ``most`` columns.

    >>> fruit = Table("fruit", [Column("kind"), Column("kg", True), Column("eur", True)], [["fig", "12", "1.25"]])
    >>> print("\n".join(line.text for line in laid_out(fruit, 9)))
    fruit
    kind  kg
    fig   12
    <BLANKLINE>
    kind   eur
    fig   1.25
    """
    yield from (Line("title", text) for text in _broken(plain(table.title), most))
    if table.cells:
        yield from _rows(table, most)
    for note in table.remarks:
        yield from (Line("note", text) for text in _broken(plain(note), most))


def _rows(table: Table, most: int) -> Iterator[Line]:
    lines = table.lines()
    columns = [_Shown(column, cells) for column, cells in zip(table.columns, zip(*lines, strict=True), strict=True)]
    for i, block in enumerate(_blocks(columns, most)):
        if i:
            yield Line("row", "")
        _narrow(block, most)
        for number in range(len(lines)):
            broken = (_broken(column.cells[number], column.width) for column in block)
            for cells in zip_longest(*broken, fillvalue=""):
                padded = (column.kind.pad(cell, column.width) for column, cell in zip(block, cells, strict=True))
                yield Line("row" if number else "head", (" " * _GAP).join(padded).rstrip())


class _Shown:
    """A column as it is shown: its cells, and the width that it has."""

    def __init__(self, kind: Column, cells: Sequence[str]) -> None:
        self.kind, self.cells = kind, cells
        self.width = self.widest = max(map(width, cells))

    @property
    def least(self) -> int:
        """The width below which the column cannot be: that of its numbers, or of short texts."""
        return self.widest if self.kind.right else min(self.widest, _SHORT)


def _blocks(columns: list[_Shown], most: int) -> list[list[_Shown]]:
    """Return the columns in blocks that fit; each begins with the columns that name the rows.

    These are the columns up to the first of texts, and up to a later one where all rows differ only then.
    """
    ends = [i + 1 for i, column in enumerate(columns) if not column.kind.right] or [1]
    short = [end for end in ends[:_MOST_KEYS] if _least(columns[:end]) <= most * _KEYS]
    rows = {end: list(zip(*(column.cells for column in columns[:end]), strict=True)) for end in short}
    keys = columns[: next((end for end in short if len({*rows[end]}) == len(rows[end])), ends[0])]
    room = most - _least(keys)
    blocks: list[list[_Shown]] = [[]]
    for column in columns[len(keys) :]:
        if blocks[-1] and _least([*blocks[-1], column]) + _GAP > room:
            blocks.append([])
        blocks[-1].append(column)
    return [[*keys, *block] for block in blocks]


def _least(columns: Sequence[_Shown]) -> int:
    return sum(column.least for column in columns) + _GAP * (len(columns) - 1)


def _narrow(block: list[_Shown], most: int) -> None:
    """Set the widths of the columns of a block: what is left over goes to the longest texts."""
    for column in block:
        column.width = column.least
    left = most - _least(block)
    for column in sorted(block, key=lambda column: column.widest - column.least):
        waiting = sum(other.width < other.widest for other in block)
        more = min(max(left // max(waiting, 1), 0), column.widest - column.width)
        column.width += more
        left -= more


def _broken(text: str, most: int) -> list[str]:
    """Return a text in lines, broken at blanks, and inside words that are longer than a line."""
    if width(text) <= most:
        return [text]
    lines, line = [], ""
    for word in text.split(" "):
        joined = f"{line} {word}" if line else word
        if width(joined) <= most:
            line = joined
            continue
        lines += [line] if line else []
        *pieces, line = _pieces(word, most)
        lines += pieces
    return [*lines, line]


def _pieces(word: str, most: int) -> list[str]:
    """Return the parts of a word that are at most so wide."""
    pieces = [""]
    for char in word:
        if pieces[-1] and width(pieces[-1] + char) > most:
            pieces.append("")
        pieces[-1] += char
    return pieces
