"""Answers on paper: the same rows as a table, JSON, CSV, Markdown, LaTeX or HTML."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import click

from ..sheet import Sheet, plain, width
from .options import Option
from .writing import Writable, replacing

Command = TypeVar("Command", bound=Callable[..., Any])
Record = Mapping[str, Any]
DEBUG = "scorio.debug"  # where the context keeps whether to show where errors came from
_LONG = 20  # columns of a cell that may be broken over lines
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
    """What a command found: tables for people, records for programs, and the settings that led to them."""

    sheets: Sequence[Sheet]
    records: Sequence[Record]
    settings: Record = field(default_factory=dict)

    def written(self, form: str) -> str:
        """The answer in one of the formats."""
        return _WRITERS[form](self)


def _json(answer: Answer) -> str:
    content = {"settings": answer.settings, "rows": list(answer.records)}
    return json.dumps(_strict(content), indent=2, allow_nan=False, ensure_ascii=False)


def _strict(value: Any) -> Any:
    """The value without NaN and infinity, which JSON lacks: None takes their place."""
    if isinstance(value, Mapping):
        return {name: _strict(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_strict(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _csv(answer: Answer) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(answer.records[0]) if answer.records else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(answer.records)
    return text.getvalue().rstrip("\n")


def _sheets(write: Callable[[Sheet], str]) -> Callable[[Answer], str]:
    return lambda answer: "\n\n".join(write(sheet) for sheet in answer.sheets)


_WRITERS: dict[str, Callable[[Answer], str]] = {
    "table": _sheets(Sheet.text),
    "json": _json,
    "csv": _csv,
    "md": _sheets(Sheet.markdown),
    "latex": _sheets(Sheet.latex),
    "html": _sheets(lambda sheet: sheet.html().encode("ascii", "xmlcharrefreplace").decode()),
}


def deliver(answer: Answer, form: str | None, output: Path | None) -> None:
    """Write the answer to a file, in the format its name ends with, or to stdout."""
    chosen = form or _ENDINGS[output.suffix.lower() if output else ""]
    if output is not None:
        with replacing(output) as unfinished:
            unfinished.write_text(answer.written(chosen) + "\n", encoding="utf-8")
    elif chosen == "table" and _is_screen() and _rich(answer):
        return
    else:
        click.echo(answer.written(chosen))


def _is_screen() -> bool:
    """Whether someone looks on, who did not ask for plain text."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _rich(answer: Answer) -> bool:
    """Print the tables in colour, where rich is there to do it."""
    try:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        return False
    for sheet in answer.sheets:
        lines = sheet.lines()
        widths = [max(map(width, column)) for column in zip(*lines, strict=True)]
        console = Console()  # as wide as no cell but a long one is broken: a narrow terminal then breaks whole lines
        console.width = max(console.width, sum(min(each, _LONG) for each in widths) + 2 * (len(widths) - 1))
        table = Table(
            title=Text(plain(sheet.title)), title_justify="left", box=None, header_style="bold cyan", pad_edge=False
        )
        heads, *rows = lines
        for head, column, widest in zip(heads, sheet.columns, widths, strict=True):
            table.add_column(
                Text(head),
                justify="right" if column.right else "left",
                overflow="fold",
                no_wrap=widest <= _LONG,
            )
        for cells in rows:
            table.add_row(*map(Text, cells))
        console.print(table, *(Text(plain(note), style="dim") for note in sheet.notes), sep="\n")
    return True


def _remember(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    ctx.meta[DEBUG] = wanted or ctx.meta.get(DEBUG, False)


debug_option: Option = click.option(
    "--debug", is_flag=True, expose_value=False, callback=_remember, help="Show where an error came from."
)


def _told(ctx: click.Context, param: click.Parameter, output: Path | None) -> Path | None:
    """The file, whose format is told by ``--format`` or by its ending."""
    if output and ctx.params.get("form") is None and output.suffix.lower() not in _ENDINGS:
        endings = ", ".join(filter(None, _ENDINGS))
        raise click.BadParameter(f"{str(output)!r} does not end with {endings}, nor is there --format", ctx, param)
    return output


def output_options(command: Command) -> Command:
    """Add ``--format`` and ``--output``, as ``form`` and ``output``; and ``--debug``."""
    command = debug_option(command)
    command = click.option(
        "-o", "--output", type=Writable(), callback=_told, help="Write to a file; its ending tells the format."
    )(command)
    form = click.Choice(list(_WRITERS))
    return click.option("--format", "form", type=form, is_eager=True, help="How to write the answer.")(command)
