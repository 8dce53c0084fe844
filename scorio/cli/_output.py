"""Answers in writing: the same rows as a table, JSON, CSV, Markdown, LaTeX or HTML."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

import click

from .._base.exports import csv_text, to_json
from .._base.layout import laid_out
from .._base.table import Table
from ..errors import ParameterError
from ._context import Record, session
from ._spelling import spelled
from ._values import ENDINGS
from ._writing import replacing, standard_output

_STYLES: dict[str, dict[str, Any]] = {  # of the parts of a table on a terminal
    "title": {"italic": True},
    "head": {"bold": True, "fg": "cyan"},
    "row": {},
    "note": {"dim": True},
}


@dataclass(frozen=True)
class Answer:
    """The result of a command: tables for people; records for programs, and the settings behind them, where asked for.

    ``records`` makes them, and ``settings`` may be a function too.
    """

    tables: Sequence[Table]
    records: Callable[[], Sequence[Record]]
    settings: Record | Callable[[], Record] = field(default_factory=dict)
    kind: str = ""  # of an answer that an option makes another one; the schema has it in its name
    draw: Callable[[Any], Any] | None = None  # draws the picture with ``scorio.plot``, which it is given
    code: int = 0  # the exit code
    verdict: Any = None  # a result whose files CI systems show
    advice: str = ""  # what stderr says after the answer
    methods: Callable[[], Any] | None = None  # makes a paragraph for a paper

    @classmethod
    def of(cls, result: Any, settings: Record | None = None, **about: Any) -> Answer:
        """Return the answer that a result is."""
        return cls(result.tables(), result.as_records, settings or {}, **about).headed_by([result.as_sentence()])

    def headed_by(self, verdicts: Iterable[str]) -> Answer:
        """Return the answer with verdicts in lines above the tables."""
        lines = list(filter(None, verdicts))
        first = [Table(lines[0], [], [], lines[1:])] if lines else []
        return replace(self, tables=[*first, *self.tables])


def _json(answer: Answer) -> str:
    """Write settings and rows, after the version of their format and before the digests of the files that were read."""
    name = "-".join(filter(None, (click.get_current_context().info_name, answer.kind)))
    settings: dict[str, Any] = {"schema": f"scorio-{name}/1"}
    settings |= answer.settings() if callable(answer.settings) else answer.settings
    settings |= {"runs": runs} if (runs := session().runs) else {}
    settings["inputs"] = [_digest(path) for path in session().inputs if path.is_file()]
    settings |= {"left_out": lines} if (lines := session().left_out) else {}
    settings |= {"warnings": texts} if (texts := [text for _, text in session().warnings]) else {}
    return to_json({"settings": settings, "rows": list(answer.records())}, 2)


def _digest(path: Path) -> dict[str, Any]:
    """Return the name, the size in bytes and the SHA-256 digest of a file that was read or named by an option."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
    return {"file": str(path), "bytes": path.stat().st_size, "sha256": digest.hexdigest()}


def _methods(answer: Answer) -> str:
    """Write the paragraph and its references."""
    if answer.methods is None:
        raise ParameterError("methods is for score, rank and compare", argument="form")
    return str(answer.methods())


def _tables(write: Callable[[Table], str]) -> Callable[[Answer], str]:
    return lambda answer: "\n\n".join(map(write, answer.tables))


_WRITERS: dict[str, Callable[[Answer], str]] = {
    "table": _tables(Table.text),
    "json": _json,
    "csv": lambda answer: csv_text(answer.records()).rstrip("\n"),
    "md": _tables(Table.markdown),
    "latex": _tables(Table.latex),
    "methods": _methods,
    "html": _tables(lambda table: table.html().encode("ascii", "xmlcharrefreplace").decode()),
}


@dataclass(frozen=True)
class Output:
    """Where the answer of a command goes, and in which format."""

    form: str | None = None
    path: Path | None = None

    def deliver(self, answer: Answer) -> None:
        """Write the answer to a file, in the format its name ends with, or to stdout."""
        tables = [*answer.tables]
        if added_up := session().added_up():
            tables[-1] = tables[-1]._replace(notes=[*tables[-1].notes, added_up])
        answer = replace(
            answer,
            tables=[table._replace(title=spelled(table.title), notes=[*map(spelled, table.notes)]) for table in tables],
        )
        chosen = self.form or ENDINGS[self.path.suffix.lower() if self.path else ""]
        if self.path is not None:
            with replacing(self.path) as unfinished:
                unfinished.write_text(_WRITERS[chosen](answer) + "\n", encoding="utf-8")
        else:
            with standard_output() as stdout:
                is_seen = chosen == "table" and stdout.isatty()
                click.echo(_on_screen(answer) if is_seen else _WRITERS[chosen](answer), file=stdout)


def _on_screen(answer: Answer) -> str:
    """Write the tables for a terminal as wide as it is, in colors unless its user wants plain text."""
    columns = get_terminal_size().columns
    is_plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return "\n\n".join(
        "\n".join(
            line.text if is_plain else click.style(line.text, **_STYLES[line.part]) for line in laid_out(table, columns)
        )
        for table in answer.tables
    )
