"""The runs of a folder one by one, in the order of their dates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, time
from typing import Any, NamedTuple

from .._display.words import shorten
from ..errors import OutcomeError
from ._assemble import assemble
from ._records import Source

_DATE = re.compile(
    r"(?<!\d)(\d{4})-?([01]\d)-?([0-3]\d)(?:[T_ ]([0-2]\d)[-:]?([0-5]\d)(?:[-:]?([0-5]\d)(?:[.,]\d+)?"
    r"(Z|[+-][01]\d[-:]?[0-5]\d)?)?)?(?!\d)",
    re.ASCII,
)
_EPOCH = re.compile(r"\d{9,10}(\.\d+)?")  # seconds since 1970
_FOLDER = "folder"  # a condition that is no setting
_FIRST = datetime.min.replace(tzinfo=UTC)
_DAY = "%Y-%m-%d"


Pool = Any  # True, or the names of conditions in which runs may differ


class DatedRun(NamedTuple):
    """The outcomes of a run, its settings by name, and a text per question that differs if the question does."""

    outcomes: Any
    facts: Mapping[str, str]
    fingerprints: Mapping[Any, str]


@dataclass
class _LoggedRun:
    """The files of one run of a model on a task."""

    sources: list[Source] = field(default_factory=list)

    @property
    def date(self) -> datetime | None:
        """When the run was made, as its log, or else the name of its file, says; UTC if no time zone is told."""
        texts = [str(source.run.origin.get("date") or "") for source in self.sources]
        texts += [source.run.attempt for source in self.sources] + [source.path.name for source in self.sources]
        return next(filter(None, map(date_of, texts)), None)

    @property
    def name(self) -> str:
        """The name of the first file."""
        return str(self.sources[0].path)

    def read(self, missing: str, pool: Pool) -> DatedRun:
        """Return the outcomes, and the settings and questions of the run."""
        outcomes = assemble(self.sources, missing)
        facts: dict[str, str] = {}
        marks: dict[str, str] = {}
        for run in (source.run for source in self.sources):
            facts |= {name: value for name, value in run.conditions.items() if name != _FOLDER}
            facts |= {"score": run.measure} if run.measure else {}
            marks |= run.fingerprints
        kept = {name: value for name, value in facts.items() if pool is not True and name not in pool}
        return DatedRun(outcomes[self.sources[0].run.model], kept, marks)


def dates_of(sources: Sequence[Source]) -> str:
    """Return the day, or the first and the last day, on which runs were made; nothing if no log tells."""
    days = sorted({run.date.date() for run in (_LoggedRun([source]) for source in sources) if run.date})
    return " to ".join(dict.fromkeys(day.isoformat() for day in (*days[:1], *days[-1:])))


def date_of(text: str) -> datetime | None:
    """Return the date in a text, in UTC if the text tells no time zone; None if there is none.

    >>> print(date_of("2026-01-05T10:20:30+02:00"), date_of("counts-20260105.csv"), date_of("run-7"))
    2026-01-05 10:20:30+02:00 2026-01-05 00:00:00+00:00 None
    """
    if _EPOCH.fullmatch(text):
        return datetime.fromtimestamp(float(text), tz=UTC)
    for match in _DATE.finditer(text):
        *parts, zone = match.groups("00")
        offset = f"{zone[:3]}{zone[-2:]}" if zone[0] in "+-" else "Z"
        with suppress(ValueError):
            return datetime.fromisoformat(f"{''.join(parts[:3])}T{''.join(parts[3:])}{offset}")
    return None


def dated_runs(
    sources: Sequence[Source], missing: str = "omit", pool: Pool = False, *, by_day: bool = False
) -> dict[tuple[str, str], dict[str, DatedRun]]:
    """Return the runs of each task and model, oldest first, by date; ``by_day`` takes those of one day together.

    ``sources`` are what ``read_runs`` returns; ``missing`` and ``pool`` are those of ``read``. Saved counts name no
    task, and are of the only task there is.
    """
    tasks = {source.run.task for source in sources if source.run.task is not None}
    only = next(iter(tasks)) if len(tasks) == 1 else ""
    groups: dict[tuple[str, str], dict[str, _LoggedRun]] = {}
    for source in sources:
        runs = groups.setdefault((only if source.run.task is None else source.run.task, source.run.model), {})
        runs.setdefault(_identity(source, by_day=by_day), _LoggedRun()).sources.append(source)
    return {key: _in_order([*runs.values()], missing, pool) for key, runs in groups.items()}


def _identity(source: Source, *, by_day: bool) -> str:
    """Return a text that is equal for the parts of one run."""
    date, named = _LoggedRun([source]).date, date_of(source.path.name)
    identity = source.run.identity or str(source.path)
    if by_day and date is not None:
        identity = date.date().isoformat()
    elif source.run.label is not None:  # runs of one date, which are read together
        identity = "" if named else str(source.path)
    # equal tables of two days are two runs, as of a model that solves all
    return identity if source.run.origin.get("date") else f"{identity} {named or ''}"


def _in_order(runs: Sequence[_LoggedRun], missing: str, pool: Pool) -> dict[str, DatedRun]:
    """Return the runs by date, oldest first; by name if no run has a date."""
    dates = [run.date for run in runs]
    undated = [run.name for run, date in zip(runs, dates, strict=True) if date is None]
    if undated and len(undated) < len(runs):
        raise OutcomeError(
            f"no date is known of {shorten(undated)}", hint="write it into the file's name, as in counts-2026-01-31.csv"
        )
    order = sorted(runs, key=lambda run: (run.date or _FIRST, run.name))
    labels = _labels(order)
    return {label: run.read(missing, pool) for label, run in zip(labels, order, strict=True)}


def _labels(runs: Sequence[_LoggedRun]) -> list[str]:
    """Return dates, with the time where two runs have one date; or the names of files."""
    dates = [run.date for run in runs]
    clock = any(date is not None and date.time() != time.min for date in dates)
    zone = len({date.utcoffset() for date in dates if date is not None}) > 1
    forms = [_DAY, *([f"{_DAY} %H:%M", f"{_DAY} %H:%M:%S"] if clock else []), *([f"{_DAY} %H:%M:%S%z"] if zone else [])]
    for form in forms:
        labels = [run.name if run.date is None else run.date.strftime(form) for run in runs]
        if len(set(labels)) == len(runs):
            return labels
    return [f"{run.date.strftime(forms[-1])} {run.name}" if run.date else run.name for run in runs]
