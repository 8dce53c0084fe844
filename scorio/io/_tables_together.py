"""Parquet files of one layout that follow each other are counted by one query, whatever their number.

Whatever is unusual about some files (a fault, a trial there twice, another form) is left to the reading of every file
by itself, which names the file and the place: the result is the same. So errors that are raised here name no place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from .._arrays import cached_property
from ..errors import OutcomeError, within
from ..outcomes import metric_column, names_runs, turn_columns
from ._files import LogFile, check_unchanged, stamp
from ._format import Format
from ._formats.tables import Rewards, TableFormat, layout, long_runs, run_of, with_kept
from ._naming import Models
from ._records import Run, Source
from ._registry import detect, formats, has_plugins
from ._request import Request
from ._tabular import duck, is_parquet
from ._tabular.columns import TableLayout
from ._tabular.path_columns import identity, path_columns
from ._tabular.sql import ParquetTable, costs_of_sums, schemas
from ._tabular.table import DistinctRows
from ._tabular.unused_columns import warn_of_pooled

Read = Callable[[Path, Any, Request, bool], Any]  # how one file is read
_FILE = 1 << 40  # more rows than a file has: the place of a row is the number of its file times this, plus its own


@dataclass(frozen=True)
class _Files:
    """Files of one layout, and how each is read by itself."""

    paths: tuple[Path, ...]
    form: str | None
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
        found = [source for path in self.paths for source in self.read(path, self.form, self.request, False)]
        self.check_unchanged()
        return found

    def apart(self, run: Run, path: Path | None) -> list[Source]:
        """Return what each file holds of the same run; ``path`` is the only file, if it is not None."""
        key = (run.model, run.task, run.conditions)
        return [
            source
            for source in self.sources
            if (source.run.model, source.run.task, source.run.conditions) == key and path in (None, source.path)
        ]


def tables_together(
    paths: Sequence[Path], form: str | Format | None, request: Request, models: Models, read: Read
) -> dict[Path, list[Source]]:
    """Return the sources of all files that were counted together, by path: those of a group under its first file."""
    if isinstance(form, Format) or form not in (None, TableFormat.name) or not duck.installed():
        return {}
    together: dict[Path, list[Source]] = {}
    keys = _layout_keys(paths, form)
    for key, group in groupby(paths, keys.get):
        files = _Files(tuple(group), form, request, read)
        if key is None or _names_paths(models, files.paths):
            continue
        try:
            sources = _counted(files, one_model=isinstance(models, str), every=paths)
        except (OutcomeError, OSError, RecursionError):  # a fault of a file, which its own reading names
            continue
        together |= {path: sources if path == files.paths[0] else [] for path in files.paths}
    return together


def _names_paths(models: Models, paths: Iterable[Path]) -> bool:
    """Return whether the user names models by paths, some of which match."""
    patterns = list(models) if isinstance(models, Mapping) else []
    return bool(patterns) and any(fnmatchcase(path.as_posix(), pattern) for path in paths for pattern in patterns)


def _layout_keys(paths: Sequence[Path], form: str | None) -> dict[Path, Any]:
    """Return what the Parquet files that one query can read have in common."""
    try:
        parquet = [path for path in paths if is_parquet(LogFile(path))]
        numbers = schemas(parquet) if len(parquet) > 1 else dict.fromkeys(parquet, 0)
        if has_plugins() and form is None:
            numbers = {path: number for path, number in numbers.items() if _is_table(path, form)}
        return {path: (number, *path_columns(path)) for path, number in numbers.items()}
    except (OutcomeError, OSError):
        return {}


def _is_table(path: Path, form: str | None) -> bool:
    return detect(LogFile(path), form) is formats()[TableFormat.name]


def _counted(files: _Files, *, one_model: bool, every: Sequence[Path]) -> list[Source]:
    """Return the sources of files that are counted by one query."""
    paths, first, _ = files.paths, ParquetTable(LogFile(files.paths[0])), files.stamps
    if not _is_table(paths[0], files.form):
        raise duck.NotThisWayError("it is of another format")
    how = layout(first, files.request)
    trial = how.roles.get("trial")
    _check_countable(first, how, trial)
    if trial is None and _has_copy(paths, every):
        raise duck.NotThisWayError("a file is there twice")
    by_file = len(paths) > 1 and "model" not in how.roles and not one_model
    table = ParquetTable(first.file, paths[1:])
    rows, file_of = count_together(table, how, trial, by_file=by_file)
    runs = long_runs(
        rows, how, Rewards(files.request.levels, how.share, has_commas=False), file_of if by_file else None
    )
    warn_of_pooled(first, how)
    names = [how.roles.get("model"), how.roles.get("task"), *how.factors]
    first_file = _first_files(rows, file_of, how, names)
    added = files_of_runs(table, names) if trial is None and len(paths) > 1 and not by_file else {}
    sources = []
    for (number, *rest), own in runs.items():
        key = tuple(rest)
        place = first_file[key] if number is None else number
        run = with_kept(run_of(LogFile(paths[place]), how, key, own), how, own.kept, files.request)
        others = paths[:place] + paths[place + 1 :] if number is None else ()
        apart = partial(files.apart, run, None if number is None else paths[place])
        sources.append(Source(paths[place], TableFormat.name, run, others, added.get(key, 1), apart))
    files.check_unchanged()
    return sources


def _check_countable(table: ParquetTable, how: TableLayout, trial: str | None) -> None:
    """Check that rows are trials of one metric and turn in all of the files, whose runs nobody asks for."""
    may_be_several = metric_column(table.columns) is not None or bool(turn_columns(table.columns))
    if how.form != "long" or how.export is not None or may_be_several:
        raise duck.NotThisWayError("it is a table of another form")
    if how.run or names_runs(trial):
        raise duck.NotThisWayError("its trials tell their runs, which counting forgets")


def _first_files(
    rows: DistinctRows, file_of: Sequence[int], how: TableLayout, names: Sequence[str | None]
) -> dict[tuple[str | None, ...], int]:
    """Return the number of the first file that has each model, task and levels of factors."""
    columns = dict(zip(how.row_columns, rows.columns, strict=True))
    none = [None] * len(file_of)
    keys = [*zip(*(none if name is None else columns[name] for name in names), strict=True)]
    return dict(reversed([*zip(keys, file_of, strict=True)]))


def _has_copy(paths: Iterable[Path], every: Sequence[Path]) -> bool:
    """Return whether one of some files has the same content as another file."""
    sizes: dict[int, list[Path]] = {}
    for path in every:
        sizes.setdefault(path.stat().st_size, []).append(path)
    doubtful = {path for path in paths if len(sizes[path.stat().st_size]) > 1}
    alike = {path for path in doubtful for path in sizes[path.stat().st_size]}
    return len({identity(LogFile(path)) for path in alike}) < len(alike)


def count_together(
    table: ParquetTable, how: TableLayout, trial: str | None, *, by_file: bool
) -> tuple[DistinctRows, list[int]]:
    """Return the distinct rows of all files in order, and the number of the first file that has each.

    ``by_file`` keeps the rows of different files apart. A trial that a question has twice is an error.
    """
    number, costs = duck.quoted(duck.FILE), [*how.costs.values()]
    table.check_path([*how.row_columns, trial, *costs])
    others = [f"min({number} * {_FILE} + file_row_number)", "count(*)", *table.sums_of(costs)]
    by = [number] if by_file else []
    columns, (places, times, *sums) = table.grouped(how.row_columns, how.nested, others, by)
    if not times:
        raise duck.NotThisWayError("the files have no rows")
    if trial is not None:
        keys = [*(table.in_sql(name, how.nested) for name in how.keys), *by]
        is_text = table.kinds.get(trial, "VARCHAR") == "VARCHAR"
        _check_each_once(
            table, keys, f"trim({table.in_sql(trial, ())})" if is_text else table.in_sql(trial, ()), is_text=is_text
        )
    rows = DistinctRows(columns, times, lambda _: "", None, costs_of_sums(sums))
    return rows, [place // _FILE - 1 for place in places]


def _check_each_once(table: ParquetTable, keys: Sequence[str], trial: str, *, is_text: bool) -> None:
    """Check that no trial is empty, and that no two rows have one hash of question and trial."""
    blank = f"coalesce({trial} = '', true)" if is_text else f"{trial} IS NULL"
    by_trial = f"SELECT bool_or({blank}) AS blank, count(*) AS times FROM {table.source}"  # noqa: S608 - names are quoted
    query = f"SELECT bool_or(blank), max(times) FROM ({by_trial} GROUP BY hash({', '.join([*keys, trial])}))"  # noqa: S608
    with table.connected() as connection:
        [(is_blank, times)] = connection.rows(query)
    if is_blank or times > 1:
        raise duck.NotThisWayError("a trial has no name, or is there twice")


def files_of_runs(table: ParquetTable, names: Sequence[str | None]) -> dict[tuple[str | None, ...], int]:
    """Return the number of files with each combination of values; a column None has the value None."""
    columns = ["NULL" if name is None else f"CAST({table.in_sql(name, ())} AS VARCHAR)" for name in names]
    listed = ", ".join([*columns, f"count(DISTINCT {duck.quoted(duck.FILE)})"])
    with table.connected() as connection:
        found = connection.rows(f"SELECT {listed} FROM {table.source} GROUP BY ALL")  # noqa: S608 - names are quoted
    return {tuple(values): files for *values, files in found}
