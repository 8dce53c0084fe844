"""Tables of outcomes: CSV, JSON lines and Parquet with a row a trial, a column a trial, or counts.

Everything is read as text, so that the questions 001, 01 and 1 stay three. Rows that say the same are counted, not kept.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ..errors import OutcomeError
from . import parquet
from .expect import shown, within
from .files import LogFile
from .human_eval import model_of_path
from .layout import Layout, layout
from .records import Format, Request, Run, Trial
from .reward import is_word, reward

_DELIMITERS = ",\t;|"
_LONGEST_FIELD = 1 << 24
_KEYS = ("model", "task", "question", "cluster")
Row = tuple[str | None, ...]


class _Cell(NamedTuple):
    """Alike trials of one question."""

    model: str | None
    task: str | None
    question: str
    cluster: str | None
    key: str
    outcome: str | None
    count: int
    place: str


def _matches(file: LogFile) -> bool:
    if file.head.startswith(b"PAR1"):
        return True
    if file.is_json:
        return file.is_lines or isinstance(file.first_row, dict) or _is_records(file.document)
    return b"\0" not in file.head and any(delimiter.encode() in file.head.split(b"\n")[0] for delimiter in _DELIMITERS)


def _is_records(document: Any) -> bool:
    return isinstance(document, list) and bool(document) and all(isinstance(row, dict) for row in document)


def _read(file: LogFile, request: Request) -> list[Run]:
    how = layout(_columns(file), request.fields, request.metric)
    cells = list({"long": _long, "wide": _wide, "counts": _counts}[how.form](file, how))
    if not cells:
        raise OutcomeError("the table has no rows")
    if how.form != "counts":
        _demand_one_kind(cells)
    runs: dict[tuple[str | None, str | None], list[Trial]] = defaultdict(list)
    for cell in cells:
        with within(cell.place):
            outcome = reward(cell.outcome, request.levels)
        runs[cell.model, cell.task].append(Trial(cell.question, cell.key, outcome, cell.cluster, cell.count))
    identity = "" if "trial" in how.roles else file.digest
    notes = how.notes | ({} if "model" in how.roles else {"model": "from the path"})
    return [
        Run(model_of_table(file) if model is None else model, trials, identity, task, notes=notes)
        for (model, task), trials in runs.items()
    ]


FORMAT = Format("table", _matches, _read)
