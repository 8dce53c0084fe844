"""Tables of outcomes: CSV, JSON lines and Parquet with a row a trial, a column a trial, or counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from ..errors import OutcomeError
from .expect import shown, within
from .files import LogFile
from .layout import KEYS, ROLES, Layout, layout
from .naming import FROM_NAME, model_of_path
from .records import Format, Request, Run, Trial
from .reward import Rewards
from .rows import Row, Values, columns, distinct, is_table, named, rows

_WHOLE = 1 << 53


class _Keys(NamedTuple):
    """What the trials of a row are of."""

    model: str | None
    task: str | None
    question: str
    cluster: str | None


Trials = Iterator[tuple[_Keys, Trial]]


def _matches(file: LogFile) -> bool:
    return is_table(file) or (isinstance(file.first_row, dict) and _says_outcomes(file))


def _says_outcomes(file: LogFile) -> bool:
    """Whether a lone JSON object is a table of one row."""
    try:
        layout(columns(file), {}, None)
    except OutcomeError:
        return False
    return True


def _read(file: LogFile, request: Request) -> list[Run]:
    how = layout(columns(file), request.fields, request.metric)
    runs: dict[tuple[str | None, str | None], list[Trial]] = defaultdict(list)
    for keys, trial in _FORMS[how.form](file, how, Rewards(request.levels, how.share)):
        runs[keys.model, keys.task].append(trial)
    if not runs:
        raise OutcomeError("the table has no rows")
    identity = "" if "trial" in how.roles else file.digest
    notes = how.notes | ({} if "model" in how.roles else FROM_NAME)
    return [
        Run(model_of_path(file.path) if model is None else model, trials, identity, task, notes=notes)
        for (model, task), trials in runs.items()
    ]


_OPTIONS = frozenset({"metric", "levels", *ROLES})
FORMAT = Format("table", _matches, _read, _OPTIONS)


def _long(file: LogFile, how: Layout, rewards: Rewards) -> Trials:
    """A row a trial."""
    listed = [*how.keys, how.roles["outcome"]]
    for keys, row in _keyed(how, distinct(file, listed, how.roles.get("trial"))):
        with within(row.place):
            outcome = rewards(row.values[-1])
            if row.trials is not None and len(row.trials) < row.times:
                raise OutcomeError(f"question {keys.question!r} has a trial twice")
        key = row.values[-1] if row.trials is None else row.trials
        yield keys, Trial(keys.question, key, outcome, keys.cluster, row.times)


def _wide(file: LogFile, how: Layout, rewards: Rewards) -> Trials:
    """A column a trial."""
    places: dict[_Keys, str] = {}
    for keys, row in _keyed(how, rows(file, [*how.keys, *how.wide])):
        with within(row.place):
            _demand_first(keys, row, places)
            outcomes = [rewards(value) for value in row.values[-len(how.wide) :]]
        for column, outcome in zip(how.wide, outcomes, strict=True):
            yield keys, Trial(keys.question, column, outcome, keys.cluster)


def _counts(file: LogFile, how: Layout, _rewards: Rewards) -> Trials:
    """A row a question: how many trials, and how many of them succeeded."""
    places: dict[_Keys, str] = {}
    for keys, row in _keyed(how, rows(file, [*how.keys, how.roles["trials"], how.roles["successes"]])):
        with within(row.place):
            _demand_first(keys, row, places)
            trials, successes = (_whole(value) for value in row.values[-2:])
            if successes > trials:
                raise OutcomeError(f"there are {successes} successes of {trials} trials")
        for outcome, count in ((1.0, successes), (0.0, trials - successes)):
            yield keys, Trial(keys.question, outcome, outcome, keys.cluster, count)


_FORMS = {"long": _long, "wide": _wide, "counts": _counts}


def _keyed(how: Layout, found: Iterator[Row]) -> Iterator[tuple[_Keys, Row]]:
    """Every row with what it is of, by its first values."""
    roles = [role for role in KEYS if role in how.roles]
    known: dict[Values, _Keys] = {}
    for row in found:
        values = row.values[: len(roles)]
        if values not in known:
            with within(row.place):
                known[values] = _keys(dict(zip(roles, values, strict=True)))
        yield known[values], row


def _keys(values: dict[str, str | None]) -> _Keys:
    keys = {role: named(value, role) for role, value in values.items()}
    return _Keys(keys.get("model"), keys.get("task"), keys["question"], keys.get("cluster"))


def _demand_first(keys: _Keys, row: Row, places: dict[_Keys, str]) -> None:
    if row.times > 1 or places.setdefault(keys, row.place) != row.place:
        raise OutcomeError(
            f"question {keys.question!r} is given twice, where a row is a question;"
            ' where a row is a trial, name its columns with metric=... and fields={"trial": ...}'
        )


def _whole(value: str | None) -> int:
    try:
        number = float(value or "")
    except ValueError:
        number = -1.0
    if not 0 <= number <= _WHOLE or number != int(number):
        raise OutcomeError(f"a whole number was expected; got {shown(value)}")
    return int(number)
