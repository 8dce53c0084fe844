"""Tables of one layout that follow each other are counted by one query, whatever their number.

Whatever is unusual about some files (a fault, a trial there twice, another form) is left to the reading of every file
by itself, which names the file and the place: the result is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property, partial
from itertools import compress, groupby
from pathlib import Path
from typing import Any

from ..errors import OutcomeError
from ._detect import detect
from ._files import LogFile
from ._format import Format
from ._formats.tables import Rewards, TableFormat, layout, long_runs, run_of
from ._naming import Models
from ._records import Run, Source
from ._registry import formats, has_plugins
from ._request import Request
from ._tabular import duck, many, parquet_footer, rows
from ._tabular.columns import TableLayout
from ._tabular.path_columns import identity, path_columns
from ._tabular.unused import warn_of_pooled

_NO_TEXT = (b"PAR1", b"PK\x03\x04")  # at the start of Parquet files and of archives
Read = Callable[[Path, Any, Request, bool], Any]  # how one file is read


@dataclass(frozen=True)
class _Files:
    """Files of one layout, and how each is read by itself."""

    paths: tuple[Path, ...]
    form: str | None
    request: Request
    read: Read

    @cached_property
    def sources(self) -> list[Source]:
        """The sources of every file by itself."""
        return [source for path in self.paths for source in self.read(path, self.form, self.request, False)]

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
        except (OutcomeError, OSError, RecursionError):
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
        is_parquet = [file.head.startswith(b"PAR1") for file in files]
        schemas = parquet_footer.schemas(compress(files, is_parquet))
        texts = [file for file in files if not file.head.startswith(_NO_TEXT)]
        is_large = sum(file.size for file in texts) >= rows.LARGE
    except (OutcomeError, OSError):
        return {}
    keys: dict[Path, Any] = {file.path: ("parquet", schema) for file, schema in schemas.items()}
    if has_plugins() and form is None:
        keys = {path: key for path, key in keys.items() if _is_table(LogFile(path), form)}
    for file in texts if is_large else ():
        try:
            if _is_table(file, form) and (key := many.text_key(file)) is not None:  # logs of tools are large
                keys[file.path] = key
        except (OutcomeError, OSError, RecursionError):
            continue
    return {path: (*key, *path_columns(path)) for path, key in keys.items()}


def _is_table(file: LogFile, form: str | None) -> bool:
    return detect(file, form) is formats()[TableFormat.name]


def _counted(files: _Files, *, one_model: bool, every: Sequence[Path]) -> list[Source]:
    """Return the sources of files that are counted by one query."""
    paths, first = files.paths, LogFile(files.paths[0])
    if not _is_table(first, files.form):
        raise OutcomeError("it is of another format")
    how = layout(first, files.request)
    if how.form != "long" or how.export is not None:
        raise OutcomeError("it is a table of another form")
    trial, is_several = how.roles.get("trial"), len(paths) > 1
    if trial is None and _has_copy(paths, every):
        raise OutcomeError("a file is there twice")
    by_file = is_several and "model" not in how.roles and not one_model
    found = many.count(paths, how.row_columns, trial, how.nested, len(how.keys), by_file=by_file)
    runs = long_runs(found.rows, how, Rewards(files.request.levels, how.share), found.files if by_file else None)
    warn_of_pooled(first, how)
    first_file = dict(reversed([*zip(_runs_of_rows(found, how), found.files, strict=True)]))
    added = many.files_of_runs(paths, _run_columns(how)) if trial is None and is_several and not by_file else {}
    sources = []
    for (number, *rest), trials in runs.items():
        key = tuple(rest)
        place = first_file[key] if number is None else number
        path = paths[place]
        run = run_of(LogFile(path), how, key, trials)
        others = paths[:place] + paths[place + 1 :] if number is None else ()
        apart = partial(files.apart, run, None if number is None else path)
        sources.append(Source(path, TableFormat.name, run, others, added.get(key, 1), apart))
    return sources


def _run_columns(how: TableLayout) -> list[str | None]:
    return [how.roles.get("model"), how.roles.get("task"), *how.factors]


def _runs_of_rows(found: many.Together, how: TableLayout) -> Iterable[tuple[str | None, ...]]:
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
