"""Limits of questions on the command line: one number, or a table with a limit for each question."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any, NamedTuple

import click

from ..errors import ParameterError
from ._options import each_as

_COLUMN = "threshold"


class QuestionLimit(NamedTuple):
    """What ``--per-question`` says: a number, or a file with a limit for each question, by task if it names them."""

    number: float | None = None
    path: Path | None = None
    column: str = _COLUMN

    @classmethod
    def parsed(cls, text: str) -> QuestionLimit:
        """Return what the text means: ``NUMBER``, ``FILE`` or ``FILE:COLUMN``."""
        try:
            return cls(float(text))
        except ValueError:
            path, _, column = text.rpartition(":")
        if Path(text).is_file():
            return cls(None, Path(text))
        if path and Path(path).is_file():
            return cls(None, Path(path), column)
        raise ParameterError(f"{text!r} is neither a number nor a file with the columns question and {_COLUMN}")

    def limits(self) -> float | dict[str, Any] | None:
        """Return the number, or the limits of the file by question, or by task and question."""
        return self.number if self.path is None else _of_file(self.path, self.column)


def _of_file(path: Path, column: str) -> dict[str, Any]:
    """Read the limits; rows that repeat a question must agree, so that a table of trials can hold them."""
    found: dict[str, Any] = {}
    with path.open(newline="", encoding="utf-8-sig") as file:
        table = csv.DictReader(file)
        for name in ("question", column):
            if name not in (table.fieldnames or ()):
                raise ParameterError(f"{path} has no column {name!r}; it has {', '.join(table.fieldnames or ())}")
        for row in table:
            own = found.setdefault(row["task"], {}) if "task" in row else found
            try:
                limit = float(row[column])
            except (TypeError, ValueError):
                raise ParameterError(f"{path}, line {table.line_num}: {column} is no number: {row[column]!r}") from None
            if own.setdefault(row["question"], limit) != limit:
                problem = f"line {table.line_num}: question {row['question']!r} has several limits"
                raise ParameterError(f"{path}, {problem}")
    return found


per_question_option = click.option(
    "--per-question",
    callback=each_as(QuestionLimit.parsed),
    metavar="NUMBER|FILE[:COLUMN]",
    show_default="no verdict about single questions",
    help="Probability with which every question is to be solved; or a CSV file with the columns question, "
    f"{_COLUMN} (or COLUMN) and, for several tasks, task. It needs no baseline.",
)
