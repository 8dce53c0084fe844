"""Files of limits: with which probability each question is to be solved."""

import csv
from pathlib import Path
from typing import Any

from ..errors import ParameterError


def read_limits(path: Path, column: str = "threshold") -> dict[str, Any]:
    """Read the limits of questions from a CSV file with the columns ``question``, ``column`` and, for tasks, ``task``.

    Rows that repeat a question must agree, so that a table of trials can hold them.
    """
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
