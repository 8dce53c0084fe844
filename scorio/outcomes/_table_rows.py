"""The rows of a table as trials, of files and of data frames alike, whatever a row stands for.

That is a trial, a question with a column for each trial, model or count, or with a list of outcomes.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import numpy as np

from .._base.numbers import is_chance
from .._base.words import shorten, text_fault, warn
from ..errors import OutcomeError, PoolingWarning, Remedy, TrialsWarning, within
from ._column_names import candidates, counts_up, is_header, names_runs, says_failure
from ._outcome_values import MOST_TRIALS, ColumnReader, short
from ._table_layout import ANSWERS, TableLayout
from ._trial_order import FALSE_ALARMS, cochran, log_orders

_LOG_CHANCE = math.log(1e-6)  # that sound rows look like copies
_COLUMNS = 5  # of all trials; the others may be unknown
_NEXT_TABLE = "read each table as a file of its own, or remove this row"


class RepeatedTrialError(OutcomeError):
    """A trial of a question that is there twice."""


class CostSums(NamedTuple):
    """What equal rows cost: how many tell it, their mean, and the sum of squared deviations from it."""

    told: int
    mean: float
    squares: float

    @classmethod
    def of(cls, texts: Sequence[Any]) -> Self:
        """Return the sums over rows, of which those without a possible cost tell nothing.

        >>> CostSums.of(["1", "3", "", None, "-1", "much"])
        CostSums(told=2, mean=2.0, squares=2.0)
        """
        costs = [cost for text in texts if text not in (None, "") and 0.0 <= (cost := _amount(text)) < math.inf]
        mean = math.fsum(costs) / len(costs) if costs else 0.0
        return cls(len(costs), mean, math.fsum((cost - mean) ** 2 for cost in costs))


def _amount(text: Any) -> float:
    try:
        return float(text)
    except (ValueError, TypeError):
        return math.nan


@dataclass(frozen=True)
class TableRows:
    """The rows of some columns, column by column: their number, their trials, what they cost, and their place.

    ``place`` says where the first row that is equal to the one of a number is, which only messages need; a data frame
    has no such places.
    """

    columns: Sequence[Sequence[Any]]
    times: Sequence[int]
    place: Callable[[int], str] | None = None
    trials: Sequence[frozenset[str]] | None = None
    costs: Sequence[Sequence[Any]] = ()  # of each column of costs, row by row

    def picked(self, rows: Sequence[int]) -> TableRows:
        """Return some of the rows."""
        columns = [[column[i] for i in rows] for column in self.columns]
        trials = None if self.trials is None else [self.trials[i] for i in rows]
        costs = [[spent[i] for i in rows] for spent in self.costs]
        return TableRows(columns, [self.times[i] for i in rows], lambda i: self.at(rows[i], ""), trials, costs)

    def are_trials_different(self, keys: int) -> bool:
        """Return whether the trials of a question have different names; so many columns identify the question."""
        different: dict[tuple[Any, ...], set[str]] = defaultdict(set)
        for key, of_row in zip(zip(*self.columns[:keys], strict=True), self.trials or (), strict=True):
            different[key] |= of_row
        is_each_once = sum(map(len, different.values())) == sum(self.times)
        return is_each_once and are_names(set().union(*different.values()))

    def at(self, i: int, column: str) -> str:
        """Return where the value of a column in a row is."""
        return f"column {column!r}" if self.place is None else self.place(i)


class Trials(NamedTuple):
    """Trials column by column, as long as each other: faster than a list of ``Trial`` for large files.

    ``costs`` are what each trial used, by the name of the cost, as ``{"dollars": [0.02, None]}``; their sums are in the
    ``origin`` of the run under the same names, if the file has them. ``answers`` are None if they are not known or not
    asked for, and ``scores`` are those beside the outcome, by name.
    """

    questions: Sequence[Any] = ()
    keys: Sequence[Hashable] = ()
    outcomes: Sequence[float | None] = ()
    clusters: Sequence[Any] = ()
    times: Sequence[int] = ()
    costs: Mapping[str, Sequence[Any]] = MappingProxyType({})
    answers: Sequence[Hashable] | None = None
    scores: Mapping[str, Sequence[Any]] = MappingProxyType({})

    @classmethod
    def of(cls, trials: Iterable[Sequence[Any]]) -> Trials:
        """Return the columns of some trials, without what else is told of each."""
        columns: Any = islice(zip(*trials, strict=True), _COLUMNS)
        return cls(*columns)

    def picked(self, rows: Sequence[int]) -> Trials:
        """Return the trials of some rows."""

        def of_rows(part: Any) -> Any:
            if isinstance(part, Mapping):
                return {name: of_rows(column) for name, column in part.items()}
            return None if part is None else [part[i] for i in rows]

        return Trials(*map(of_rows, self))


WithLabels = tuple[Trials, Mapping[str, Sequence[Any]]]  # trials, and their labels by role, None without a column


def trials_of_table(table: Any, layout: TableLayout, reward_of: ColumnReader) -> WithLabels:
    """Return the trials of a table in any form; where an engine counts the trials, they are numbered."""
    if layout.form != "long":
        trials, labels = _trials(*_spread(table, layout), layout, reward_of)
        if layout.is_unclear:
            _warn_of_columns(trials, layout, table)
        return trials, labels
    trial, costs = layout.roles.get("trial"), [*layout.costs.values()]
    rows: TableRows = table.distinct([*layout.row_roles.values()], trial, layout.nested, costs)
    if not rows.times:
        raise OutcomeError("the table has no rows")
    if trial is not None:
        keys = {role: column for role, column in layout.keys.items() if column != trial}
        table.check_each_once(rows, keys, trial, layout.nested)
    _check_no_headers(rows, layout)
    for column, value in layout.metric.items():
        levels = rows.columns[[*layout.keys.values()].index(column)]
        rows = rows.picked([i for i, level in enumerate(levels) if level == value])
    if "times" in layout.roles:
        *columns, counts, written = rows.columns
        whole = _checked(counts, rows, layout.roles["times"], _whole)
        times = [n * whole[type(count), count] for n, count in zip(rows.times, counts, strict=True)]
        rows = replace(rows, columns=[*columns, written], times=times)
    elif trial is None:
        _warn_of_copies(rows, layout, table)
    written = rows.columns[-1]
    names: Sequence[Hashable] = rows.trials or (range(len(written)) if trial is not None else written)
    if trial is None and ("failed" in layout.roles or layout.kept):
        names = [*zip(*rows.columns[len(layout.keys) :], strict=True)]
    return _trials(rows, names, layout, reward_of)


def _warn_of_copies(rows: TableRows, layout: TableLayout, table: Any) -> None:
    """Warn where every row seems to be there twice: each outcome of a question an even number of times.

    Of equal trials with any success rate, that is so by chance for less than half of the questions with two outcomes.
    Where the second half of the table repeats the first, the chance is that of one order among all.
    """
    counts: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for *key, times in zip(*rows.columns[: len(layout.keys)], rows.times, strict=True):
        counts[*key].append(times)
    log_chance = -math.log(2.0) * sum(len(times) > 1 for times in counts.values())
    if any(times % 2 for times in rows.times) or (log_chance > _LOG_CHANCE and not table.is_small):
        return
    if log_chance > _LOG_CHANCE:
        order = [row.values for row in table.rows([*layout.row_roles.values()], layout.nested)]
        if order[: len(order) // 2] == order[len(order) // 2 :]:
            log_chance = sum(log_orders(np.array(n) / 2.0) - log_orders(np.array(n)) for n in counts.values())
    if log_chance <= _LOG_CHANCE:
        what = "every row seems to be there twice: each outcome of each question has an even number of rows"
        warn(f"{what}: keep one copy; if they are different trials, number them in a column 'trial'", PoolingWarning)


def _warn_of_columns(trials: Trials, layout: TableLayout, table: Any) -> None:
    """Warn of columns that are read as trials if their names do not count up, or if they differ more than trials do."""
    names = [*layout.wide]
    values = np.array(trials.outcomes, np.float64).reshape(-1, len(names))
    chance = cochran(values[~np.isnan(values).any(axis=1)])
    if chance > FALSE_ALARMS and counts_up(names):
        return
    stem, *more = {name.rstrip("0123456789") for name in names}
    rest = [name for name in table.columns if name not in (*names, *layout.roles.values())]
    pattern = "*" if more else f"{stem}[0-9]*" if any(name.startswith(stem) for name in rest) else f"{stem}*"
    apart, trial = f"fields={{'models': {pattern!r}}}", f"fields={{'trial': {pattern!r}}}"
    if table.is_frame:
        apart, trial = f"OutcomeSet(frame, models={names})", f"trial={pattern!r}"
    advice = f"{apart} reads a model from each"
    if "model" in layout.roles:
        advice = "if they are prompts or versions, write one row per trial, and a column that says which it is of"
    differ = f"differ by more than trials do (p {is_chance(chance)})"
    why = differ if chance <= FALSE_ALARMS else "their names do not say so"
    what = f"the columns {shorten(names)} are read as trials, and {why}"
    warn(f"{what}: {advice}; {trial} says that they are trials", TrialsWarning)


def _trials(table: TableRows, names: Sequence[Hashable], layout: TableLayout, reward_of: ColumnReader) -> WithLabels:
    key_roles = [*layout.keys, *(["model"] if layout.form == "models" else [])]
    *keys, written = table.columns
    failed = keys.pop() if "failed" in layout.roles else ()
    kept = dict(zip(layout.kept, [keys.pop() for _ in layout.kept][::-1], strict=True))
    none = [None] * len(written)
    of: dict[str, Any] = defaultdict(lambda: none, zip(key_roles, keys, strict=True))
    for role, column in of.items():
        if not are_names(set(column)):
            where = layout.row_roles.get(role, role)
            _checked(column, table, where, partial(named, role=role))
    outcomes: Any = reward_of.column(written)
    if outcomes is None:
        outcome_of = _checked(written, table, layout.roles.get("outcome", "outcome"), reward_of)
        outcomes = [outcome_of[type(value), value] for value in written]
    if failed:
        column = layout.roles["failed"]
        is_failed: Callable[[Any], bool] = partial(says_failure, column)
        if layout.export is not None and layout.export.failed == column:
            is_failed = layout.export.is_failed
        outcomes = [None if is_failed(text) else value for text, value in zip(failed, outcomes, strict=True)]
    costs = dict(zip(layout.costs, table.costs, strict=bool(table.costs)))
    answers, clusters = kept.pop(ANSWERS, None), of.get("cluster", none)
    return Trials(of["question"], names, outcomes, clusters, table.times, costs, answers, kept), of


def _checked(
    column: Sequence[Any], table: TableRows, name: str, check: Callable[[Any], Any]
) -> dict[tuple[type, Any], Any]:
    """Return what a function makes of each value of a column; its errors name the first row with the value."""
    checked: dict[tuple[type, Any], Any] = {}
    for kind, value in dict.fromkeys(zip(map(type, column), column, strict=True)):
        try:
            checked[kind, value] = check(value)
        except OutcomeError as error:
            raise error.at(table.at(column.index(value), name)) from error.__cause__
    return checked


def are_names(values: Collection[Any]) -> bool:
    """Return whether no value is missing, blank, or text that no file can hold."""
    texts = [value for value in values if isinstance(value, str)]
    return None not in values and all(map(str.strip, texts)) and text_fault("".join(texts)) is None


def named(value: Any, role: str) -> Any:
    """Return a value that must not be empty."""
    if value is None or (isinstance(value, str) and not value.strip()):
        raise OutcomeError(f"the {role} is empty")
    if isinstance(value, str) and (fault := text_fault(value)) is not None:
        raise OutcomeError(f"the {role} {short(value)} {fault}", hint="name it otherwise: no file can hold it")
    return value


def repeated_trial(column: str, name: Any, keys: Mapping[str, Any]) -> OutcomeError:
    """Return the error about a trial that has no name, or is there twice; ``keys`` are values by role."""
    of = ", ".join(f"{role} {value!r}" for role, value in keys.items())
    if name is None:
        return OutcomeError(f"the trial of {of} is empty")
    return RepeatedTrialError(f"trial {name!r} of {of} is there twice", remedies=_if_no_number(column))


def _if_no_number(column: str) -> list[Remedy]:
    """Return what to do about a column that is taken to number trials, and does not."""
    runs = [Remedy("fields", {"run": column}, "if it names runs of several trials")] if names_runs(column) else []
    return [*runs, Remedy("fields", {"trial": None}, f"if {column!r} does not number the trials")]


def _check_no_headers(table: TableRows, layout: TableLayout) -> None:
    """Check that no row repeats the names of the columns."""
    texts = {value for value in table.columns[-1] if isinstance(value, str)}
    words = [text for text in texts if text.lstrip()[:1] not in (*"+-.0123456789", "")]
    roles = [{"outcome": name} for name in layout.row_roles.values()]
    names = {text for text in words if candidates("outcome", [text]) or any(is_header([text], role) for role in roles)}
    for i, text in enumerate(table.columns[-1] if names else ()):
        if text in names:
            _check_no_header(table, i, layout.row_roles)


def _check_no_header(table: TableRows, i: int, columns: Mapping[str, str]) -> None:
    row = [column[i] for column in table.columns]
    if is_header(row, columns):
        place = f"the row {shorten(row)}" if table.place is None else table.place(i)
        raise OutcomeError(f"{place} repeats the header: several tables follow one another", hint=_NEXT_TABLE)


# Tables with other rows than trials, as rows of trials. Of each trial of a row, there is how often it counts, its name,
# and the values of further columns, outcomes last.


def _spread(table: Any, layout: TableLayout) -> tuple[TableRows, Sequence[Hashable]]:
    """Return rows of trials that have the keys of the rows they are of, and the names of the trials."""
    others, trials_of = _FORMS[layout.form]
    columns = others(layout)
    rows: TableRows = table.distinct([*layout.keys.values(), *columns.values()], None, layout.nested)
    for i in range(len(rows.times)):
        _check_no_header(rows, i, layout.keys | columns)
    if layout.form in ("wide", "counts"):
        _check_once(rows, layout)
    row_of: list[int] = []
    trials: list[tuple[Any, ...]] = []
    for i, values in enumerate(zip(*rows.columns[len(layout.keys) :], strict=True)):
        with within(rows.at(i, next(iter(columns.values())))):
            of_row = trials_of(i, values, layout)
        row_of += [i] * len(of_row)
        trials += of_row
    if not trials:
        raise OutcomeError("the table has no rows")
    times, names, *last = zip(*trials, strict=True)
    keys = [[column[i] for i in row_of] for column in rows.columns[: len(layout.keys)]]
    place = None if rows.place is None else lambda i: rows.at(row_of[i], "")
    if layout.form == "models":
        place = lambda i: f"{rows.at(row_of[i], last[0][i])}, column {last[0][i]!r}"
    return TableRows([*keys, *last], [rows.times[i] * n for i, n in zip(row_of, times, strict=True)], place), names


def _by_trial(_: int, values: Sequence[Any], layout: TableLayout) -> list[tuple[Any, ...]]:
    return [(1, column, value) for column, value in zip(layout.wide, values, strict=True)]


def _by_model(i: int, values: Sequence[Any], layout: TableLayout) -> list[tuple[Any, ...]]:
    trial = named(values[0], "trial") if "trial" in layout.roles else (i,)
    return [(1, trial, model, value) for model, value in zip(layout.wide, values[-len(layout.wide) :], strict=True)]


def _counted(_: int, values: Sequence[Any], __: TableLayout) -> list[tuple[Any, ...]]:
    trials, successes = map(_whole, values)
    if successes > trials:
        raise OutcomeError(f"there are {successes} successes of {trials} trials")
    return [(successes, "1", 1.0), (trials - successes, "0", 0.0)]


def _listed(i: int, texts: Sequence[Any], layout: TableLayout) -> list[tuple[Any, ...]]:
    """Return the trials of lists of outcomes and of what is kept; an empty list is a missing trial."""
    values = _list(texts[0], layout.roles["outcome"])
    written = [None if value is None else _as_text(value) for value in values]
    kept = [_list(*text, len(values)) for text in zip(texts[1:], layout.kept.values(), strict=True)]
    trials = [*zip(*kept, written, strict=True)] or [(None,) * len(texts)]
    return [(1, (i, number), *trial) for number, trial in enumerate(trials)]


_FORMS: dict[str, tuple[Callable[[TableLayout], dict[str, str]], Callable[..., list[tuple[Any, ...]]]]] = {
    "wide": (lambda layout: {f"trial {name}": name for name in layout.wide}, _by_trial),
    "models": (lambda layout: layout.of("trial") | {f"model {name}": name for name in layout.wide}, _by_model),
    "counts": (lambda layout: layout.of("trials", "successes"), _counted),
    "lists": (lambda layout: layout.of("outcome") | layout.kept_roles, _listed),
}  # by form the columns beside the keys, by role, and the trials of a row


def _as_text(value: Any) -> str:
    """Return one outcome of a list as text."""
    if isinstance(value, (list, dict)):
        raise OutcomeError(f"an outcome in a list must be a plain value; got {short(value)}")
    return value if isinstance(value, str) else json.dumps(value)


def _list(text: str | None, name: str, length: int | None = None) -> list[Any]:
    """Return a list of one value per trial, of which there are so many."""
    try:
        values = json.loads(text or "[]")
    except ValueError:
        values = text
    if not isinstance(values, list):
        raise OutcomeError(f"{name!r} must be a list, as in other rows; got {short(values)}")
    if length not in (None, len(values)):
        raise OutcomeError(f"{name!r} must have a value for each of {length} outcomes; it has {len(values)}")
    return values


def _check_once(rows: TableRows, layout: TableLayout) -> None:
    """Check that each question has one row."""
    seen: set[tuple[Any, ...]] = set()
    for i, key in enumerate(zip(*rows.columns[: len(layout.keys)], strict=True)):
        with within(rows.at(i, layout.roles["question"])):
            by_role = {role: named(value, role) for role, value in zip(layout.keys, key, strict=True)}
            if rows.times[i] > 1 or key in seen:
                raise RepeatedTrialError(
                    f"question {by_role['question']!r} is there twice, in a table with one row per question",
                    hint="if the table has one row per trial, name the columns of outcomes and of trials",
                    remedies=[
                        Remedy("score", "...", "names the outcomes"),
                        Remedy("fields", {"trial": "..."}, "the trials"),
                    ],
                )
        seen.add(key)


def _whole(value: Any) -> int:
    """Return a count as it is written: a float would round whole numbers above 2**53."""
    try:
        number = Decimal("" if value is None else str(value))
    except ArithmeticError:
        number = Decimal(-1)
    if not number.is_finite() or not 0 <= number <= MOST_TRIALS or number != number.to_integral_value():
        raise OutcomeError(f"a whole number from 0 to 2**53 was expected; got {short(value)}")
    return int(number)
