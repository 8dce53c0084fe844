"""Tables of outcomes: CSV, JSON lines and Parquet with one row per trial, one column per trial, or counts."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from ...errors import OutcomeError, Remedy, within
from ...outcomes import (
    FACTOR,
    METRIC,
    ROLES,
    SEVERAL,
    ColumnReader,
    NotATableError,
    TableLayout,
    UnknownColumnsError,
    candidates,
    export_of,
    is_header,
    kept_columns,
    metric_column,
    plain,
    recognise_columns,
    turn_columns,
)
from .._files import LogFile, parsed
from .._format import Format
from .._kept import ANSWERS, with_samples
from .._naming import FOLDER
from .._records import Run, Trials
from .._request import Request, choose
from .._tabular import is_table, table_of
from .._tabular.extra_rows import check_no_summary
from .._tabular.path_columns import identity
from .._tabular.table import DistinctRows, RepeatedTrialError, Table, are_names, if_no_number, named
from .._tabular.text import CsvTable
from .._tabular.unused_columns import check_no_counts, check_questions, named_factors, unused_columns, warn_of_pooled
from ..checks import model_of_path, shown

_WHOLE = 1 << 53
_VALUE = "value"  # the column of outcomes beside names of metrics
_COMMA = re.compile(r"[-+]?\d+,\d+\s*%?")  # in a number
_MEAN = re.compile(r"(pass|avg|maj|cons|mean)[@_^]")  # names of means over trials
_RunKey = tuple[str | None, ...]  # a model, a task, and the levels of factors


class LongRun(NamedTuple):
    """The trials of a run in a table, and what is kept of them."""

    trials: Trials
    kept: Sequence[Sequence[Any]] = ()  # the columns of answers and scores


class _TrialRows(NamedTuple):
    """Rows of trials: what identifies them, what is kept, and outcomes, last; the roles of the first; trials' names."""

    table: DistinctRows
    key_roles: Sequence[str]
    names: Sequence[Hashable]


class TableFormat(Format):
    """Tables of outcomes, whose columns are recognised by their names."""

    name = "table"
    is_json = False
    options = frozenset({"score", "levels", "answers", "scores", *ROLES, *SEVERAL})
    is_generic = True

    def matches(self, file: LogFile) -> bool:
        return is_table(file) or (isinstance(file.first_row, dict) and _has_outcomes(file))

    def read(self, file: LogFile, request: Request) -> list[Run]:
        return self.runs(table_of(file), request)

    def runs(self, table: Table, request: Request) -> list[Run]:
        """Return the runs in a table."""
        layout = layout_of(table, request)
        rewards = Rewards(request.levels, layout.share, has_commas=table.has_decimal_commas)
        try:
            if layout.form == "long":
                trial, costs = layout.roles.get("trial"), [*layout.costs.values()]
                runs = long_runs(table.distinct(layout.row_columns, trial, layout.nested, costs), layout, rewards)
            else:
                runs = _runs(_FORMS[layout.form](table, layout), layout, rewards)
        except RepeatedTrialError as error:
            raise named_factors(error, table, layout) from None
        if not runs:
            raise OutcomeError("the table has no rows")
        warn_of_pooled(table, layout)
        return [run_of(table.file, layout, key, run, request) for key, run in runs.items()]


def run_of(file: LogFile, layout: TableLayout, key: _RunKey, rows: LongRun, request: Request) -> Run:
    """Return a run of a table: of its own if trials have no names, else a part of all that is known of the model."""
    model, task, *levels = key
    settings = dict(zip(layout.factors, map(str, levels), strict=True))
    label = settings.pop(layout.run, None)
    is_step = layout.export is not None and bool(layout.export.step)
    folder = file.path.parent
    check_no_summary(rows.trials, layout.form)
    if layout.must_cost:
        _check_costs(rows.trials, layout)
    training = folder.parent if folder.name == "completions" else folder  # TRL writes into a folder of that name
    run = Run(
        f"step {model}" if is_step else model or model_of_path(file.path),
        rows.trials,
        " ".join([*map(repr, levels), "" if "trial" in layout.roles else identity(file)]),
        task,
        model_from="log" if "model" in layout.roles or layout.form == "models" else "file name",
        conditions=({"step": str(model), FOLDER: training.resolve().as_posix()} if is_step else {}) | settings,
        measure=layout.metric,
        notes=layout.notes,
        label=label,
    )
    if not layout.kept:
        return run
    kept = dict(zip(layout.kept, rows.kept, strict=True))
    answers, place = kept.pop(ANSWERS, ()), f"column {layout.kept[ANSWERS]!r}" if ANSWERS in layout.kept else ""
    scores = (dict(zip(kept, values, strict=True)) for values in zip(*kept.values(), strict=True))
    return with_samples(run, request, answers, scores, answers_from=place, scores_from="columns")


