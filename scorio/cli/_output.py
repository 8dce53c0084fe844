"""Answers in writing: the same rows as a table, JSON, CSV, Markdown, LaTeX or HTML."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import click

from .._display.bars import ASCII, UNICODE, Marks, Spread, with_bars
from .._display.exports import csv_text, to_json
from .._display.numbers import trials_each
from .._display.table import Table, plain, width
from .._display.words import pluralize
from ._conditions import Condition, check_conditions
from ._context import Option, Record, added_runs, added_up
from ._writing import Writable, replacing, standard_output

if TYPE_CHECKING:
    from ..outcomes import OutcomeSet, Suite

_LONG = 20  # wider cells may be broken over lines
_ENDINGS = {
    "": "table",
    ".txt": "table",
    ".json": "json",
    ".csv": "csv",
    ".md": "md",
    ".tex": "latex",
    ".html": "html",
    ".htm": "html",
}


@dataclass(frozen=True)
class Answer:
    """The result of a command: tables for people, records for programs, and the settings behind them."""

    tables: Sequence[Table]
    records: Sequence[Record]
    settings: Record = field(default_factory=dict)

    def written(self, form: str) -> str:
        """Write the answer in one of the formats."""
        return _WRITERS[form](self)


def _json(answer: Answer) -> str:
    content = {"settings": answer.settings, "rows": list(answer.records)}
    return to_json(content, 2)


def _csv(answer: Answer) -> str:
    return csv_text(answer.records).rstrip("\n")


def _tables(write: Callable[[Table], str]) -> Callable[[Answer], str]:
    return lambda answer: "\n\n".join(map(write, answer.tables))


_WRITERS: dict[str, Callable[[Answer], str]] = {
    "table": _tables(Table.text),
    "json": _json,
    "csv": _csv,
    "md": _tables(Table.markdown),
    "latex": _tables(Table.latex),
    "html": _tables(lambda table: table.html().encode("ascii", "xmlcharrefreplace").decode()),
}


def _with_runs(answer: Answer) -> Answer:
    """Return the answer with the number of runs that were added up, if any were."""
    runs = added_runs()
    if not runs:
        return answer
    note = added_up(runs)
    *others, last = answer.tables
    tables = [*others, last._replace(notes=[*last.notes, note])]
    return replace(answer, tables=tables, settings={**answer.settings, "runs": runs})


@dataclass(frozen=True)
class Output:
    """Where the answer of a command goes, in which format, and the conditions of ``--fail-under`` on it."""

    form: str | None = None
    path: Path | None = None
    conditions: Sequence[Condition] = ()

    def deliver(self, answer: Answer) -> None:
        """Write the answer to a file, in the format its name ends with, or to stdout; then check the conditions."""
        answer = _with_runs(answer)
        chosen = self.form or _ENDINGS[self.path.suffix.lower() if self.path else ""]
        if self.path is not None:
            self.deliver_text(answer.written(chosen))
        else:
            with standard_output() as stdout:
                if not (chosen == "table" and _is_screen() and _rich(answer)):
                    click.echo(answer.written(chosen), file=stdout)
        if self.conditions:
            check_conditions(self.conditions, answer.records)

    def deliver_text(self, text: str) -> None:
        """Write a text to a file or to stdout."""
        if self.path is None:
            with standard_output() as stdout:
                click.echo(text, file=stdout)
            return
        with replacing(self.path) as unfinished:
            unfinished.write_text(text + "\n", encoding="utf-8")

    def drawn(self, table: Table, spreads: Sequence[Spread], bars: bool | None) -> Table:
        """Return the table with interval bars: if asked for, or by default on a terminal on which they fit."""
        if bars is False or not spreads:
            return table
        encoding = "utf-8" if self.path is not None else getattr(sys.stdout, "encoding", None) or "ascii"
        with_them = with_bars(table, spreads, _marks(encoding))
        if bars:
            return with_them
        is_table = self.path is None and self.form in (None, "table")
        is_shown = is_table and sys.stdout is not None and sys.stdout.isatty()
        return with_them if is_shown and _columns(with_them) <= get_terminal_size().columns else table


def _columns(table: Table) -> int:
    """Return how many columns the rows of a table take on a terminal."""
    widths = [max(map(width, column)) for column in zip(*table.lines(), strict=True)]
    return sum(widths) + 2 * (len(widths) - 1)


def _marks(encoding: str) -> Marks:
    """Return the characters of bars that the encoding has."""
    try:
        "".join(UNICODE).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return UNICODE


def _is_screen() -> bool:
    """Return whether stdout is a terminal whose user did not ask for plain text."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _rich(answer: Answer) -> bool:
    """Print the tables in color if rich is installed; return whether it is."""
    try:
        from rich.console import Console
        from rich.table import Table as RichTable
        from rich.text import Text
    except ImportError:
        return False
    for table in answer.tables:
        lines = table.lines()
        widths = [max(map(width, column)) for column in zip(*lines, strict=True)]
        console = Console()  # wide enough that only long cells are broken: a narrow terminal then breaks whole lines
        console.width = max(console.width, sum(min(each, _LONG) for each in widths) + 2 * (len(widths) - 1))
        colored = RichTable(
            title=Text(plain(table.title)), title_justify="left", box=None, header_style="bold cyan", pad_edge=False
        )
        heads, *rows = lines
        for head, column, widest in zip(heads, table.columns, widths, strict=True):
            colored.add_column(
                Text(head), justify="right" if column.right else "left", overflow="fold", no_wrap=widest <= _LONG
            )
        for cells in rows:
            colored.add_row(*map(Text, cells))
        console.print(colored, *(Text(plain(note), style="dim") for note in table.notes), sep="\n")
    return True


def _known_ending(ctx: click.Context, param: click.Parameter, output: Path | None) -> Path | None:
    """Check that ``--format`` or the file's ending names the format."""
    if output and ctx.params.get("form") is None and output.suffix.lower() not in _ENDINGS:
        endings = ", ".join(filter(None, _ENDINGS))
        raise click.BadParameter(
            f"{str(output)!r} does not end with {endings}; name the format with --format", ctx, param
        )
    return output


format_option: Option = click.option(
    *("--format", "form"),
    type=click.Choice(list(_WRITERS)),
    is_eager=True,
    show_default="by the ending of --output, else table",
    help="Format of what is written.",
)
output_option: Option = click.option(
    *("-o", "--output"),
    type=Writable(),
    callback=_known_ending,
    show_default="stdout",
    help="File to write. Its ending chooses the format.",
)


def subject(outcomes: OutcomeSet | Suite) -> str:
    """Say how many models, tasks, questions and trials a table rests on."""
    from ..outcomes import Suite

    tasks = list(outcomes.values()) if isinstance(outcomes, Suite) else [outcomes]
    count = len(outcomes.models) if isinstance(outcomes, Suite) else len(outcomes)
    places = [pluralize(len(tasks), "task")] * isinstance(outcomes, Suite)
    places.append(pluralize(outcomes.n_questions, "question"))
    ranges = [each.trials_each for each in tasks]
    trials = trials_each(min(fewest for fewest, _ in ranges), max(most for _, most in ranges))
    return f"{pluralize(count, 'model')} on {', '.join(places)}, {trials}"
