"""Tables of outcomes: CSV, JSON lines and Parquet with one row per trial, one column per trial, or counts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ...errors import OutcomeError, Remedy
from ...outcomes._column_names import ROLES
from ...outcomes._outcome_values import ColumnReader
from .._conditions import FOLDER
from .._files import LogFile, parsed
from .._format import Format
from .._naming import model_of_path
from .._records import Run, Trial, TrialColumns
from .._request import Request
from .._tabular.columns import FACTOR, NotATableError, TableLayout, UnknownColumnsError, recognise_columns
from .._tabular.lists import as_text, holds_lists, lists_of_flags
from .._tabular.path_columns import identity
from .._tabular.rows import (
    RepeatedTrialError,
    Row,
    Values,
    columns,
    distinct,
    is_rectangular,
    is_table,
    named,
    rows,
)
from .._tabular.sql import DistinctRows
from .._tabular.unused import named_factors, warn_of_pooled
from .._validate import shown, within

_WHOLE = 1 << 53
_MEAN = re.compile(r"(pass|avg|maj|cons|mean)[@_^]")  # names of means over trials


class _Keys(NamedTuple):
    """The model, task, question and cluster of a row."""

    model: str | None
    task: str | None
    question: str
    cluster: str | None
    levels: tuple[str, ...] = ()

    @property
    def run(self) -> _RunKey:
        """The model and the task of its run, and the levels of its factors."""
        return (self.model, self.task, *self.levels)


_RunKey = tuple[str | None, ...]  # a model, a task, and the levels of factors
Trials = Iterator[tuple[_Keys, Trial]]


class TableFormat(Format):
    """Tables of outcomes, whose columns are recognised by their names."""

    name = "table"
    options = frozenset({"metric", "levels", *ROLES})
    is_generic = True

    def matches(self, file: LogFile) -> bool:
        return is_table(file) or (isinstance(file.first_row, dict) and _has_outcomes(file))

    def read(self, file: LogFile, request: Request) -> list[Run]:
        how = layout(file, request)
        rewards = Rewards(request.levels, how.share)
        try:
            runs = _long(file, how, rewards) if how.form == "long" else _by_run(_FORMS[how.form](file, how, rewards))
        except RepeatedTrialError as error:
            raise named_factors(error, file, how) from None
        if not runs:
            raise OutcomeError("the table has no rows")
        warn_of_pooled(file, how)
        return [run_of(file, how, key, trials) for key, trials in runs.items()]


def run_of(file: LogFile, how: TableLayout, key: _RunKey, trials: Sequence[Trial] | TrialColumns) -> Run:
    """Return a run of a table: of its own if trials have no names, else a part of all that is known of the model."""
    model, task, *levels = key
    is_step = how.export is not None and bool(how.export.step)
    folder = file.path.parent
    training = folder.parent if folder.name == "completions" else folder  # TRL writes into a folder of that name
    return Run(
        f"step {model}" if is_step else model or model_of_path(file.path),
        trials,
        " ".join([*map(repr, levels), "" if "trial" in how.roles else identity(file)]),
        task,
        model_from="log" if "model" in how.roles else "file name",
        conditions=({"step": str(model), FOLDER: training.resolve().as_posix()} if is_step else {})
        | dict(zip(how.factors, map(str, levels), strict=True)),
        notes=how.notes,
    )


def layout(file: LogFile, request: Request) -> TableLayout:
    """Return the layout of a table, whose outcomes are no means."""
    names = columns(file)
    try:
        how = recognise_columns(names, request.fields, request.metric, request.factors)
    except UnknownColumnsError as error:
        lists = [] if request.metric else lists_of_flags(file)
        if len(lists) == 1:
            how = recognise_columns(names, request.fields, lists[0], request.factors)
        elif is_rectangular(file):
            raise
        else:
            raise NotATableError(error.problem, remedies=error.remedies) from None
    is_list = how.form == "long" and holds_lists(file, how.roles["outcome"])
    how = replace(how, form="lists", share="") if is_list else how
    _check_no_mean(file, how)
    return how


def _check_no_mean(file: LogFile, how: TableLayout) -> None:
    """Check that the outcome is not a mean over trials that the rows hold as a list."""
    if file.is_json and _MEAN.match(how.roles.get("outcome", "")):
        lists = lists_of_flags(file)
        if lists:
            problem = f"{how.roles['outcome']!r} is a mean over trials, whose outcomes are in {lists[0]!r}"
            raise OutcomeError(problem, where="record 0", remedies=[Remedy("metric", lists[0], "reads these")])


def _has_outcomes(file: LogFile) -> bool:
    """Return whether a single JSON object is a table of one row."""
    try:
        recognise_columns(columns(file), {}, None)
    except OutcomeError:
        return False
    return True


class Rewards(ColumnReader):
    """The rewards of one column; ``share`` names a column whose name alone says that its numbers are from 0 to 1."""

    def __init__(self, levels: Mapping[str, float], share: str) -> None:
        super().__init__(levels)
        self._share = share

    def _checked(self, value: Any) -> float | None:
        outcome = super()._checked(value)
        if self._share and outcome is not None and not 0 <= outcome <= 1 and value.strip() not in self._levels:
            raise OutcomeError(
                f"{self._share!r} is {value}, which is not from 0 to 1",
                remedies=[
                    Remedy("metric", "...", "names its column if it is a reward"),
                    Remedy("fields", {"trials": "..."}, "names the column of the trials if it is a count"),
                ],
            )
        return outcome


def _long(file: LogFile, how: TableLayout, rewards: ColumnReader) -> Mapping[_RunKey, TrialColumns]:
    """Return the runs of a table with one row per trial."""
    runs = long_runs(distinct(file, how.row_columns, how.roles.get("trial"), how.nested), how, rewards)
    return {key[1:]: trials for key, trials in runs.items()}


def long_runs(
    table: DistinctRows, how: TableLayout, rewards: ColumnReader, files: Sequence[int] | None = None
) -> Mapping[tuple[Any, ...], TrialColumns]:
    """Return the trials by file, model, task and levels of factors, of the distinct rows of ``row_columns``.

    ``files`` has the number of each row's file. Trials that were checked already are numbered.
    """
    *keys, written = table.columns
    failed = keys.pop() if how.failed else ()
    known: dict[str | None, float | None] = {}
    for i in _with_new_values(table):
        with within(table.places[i]):
            question = _keys({role: column[i] for role, column in zip(how.key_roles, keys, strict=True)}).question
            known[written[i]] = rewards(written[i])
            if table.trials is not None and len(table.trials[i]) < table.times[i]:
                raise RepeatedTrialError(f"question {question!r} has a trial twice")
    of: dict[str, Any] = defaultdict(lambda: [None] * len(written), zip(how.key_roles, keys, strict=True))
    outcomes = [known[value] for value in written]
    names_of_trials: Sequence[Hashable] = table.trials or (range(len(written)) if "trial" in how.roles else written)
    if how.export is not None and failed:
        outcomes = [None if how.export.is_failed(text) else value for text, value in zip(failed, outcomes, strict=True)]
        if "trial" not in how.roles:
            names_of_trials = [*zip(written, failed, strict=True)]
    trials = TrialColumns(of["question"], names_of_trials, outcomes, of["cluster"], table.times)
    rows: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    numbers: Sequence[int | None] = files or [None] * len(written)
    levels = (of[FACTOR.format(name)] for name in how.factors)
    for i, run in enumerate(zip(numbers, of["model"], of["task"], *levels, strict=True)):
        rows[run].append(i)
    return {run: trials.picked(here) for run, here in rows.items()}


def _with_new_values(table: DistinctRows) -> list[int]:
    """Return the rows with a value that is new in its column, or with a trial twice: errors can only be in these."""
    rows = range(len(table.places))
    new = {i for column in table.columns for i in dict(zip(reversed(column), reversed(rows), strict=True)).values()}
    if table.trials is not None:
        new.update(i for i in rows if len(table.trials[i]) < table.times[i])
    return sorted(new)


def _wide(file: LogFile, how: TableLayout, rewards: ColumnReader) -> Trials:
    """Yield the trials of a table with one column per trial."""
    places: dict[_Keys, str] = {}
    for keys, row in _keyed(how, rows(file, [*how.keys, *how.wide])):
        with within(row.place):
            _check_first(keys, row, places)
            outcomes = [rewards(value) for value in row.values[-len(how.wide) :]]
        for column, outcome in zip(how.wide, outcomes, strict=True):
            yield keys, Trial(keys.question, column, outcome, keys.cluster)


def _counts(file: LogFile, how: TableLayout, _rewards: ColumnReader) -> Trials:
    """Yield the trials of a table with one row per question: the number of trials, and of successes."""
    places: dict[_Keys, str] = {}
    for keys, row in _keyed(how, rows(file, [*how.keys, how.roles["trials"], how.roles["successes"]])):
        with within(row.place):
            _check_first(keys, row, places)
            trials, successes = (_whole(value) for value in row.values[-2:])
            if successes > trials:
                raise OutcomeError(f"there are {successes} successes of {trials} trials")
        for outcome, count in ((1.0, successes), (0.0, trials - successes)):
            yield keys, Trial(keys.question, outcome, outcome, keys.cluster, count)


def _lists(file: LogFile, how: TableLayout, rewards: ColumnReader) -> Trials:
    """Yield the trials of a table with a list of outcomes per row."""
    for keys, row in _keyed(how, rows(file, [*how.keys, how.roles["outcome"]], how.nested)):
        with within(row.place):
            values = parsed(row.values[-1] or "[]")
            if not isinstance(values, list):
                raise OutcomeError(f"{how.roles['outcome']!r} must be a list, as in other rows; got {shown(values)}")
            outcomes = [rewards(None if value is None else as_text(value)) for value in values]
        for i, outcome in enumerate(outcomes):
            yield keys, Trial(keys.question, (row.place, i), outcome, keys.cluster, row.times)


_FORMS = {"wide": _wide, "lists": _lists, "counts": _counts}


def _by_run(trials: Trials) -> Mapping[_RunKey, Sequence[Trial] | TrialColumns]:
    runs: dict[_RunKey, list[Trial]] = defaultdict(list)
    for keys, trial in trials:
        runs[keys.run].append(trial)
    return runs


def _keyed(how: TableLayout, rows: Iterator[Row]) -> Iterator[tuple[_Keys, Row]]:
    """Yield every row with its keys, which are its first values."""
    width = len(how.keys)
    known: dict[Values, _Keys] = {}
    for row in rows:
        values = row.values[:width]
        if values not in known:
            with within(row.place):
                known[values] = _keys(dict(zip(how.key_roles, values, strict=True)))
        yield known[values], row


def _keys(values: dict[str, str | None]) -> _Keys:
    keys = {role: named(value, role) for role, value in values.items()}
    usual = [keys.pop(role, None) for role in ("model", "task", "cluster")]
    question = keys.pop("question")
    return _Keys(usual[0], usual[1], question, usual[2], tuple(keys.values()))


def _check_first(keys: _Keys, row: Row, places: dict[_Keys, str]) -> None:
    if row.times > 1 or places.setdefault(keys, row.place) != row.place:
        raise RepeatedTrialError(
            f"question {keys.question!r} is there twice, in a table with one row per question",
            hint="if the table has one row per trial, name the columns of outcomes and of trials",
            remedies=[Remedy("metric", "...", "names the outcomes"), Remedy("fields", {"trial": "..."}, "the trials")],
        )


def _whole(value: str | None) -> int:
    try:
        number = float(value or "")
    except ValueError:
        number = -1.0
    if not 0 <= number <= _WHOLE or number != int(number):
        raise OutcomeError(f"a whole number was expected; got {shown(value)}")
    return int(number)