def _check_costs(trials: Trials, layout: TableLayout) -> None:
    """Check that every trial with an outcome tells the costs whose columns the user named."""
    for name, sums in trials.costs.items():
        for question, outcome, times, cost in zip(trials.questions, trials.outcomes, trials.times, sums, strict=True):
            if cost.told < times and outcome is not None:
                problem = f"question {question!r} has a trial whose cost in column {layout.costs[name]!r} is not known"
                raise OutcomeError(problem, hint="costs are numbers of at least 0")


def layout_of(table: Table, request: Request) -> TableLayout:
    """Return the layout of a table: the rows of one metric, and turns that are kept apart."""
    columns_of_rows = {role: name for role, name in request.fields.items() if role not in ("answer", "run")}
    run = request.fields.get("run") or ""
    factors = (*request.factors, run) if run else request.factors
    layout = replace(_layout_of_metrics(table, replace(request, fields=columns_of_rows, factors=factors)), run=run)
    if request.score is None and not {"trials", "outcome"} & request.fields.keys():
        check_no_counts(table, layout)
    if "question" not in request.fields:
        check_questions(table, layout)
    if request.keep:
        layout = replace(layout, kept=kept_columns(table.columns, layout, request.keep, request.fields.get("answer")))
    rest = unused_columns(table, layout)
    return layout.with_factors(filter(rest.varies, turn_columns(rest.names)))


def _layout_of_metrics(table: Table, request: Request) -> TableLayout:
    """Return the layout of a table, in which a column may name the metric of each row."""
    names = table.columns
    column = metric_column(name for name in names if name not in (*request.fields.values(), *request.factors))
    if column is None or column == request.score or export_of(names) is not None:
        return _layout_of_outcomes(table, request)
    score = request.score if request.score in names else next((name for name in names if plain(name) == _VALUE), None)
    try:
        layout = _layout_of_outcomes(table, replace(request, score=score))
    except OutcomeError:
        if score is None:
            raise
        layout = _layout_of_outcomes(table, replace(request, score=None))
    metrics = [text for text in table.distinct([column]).columns[0] if text is not None]
    if request.score not in (None, score) or unused_columns(table, layout).varies(column):
        chosen = choose(None if request.score == score else request.score, metrics, "score", "metric")
        return replace(layout, roles={**layout.roles, METRIC: column}, metric=chosen)
    return layout


def _layout_of_outcomes(table: Table, request: Request) -> TableLayout:
    """Return the layout of a table, whose outcomes are no means."""
    names = table.columns
    try:
        layout = recognise_columns(names, request.fields, request.score, request.factors, request.several)
    except UnknownColumnsError as error:
        lists = [] if request.score else _lists_of_flags(table)
        if len(lists) == 1:
            layout = recognise_columns(names, request.fields, lists[0], request.factors, request.several)
        elif isinstance(table, CsvTable) and not table.is_rectangular():
            raise NotATableError(error.problem, remedies=error.remedies, hint=error.hint) from None
        else:
            raise
    is_list = layout.form == "long" and _holds_lists(table, layout.roles["outcome"])
    layout = replace(layout, form="lists", share="", costs={}) if is_list else layout
    _check_no_mean(table, layout)
    return layout


def _check_no_mean(table: Table, layout: TableLayout) -> None:
    """Check that the outcome is not a mean over trials that the rows hold as a list."""
    if _MEAN.match(layout.roles.get("outcome", "")):
        lists = _lists_of_flags(table)
        if lists:
            problem = f"{layout.roles['outcome']!r} is a mean over trials, whose outcomes are in {lists[0]!r}"
            raise OutcomeError(problem, where="record 0", remedies=[Remedy("score", lists[0], "reads these")])


