"""A leaderboard as text: one table of cells, written four ways."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .standing import Row, Standing

_WIDE = {"W", "F"}
_NO_WIDTH = {"Mn", "Me", "Cf"}
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{mark: "\\" + mark for mark in "&%$#_{}"},
}
_MARKDOWN = {mark: "\\" + mark for mark in "\\|`*_<>~$&#"}
_LEGEND = "* not told from the best"


class Column(NamedTuple):
    """A column of the table: its heading, whether its cells keep to the right, and what it says of a row."""

    head: str
    right: bool
    cell: Callable[[Row], str]

    def padded(self, cell: str, columns: int) -> str:
        """A cell filled up with blanks."""
        blank = " " * (columns - width(cell))
        return blank + cell if self.right else cell + blank


class Sheet(NamedTuple):
    """The table of one standing: a title, columns, cells row by row, and what the intervals and marks mean."""

    title: str
    columns: list[Column]
    cells: list[list[str]]
    note: str

    def lines(self, mark: Callable[[str], str] = str) -> list[list[str]]:
        """The headings and the rows, every cell passed through ``mark``."""
        heads = [column.head for column in self.columns]
        return [[mark(cell) for cell in line] for line in (heads, *self.cells)]


def sheet(standing: Standing, digits: int) -> Sheet:
    """The table of one standing with numbers to so many decimals."""
    shown = _columns(standing, digits)
    models, questions = (
        f"{count} {noun}{'' if count == 1 else 's'}"
        for count, noun in ((len(standing), "model"), (standing.n_questions, "question"))
    )
    cells = [[column.cell(row) for column in shown] for row in standing.rows]
    return Sheet(f"{standing.metric} of {models} on {questions}", shown, cells, str(standing.settings))


def _columns(standing: Standing, digits: int) -> list[Column]:
    """What a table of this standing shows."""

    def number(value: float) -> str:
        return f"{value:.{digits}f}"

    shown = [
        Column("rank", True, lambda row: f"{row.rank:g}"),
        Column("model", False, lambda row: " ".join(row.model.split())),
        Column("score", True, lambda row: number(row.score)),
        Column(f"{standing.settings.percent} interval", False, lambda row: f"[{number(row.lo)}, {number(row.hi)}]"),
        Column("ranks", False, lambda row: "-".join(map(str, sorted({row.rank_lo, row.rank_hi})))),
        Column("P(best)", True, lambda row: _chance(row.p_best)),
        Column("top", False, lambda row: "*" * row.tied_with_top),
    ]
    if any(row.coverage < 1.0 for row in standing.rows):
        shown.insert(2, Column("coverage", True, lambda row: f"{row.coverage:.1%}"))
    return shown


def _chance(p: float) -> str:
    """A probability to two digits that says 0 or 1 only where it is."""
    if 0.0 < p < 0.005:
        return "<0.01"
    return ">0.99" if 0.995 <= p < 1.0 else f"{p:.2f}"


def width(text: str) -> int:
    r"""Columns that a terminal gives the text: two for wide characters, none for marks that combine.

    >>> width("gpt"), width("通义"), width("e\u0301")
    (3, 4, 1)
    """
    shown = [char for char in text if unicodedata.category(char) not in _NO_WIDTH]
    return len(shown) + sum(unicodedata.east_asian_width(char) in _WIDE for char in shown)


def text(standings: Sequence[Standing], digits: int = 3) -> str:
    """Aligned columns for a terminal."""
    return "\n\n".join(_text(sheet(standing, digits)) for standing in standings)


def _text(page: Sheet) -> str:
    lines = page.lines()
    widths = [max(map(width, column)) for column in zip(*lines, strict=True)]
    padded = ["  ".join(map(Column.padded, page.columns, line, widths)).rstrip() for line in lines]
    return "\n".join([page.title, *padded, page.note, _LEGEND])


def markdown(standings: Sequence[Standing], digits: int) -> str:
    """Tables in Markdown."""
    return "\n\n".join(_markdown(sheet(standing, digits)) for standing in standings)


def _markdown(page: Sheet) -> str:
    head, *rows = ("| " + " | ".join(line) + " |" for line in page.lines(_plain_markdown))
    rule = "|" + "|".join(" ---: " if column.right else " --- " for column in page.columns) + "|"
    title, note = (_plain_markdown(each) for each in (page.title, f"{page.note}; {_LEGEND}"))
    return "\n".join([f"**{title}**", "", head, rule, *rows, "", note])


def _plain_markdown(text: str) -> str:
    """The text with nothing that Markdown reads as a mark, or as a link."""
    return _escaped(text, _MARKDOWN).replace("](", "]\\(")


def latex(standings: Sequence[Standing], digits: int) -> str:
    """Tables in LaTeX with booktabs."""
    return "\n\n".join(_latex(sheet(standing, digits)) for standing in standings)


def _latex(page: Sheet) -> str:
    head, *rows = (" & ".join(line) + r" \\" for line in page.lines(lambda cell: _escaped(cell, _LATEX)))
    sides = "".join("r" if column.right else "l" for column in page.columns)
    comment = " ".join(f"{page.title}; {page.note}; {_LEGEND}".split())
    return "\n".join(
        [
            f"% {comment}",
            rf"\begin{{tabular}}{{{sides}}}",
            r"\toprule",
            head,
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def html(standings: Sequence[Standing], digits: int = 3) -> str:
    """Tables in HTML."""
    return "\n".join(_html(sheet(standing, digits)) for standing in standings)


def _html(page: Sheet) -> str:
    head, *rows = page.lines(escape)
    sides = ["right" if column.right else "left" for column in page.columns]

    def line(cells: list[str], tag: str) -> str:
        marked = zip(sides, cells, strict=True)
        return "<tr>" + "".join(f'<{tag} style="text-align:{side}">{cell}</{tag}>' for side, cell in marked) + "</tr>"

    body = "".join(line(cells, "td") for cells in rows)
    foot = f'<tr><td colspan="{len(sides)}" style="text-align:left">{escape(page.note)}<br>{_LEGEND}</td></tr>'
    caption = f"<caption>{escape(page.title)}</caption>"
    return f"<table>{caption}<thead>{line(head, 'th')}</thead><tbody>{body}</tbody><tfoot>{foot}</tfoot></table>"


def _escaped(text: str, marks: dict[str, str]) -> str:
    return "".join(marks.get(char, char) for char in text)
