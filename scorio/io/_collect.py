"""Files of a source read one by one: the runs in each, or the reason why it is skipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from .._display.progress import Progress
from .._jobs import in_parallel, run
from ..errors import OutcomeError
from ._detect import detect
from ._files import LogFile
from ._format import Format
from ._naming import Models
from ._records import Source
from ._registry import formats
from ._remote import Mirror
from ._request import Request
from ._sources import Sources, expand
from ._tables_together import tables_together
from ._tabular import duck
from ._tabular.columns import NoSingleTableError, NotATableError, UnknownColumnsError
from ._validate import within


class Collected(NamedTuple):
    """The runs of all files, the reason for each file that was skipped, and those of them that are damaged."""

    sources: list[Source]
    skipped: dict[Path, str]
    bad: tuple[Path, ...]


def collect(
    source: Sources,
    form: str | Format | None,
    request: Request,
    n_jobs: int | None,
    models: Models,
    *,
    skip_bad: bool,
    mirror: Mirror | None = None,
) -> Collected:
    """Return the runs of all files, and the reason for each file that is skipped.

    A file that the user names is never skipped. A generic file (a table) whose columns are unknown is skipped beside
    files of a tool, and an error beside other tables. ``skip_bad`` skips all files that cannot be read.
    """
    sources: list[Source] = []
    skipped: dict[Path, str] = {}
    bad: list[Path] = []
    doubts: list[OutcomeError] = []
    paths = expand(source, mirror)
    results = _results([*paths], form, request, n_jobs, models, skip_bad=skip_bad)
    for path, is_named in paths.items():
        result = results[path]
        if isinstance(result, OutcomeError) and skip_bad and (is_named or not isinstance(result, NotATableError)):
            skipped[path] = result.text().removeprefix(f"{path}: ")
            bad.append(path)
        elif isinstance(result, OutcomeError):
            if is_named:
                raise result
            if isinstance(result, NotATableError):
                skipped[path] = result.problem if isinstance(result, NoSingleTableError) else "text that is not a table"
            else:
                doubts.append(result)
                skipped[path] = "a table of unknown columns"
        elif isinstance(result, str):
            if is_named and not skip_bad:
                raise OutcomeError(result, where=str(path))
            skipped[path] = result
        else:
            sources += result
    if doubts and all(_is_generic(each) for each in sources):
        raise doubts[0]
    if not sources:
        raise _nothing(source, skipped)
    return Collected(sources, skipped, tuple(bad))


def _results(
    paths: Sequence[Path],
    form: str | Format | None,
    request: Request,
    n_jobs: int | None,
    models: Models,
    *,
    skip_bad: bool,
) -> dict[Path, list[Source] | str | OutcomeError]:
    """Return the runs in every file, or why it is not read; tables of one layout are read by one query."""
    with duck.shared(paths):
        together = {} if in_parallel(n_jobs) else tables_together(paths, form, request, models, _read)
        jobs = [(path, form, request, skip_bad) for path in paths if path not in together]
        with Progress("reading files", len(jobs)) as shown:
            alone = run(jobs, _read, n_jobs, shown, "processes")
    return together | {job[0]: result for job, result in zip(jobs, alone, strict=True)}


def _is_generic(source: Source) -> bool:
    return source.format in formats() and formats()[source.format].is_generic


def _read(path: Path, form: str | Format | None, request: Request, skip_bad: bool) -> list[Source] | str | OutcomeError:
    """Return the runs in a file, or why it is not read; errors are returned if the file may be skipped for them."""
    file = LogFile(path)
    try:
        with within(path):
            each = detect(file, form)
            return each if isinstance(each, str) else [Source(path, each.name, run) for run in each.read(file, request)]
    except UnknownColumnsError as doubt:
        return doubt
    except RecursionError:
        error = OutcomeError("it is nested too deeply", where=str(path))
    except OutcomeError as fault:
        error = fault
    except OSError as fault:
        error = OutcomeError(f"it cannot be read: {fault.strerror}", where=str(path))
    if not skip_bad:
        raise error from None
    return error


def _nothing(source: Sources, skipped: Mapping[Path, str]) -> OutcomeError:
    if not skipped:
        return OutcomeError("no file to read", where=str(source))
    path, reason = next(iter(skipped.items()))
    return OutcomeError(f"no file holds outcomes; {path}: {reason}", where=str(source))