def _lists_of_flags(table: Table) -> list[str]:
    """Return the columns that hold a list of truth values in each of the first rows."""
    if table.kinds is not None:
        return [name for name, kind in table.kinds.items() if kind == "BOOLEAN[]"]
    first = {name: table.first_values(name) for name in table.columns}
    lists = {name: values for name, values in first.items() if values and all(isinstance(v, list) for v in values)}
    return [name for name, values in lists.items() if all(values) and {*map(type, chain(*values))} == {bool}]


def _holds_lists(table: Table, name: str) -> bool:
    """Return whether the first value of a column is a list."""
    if table.kinds is not None:
        return table.kinds.get(name, "").endswith("]")
    return isinstance(next((value for value in table.first_values(name) if value is not None), None), list)


def _has_outcomes(file: LogFile) -> bool:
    """Return whether a single JSON object is a table of one row."""
    try:
        recognise_columns(table_of(file).columns, {}, None)
    except OutcomeError:
        return False
    return True


class Rewards(ColumnReader):
    """The rewards of one column; ``share`` names a column whose name alone says that its numbers are from 0 to 1.

    Where semicolons separate the columns of a file, numbers may have decimal commas.
    """

    def __init__(self, levels: Mapping[str, float | None], share: str, *, has_commas: bool) -> None:
        super().__init__(levels)
        self._share = share
        self._has_commas = has_commas

    def _checked(self, value: Any) -> float | None:
        if self._has_commas and value is not None and _COMMA.fullmatch(value.strip()):
            value = value.replace(",", ".")
        outcome = super()._checked(value)
        if self._share and outcome is not None and not 0 <= outcome <= 1 and value.strip() not in self._levels:
            raise OutcomeError(
                f"{self._share!r} is {value}, which is not from 0 to 1",
                remedies=[
                    Remedy("score", "...", "names its column if it is a reward"),
                    Remedy("fields", {"trials": "..."}, "names the column of the trials if it is a count"),
                ],
            )
        return outcome


def long_runs(table: DistinctRows, layout: TableLayout, rewards: ColumnReader) -> Mapping[_RunKey, LongRun]:
    """Return the trials by model, task and levels of factors, of the distinct rows of ``row_columns``.

    Trials that were checked already are numbered.
    """
    for i in _headers(table, layout):
        _check_no_header(table, i, layout.row_roles)
    table = _of_metric(table, layout)
    written = table.columns[-1]
    failed = table.columns[-2] if layout.failed else ()
    names: Sequence[Hashable] = table.trials or (range(len(written)) if "trial" in layout.roles else written)
    if "trial" not in layout.roles and (failed or layout.kept):
        names = [*zip(*table.columns[len(layout.keys) :], strict=True)]
    return _runs(_TrialRows(table, layout.key_roles, names), layout, rewards)


def _runs(trials: _TrialRows, layout: TableLayout, rewards: ColumnReader) -> Mapping[_RunKey, LongRun]:
    """Return the trials by model, task and levels of factors."""
    table, key_roles, names = trials
    *keys, written = table.columns
    failed = keys.pop() if layout.failed else ()
    kept = [keys.pop() for _ in layout.kept][::-1]
    of: dict[str, Any] = defaultdict(lambda: [None] * len(written), zip(key_roles, keys, strict=True))
    for role, column in of.items():
        if not are_names(set(column)):
            _checked(column, table, partial(named, role=role))
    outcome_of = _checked(written, table, rewards)
    for i, (trials_of_row, times) in enumerate(zip(table.trials or (), table.times, strict=False)):
        if len(trials_of_row) < times:
            problem = f"question {of['question'][i]!r} has a trial twice"
            raise RepeatedTrialError(problem, where=table.place(i), remedies=if_no_number(layout.roles["trial"]))
    outcomes = [*map(outcome_of.__getitem__, written)]
    if layout.export is not None and failed:
        is_failed = layout.export.is_failed
        outcomes = [None if is_failed(text) else value for text, value in zip(failed, outcomes, strict=True)]
    costs = dict(zip(layout.costs, table.costs, strict=bool(table.costs)))
    columns = Trials(of["question"], names, outcomes, of["cluster"], table.times, costs)
    rows: dict[_RunKey, list[int]] = defaultdict(list)
    levels = (of[FACTOR.format(name)] for name in layout.factors)
    for i, run in enumerate(zip(of["model"], of["task"], *levels, strict=True)):
        rows[run].append(i)
    return {
        run: LongRun(
            columns.picked(here),
            [[values[i] for i in here] for values in kept],
        )
        for run, here in rows.items()
    }


