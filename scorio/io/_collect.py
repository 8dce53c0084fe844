"""The runs in the files of a source, or the reasons why files are skipped.

Files are read one by one, but for Parquet files of one layout that follow each other: these are counted by one query,
whatever their number. Whatever is unusual about some of them (a fault, a trial there twice, another form) is left to
the reading of every file by itself, which names the file and the place: the result is the same. So errors that are
raised on the way there name no place.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial
from itertools import groupby
from pathlib import Path

from .._base.arrays import cached_property
from .._base.jobs import in_parallel, run
from .._base.progress import Progress
from .._base.words import shorten
from ..errors import OutcomeError, ParameterError, within
from ..outcomes._column_names import columns_apart, names_runs
from ..outcomes._roles import layout_of
from ..outcomes._table_layout import NoSingleTableError, NotATableError, SummaryError, UnknownColumnsError
from ._files import ChangedFileError, LogFile, check_unchanged, stamp
from ._format import FORESEEN, Format, Request, failed, runs_of
from ._formats.tables import TableFormat, runs_of_table
from ._records import Run, Source
from ._registry import SKIP_BAD, Unread, check_unread, detect, format_named, formats, is_named_table
from ._sources import Sources, expand
from ._tabular import duck, is_parquet
from ._tabular.parquet import ParquetTable, schemas

_ATTEMPTS = 3  # to read a file that changes meanwhile, as those of a run that goes on do


@dataclass
class Collected:
    """The runs of all files, the reason for each file that was skipped, and those of them that are damaged.

    ``doubts`` are tables of unknown columns, ``unread`` are files that may hold outcomes.
    """

    skipped: dict[Path, str]
    sources: list[Source] = field(default_factory=list)
    bad: list[Path] = field(default_factory=list)
    doubts: list[OutcomeError] = field(default_factory=list)
    unread: dict[Path, str] = field(default_factory=dict)

    def skip(self, path: Path, reason: str | OutcomeError, *, is_named: bool, skip_bad: bool) -> None:
        """Skip a file that is no log, or that cannot be read, if it may be skipped."""
        if is_named and not skip_bad:
            raise OutcomeError(reason, where=str(path)) if isinstance(reason, str) else reason
        if isinstance(reason, str):
            self.skipped[path] = reason
            if isinstance(reason, Unread) and skip_bad:
                self.bad.append(path)
            elif isinstance(reason, Unread):
                self.unread[path] = reason
        elif skip_bad and (is_named or not isinstance(reason, NotATableError)):
            self.skipped[path] = reason.text().removeprefix(f"{path}: ")
            self.bad.append(path)
        elif isinstance(reason, NoSingleTableError) and not is_named_table(path):
            self.skipped[path] = reason.problem
            if reason.remedies:  # it has tables, or views
                self.unread[path] = reason.text().removeprefix(f"{path}: ")
        elif isinstance(reason, NotATableError) and not is_named_table(path):
            self.skipped[path] = "text that is not a table"
        elif isinstance(reason, SummaryError):
            self.skipped[path] = "a summary: one row for each model, and no questions"
        else:
            self.doubts.append(reason)
            self.skipped[path] = "a table of unknown columns"


def collect(source: Sources, request: Request) -> Collected:
    """Return the runs of all files, and the reason for each file that is skipped.

    A file that the user names is never skipped. A generic file (a table) whose columns are unknown is skipped beside
    files of a tool, and an error beside other tables. ``skip_bad`` skips all files that cannot be read. An option that
    no file takes into account is an error.
    """
    paths = expand(source)
    files = Collected({})
    for form in formats().values() if len(paths) > 1 else ():
        files.skipped |= form.superseded(paths, request)
    paths = {path: is_named for path, is_named in paths.items() if path not in files.skipped}
    results = _results([*paths], request)
    for path, is_named in paths.items():
        result = results[path]
        if isinstance(result, list):
            files.sources += result
        else:
            files.skip(path, result, is_named=is_named, skip_bad=request.skip_bad)
    names = {source.format for source in files.sources}
    forms = [request.format] if isinstance(request.format, Format) else [format_named(name) for name in names]
    are_tables = all(form.is_generic for form in forms)
    if files.doubts and are_tables:
        raise files.doubts[0].changed(remedies=[*files.doubts[0].remedies, *([SKIP_BAD] if files.sources else [])])
    if not files.sources and not files.skipped:
        hint = "files whose names begin with a dot are passed over unless you name them"
        raise OutcomeError("no file to read", where=str(source), hint=hint)
    if not files.sources:
        path, reason = next(iter(files.skipped.items()))
        raise OutcomeError(f"no file holds outcomes; {path}: {reason}", where=str(source))
    check_unread(files.unread, is_error=are_tables)
    used = {option for form in forms for option in (*form.options, *(("score", "levels") if form.noun else ()))}
    unused = request.options - request.kept_options - used
    if unused:
        raise ParameterError(f"{shorten(sorted(unused))} cannot be chosen in files of {', '.join(sorted(names))}")
    return files


def _results(paths: Sequence[Path], request: Request) -> dict[Path, list[Source] | str | OutcomeError]:
    """Return the runs in every file, or why it is not read; tables of one layout are read by one query."""
    with duck.shared():
        together = {} if in_parallel(request.n_jobs) else tables_together(paths, request)
        jobs = [(path, request) for path in paths if path not in together]
        with Progress("reading files", len(jobs)) as shown:
            try:
                results = run(jobs, _read, request.n_jobs, shown, "processes")
            except OutcomeError as error:
                if len(paths) > 1 and not any(remedy.is_choice for remedy in error.remedies):
                    error = error.changed(remedies=[*error.remedies, SKIP_BAD])
                raise error from error.__cause__
    return together | {job[0]: result for job, result in zip(jobs, results, strict=True)}


def _read(path: Path, request: Request) -> list[Source] | str | OutcomeError:
    """Return the runs in a file, or why it is not read; errors are returned if the file may be skipped for them."""
    try:
        with within(path):
            for _ in range(_ATTEMPTS - 1):
                with suppress(ChangedFileError):
                    return _runs(path, request)
            return _runs(path, request)
    except UnknownColumnsError as doubt:
        return doubt
    except RecursionError:
        error = OutcomeError("it is nested too deeply", where=str(path))
    except OutcomeError as fault:
        error = fault
    except OSError as fault:
        error = OutcomeError(f"it cannot be read: {fault.strerror}", where=str(path))
    if not request.skip_bad:
        raise error from error.__cause__
    return error


def _runs(path: Path, request: Request) -> list[Source] | str:
    """Return the runs in a file, or why it is not read."""
    before, file = stamp(path), LogFile(path)
    form = detect(file, request.format)
    if isinstance(form, str):
        return form
    try:
        return [Source(path, form.name, run) for run in runs_of(form, file, request)]
    except FORESEEN:
        raise
    except Exception as fault:
        raise failed([form.name], fault) from fault
    finally:  # whose error replaces any other
        check_unchanged(path, before)


class _Files:
    """Parquet files of one layout, as they are when they are first looked at."""

    def __init__(self, paths: Sequence[Path], request: Request) -> None:
        self.paths, self._request = tuple(paths), request
        self._stamps = [*map(stamp, paths)]

    def check_unchanged(self) -> None:
        """Check that no file was changed since."""
        for path, before in zip(self.paths, self._stamps, strict=True):
            with within(path):
                check_unchanged(path, before)

    @cached_property
    def _sources(self) -> list[Source]:
        """The sources of every file by itself."""
        request = replace(self._request, skip_bad=False)
        results = [_read(path, request) for path in self.paths]
        self.check_unchanged()
        return [source for result in results if isinstance(result, list) for source in result]

    def apart(self, run: Run) -> list[Source]:
        """Return what each file holds of the same run."""
        key = (run.model, run.task, run.conditions)
        return [source for source in self._sources if (source.run.model, source.run.task, source.run.conditions) == key]


def tables_together(paths: Sequence[Path], request: Request) -> dict[Path, list[Source]]:
    """Return the sources of all files that were counted together, by path: those of a group under its first file."""
    form, models = request.format, request.model
    if isinstance(form, Format) or form not in (None, TableFormat.name) or not duck.installed():
        return {}
    together: dict[Path, list[Source]] = {}
    patterns = [*models] if isinstance(models, Mapping) else []
    for key, group in groupby(paths, _schemas(paths).get):
        group_paths = [*group]
        named = (path for path in group_paths for pattern in patterns if fnmatchcase(path.as_posix(), pattern))
        # what paths tell, such as models that the user names by them, is read file by file
        if key is None or next(named, None) or any(LogFile(path).settings for path in group_paths):
            continue
        with suppress(OutcomeError, OSError, RecursionError):  # a fault of a file, which its own reading names
            sources = _counted(_Files(group_paths, request), request)
            together |= {path: sources if path == group_paths[0] else [] for path in group_paths}
    return together


def _schemas(paths: Sequence[Path]) -> dict[Path, int]:
    """Return a number for each Parquet file that is equal for equal schemas; none if a file cannot be read."""
    try:
        parquet = [path for path in paths if is_parquet(LogFile(path))]
    except (OutcomeError, OSError):
        return {}
    return schemas(parquet) if len(parquet) > 1 else dict.fromkeys(parquet, 0)


def _counted(files: _Files, request: Request) -> list[Source]:
    """Return the sources of files that are counted by one query."""
    paths, first = files.paths, ParquetTable(LogFile(files.paths[0]))
    if detect(first.file, request.format) is not formats()[TableFormat.name]:
        raise duck.NotThisWayError("it is of another format")
    layout = layout_of(first, request)
    if layout.form != "long" or layout.export is not None or layout.kept or columns_apart(first.columns):
        raise duck.NotThisWayError("it is a table of another form")
    if "trial" not in layout.roles or layout.run or names_runs(layout.roles["trial"]):
        raise duck.NotThisWayError("each file is a run, or its trials tell their runs, which counting forgets")
    if len(paths) > 1 and "model" not in layout.roles and not isinstance(request.model, str):
        raise duck.NotThisWayError("each file holds a model")
    runs = runs_of_table(ParquetTable(first.file, paths[1:], names_trials=False), layout, request, first)
    files.check_unchanged()
    return [Source(first.file.path, TableFormat.name, run, paths[1:], partial(files.apart, run)) for run in runs]
