"""Tables of outcomes: CSV, JSON lines and Parquet with one row per trial, one column per trial, or counts.

A sheet of a workbook, and a table or a query of a database, are read as any other table.
"""

import math
import re
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from statistics import fmean
from typing import Any

from ...errors import OutcomeError
from ...outcomes._column_names import ROLES, SEVERAL
from ...outcomes._outcome_values import ColumnReader
from ...outcomes._roles import UnusedColumns, layout_of
from ...outcomes._table_layout import FACTOR, Asked, TableLayout, recognise_columns
from ...outcomes._table_rows import RepeatedTrialError, Trials, trials_of_table
from .._files import LogFile
from .._format import ANSWERS, Format, Request, with_samples
from .._naming import FOLDER
from .._records import Run
from .._tabular import is_table, table_of
from .._tabular.stored import SheetTable, SqliteTable, is_database, is_workbook
from .._tabular.table import Table
from ..checks import model_of_path

_SUMMARIES = (
    "average avg mean total overall sum all accuracy acc score durchschnitt mittelwert mittel gesamt summe "
    "moyenne media promedio "
    "suma média soma gemiddelde totaal среднее итого 平均 合计 总计 合計 평균"
)
_MOST_WORDS = 3  # of a name such as "macro avg score"; a longer text is a question
_LETTERS = re.compile(r"[^\W\d_]+")
_SUMMARY = re.compile(rf"(?<![^\W\d_])({'|'.join(_SUMMARIES.split())})(?![^\W\d_])")
_NEAR = 0.006  # a mean is often written with two decimals
_PERCENT = 100  # times a mean
_RunKey = tuple[str | None, ...]  # a model, a task, and the levels of factors


class TableFormat(Format):
    """Tables of outcomes, whose columns are recognised by their names."""

    name = "table"
    is_json = False
    options = frozenset({"score", "levels", "answers", "scores", *ROLES, *SEVERAL})
    is_generic = True

    def matches(self, file: LogFile) -> bool:
        return is_table(file) or (isinstance(file.first_row.value, dict) and _has_outcomes(file))

    def read(self, file: LogFile, request: Request) -> list[Run]:
        return self.runs(table_of(file), request)

    def runs(self, table: Table, request: Request) -> list[Run]:
        """Return the runs in a table; a factor may be a setting that a folder names, which is no column."""
        factors = tuple(name for name in request.factors if name in table.columns or name not in table.file.settings)
        return runs_of_table(table, layout_of(table, replace(request, factors=factors)), request, table)


def runs_of_table(table: Table, layout: TableLayout, request: Request, first: Table) -> list[Run]:
    """Return the runs in a table, whose ``first`` rows, or all of them, show which columns have no role."""
    reward_of = ColumnReader(request.levels, layout.share, has_commas=table.has_decimal_commas)
    columns = UnusedColumns(first, layout)
    try:
        runs = _by_run(*trials_of_table(table, layout, reward_of), layout)
    except RepeatedTrialError as error:
        raise columns.advised(error) from None
    if not request.levels:
        columns.warn_of_less()
    columns.warn_of_pooled()
    return [_run(table.file, layout, key, run, request) for key, run in runs.items()]


def _by_run(trials: Trials, labels: Mapping[str, Sequence[Any]], layout: TableLayout) -> Mapping[_RunKey, Trials]:
    """Return the trials by model, task and levels of factors."""
    rows: dict[_RunKey, list[int]] = defaultdict(list)
    levels = (labels[FACTOR.format(name)] for name in layout.factors)
    for i, run in enumerate(zip(labels["model"], labels["task"], *levels, strict=True)):
        rows[run].append(i)
    return {run: trials.picked(here) for run, here in rows.items()}


def _run(file: LogFile, layout: TableLayout, key: _RunKey, trials: Trials, request: Request) -> Run:
    """Return a run of a table: of its own if trials have no names, else a part of all that is known of the model."""
    model, task, *levels = key
    settings = dict(zip(layout.factors, map(str, levels), strict=True))
    label, measure = settings.pop(layout.run, None), "".join(settings.pop(name) for name in layout.metric)
    is_step = layout.export is not None and bool(layout.export.step)
    folder = file.path.parent
    _check_no_summary(trials, layout.form)
    if layout.must_cost:
        _check_costs(trials, layout)
    training = folder.parent if folder.name == "completions" else folder  # TRL writes into a folder of that name
    run = Run(
        f"step {model}" if is_step else model or model_of_path(file.path),
        trials,
        " ".join([*map(repr, levels), "" if "trial" in layout.roles else file.digest]),
        task,
        model_from="log" if "model" in layout.roles or layout.form == "models" else "file name",
        conditions=({"step": str(model), FOLDER: training.resolve().as_posix()} if is_step else {}) | settings,
        measure=measure,
        notes=layout.notes,
        label=label,
    )
    place = f"column {layout.kept.get(ANSWERS)!r}"
    return with_samples(run, request, place, "columns") if layout.kept else run


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


def _check_no_summary(trials: Trials, form: str) -> None:
    """Check that no row holds the means or the sums of the other rows, as sheets often have below the questions."""
    suspects = [name for name in set(trials.questions) if _SUMMARY.search(name.casefold())]
    for name in sorted(filter(_is_short, suspects)):
        if _is_summary(trials, name, form):
            hint = "remove the row: scorio computes means itself"
            raise OutcomeError(f"the row {name!r} is no question: it holds the means or sums of the others", hint=hint)


def _is_short(name: str) -> bool:
    """Return whether a name has few words, and no number.

    >>> [_is_short(name) for name in ("Macro avg:", "sum-12", "What is the sum of these numbers?")]
    [True, False, False]
    """
    return len(_LETTERS.findall(name)) <= _MOST_WORDS and not any(map(str.isdigit, name))


def _is_summary(trials: Trials, name: str, form: str) -> bool:
    """Return whether the outcomes of a question are the means or sums of all others, column by column."""
    suspect: dict[Hashable, list[float]] = defaultdict(list)
    others: dict[Hashable, list[float]] = defaultdict(list)
    for question, key, outcome, times in zip(*trials[:3], trials.times, strict=True):
        place = key if form in ("wide", "counts") else None
        if outcome is not None:
            value = [float(times)] if form == "counts" else [outcome] * times
            (suspect if question == name else others)[place] += value
    if not suspect or not suspect.keys() <= others.keys():
        return False
    means = all(_is_mean(fmean(values), fmean(others[place])) for place, values in suspect.items())
    sums = all(abs(math.fsum(values) - math.fsum(others[place])) < _NEAR for place, values in suspect.items())
    is_new = bool({*chain(*suspect.values())} - {*chain(*others.values())})
    return sums if form == "counts" else (means or sums) and (is_new or (form == "wide" and len(suspect) > 1))


def _is_mean(value: float, mean: float) -> bool:
    """Return whether a value is a mean as people write it: rounded, and perhaps as a percentage."""
    return abs(value - mean) < _NEAR or (0 < mean < 1 < value and abs(value - _PERCENT * mean) < _PERCENT * _NEAR)
