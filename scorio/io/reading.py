"""Reading sources: files found, recognised, read, named, and put together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ..errors import OutcomeError, ParameterError
from ..labels import listed
from ..outcome_set import OutcomeSet
from ..parallel import Progress, run
from . import tables
from .assemble import assembled, demand_tasks
from .attempts import standing
from .detect import named, recognised
from .expect import within
from .files import LogFile
from .layout import ROLES, UnknownColumnsError
from .naming import FROM_NAME, is_told
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


def reading(
    source: Sources, form: str | None, model: Models, missing: str, request: Request, n_jobs: int | None = None
) -> Reading:
    """Read every file of a source and put together what they hold."""
    _check(model, request)
    found, skipped = _found(source, form, request, n_jobs)
    if not found:
        raise OutcomeError(_nothing(source, skipped))
    _demand_used(request, {each.format for each in found})
    chosen = standing(_of_task([replace(each, run=_renamed(each, model)) for each in found], request))
    if isinstance(model, str):
        _demand_one_model(found)
    _demand_told_apart(chosen)
    return Reading(assembled(chosen, missing), tuple(chosen), skipped)


def _found(
    source: Sources, form: str | None, request: Request, n_jobs: int | None
) -> tuple[list[Source], dict[Path, str]]:
    """What each file holds, or why it is not read: those in a directory or of a glob may be something else.

    A table of unknown columns is something else beside a tool's logs, and an error beside other tables.
    """
    found: list[Source] = []
    skipped: dict[Path, str] = {}
    doubts: list[UnknownColumnsError] = []
    paths = expanded(source)
    jobs = [(path, form, request) for path in paths]
    contents = run(jobs, _read, n_jobs, Progress("reading", len(jobs), wanted=False))
    for (path, by_name), what in zip(paths.items(), contents, strict=True):
        if isinstance(what, UnknownColumnsError):
            if by_name:
                raise what
            doubts.append(what)
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


def _read(path: Path, form: str | None, request: Request) -> list[Source] | str | UnknownColumnsError:
    """What a file holds, or why it is not read."""
    file = LogFile(path)
    try:
        with within(path):
            what = recognised(file, form)
            return (
                what if isinstance(what, str) else [Source(path, what.name, each) for each in what.read(file, request)]
            )
    except UnknownColumnsError as doubt:
        return doubt
    except RecursionError:
        raise OutcomeError(f"{path}: it is nested too deeply") from None


def _check(model: Any, request: Request) -> None:
    if not (model is None or isinstance(model, (str, Mapping))):
        raise ParameterError(f"model must be a name, or a mapping from path patterns to names; got {model!r}")
    if not (request.score is None or callable(request.score)):
        raise ParameterError(f"score must be a function of one response; got {request.score!r}")
    if not (
        isinstance(request.fields, Mapping)
        and all(isinstance(name, (str, type(None))) for name in request.fields.values())
    ):
        raise ParameterError(f"fields must map roles to names of columns, or to None; got {request.fields!r}")
    unknown = set(request.fields) - ROLES
    if unknown:
        raise ParameterError(f"fields may name {', '.join(sorted(ROLES))}; got {listed(unknown)}")
    if not (isinstance(request.levels, Mapping) and all(map(_is_finite, request.levels.values()))):
        raise ParameterError(f"levels must map words to finite rewards; got {request.levels!r}")


def _is_finite(reward: Any) -> bool:
    return isinstance(reward, (int, float)) and abs(reward) < math.inf


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
    if name is None:
        return source.run
    notes = {about: note for about, note in source.run.notes.items() if (about, note) not in FROM_NAME.items()}
    return replace(source.run, model=name, notes=notes)


def _demand_one_model(found: Sequence[Source]) -> None:
    """Check that one name was not given to models that the files tell apart."""
    own = {source.run.model for source in found if is_told(source.run.notes)}
    if len(own) > 1:
        raise OutcomeError(
            f"model= names one model, the files hold {listed(sorted(own))}: pass a mapping from names to names"
        )


def _demand_told_apart(found: Sequence[Source]) -> None:
    """Check that files of one name in two folders are not taken for one model by chance."""
    first: dict[str, Path] = {}
    for source in found:
        if FROM_NAME.items() <= source.run.notes.items():
            other = first.setdefault(source.run.model, source.path)
            if other.parent != source.path.parent:
                raise OutcomeError(
                    f"{other} and {source.path} do not say whether they are of one model: pass model=..., a name for"
                    " both or a mapping from path patterns to names"
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
