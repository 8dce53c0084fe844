"""The runs of a folder one by one, in the order of their dates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, time
from functools import partial
from typing import Any, NamedTuple

from .._base.words import shorten
from ..errors import OutcomeError
from ._assemble import assemble
from ._naming import FOLDER
from ._records import Source
from ._walk import grouped

_DATE = re.compile(
    r"(?<!\d)(\d{4})-?([01]\d)-?([0-3]\d)(?:[T_ ]([0-2]\d)[-:]?([0-5]\d)(?:[-:]?([0-5]\d)(?:[.,]\d+)?"
    r"(Z|[+-][01]\d[-:]?[0-5]\d)?)?)?(?!\d)",
    re.ASCII,
)
_EPOCH = re.compile(r"\d{9,10}(\.\d+)?")  # seconds since 1970
_FIRST = datetime.min.replace(tzinfo=UTC)
_DAY = "%Y-%m-%d"


class DatedRun(NamedTuple):
    """The outcomes of a run, its settings by name, and a text per question that differs if the question does."""

    outcomes: Any
    facts: Mapping[str, str]
    fingerprints: Mapping[Any, str]


def _date(sources: Sequence[Source]) -> datetime | None:
    """Return when a run was made, as its logs, or else the names of its files, say; UTC if no time zone is told."""
    texts = [str(source.run.origin.get("date") or "") for source in sources]
    texts += [source.run.attempt for source in sources] + [source.path.name for source in sources]
    return next(filter(None, map(date_of, texts)), None)


def _read(sources: Sequence[Source], missing: str, pool: Any) -> DatedRun:
    """Return the outcomes, and the settings and questions of a run."""
    facts: dict[str, str] = {}
    marks: dict[str, str] = {}
    for run in (source.run for source in sources):
        facts |= {name: value for name, value in run.conditions.items() if name != FOLDER}
        facts |= {"score": run.measure} if run.measure else {}
        marks |= run.fingerprints
    kept = {name: value for name, value in facts.items() if pool is not True and name not in pool}
    return DatedRun(assemble(sources, missing)[sources[0].run.model], kept, marks)


def dates_of(sources: Sequence[Source]) -> str:
    """Return the day, or the first and the last day, on which runs were made; nothing if no log tells."""
    days = sorted({date.date() for date in (_date([source]) for source in sources) if date})
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
    sources: Sequence[Source], missing: str = "omit", pool: Any = False, *, by_day: bool = False
) -> dict[tuple[str, str], dict[str, DatedRun]]:
    """Return the runs of each task and model, oldest first, by date; ``by_day`` takes those of one day together.

    ``sources`` are what ``read_runs`` returns; ``missing`` and ``pool`` are those of ``read``. Saved counts name no
    task, and are of the only task there is.
    """
    tasks = {source.run.task for source in sources if source.run.task is not None}
    only = next(iter(tasks)) if len(tasks) == 1 else ""
    of_models = grouped(
        sources, lambda source: (source.run.task if source.run.task is not None else only, source.run.model)
    )
    return {
        key: {
            label: _read(of_run, missing, pool)
            for label, of_run in _in_order([*grouped(of_model, partial(_identity, by_day=by_day)).values()]).items()
        }
        for key, of_model in of_models.items()
    }


def _identity(source: Source, *, by_day: bool) -> str:
    """Return a text that is equal for the parts of one run."""
    date, named = _date([source]), date_of(source.path.name)
    identity = source.run.identity or str(source.path)
    if by_day and date is not None:
        identity = date.date().isoformat()
    elif source.run.label is not None:  # runs of one date, which are read together
        identity = "" if named else str(source.path)
    # equal tables of two days are two runs, as of a model that solves all
    return identity if source.run.origin.get("date") else f"{identity} {named or ''}"


def _in_order(runs: Sequence[Sequence[Source]]) -> dict[str, Sequence[Source]]:
    """Return the runs by date, with the time where two have one date, oldest first; by name if no run has a date."""
    dated = sorted(((_date(run), str(run[0].path), run) for run in runs), key=lambda part: (part[0] or _FIRST, part[1]))
    undated = [name for date, name, _ in dated if date is None]
    if undated and len(undated) < len(runs):
        hint = "write it into the file's name, as in counts-2026-01-31.csv"
        raise OutcomeError(f"no date is known of {shorten(undated)}", hint=hint)
    dates = [date for date, *_ in dated if date is not None]
    forms = [_DAY]
    if any(date.time() != time.min for date in dates):
        forms += [f"{_DAY} %H:%M", f"{_DAY} %H:%M:%S"]
    if len({date.utcoffset() for date in dates}) > 1:
        forms.append(f"{_DAY} %H:%M:%S%z")
    labels: list[str] = []
    for form in (*forms, f"{forms[-1]} {{}}"):
        labels = [name if date is None else date.strftime(form).format(name) for date, name, _ in dated]
        if len(set(labels)) == len(runs):
            break
    return {label: run for label, (*_, run) in zip(labels, dated, strict=True)}
