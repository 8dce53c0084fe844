"""Parquet files of one layout that follow each other are counted by one query, whatever their number.

Whatever is unusual about some files (a fault, a trial there twice, another form) is left to the reading of every file
by itself, which names the file and the place: the result is the same. So errors that are raised here name no place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from .._arrays import cached_property
from ..errors import OutcomeError, within
from ..outcomes import (
    ColumnReader,
    TableLayout,
    TableRows,
    UnusedColumns,
    columns_apart,
    layout_of,
    names_runs,
    trials_of_rows,
)
from ._files import LogFile, check_unchanged, stamp
from ._format import Format, Request
from ._formats.tables import TableFormat, run_of, runs_of
from ._records import Run, Source
from ._registry import detect, formats
from ._tabular import duck, is_parquet
from ._tabular.parquet import ParquetTable, costs_of_sums, schemas
from ._tabular.table import path_columns

Read = Callable[[Path, Request], Any]  # how one file is read
_FILE = 1 << 40  # more rows than a file has: the place of a row is the number of its file times this, plus its own


@dataclass(frozen=True)
class _Files:
    """Files of one layout, and how each is read by itself."""

    paths: tuple[Path, ...]
    request: Request
    read: Read

    @cached_property
    def stamps(self) -> list[tuple[int, int, int]]:
        """What the files are like when they are first looked at."""
        return [*map(stamp, self.paths)]

    def check_unchanged(self) -> None:
        """Check that no file was changed since."""
        for path, before in zip(self.paths, self.stamps, strict=True):
            with within(path):
                check_unchanged(path, before)

    @cached_property
    def sources(self) -> list[Source]:
        """The sources of every file by itself."""
        sources = [source for path in self.paths for source in self.read(path, replace(self.request, skip_bad=False))]
        self.check_unchanged()
        return sources

    def apart(self, run: Run) -> list[Source]:
        """Return what each file holds of the same run."""
        key = (run.model, run.task, run.conditions)
        return [source for source in self.sources if (source.run.model, source.run.task, source.run.conditions) == key]


def tables_together(paths: Sequence[Path], request: Request, read: Read) -> dict[Path, list[Source]]:
    """Return the sources of all files that were counted together, by path: those of a group under its first file."""
    form, models = request.format, request.model
    if isinstance(form, Format) or form not in (None, TableFormat.name) or not duck.installed():
        return {}
    together: dict[Path, list[Source]] = {}
    patterns = [*models] if isinstance(models, Mapping) else []
    for key, group in groupby(paths, _layout_keys(paths).get):
        files = _Files(tuple(group), request, read)
        named = (path for path in files.paths for pattern in patterns if fnmatchcase(path.as_posix(), pattern))
        if key is None or next(named, None):  # models that the user names by paths are read one by one
            continue
        try:
            sources = _counted(files, one_model=isinstance(models, str))
        except (OutcomeError, OSError, RecursionError):  # a fault of a file, which its own reading names
            continue
        together |= {path: sources if path == files.paths[0] else [] for path in files.paths}
    return together


def _layout_keys(paths: Sequence[Path]) -> dict[Path, Any]:
    """Return what the Parquet files that one query can read have in common."""
    try:
        parquet = [path for path in paths if is_parquet(LogFile(path))]
        numbers = schemas(parquet) if len(parquet) > 1 else dict.fromkeys(parquet, 0)
        return {path: (number, *path_columns(path)) for path, number in numbers.items()}
    except (OutcomeError, OSError):
        return {}


def _counted(files: _Files, *, one_model: bool) -> list[Source]:
    """Return the sources of files that are counted by one query."""
    paths, first, _ = files.paths, ParquetTable(LogFile(files.paths[0])), files.stamps
    if detect(first.file, files.request.format) is not formats()[TableFormat.name]:
        raise duck.NotThisWayError("it is of another format")
    layout = layout_of(first, files.request)
    _check_countable(first, layout)
    if len(paths) > 1 and "model" not in layout.roles and not one_model:
        raise duck.NotThisWayError("each file holds a model")
    rows = count_together(ParquetTable(first.file, paths[1:]), layout)
    runs = runs_of(trials_of_rows(rows, layout, ColumnReader(files.request.levels, layout.share)), layout)
    UnusedColumns(first, layout).warn_of_pooled()
    sources = []
    for key, rows_of_run in runs.items():
        run = run_of(first.file, layout, key, rows_of_run, files.request)
        sources.append(Source(first.file.path, TableFormat.name, run, paths[1:], partial(files.apart, run)))
    files.check_unchanged()
    return sources


def _check_countable(table: ParquetTable, layout: TableLayout) -> None:
    """Check that rows are named trials of one metric and turn in all of the files, whose runs nobody asks for."""
    if layout.form != "long" or layout.export is not None or columns_apart(table.columns):
        raise duck.NotThisWayError("it is a table of another form")
    if "trial" not in layout.roles or layout.run or names_runs(layout.roles["trial"]):
        raise duck.NotThisWayError("each file is a run, or its trials tell their runs, which counting forgets")


def count_together(table: ParquetTable, layout: TableLayout) -> TableRows:
    """Return the distinct rows of all files in order. A trial that a question has twice is an error."""
    trial, costs = layout.roles["trial"], [*layout.costs.values()]
    table.check_path([*layout.row_roles.values(), trial, *costs])
    place = f"min({duck.quoted(duck.FILE)} * {_FILE} + file_row_number)"
    names = [*layout.row_roles.values()]
    columns, (_, times, *sums) = table.grouped(names, layout.nested, [place, "count(*)", *table.sums_of(costs)])
    if not times:
        raise duck.NotThisWayError("the files have no rows")
    _check_each_once(table, [table.in_sql(name, layout.nested) for name in layout.keys.values()], trial)
    return TableRows(columns, times, lambda _: "", None, costs_of_sums(sums))


def _check_each_once(table: ParquetTable, keys: Sequence[str], trial: str) -> None:
    """Check that no trial is empty, and that no two rows have one hash of question and trial."""
    name, is_text = table.in_sql(trial, ()), table.kinds.get(trial, "VARCHAR") == "VARCHAR"
    blank = f"coalesce(trim({name}) = '', true)" if is_text else f"{name} IS NULL"
    by_trial = f"SELECT bool_or({blank}) AS blank, count(*) AS times FROM {table.source}"  # noqa: S608 - names are quoted
    query = f"SELECT bool_or(blank), max(times) FROM ({by_trial} GROUP BY hash({', '.join([*keys, name])}))"  # noqa: S608
    with duck.connected() as connection:
        [(is_blank, times)] = connection.rows(query)
    if is_blank or times > 1:
        raise duck.NotThisWayError("a trial has no name, or is there twice")