def _checked(column: Sequence[Any], table: DistinctRows, check: Callable[[Any], Any]) -> dict[Any, Any]:
    """Return what a function makes of each value of a column; its errors name the first row with the value."""
    checked: dict[Any, Any] = {}
    for value in dict.fromkeys(column):
        try:
            checked[value] = check(value)
        except OutcomeError as error:
            raise error.at(table.place(column.index(value))) from error.__cause__
    return checked


def _of_metric(table: DistinctRows, layout: TableLayout) -> DistinctRows:
    """Return the rows of the metric that is read."""
    if not layout.metric:
        return table
    metrics = table.columns[layout.key_roles.index(METRIC)]
    return table.picked([i for i, name in enumerate(metrics) if name == layout.metric])


def _headers(table: DistinctRows, layout: TableLayout) -> list[int]:
    """Return the rows that repeat the names of the columns."""
    written = table.columns[-1]
    words = [text for text in set(written) if text and text.lstrip()[:1] not in "+-.0123456789"]
    roles = [{"outcome": name} for name in layout.row_columns]
    names = {text for text in words if candidates("outcome", [text]) or any(is_header([text], role) for role in roles)}
    suspects = [i for i, text in enumerate(written) if text in names] if names else []
    return [i for i in suspects if is_header([column[i] for column in table.columns], layout.row_roles)]


def _check_no_header(table: DistinctRows, i: int, columns: Mapping[str, str]) -> None:
    if is_header([column[i] for column in table.columns], columns):
        problem = f"{table.place(i)} repeats the header: the file is several tables one after another"
        raise OutcomeError(problem, hint="read each table as a file of its own, or remove this row")


# Tables with other rows than trials, as rows of trials.


def _listed(table: Table, layout: TableLayout, others: Mapping[str, str]) -> DistinctRows:
    """Return all rows that are read: the columns that identify a row, and others by role."""
    listed = list(table.rows([*layout.keys, *others.values()], layout.nested))
    columns = [*zip(*(row.values for row in listed), strict=True)] or [()] * (len(layout.keys) + len(others))
    rows = DistinctRows(columns, [row.times for row in listed], lambda i: listed[i].place)
    by_role = {**dict(zip(layout.key_roles, layout.keys, strict=True)), **others}
    for i in range(len(listed)):
        _check_no_header(rows, i, by_role)
    return _of_metric(rows, layout)


def _trial_rows(
    rows: DistinctRows, layout: TableLayout, row_of: Sequence[int], names: Sequence[Hashable], *columns: Sequence[Any]
) -> _TrialRows:
    """Return the rows of trials that have the keys of the rows they are of, and other columns, outcomes last."""
    keys = [[column[i] for i in row_of] for column in rows.columns[: len(layout.keys)]]
    times = [rows.times[i] for i in row_of]
    return _TrialRows(DistinctRows([*keys, *columns], times, lambda i: rows.place(row_of[i])), layout.key_roles, names)


def _of_columns(table: Table, layout: TableLayout) -> _TrialRows:
    """Return the trials of a table with one column per trial, or per model and one row per trial of a question."""
    trial = {"trial": layout.roles["trial"]} if "trial" in layout.roles else {}
    rows = _listed(table, layout, trial | {f"{layout.form} {name}": name for name in layout.wide})
    row_of = [i for i in range(len(rows.times)) for _ in layout.wide]
    written = [*chain.from_iterable(zip(*rows.columns[-len(layout.wide) :], strict=True))]
    columns = [*layout.wide] * len(rows.times)
    if layout.form == "wide":
        _check_once(rows, layout)
        return _trial_rows(rows, layout, row_of, columns, written)
    names: list[Hashable] = [(i,) for i in range(len(rows.times))]
    for i, name in enumerate(rows.columns[len(layout.keys)] if trial else ()):
        with within(rows.place(i)):
            names[i] = named(name, "trial")
    made = _trial_rows(rows, layout, row_of, [names[i] for i in row_of], columns, written)
    places = replace(made.table, place=lambda i: f"{rows.place(row_of[i])}, column {columns[i]!r}")
    return _TrialRows(places, [*layout.key_roles, "model"], made.names)


