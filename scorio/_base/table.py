"""A table of cells, written as aligned text, Markdown, LaTeX or HTML; names of any kind survive it."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from html import escape
from operator import attrgetter, call
from typing import Any, NamedTuple

from .numbers import DIGITS

_WIDE = {"W", "F"}
_NO_WIDTH = {"Mn", "Me", "Cf"}
_CONTROLS = {"Cc", "Cf", "Cs"}  # of a terminal, of the direction of writing, and others that cannot be seen
_JOINERS = "\u200c\u200d"
_UNSEEN = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0") | {chr(0xFE00 + i) for i in range(16)}
_WIDEST = 90  # characters in a line of a title in HTML
_FORMULA = tuple("=+-@\t\r|%")  # a spreadsheet takes a text that begins so for a formula
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        **{mark: "\\" + mark for mark in "&%$#_{}"},
    }
)
_MARKDOWN = str.maketrans({mark: "\\" + mark for mark in "\\|`*_<>~$&#"})


class Column(NamedTuple):
    """A column of a table: its heading, and whether its cells are aligned to the right."""

    head: str
    right: bool = False

    def pad(self, cell: str, columns: int) -> str:
        """Return a cell padded with blanks to a width."""
        blank = " " * (columns - width(cell))
        return blank + cell if self.right else cell + blank


class Field(NamedTuple):
    """A column that a result declares: its heading and side, the attributes of a row that it shows, and how.

    ``of`` names the attribute of a row, or several, and ``form`` writes their values; without a name, the row itself.
    Where rows are records, these are keys, and an absent one has no value.
    A ``form`` with a parameter ``digits`` is given that of the table; where a value is None or NaN, ``missing`` is
    written. The column is left out where all rows have the value ``unless``, or with ``varies``, one value.
    """

    head: str
    right: bool = False
    of: str = ""
    form: Callable[..., str] = str
    unless: object = ...
    varies: bool = False
    missing: str = "-"

    def cells(self, rows: Sequence[Any], digits: int = DIGITS) -> list[str]:
        """Return the cells of this column, scores with so many digits.

        >>> Field("parts", of="real imag", form="{:g} and {:g}".format).cells([1 + 2j, complex("nan")])
        ['1 and 2', '-']
        """
        names, missing = self.of.split(), self.missing
        takes = getattr(getattr(getattr(self.form, "func", self.form), "__code__", None), "co_varnames", ())
        form = partial(self.form, digits=digits) if digits != DIGITS and "digits" in takes else self.form
        values = map(_getter(names, rows), rows) if names else rows
        if len(names) > 1:  # a number that is not itself is NaN
            return [
                missing if None in parts or parts[0] != parts[0] or parts[-1] != parts[-1] else form(*parts)
                for parts in values
            ]
        return [missing if value is None or value != value else form(value) for value in values]  # noqa: PLR0124

    def is_left_out(self, rows: Sequence[Any]) -> bool:
        """Return whether all rows have the value that needs no column."""
        if self.unless is ... and not self.varies:
            return False
        values = list(map(_getter(self.of.split()[:1], rows), rows))
        return values.count(values[0] if self.varies and values else self.unless) == len(values)


class Table(NamedTuple):
    """A title, columns, cells row by row, notes on what they mean, and how many rows are left out.

    >>> columns = [Column("kind"), Column("kg", right=True)]
    >>> print(Table("fruit", columns, [["fig", "12"], ["plum", "7"]], ["ripe"]).text())
    fruit
    kind  kg
    fig   12
    plum   7
    ripe
    """

    title: str
    columns: Sequence[Column]
    cells: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    left_out: int = 0

    @property
    def remarks(self) -> list[str]:
        """The notes, after the number of rows that are left out."""
        return [*[f".. and {self.left_out:,} more"] * bool(self.left_out), *self.notes]

    @classmethod
    def of(
        cls,
        title: str,
        fields: Iterable[Field],
        rows: Iterable[Any],
        notes: Sequence[str] = (),
        digits: int = DIGITS,
        about: object = None,
    ) -> "Table":
        """Return the table of rows; headings may name attributes of ``about``, as in ``"{0.level} interval"``.

        >>> print(Table.of("sums", [Field("{0.real} kg", True, "real", "{:g}".format)], [1.5, 2.0], about=3).text())
        sums
        3 kg
         1.5
           2
        """
        listed = list(rows)
        shown = [field for field in fields if not field.is_left_out(listed)]
        cells = list(map(list, zip(*[field.cells(listed, digits) for field in shown], strict=True)))
        return cls(title, [Column(field.head.format(about), field.right) for field in shown], cells, notes)

    def text(self) -> str:
        """Write aligned columns for a terminal; a table without rows is its title and notes."""
        title, notes = plain(self.title), map(plain, self.remarks)
        if not self.cells:
            return "\n".join([title, *notes])
        lines = self.lines()
        is_ascii = "".join(map("".join, lines)).isascii()
        widths = [max(map(len if is_ascii else width, column)) for column in zip(*lines, strict=True)]
        pads: list[Callable[[str, int], str]] = [str.rjust if column.right else str.ljust for column in self.columns]
        if not is_ascii:
            pads = [column.pad for column in self.columns]
        pad: Any = call  # type checkers disagree about the parameters of call
        padded = ["  ".join(map(pad, pads, line, widths)).rstrip() for line in lines]
        return "\n".join([title, *padded, *notes])

    def markdown(self) -> str:
        """Write the table in Markdown, its notes as a list; without rows it is its title and notes."""
        if not self.cells:
            return _plain_markdown("\n\n".join(map(plain, (self.title, *self.remarks))))
        head, *rows = ("| " + " | ".join(line) + " |" for line in self.lines(_plain_markdown))
        rule = "|" + "|".join(" ---: " if column.right else " --- " for column in self.columns) + "|"
        title, *notes = (_plain_markdown(plain(text)) for text in (self.title, *self.remarks))
        below = ["", *(f"- {note}" for note in notes)] if notes else []
        return "\n".join([f"**{title}**", "", head, rule, *rows, *below])

    def latex(self) -> str:
        r"""Write the table in LaTeX, which needs ``\usepackage{booktabs}``; without rows, its title and notes."""
        if not self.cells:
            return "\n\n".join(_plain_latex(plain(text)) for text in (self.title, *self.remarks))
        head, *rows = (" & ".join(line) + r" \\" for line in self.lines(_plain_latex))
        sides = "".join("r" if column.right else "l" for column in self.columns)
        top = [
            *(f"% {plain(text)}" for text in (self.title, *self.remarks) if text),
            rf"\begin{{tabular}}{{{sides}}}",
            r"\toprule",
            head,
            r"\midrule",
        ]
        return "\n".join([*top, *rows, r"\bottomrule", r"\end{tabular}"])

    def html(self) -> str:
        """Write the table in HTML; a table without rows is its title and notes."""
        if not self.cells:
            return "".join(f"<p>{escape(plain(text))}</p>" for text in (self.title, *self.remarks) if text)
        head, *rows = self.lines(escape)
        body = "".join(self._html_line(cells, "td") for cells in rows)
        notes = "<br>".join(map(escape, self.remarks))
        foot = f'<tr><td colspan="{len(self.columns)}" style="text-align:left">{notes}</td></tr>' if notes else ""
        columns = min(width(self.title), _WIDEST)  # so that a narrow table does not break its title
        style = f"text-align:left;padding:0.3em 0.5em;min-width:min({columns}ch,95vw)"
        caption = f'<caption style="{style}">{escape(self.title)}</caption>' if self.title else ""
        top = self._html_line(head, "th")
        return f"<table>{caption}<thead>{top}</thead><tbody>{body}</tbody><tfoot>{foot}</tfoot></table>"

    def _html_line(self, cells: Sequence[str], tag: str) -> str:
        sides = ["right" if column.right else "left" for column in self.columns]
        marked = zip(sides, cells, strict=True)
        return "<tr>" + "".join(f'<{tag} style="text-align:{side}">{cell}</{tag}>' for side, cell in marked) + "</tr>"

    def first(self, most: int) -> "Table":
        """Return the table with its first rows, and the number of those that it leaves out."""
        more = max(len(self.cells) - most, 0)
        return self._replace(cells=self.cells[:most], left_out=self.left_out + more)

    def lines(self, mark: Callable[[str], str] = str) -> list[list[str]]:
        """Return the headings and the rows, every cell as plain text passed through ``mark``."""
        rows = [
            [" ".join(cell.split()) for cell in line]
            for line in ([column.head for column in self.columns], *self.cells)
        ]
        if not "".join(map("".join, rows)).isprintable():
            rows = [list(map(plain, line)) for line in rows]
        return rows if mark is str else [list(map(mark, line)) for line in rows]


def _getter(names: Sequence[str], rows: Sequence[Any]) -> Callable[[Any], Any]:
    """Return what takes the values of these names from a row: one, or several together."""
    if not (rows and isinstance(rows[0], dict)):
        return attrgetter(*names)
    return lambda row: row.get(*names) if len(names) == 1 else tuple(map(row.get, names))


def width(text: str) -> int:
    r"""Count the columns of the text on a terminal: two for wide characters, none for combining marks.

    >>> width("gpt"), width("通义"), width("e\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    shown = [char for char in text if unicodedata.category(char) not in _NO_WIDTH]
    return len(shown) + sum(unicodedata.east_asian_width(char) in _WIDE for char in shown)


def plain(text: str) -> str:
    r"""Return the text on one line; characters that control a terminal, or cannot be seen, are shown as escapes.

    >>> plain("two\nlines"), plain("red\x1b[31m") == r"red\x1b[31m"
    ('two lines', True)
    """
    line = " ".join(text.split())
    if line.isprintable():
        return line
    escaped = (char.encode("unicode_escape").decode() if _is_hidden(line, i) else char for i, char in enumerate(line))
    return "".join(escaped)


def _is_hidden(line: str, i: int) -> bool:
    """Return whether a character cannot be seen, or is none; joiners between letters and emoji can be seen."""
    joins = line[i] in _JOINERS and 0 < i < len(line) - 1 and not (line[i - 1].isascii() or line[i + 1].isascii())
    return (unicodedata.category(line[i]) in _CONTROLS and not joins) or ord(line[i]) & 0xFFFE == 0xFFFE


def visible(text: str) -> str:
    r"""Return what can be seen of a text: names with the same look alike.

    >>> visible(" q\u200b1") == visible("q1")
    True
    """
    line = " ".join(text.split())
    if line.isascii() and line.isprintable():
        return line
    return "".join(char for char in line if not (unicodedata.category(char) in _CONTROLS or char in _UNSEEN)).strip()


def no_formula(value: object) -> object:
    """Return a text as a spreadsheet should show it: plain, and with an apostrophe where it would start a formula.

    >>> no_formula("=HYPERLINK(1)"), no_formula("model-a"), no_formula(-0.5)
    ("'=HYPERLINK(1)", 'model-a', -0.5)
    """
    if not isinstance(value, str):
        return value
    text = plain(value)
    return f"'{text}" if value.startswith(_FORMULA) or text.startswith(_FORMULA) else text


def _plain_markdown(text: str) -> str:
    """Escape what Markdown would read as a mark, a link, an address, or the mention of a person or an issue."""
    escaped = text.translate(_MARKDOWN).replace("](", "]\\(").replace("://", "\\://")
    named = r"(?<!\w)@(?=\w)|@(?=[\w-]+\.\w)|#(?=\d)"
    return re.sub(named, r"\g<0><!-- -->", re.sub(r"(?i)\b(www)\.", r"\1\.", escaped))


def _plain_latex(text: str) -> str:
    r"""Escape everything that LaTeX would read as a command, or as an argument of the ``\\`` of the row before."""
    escaped = text.translate(_LATEX)
    return "{" + escaped[0] + "}" + escaped[1:] if text.startswith(("[", "*")) else escaped
