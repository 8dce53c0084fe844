"""Tables of outcomes: CSV, JSON lines and Parquet with one row per trial, one column per trial, or counts.

A sheet of a workbook, and a table or a query of a database, are read as any other table.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...errors import OutcomeError
from ...outcomes import (
    FACTOR,
    ROLES,
    SEVERAL,
    Asked,
    ColumnReader,
    RepeatedTrialError,
    TableLayout,
    TableTrials,
    UnusedColumns,
    layout_of,
    recognise_columns,
    trials_of_table,
)
from .._files import LogFile
from .._format import Companion, Format, Request, document_with, lines_with
from .._kept import ANSWERS, with_samples
from .._naming import FOLDER
from .._records import Run, Trials
from .._tabular import is_table, table_of
from .._tabular.extra_rows import check_no_summary
from .._tabular.stored import SheetTable, SqliteTable, is_database, is_workbook
from .._tabular.table import Table, identity
from ..checks import model_of_path

_RunKey = tuple[str | None, ...]  # a model, a task, and the levels of factors
Kept = tuple[Trials, Mapping[str, Sequence[Any]]]  # trials, and the columns of answers and scores


class TableFormat(Format):
    """Tables of outcomes, whose columns are recognised by their names."""

    name = "table"
    is_json = False
    options = frozenset({"score", "levels", "answers", "scores", *ROLES, *SEVERAL})
    is_generic = True
    companions = (
        Companion(
            lines_with("schema_version", "evaluation_id", "sample_id", "evaluation"),
            "trials of Every Eval Ever, which may be means: read the logs that they were made of",
        ),
        Companion(
            document_with("schema_version", "evaluation_id", "evaluation_results"),
            "results of Every Eval Ever: read the logs that they were made of",
        ),
    )

    def matches(self, file: LogFile) -> bool:
        return is_table(file) or (isinstance(file.first_row.value, dict) and _has_outcomes(file))

    def read(self, file: LogFile, request: Request) -> list[Run]:
        return self.runs(table_of(file), request)

    def runs(self, table: Table, request: Request) -> list[Run]:
        """Return the runs in a table."""
        layout = layout_of(table, request)
        reward_of = ColumnReader(request.levels, layout.share, has_commas=table.has_decimal_commas)
        columns = UnusedColumns(table, layout)
        try:
            runs = runs_of(trials_of_table(table, layout, reward_of), layout)
        except RepeatedTrialError as error:
            raise columns.advised(error) from None
        if not runs:
            raise OutcomeError("the table has no rows")
        columns.warn_of_pooled()
        return [run_of(table.file, layout, key, run, request) for key, run in runs.items()]


def runs_of(trials: TableTrials, layout: TableLayout) -> Mapping[_RunKey, Kept]:
    """Return the trials, and what is kept of them by name, by model, task and levels of factors."""
    labels, table = trials.labels, trials.rows
    costs = dict(zip(layout.costs, table.costs, strict=bool(table.costs)))
    columns = Trials(labels["question"], trials.names, trials.outcomes, labels["cluster"], table.times, costs)
    rows: dict[_RunKey, list[int]] = defaultdict(list)
    levels = (labels[FACTOR.format(name)] for name in layout.factors)
    for i, run in enumerate(zip(labels["model"], labels["task"], *levels, strict=True)):
        rows[run].append(i)
    return {
        run: (columns.picked(here), {name: [column[i] for i in here] for name, column in trials.kept.items()})
        for run, here in rows.items()
    }


def run_of(file: LogFile, layout: TableLayout, key: _RunKey, rows: Kept, request: Request) -> Run:
    """Return a run of a table: of its own if trials have no names, else a part of all that is known of the model."""
    (model, task, *levels), (trials, kept) = key, rows
    settings = dict(zip(layout.factors, map(str, levels), strict=True))
    label, measure = settings.pop(layout.run, None), "".join(settings.pop(name) for name in layout.metric)
    is_step = layout.export is not None and bool(layout.export.step)
    folder = file.path.parent
    check_no_summary(trials, layout.form)
    if layout.must_cost:
        _check_costs(trials, layout)
    training = folder.parent if folder.name == "completions" else folder  # TRL writes into a folder of that name
    run = Run(
        f"step {model}" if is_step else model or model_of_path(file.path),
        trials,
        " ".join([*map(repr, levels), "" if "trial" in layout.roles else identity(file)]),
        task,
        model_from="log" if "model" in layout.roles or layout.form == "models" else "file name",
        conditions=({"step": str(model), FOLDER: training.resolve().as_posix()} if is_step else {}) | settings,
        measure=measure,
        notes=layout.notes,
        label=label,
    )
    if not layout.kept:
        return run
    place = f"column {layout.kept[ANSWERS]!r}" if ANSWERS in kept else ""
    of_scores = {name: column for name, column in kept.items() if name != ANSWERS}
    scores = (dict(zip(of_scores, values, strict=True)) for values in zip(*of_scores.values(), strict=True))
    return with_samples(run, request, kept.get(ANSWERS, ()), scores, answers_from=place, scores_from="columns")


def _check_costs(trials: Trials, layout: TableLayout) -> None:
    """Check that every trial with an outcome tells the costs whose columns the user named."""
    for name, sums in trials.costs.items():
        for question, outcome, times, cost in zip(trials.questions, trials.outcomes, trials.times, sums, strict=True):
            if cost.told < times and outcome is not None:
                problem = f"question {question!r} has a trial whose cost in column {layout.costs[name]!r} is not known"
                raise OutcomeError(problem, hint="costs are numbers of at least 0")


def _has_outcomes(file: LogFile) -> bool:
    """Return whether a single JSON object is a table of one row."""
    try:
        recognise_columns(table_of(file).columns, Asked())
    except OutcomeError:
        return False
    return True


class DatabaseFormat(TableFormat):
    """SQLite files."""

    name = "database"
    options = TableFormat.options | {"table", "query"}

    def matches(self, file: LogFile) -> bool:
        return is_database(file)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        return self.runs(SqliteTable(file, request), request)


class ExcelFormat(TableFormat):
    """Excel workbooks (.xlsx)."""

    name = "excel"
    options = TableFormat.options | {"table"}

    def matches(self, file: LogFile) -> bool:
        return is_workbook(file)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        sheet = SheetTable(file, request)
        return [replace(run, notes={**run.notes, "sheet": repr(sheet.name)}) for run in self.runs(sheet, request)]