def _counts(table: Table, layout: TableLayout) -> _TrialRows:
    """Return the trials of a table with one row per question: the number of trials, and of successes."""
    rows = _listed(table, layout, {role: layout.roles[role] for role in ("trials", "successes")})
    _check_once(rows, layout)
    times: list[int] = []
    for i, written in enumerate(zip(*rows.columns[-2:], strict=True)):
        with within(rows.place(i)):
            trials, successes = map(_whole, written)
            if successes > trials:
                raise OutcomeError(f"there are {successes} successes of {trials} trials")
        times += [successes, trials - successes]
    row_of = [i for i in range(len(rows.times)) for _ in range(2)]
    made = _trial_rows(rows, layout, row_of, [1.0, 0.0] * len(rows.times), ["1", "0"] * len(rows.times))
    return made._replace(table=replace(made.table, times=times))


def _lists(table: Table, layout: TableLayout) -> _TrialRows:
    """Return the trials of a table with a list of outcomes per row; an empty list is a missing trial."""
    columns = {"outcome": layout.roles["outcome"], **{f"kept {name}": column for name, column in layout.kept.items()}}
    rows = _listed(table, layout, columns)
    row_of: list[int] = []
    names: list[Hashable] = []
    made: list[list[Any]] = [[] for _ in columns]
    for i, texts in enumerate(zip(*rows.columns[len(layout.keys) :], strict=True)):
        with within(rows.place(i)):
            values = _list(texts[0], layout.roles["outcome"])
            written = [None if value is None else _as_text(value) for value in values]
            kept = [_list(*text, len(values)) for text in zip(texts[1:], layout.kept.values(), strict=True)]
        for column, more in zip(made, [*kept, written], strict=True):
            column.extend(more or [None])
        row_of += [i] * max(1, len(values))
        names += [(i, number) for number in range(max(1, len(values)))]
    return _trial_rows(rows, layout, row_of, names, *made)


def _as_text(value: Any) -> str:
    """Return one outcome of a list as text."""
    if isinstance(value, (list, dict)):
        raise OutcomeError(f"an outcome in a list must be a plain value; got {shown(value)}")
    return value if isinstance(value, str) else json.dumps(value)


def _list(text: str | None, name: str, length: int | None = None) -> list[Any]:
    """Return a list of one value per trial, of which there are so many."""
    values = parsed(text or "[]")
    if not isinstance(values, list):
        raise OutcomeError(f"{name!r} must be a list, as in other rows; got {shown(values)}")
    if length not in (None, len(values)):
        raise OutcomeError(f"{name!r} must have a value for each of {length} outcomes; it has {len(values)}")
    return values


_FORMS = {"wide": _of_columns, "models": _of_columns, "lists": _lists, "counts": _counts}


def _check_once(rows: DistinctRows, layout: TableLayout) -> None:
    """Check that each question has one row."""
    seen: set[tuple[str | None, ...]] = set()
    for i, key in enumerate(zip(*rows.columns[: len(layout.keys)], strict=True)):
        with within(rows.place(i)):
            by_role = {role: named(value, role) for role, value in zip(layout.key_roles, key, strict=True)}
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


def _whole(value: str | None) -> int:
    """Return a count as it is written: a float would round whole numbers above 2**53."""
    try:
        number = Decimal(value or "")
    except ArithmeticError:
        number = Decimal(-1)
    if not number.is_finite() or not 0 <= number <= _WHOLE or number != number.to_integral_value():
        raise OutcomeError(f"a whole number from 0 to 2**53 was expected; got {shown(value)}")
    return int(number)
