"""Tables of outcomes: CSV, JSON lines and Parquet with a row a trial, a column a trial, or counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import OutcomeError
from .expect import shown, within
from .files import LogFile
from .layout import ROLES, Layout, layout
from .naming import FROM_NAME, model_of_path
from .records import Columns, Format, Request, Run, Trial
from .reward import Rewards
from .rows import Row, Values, columns, distinct, is_table, named, rows
from .sql import Alike

_WHOLE = 1 << 53


class _Keys(NamedTuple):
    """What the trials of a row are of."""

    model: str | None
    task: str | None
    question: str
    cluster: str | None


_Of = tuple[str | None, str | None]  # a model and a task
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
    rewards = Rewards(request.levels, how.share)
    runs = _long(file, how, rewards) if how.form == "long" else _by_run(_FORMS[how.form](file, how, rewards))
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


def _long(file: LogFile, how: Layout, rewards: Rewards) -> Mapping[_Of, Sequence[Trial] | Columns]:
    """A row a trial."""
    found = distinct(file, [*how.keys, how.roles["outcome"]], how.roles.get("trial"))
    *keys, written = found.columns
    known: dict[str | None, float | None] = {}
    for i in _unlike_earlier(found):
        with within(found.places[i]):
            question = _keys({role: column[i] for role, column in zip(how.key_roles, keys, strict=True)}).question
            known[written[i]] = rewards(written[i])
            if found.trials is not None and len(found.trials[i]) < found.times[i]:
                raise OutcomeError(f"question {question!r} has a trial twice")
    of: dict[str, Any] = defaultdict(lambda: [None] * len(written), zip(how.key_roles, keys, strict=True))
    outcomes = [known[value] for value in written]
    trials = Columns(of["question"], found.trials or written, outcomes, of["cluster"], found.times)
    rows: dict[_Of, list[int]] = defaultdict(list)
    for i, run in enumerate(zip(of["model"], of["task"], strict=True)):
        rows[run].append(i)
    return {run: trials.picked(here) for run, here in rows.items()}


def _unlike_earlier(found: Alike) -> list[int]:
    """The rows with a value that its column has not had yet, or with fewer trials than times: faults are among them."""
    rows = range(len(found.places))
    unlike = {i for column in found.columns for i in dict(zip(reversed(column), reversed(rows), strict=True)).values()}
    if found.trials is not None:
        unlike.update(i for i in rows if len(found.trials[i]) < found.times[i])
    return sorted(unlike)


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


_FORMS = {"wide": _wide, "counts": _counts}


def _by_run(trials: Trials) -> Mapping[_Of, Sequence[Trial] | Columns]:
    runs: dict[_Of, list[Trial]] = defaultdict(list)
    for keys, trial in trials:
        runs[keys.model, keys.task].append(trial)
    return runs


def _keyed(how: Layout, found: Iterator[Row]) -> Iterator[tuple[_Keys, Row]]:
    """Every row with what it is of, by its first values."""
    width = len(how.keys)
    known: dict[Values, _Keys] = {}
    for row in found:
        values = row.values[:width]
        if values not in known:
            with within(row.place):
                known[values] = _keys(dict(zip(how.key_roles, values, strict=True)))
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
