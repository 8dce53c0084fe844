"""The questions that changed since a baseline: ``scorio questions --baseline``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._display.table import Column, Table
from ._context import working
from ._output import Answer
from ._reading import Reading, load_pair, new_and_baseline, on_one_footing

if TYPE_CHECKING:
    from ..comparison import QuestionDiff
    from ..io import Reading as LogReading

_FLAKY = 20  # questions to show, if no number is named


def changed_questions(
    logs: Sequence[str],
    baseline: Sequence[str],
    how: Reading,
    between: tuple[str, str] | None,
    top: int | None,
    **options: Any,
) -> Answer:
    """Return which questions changed, with the logs that hold their trials, and the flaky ones."""
    from ..comparison import diff_questions

    new, old = load_pair(logs, baseline, how, between)
    names = between or (None if baseline else new_and_baseline(new))
    with working("comparing"):
        result = diff_questions(*on_one_footing(new, old), model=names, **options)
    places = [_Places(each, name) for each, name in zip((old, new), result.names, strict=True)]
    records = [
        {**record, **{f"{side}_log": each.of(record) for side, each in zip(("old", "new"), places, strict=True)}}
        for record in result._records()
    ]
    tables = [_with_logs(result, places[1])]
    if result.of_kind("flaky"):
        tables.append(result.flaky_table(top or _FLAKY))
    return Answer(tables, records, {"fdr": options["fdr"], "models": result.names}, kind="baseline")


class _Places:
    """The logs that hold the trials of a question."""

    def __init__(self, reading: LogReading, model: str) -> None:
        from ..outcomes import Suite

        self._paths: dict[tuple[str, str], dict[Path, None]] = {}  # by task and question; a single task has no name
        for source in reading.sources:
            if source.run.model == model:
                task = (source.run.task or "") if isinstance(reading.outcomes, Suite) else ""
                for question in dict.fromkeys(source.run.columns.questions):
                    self._paths.setdefault((task, question), {})[source.path] = None

    def of(self, record: Mapping[str, Any]) -> str:
        question = str(record["question"])
        found = self._paths.get((record["task"], question)) or self._paths.get(("", question), {})
        return ", ".join(map(str, found))


def _with_logs(result: QuestionDiff, places: _Places) -> Table:
    """Return the table of changed questions, with the new log of each."""
    table, rows = result._display_table(), result.of_kind("improved", "worse", "flipped")
    logs = [places.of(vars(row)) for row in rows]
    if not any(logs):
        return table
    cells = [[*line, log] for line, log in zip(table.cells, logs, strict=True)]
    return table._replace(columns=[*table.columns, Column("new log")], cells=cells)
