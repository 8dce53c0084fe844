"""Tables of one layout that follow each other are counted by one query, whatever their number.

Whatever is unusual about some files (a fault, a trial there twice, another form) is left to the reading of every file
by itself, which names the file and the place: the result is the same. So errors that are raised here name no place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from itertools import chain, groupby
from pathlib import Path
from typing import Any, NamedTuple

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
from ._tabular import duck, rows, sql
from ._tabular.columns import TableLayout
from ._tabular.distinct_trials import Counted, check_distinct
from ._tabular.path_columns import check_in_both, identity, path_columns
from ._tabular.sql import DistinctRows
from ._tabular.unused_columns import warn_of_pooled

_NO_TEXT = (b"PAR1", b"PK\x03\x04")  # at the start of Parquet files and of archives
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
    """Return what the files that one query can read have in common; files that it cannot read are left out."""
    try:
        files = [LogFile(path) for path in paths]
        parquet = [file.path for file in files if file.head.startswith(b"PAR1")]
        schemas = sql.schemas(parquet) if len(parquet) > 1 else dict.fromkeys(parquet, 0)
        texts = [file for file in files if not file.head.startswith(_NO_TEXT)]
        is_large = sum(file.size for file in texts) >= rows.LARGE
    except (OutcomeError, OSError):
        return {}
    keys: dict[Path, Any] = {path: ("parquet", schema) for path, schema in schemas.items()}
    if has_plugins() and form is None:
        keys = {path: key for path, key in keys.items() if _is_table(LogFile(path), form)}
    for file in texts if is_large else ():
        try:
            if _is_table(file, form) and (key := text_key(file)) is not None:  # logs of tools are large
                keys[file.path] = key
        except (OutcomeError, OSError, RecursionError):
            continue
    return {path: (*key, *path_columns(path)) for path, key in keys.items()}


def _is_table(file: LogFile, form: str | None) -> bool:
    return detect(file, form) is formats()[TableFormat.name]


def _counted(files: _Files, *, one_model: bool, every: Sequence[Path]) -> list[Source]:
    """Return the sources of files that are counted by one query."""
    paths, first, _ = files.paths, LogFile(files.paths[0]), files.stamps
    if not _is_table(first, files.form):
        raise duck.NotThisWayError("it is of another format")
    how = layout(first, files.request)
    if how.form != "long" or how.export is not None or _may_be_several(rows.columns(first)):
        raise duck.NotThisWayError("it is a table of another form")
    trial, is_several = how.roles.get("trial"), len(paths) > 1
    if how.run or names_runs(trial):
        raise duck.NotThisWayError("its trials tell their runs, which counting forgets")
    if trial is None and _has_copy(paths, every):
        raise duck.NotThisWayError("a file is there twice")
    by_file = is_several and "model" not in how.roles and not one_model
    costs = [*how.costs.values()]
    found = count_together(paths, how.row_columns, trial, how.nested, len(how.keys), by_file=by_file, costs=costs)
    runs = long_runs(found.rows, how, Rewards(files.request.levels, how.share, first), found.files if by_file else None)
    warn_of_pooled(first, how)
    first_file = dict(reversed([*zip(_runs_of_rows(found, how), found.files, strict=True)]))
    added = files_of_runs(paths, _run_columns(how)) if trial is None and is_several and not by_file else {}
    sources = []
    for (number, *rest), own in runs.items():
        key = tuple(rest)
        place = first_file[key] if number is None else number
        path = paths[place]
        run = with_kept(run_of(LogFile(path), how, key, own), how, own.kept, files.request)
        others = paths[:place] + paths[place + 1 :] if number is None else ()
        apart = partial(files.apart, run, None if number is None else path)
        sources.append(Source(path, TableFormat.name, run, others, added.get(key, 1), apart))
    files.check_unchanged()
    return sources


def _may_be_several(names: Sequence[str]) -> bool:
    """Return whether rows may be of several metrics or turns, in some of the files."""
    return metric_column(names) is not None or bool(turn_columns(names))


def _run_columns(how: TableLayout) -> list[str | None]:
    return [how.roles.get("model"), how.roles.get("task"), *how.factors]


def _runs_of_rows(found: Together, how: TableLayout) -> Iterable[tuple[str | None, ...]]:
    """Return the model, the task and the levels of factors of each row."""
    columns = dict(zip(how.row_columns, found.rows.columns, strict=True))
    none = [None] * len(found.files)
    return zip(*(none if name is None else columns[name] for name in _run_columns(how)), strict=True)


def _has_copy(paths: Iterable[Path], every: Sequence[Path]) -> bool:
    """Return whether one of some files has the same content as another file."""
    sizes: dict[int, list[Path]] = {}
    for path in every:
        sizes.setdefault(path.stat().st_size, []).append(path)
    doubtful = {path for path in paths if len(sizes[path.stat().st_size]) > 1}
    alike = {path for path in doubtful for path in sizes[path.stat().st_size]}
    return len({identity(LogFile(path)) for path in alike}) < len(alike)


class Together(NamedTuple):
    """The distinct rows of many files in order, and the number of the first file that has each."""

    rows: DistinctRows
    files: Sequence[int]


def text_key(file: LogFile) -> tuple[Any, ...] | None:
    """Return what two files of text must have in common to be read by one query; None if DuckDB cannot read it."""
    if not rows.is_table(file) or not rows.is_plain(file):
        return None
    return ("json" if file.is_json else rows.delimiter(file), *rows.own_columns(file))


def count_together(
    paths: Sequence[Path],
    names: Sequence[str],
    trial: str | None,
    nested: Sequence[str],
    keys: int,
    *,
    by_file: bool,
    costs: Sequence[str] = (),
) -> Together:
    """Return the distinct rows of some columns of all files, whose first ``keys`` columns identify a question.

    ``by_file`` keeps the rows of different files apart. A trial that a question has twice is an error.
    """
    every = names if trial is None else [*names, trial]
    source, shown, in_both = _source(paths, [*every, *costs], nested)
    with duck.connected(*paths) as connection:
        check_in_both(connection, source, in_both)
        kinds = sql.described(
            connection, _source(paths[:1], [*every, *costs], nested).source, [duck.quoted(name) for name in every]
        )
        groups = sql.plain_keys([duck.quoted(name) for name in names], kinds[: len(names)])
        number = duck.file_number(paths)
        listed = [*(f"CAST({key} AS VARCHAR)" for key in groups), f"min({number} * {_FILE} + file_row_number) AS place"]
        listed += ["count(*)", *sql.sums_of_costs(costs)]
        checked = Counted(source, [*groups[:keys], *([number] if by_file else [])])
        if trial is not None:
            checked = checked.with_trial(duck.quoted(trial), kinds[-1][1])
        by = ", ".join([*groups, *([number] if by_file else [])])
        table = connection.execute(
            f"SELECT {', '.join([*listed, *checked.fingerprint])} FROM {source} GROUP BY {by} ORDER BY place"  # noqa: S608
        ).fetchall()
        if not table:
            raise duck.NotThisWayError("the files have no rows")
        every_column = [*zip(*table, strict=True)]
        *columns, places, times = every_column[: len(names) + 2]
        spent = sql.costs_of_sums(every_column[len(names) + 2 :][: 3 * len(costs)])
        files = [place // _FILE - 1 for place in places]
        if trial is not None:
            cells = zip(*columns[:keys], *([[str(file + 1) for file in files]] if by_file else []), strict=True)
            check_distinct(connection, checked, [*cells], times, [row[-1] for row in table])
    made = [
        [*map(sql.spaced, values)] if name in shown else values for name, values in zip(names, columns, strict=True)
    ]
    _check_sure(paths[0], chain.from_iterable(map(set, made)))
    return Together(DistinctRows([""] * len(times), made, times, None, spent), files)


def files_of_runs(paths: Sequence[Path], names: Sequence[str | None]) -> dict[tuple[str | None, ...], int]:
    """Return the number of files with each combination of values; a column None has the value None."""
    source = _source(paths, [name for name in names if name is not None], ()).source
    columns = ["NULL" if name is None else f"CAST({duck.quoted(name)} AS VARCHAR)" for name in names]
    listed = ", ".join([*columns, f"count(DISTINCT {duck.file_number(paths)})"])
    with duck.connected(*paths) as connection:
        found = connection.execute(f"SELECT {listed} FROM {source} GROUP BY ALL").fetchall()  # noqa: S608 - quoted
    return {tuple(values): files for *values, files in found}


def _source(paths: Sequence[Path], names: Sequence[str], nested: Sequence[str]) -> sql.TableInSql:
    """Return the files as a table in SQL."""
    if LogFile(paths[0]).head.startswith(b"PAR1"):
        return sql.parquet_source(paths, names, nested)
    return rows.text_source(paths, names)


def _check_sure(path: Path, values: Any) -> None:
    """Check that DuckDB and the standard library read the same in text files."""
    first = LogFile(path)
    if not first.head.startswith(b"PAR1"):
        unsure = rows.unsure_json if first.is_json else rows.unsure_csv
        if any(map(unsure, values)):
            raise duck.NotThisWayError("some values depend on their quotes")
