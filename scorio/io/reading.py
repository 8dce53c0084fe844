"""Reading sources: files found, recognised, read, named, and put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ..errors import OutcomeError, ParameterError
from ..labels import listed
from ..outcome_set import OutcomeSet
from . import tables
from .assemble import assembled, demand_tasks
from .detect import named, recognised
from .expect import within
from .files import LogFile
from .layout import ROLES, UnknownColumnsError
from .naming import FROM_PATH
from .records import Models, Request, Run, Source
from .sources import Sources, expanded


@dataclass(frozen=True)
class Reading:
    """What was read: the outcomes, and what each file was taken for. Prints as a table."""

    outcomes: OutcomeSet
    sources: tuple[Source, ...]
    skipped: Mapping[Path, str]

    def __str__(self) -> str:
        lines = [f"{source.path}: {_described(source)}" for source in self.sources]
        lines += [f"{path}: skipped, {reason}" for path, reason in self.skipped.items()]
        return "\n".join([*lines, repr(self.outcomes)])


def _described(source: Source) -> str:
    run = source.run
    notes = ", ".join(f"{name} {note}" for name, note in run.notes.items() if note)
    task = f", task {run.task!r}" if run.task is not None else ""
    return f"{source.format}, model {run.model!r}{task}, {source.present} trial{'s' * (source.present != 1)}" + (
        f" ({notes})" if notes else ""
    )


def reading(source: Sources, form: str | None, model: Models, missing: str, request: Request) -> Reading:
    """Read every file of a source and put together what they hold."""
    _check(model, request)
    found, skipped = _found(source, form, request)
    if not found:
        raise OutcomeError(_nothing(source, skipped))
    _demand_used(request, {each.format for each in found})
    chosen = _of_task([replace(each, run=_renamed(each, model)) for each in found], request)
    if isinstance(model, str):
        _demand_one_model(found)
    return Reading(assembled(chosen, missing), tuple(chosen), skipped)


def _found(source: Sources, form: str | None, request: Request) -> tuple[list[Source], dict[Path, str]]:
    """What each file holds, or why it is not read: those in a directory or of a glob may be something else.

    A table of unknown columns is something else beside a tool's logs, and an error beside other tables.
    """
    found: list[Source] = []
    skipped: dict[Path, str] = {}
    doubts: list[UnknownColumnsError] = []
    for path, by_name in expanded(source).items():
        try:
            with within(path):
                what = _read(path, form, request)
        except UnknownColumnsError as doubt:
            if by_name:
                raise
            doubts.append(doubt)
            skipped[path] = "a table of unknown columns"
            continue
        if isinstance(what, str) and by_name:
            raise OutcomeError(f"{path}: {what}")
        if isinstance(what, str):
            skipped[path] = what
        else:
            found += what
    if doubts and all(each.format == tables.FORMAT.name for each in found):
        raise doubts[0]
    return found, skipped


def _read(path: Path, form: str | None, request: Request) -> list[Source] | str:
    """What a file holds, or why it is not read."""
    file = LogFile(path)
    try:
        what = recognised(file, form)
        return what if isinstance(what, str) else [Source(path, what.name, run) for run in what.read(file, request)]
    except RecursionError:
        raise OutcomeError("it is nested too deeply") from None


def _check(model: Any, request: Request) -> None:
    if not (model is None or isinstance(model, (str, Mapping))):
        raise ParameterError(f"model must be a name, or a mapping from path patterns to names; got {model!r}")
    unknown = set(request.fields) - ROLES
    if unknown:
        raise ParameterError(f"fields may name {', '.join(sorted(ROLES))}; got {listed(sorted(unknown))}")


def _demand_used(request: Request, formats: set[str]) -> None:
    """Check that no option was given in vain."""
    idle = request.given - {option for name in formats for option in named(name).options}
    if idle:
        raise ParameterError(f"{listed(sorted(idle))} cannot be chosen in files of {', '.join(sorted(formats))}")


def _nothing(source: Sources, skipped: Mapping[Path, str]) -> str:
    if not skipped:
        return f"{source}: no file to read"
    path, reason = next(iter(skipped.items()))
    return f"{source}: no file holds outcomes; {path}: {reason}"


def _renamed(source: Source, model: Models) -> Run:
    """The run under the name the user gave its model."""
    name: str | None = model if isinstance(model, str) else None
    for pattern, given in model.items() if isinstance(model, Mapping) else []:
        if pattern == source.run.model or fnmatchcase(source.path.as_posix(), pattern):
            name = given
    return source.run if name is None else replace(source.run, model=name)


def _demand_one_model(found: Sequence[Source]) -> None:
    """Check that one name was not given to models that the files tell apart."""
    own = {source.run.model for source in found if not FROM_PATH.items() <= source.run.notes.items()}
    if len(own) > 1:
        raise OutcomeError(
            f"model= names one model, the files hold {listed(sorted(own))}: pass a mapping from names to names"
        )


def _of_task(found: list[Source], request: Request) -> list[Source]:
    if request.task is None:
        demand_tasks([source.run.task for source in found])
        return found
    kept = [source for source in found if request.wants(source.run.task)]
    if not kept:
        raise OutcomeError(
            f"task={request.task!r} matches none of: {listed(sorted({str(each.run.task) for each in found}))}"
        )
    return kept
