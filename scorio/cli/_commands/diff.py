"""``scorio diff``: the questions that changed between two runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..._display.table import Column, Table
from ...errors import ParameterError
from .._options import between_option
from .._output import Answer, deliver, output_options
from .._progress import working
from .._reading import check_renamed, gathered, reading_options

if TYPE_CHECKING:
    from ...comparison import QuestionDiff

Paths = Mapping[tuple[str, str, str], list[Path]]


@click.command("diff", epilog="Example: scorio diff old.json new.json --fdr 0.1")
@reading_options
@between_option("Names of the old and the new model, where there are several.", "the only models", "OLD NEW")
@click.option(
    "--fdr",
    type=float,
    default=0.1,
    show_default=True,
    help="Expected share of unchanged questions among those that are called improved or worse.",
)
@click.option(
    "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="Number of flaky questions to show."
)
@output_options
def command(
    logs: tuple[str, ...],
    between: tuple[str, str] | None,
    fdr: float,
    limit: int,
    form: str | None,
    output: Path | None,
    **options: Any,
) -> None:
    """Say which questions improved or got worse: OLD logs first, then NEW.

    JSON and CSV have every question, with the logs that hold its trials; the id of a sample is the question's.
    """
    from ...comparison import question_diff
    from .._tasks import load_tasks, on_one_footing

    how = gathered(options)
    if between is None and len(logs) != 2:
        raise ParameterError(f"the old logs and the new logs are needed, as two paths; got {len(logs)}")
    is_pair = len(logs) == 2
    old, new = (load_tasks([log], how) for log in logs) if is_pair else (load_tasks(logs, how),) * 2
    check_renamed(how, [*old.parts, *new.parts])
    with working("comparing"):
        result = question_diff(*on_one_footing(old, new), model=between, fdr=fdr)
    places = [_Places(each.paths(), name) for each, name in zip((old, new), result.names, strict=True)]
    records = [
        {**record, **{f"{side}_log": each.of(record) for side, each in zip(("old", "new"), places, strict=True)}}
        for record in result._records()
    ]
    tables = [_with_logs(result, places[1])]
    if result.of_kind("flaky"):
        tables.append(result.flaky_table(limit))
    deliver(Answer(tables, records, {"fdr": fdr, "models": result.names}), form, output)


class _Places:
    """The logs that hold the trials of a question."""

    def __init__(self, paths: Paths, model: str) -> None:
        self._paths, self._model = paths, model

    def of(self, record: Mapping[str, Any]) -> str:
        question, model = str(record["question"]), self._model
        found = self._paths.get((record["task"], model, question)) or self._paths.get(("", model, question), [])
        return ", ".join(map(str, found))


def _with_logs(result: QuestionDiff, places: _Places) -> Table:
    """Return the table of changed questions, with the new log of each."""
    table, rows = result._display_table(), result.of_kind("improved", "worse", "flipped")
    logs = [places.of(vars(row)) for row in rows]
    if not any(logs):
        return table
    cells = [[*line, log] for line, log in zip(table.cells, logs, strict=True)]
    return table._replace(columns=[*table.columns, Column("new log")], cells=cells)
