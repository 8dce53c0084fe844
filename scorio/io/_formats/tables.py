"""Tables of outcomes: CSV, JSON lines and Parquet with one row per trial, one column per trial, or counts."""

import json
import re
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
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
    RewardMatrix,
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
from .._costs import summed_costs
from .._files import LogFile, parsed
from .._format import Format
from .._kept import ANSWERS, with_samples
from .._naming import FOLDER
from .._records import Run, TrialColumns
from .._request import Request, choose
from .._tabular import is_table, table_of
from .._tabular.extra_rows import check_no_summary
from .._tabular.path_columns import identity
from .._tabular.table import CostSums, DistinctRows, RepeatedTrialError, Table, if_no_number, named
from .._tabular.text import CsvTable
from .._tabular.unused_columns import check_no_counts, check_questions, named_factors, unused_columns, warn_of_pooled
from ..checks import model_of_path, shown

_WHOLE = 1 << 53
_VALUE = "value"  # the column of outcomes beside names of metrics
_COMMA = re.compile(r"[-+]?\d+,\d+\s*%?")  # in a number
_MEAN = re.compile(r"(pass|avg|maj|cons|mean)[@_^]")  # names of means over trials
_RunKey = tuple[str | None, ...]  # a model, a task, and the levels of factors


class LongRun(NamedTuple):
    """The trials of a run in a table, their costs by the column of costs, and what is kept of them."""

    trials: TrialColumns
    costs: Sequence[Sequence[CostSums]] = ()
    kept: Sequence[Sequence[Any]] = ()  # the columns of answers and scores


class _TrialRows(NamedTuple):
    """Rows of trials: what identifies them, what is kept, and outcomes, last; the roles of the first; trials' names."""

    table: DistinctRows
    key_roles: Sequence[str]
    names: Sequence[Hashable]


class TableFormat(Format):
    """Tables of outcomes, whose columns are recognised by their names."""

    name = "table"
    options = frozenset({"score", "levels", "answers", "scores", *ROLES, *SEVERAL})
    is_generic = True

    def matches(self, file: LogFile) -> bool:
        return is_table(file) or (isinstance(file.first_row, dict) and _has_outcomes(file))

    def read(self, file: LogFile, request: Request) -> list[Run]:
        return self.runs(table_of(file), request)

    def runs(self, table: Table, request: Request) -> list[Run]:
        """Return the runs in a table."""
        how = layout(table, request)
        rewards = Rewards(request.levels, how.share, has_commas=table.has_decimal_commas)
        try:
            if how.form == "long":
                trial, costs = how.roles.get("trial"), [*how.costs.values()]
                runs = long_runs(table.distinct(how.row_columns, trial, how.nested, costs), how, rewards)
            else:
                runs = _runs(_FORMS[how.form](table, how), how, rewards)
        except RepeatedTrialError as error:
            raise named_factors(error, table, how) from None
        if not runs:
            raise OutcomeError("the table has no rows")
        warn_of_pooled(table, how)
        return [with_kept(run_of(table.file, how, key, own), how, own.kept, request) for key, own in runs.items()]


def with_kept(run: Run, how: TableLayout, kept: Sequence[Sequence[Any]], request: Request) -> Run:
    """Return a run of a table with the answers and scores that are kept, which are in these columns."""
    by_name = dict(zip(how.kept, kept, strict=bool(kept)))
    names = [name for name in by_name if name != ANSWERS]
    scores = (dict(zip(names, row, strict=True)) for row in zip(*(by_name[name] for name in names), strict=True))
    place = f"column {how.kept[ANSWERS]!r}" if ANSWERS in how.kept else ""
    return with_samples(run, request, by_name.get(ANSWERS, ()), scores, answers_from=place, scores_from="columns")


def run_of(
    file: LogFile,
    how: TableLayout,
    key: _RunKey,
    own: LongRun,
) -> Run:
    """Return a run of a table: of its own if trials have no names, else a part of all that is known of the model."""
    (model, task, *levels), (trials, costs, _) = key, own
    settings = dict(zip(how.factors, map(str, levels), strict=True))
    label = settings.pop(how.run, None)
    is_step = how.export is not None and bool(how.export.step)
    folder = file.path.parent
    check_no_summary(trials, how.form)
    known = _costs_of(trials, costs, how)
    training = folder.parent if folder.name == "completions" else folder  # TRL writes into a folder of that name
    return Run(
        f"step {model}" if is_step else model or model_of_path(file.path),
        trials,
        " ".join([*map(repr, levels), "" if "trial" in how.roles else identity(file)]),
        task,
        model_from="log" if "model" in how.roles or how.form == "models" else "file name",
        conditions=({"step": str(model), FOLDER: training.resolve().as_posix()} if is_step else {}) | settings,
        measure=how.metric,
        trial_costs={name: each for name, (each, _) in known.items()},
        success_costs={name: solved for name, (_, solved) in known.items()},
        notes=how.notes,
        label=label,
    )


def _costs_of(
    trials: TrialColumns, costs: Sequence[Sequence[CostSums]], how: TableLayout
) -> dict[str, tuple[RewardMatrix, RewardMatrix]]:
    """Return what the trials of a run cost, and those that succeeded, by question.

    A cost that a trial with an outcome does not tell is unknown, and an error if the user named its column.
    """
    known: dict[str, tuple[RewardMatrix, RewardMatrix]] = {}
    none = CostSums(0, 0.0, 0.0)
    for (name, column), spent in zip(how.costs.items(), costs, strict=bool(costs)):
        untold = [
            i
            for i, (each, times) in enumerate(zip(spent, trials.times, strict=True))
            if each.told < times and trials.outcomes[i] is not None
        ]
        if untold and how.must_cost:
            problem = (
                f"question {trials.questions[untold[0]]!r} has a trial whose cost in column {column!r} is not known"
            )
            raise OutcomeError(problem, hint="costs are numbers of at least 0")
        if not untold:
            solved = [each if outcome == 1.0 else none for each, outcome in zip(spent, trials.outcomes, strict=True)]
            known[name] = summed_costs(trials.questions, spent), summed_costs(trials.questions, solved)
    return known


def layout(table: Table, request: Request) -> TableLayout:
    """Return the layout of a table: the rows of one metric, and turns that are kept apart."""
    columns_of_rows = {role: name for role, name in request.fields.items() if role not in ("answer", "run")}
    run = request.fields.get("run") or ""
    factors = (*request.factors, run) if run else request.factors
    how = replace(_layout_of_metrics(table, replace(request, fields=columns_of_rows, factors=factors)), run=run)
    if request.score is None and not {"trials", "outcome"} & request.fields.keys():
        check_no_counts(table, how)
    if "question" not in request.fields:
        check_questions(table, how)
    if request.keep:
        how = replace(how, kept=kept_columns(table.columns, how, request.keep, request.fields.get("answer")))
    rest = unused_columns(table, how)
    return how.with_factors(filter(rest.varies, turn_columns(rest.names)))


def _layout_of_metrics(table: Table, request: Request) -> TableLayout:
    """Return the layout of a table, in which a column may name the metric of each row."""
    names = table.columns
    column = metric_column(name for name in names if name not in (*request.fields.values(), *request.factors))
    if column is None or column == request.score or export_of(names) is not None:
        return _layout(table, request)
    score = request.score if request.score in names else next((name for name in names if plain(name) == _VALUE), None)
    try:
        how = _layout(table, replace(request, score=score))
    except OutcomeError:
        if score is None:
            raise
        how = _layout(table, replace(request, score=None))
    metrics = [text for text in table.distinct([column]).columns[0] if text is not None]
    if request.score not in (None, score) or unused_columns(table, how).varies(column):
        chosen = choose(None if request.score == score else request.score, metrics, "score", "metric")
        return replace(how, roles={**how.roles, METRIC: column}, metric=chosen)
    return how


def _layout(table: Table, request: Request) -> TableLayout:
    """Return the layout of a table, whose outcomes are no means."""
    names = table.columns
    try:
        how = recognise_columns(names, request.fields, request.score, request.factors, request.several)
    except UnknownColumnsError as error:
        lists = [] if request.score else _lists_of_flags(table)
        if len(lists) == 1:
            how = recognise_columns(names, request.fields, lists[0], request.factors, request.several)
        elif isinstance(table, CsvTable) and not table.is_rectangular():
            raise NotATableError(error.problem, remedies=error.remedies, hint=error.hint) from None
        else:
            raise
    is_list = how.form == "long" and _holds_lists(table, how.roles["outcome"])
    how = replace(how, form="lists", share="", costs={}) if is_list else how
    _check_no_mean(table, how)
    return how


def _check_no_mean(table: Table, how: TableLayout) -> None:
    """Check that the outcome is not a mean over trials that the rows hold as a list."""
    if _MEAN.match(how.roles.get("outcome", "")):
        lists = _lists_of_flags(table)
        if lists:
            problem = f"{how.roles['outcome']!r} is a mean over trials, whose outcomes are in {lists[0]!r}"
            raise OutcomeError(problem, where="record 0", remedies=[Remedy("score", lists[0], "reads these")])


def _lists_of_flags(table: Table) -> list[str]:
    """Return the columns that hold a list of truth values in each of the first rows."""
    if table.kinds is not None:
        return [name for name, kind in table.kinds.items() if kind == "BOOLEAN[]"]
    first = {name: table.first_values(name) for name in table.columns}
    return [name for name, values in first.items() if values and all(map(_is_list_of_flags, values))]


def _is_list_of_flags(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, bool) for each in value)


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


def long_runs(table: DistinctRows, how: TableLayout, rewards: ColumnReader) -> Mapping[_RunKey, LongRun]:
    """Return the trials by model, task and levels of factors, of the distinct rows of ``row_columns``.

    Trials that were checked already are numbered.
    """
    for i in _headers(table, how):
        _check_no_header(table, i, how.row_roles)
    table = _of_metric(table, how)
    written = table.columns[-1]
    failed = table.columns[-2] if how.failed else ()
    names: Sequence[Hashable] = table.trials or (range(len(written)) if "trial" in how.roles else written)
    if "trial" not in how.roles and (failed or how.kept):
        names = [*zip(*table.columns[len(how.keys) :], strict=True)]
    return _runs(_TrialRows(table, how.key_roles, names), how, rewards)


def _runs(trials: _TrialRows, how: TableLayout, rewards: ColumnReader) -> Mapping[_RunKey, LongRun]:
    """Return the trials by model, task and levels of factors."""
    table, key_roles, names = trials
    *keys, written = table.columns
    failed = keys.pop() if how.failed else ()
    kept = [keys.pop() for _ in how.kept][::-1]
    known: dict[str | None, float | None] = {}
    for i in _with_new_values(table, [*keys, written]):
        try:
            by_role = {role: named(column[i], role) for role, column in zip(key_roles, keys, strict=True)}
            known[written[i]] = rewards(written[i])
            if table.trials is not None and len(table.trials[i]) < table.times[i]:
                problem = f"question {by_role['question']!r} has a trial twice"
                raise RepeatedTrialError(problem, remedies=if_no_number(how.roles["trial"]))
        except OutcomeError as error:
            raise error.at(table.place(i)) from error.__cause__
    of: dict[str, Any] = defaultdict(lambda: [None] * len(written), zip(key_roles, keys, strict=True))
    outcomes = [known[value] for value in written]
    if how.export is not None and failed:
        outcomes = [None if how.export.is_failed(text) else value for text, value in zip(failed, outcomes, strict=True)]
    columns = TrialColumns(of["question"], names, outcomes, of["cluster"], table.times)
    rows: dict[_RunKey, list[int]] = defaultdict(list)
    levels = (of[FACTOR.format(name)] for name in how.factors)
    for i, run in enumerate(zip(of["model"], of["task"], *levels, strict=True)):
        rows[run].append(i)
    return {
        run: LongRun(
            columns.picked(here),
            [[spent[i] for i in here] for spent in table.costs],
            [[values[i] for i in here] for values in kept],
        )
        for run, here in rows.items()
    }


def _of_metric(table: DistinctRows, how: TableLayout) -> DistinctRows:
    """Return the rows of the metric that is read."""
    if not how.metric:
        return table
    metrics = table.columns[how.key_roles.index(METRIC)]
    return table.picked([i for i, name in enumerate(metrics) if name == how.metric])


def _headers(table: DistinctRows, how: TableLayout) -> list[int]:
    """Return the rows that repeat the names of the columns."""
    written = table.columns[-1]
    words = [text for text in set(written) if text and text.lstrip()[:1] not in "+-.0123456789"]
    own = [{"outcome": name} for name in how.row_columns]
    names = {text for text in words if candidates("outcome", [text]) or any(is_header([text], name) for name in own)}
    named = [i for i, text in enumerate(written) if text in names] if names else []
    return [i for i in named if is_header([column[i] for column in table.columns], how.row_roles)]


def _check_no_header(table: DistinctRows, i: int, columns: Mapping[str, str]) -> None:
    if is_header([column[i] for column in table.columns], columns):
        problem = f"{table.place(i)} repeats the header: the file is several tables one after another"
        raise OutcomeError(problem, hint="read each table as a file of its own, or remove this row")


def _with_new_values(table: DistinctRows, columns: Sequence[Sequence[Any]]) -> list[int]:
    """Return the rows with a value that is new in its column, or with a trial twice: errors can only be in these."""
    rows = range(len(table.times))
    new = {i for column in columns for i in dict(zip(reversed(column), reversed(rows), strict=True)).values()}
    if table.trials is not None:
        new.update(i for i in rows if len(table.trials[i]) < table.times[i])
    return sorted(new)


# Tables with other rows than trials, as rows of trials.


def _listed(table: Table, how: TableLayout, others: Mapping[str, str]) -> DistinctRows:
    """Return all rows that are read: the columns that identify a row, and others by role."""
    listed = list(table.rows([*how.keys, *others.values()], how.nested))
    columns = [*zip(*(row.values for row in listed), strict=True)] or [()] * (len(how.keys) + len(others))
    rows = DistinctRows(columns, [row.times for row in listed], lambda i: listed[i].place)
    by_role = {**dict(zip(how.key_roles, how.keys, strict=True)), **others}
    for i in range(len(listed)):
        _check_no_header(rows, i, by_role)
    return _of_metric(rows, how)


def _trial_rows(
    rows: DistinctRows, how: TableLayout, row_of: Sequence[int], names: Sequence[Hashable], *columns: Sequence[Any]
) -> _TrialRows:
    """Return the rows of trials that have the keys of the rows they are of, and other columns, outcomes last."""
    keys = [[column[i] for i in row_of] for column in rows.columns[: len(how.keys)]]
    times = [rows.times[i] for i in row_of]
    return _TrialRows(DistinctRows([*keys, *columns], times, lambda i: rows.place(row_of[i])), how.key_roles, names)


def _of_columns(table: Table, how: TableLayout) -> _TrialRows:
    """Return the trials of a table with one column per trial, or per model and one row per trial of a question."""
    trial = {"trial": how.roles["trial"]} if "trial" in how.roles else {}
    rows = _listed(table, how, trial | {f"{how.form} {name}": name for name in how.wide})
    row_of = [i for i in range(len(rows.times)) for _ in how.wide]
    written = [*chain.from_iterable(zip(*rows.columns[-len(how.wide) :], strict=True))]
    columns = [*how.wide] * len(rows.times)
    if how.form == "wide":
        _check_once(rows, how)
        return _trial_rows(rows, how, row_of, columns, written)
    names: list[Hashable] = [(i,) for i in range(len(rows.times))]
    for i, name in enumerate(rows.columns[len(how.keys)] if trial else ()):
        with within(rows.place(i)):
            names[i] = named(name, "trial")
    made = _trial_rows(rows, how, row_of, [names[i] for i in row_of], columns, written)
    places = replace(made.table, place=lambda i: f"{rows.place(row_of[i])}, column {columns[i]!r}")
    return _TrialRows(places, [*how.key_roles, "model"], made.names)


def _counts(table: Table, how: TableLayout) -> _TrialRows:
    """Return the trials of a table with one row per question: the number of trials, and of successes."""
    rows = _listed(table, how, {role: how.roles[role] for role in ("trials", "successes")})
    _check_once(rows, how)
    times: list[int] = []
    for i, written in enumerate(zip(*rows.columns[-2:], strict=True)):
        with within(rows.place(i)):
            trials, successes = map(_whole, written)
            if successes > trials:
                raise OutcomeError(f"there are {successes} successes of {trials} trials")
        times += [successes, trials - successes]
    row_of = [i for i in range(len(rows.times)) for _ in range(2)]
    made = _trial_rows(rows, how, row_of, [1.0, 0.0] * len(rows.times), ["1", "0"] * len(rows.times))
    return made._replace(table=replace(made.table, times=times))


def _lists(table: Table, how: TableLayout) -> _TrialRows:
    """Return the trials of a table with a list of outcomes per row; an empty list is a missing trial."""
    columns = {"outcome": how.roles["outcome"], **{f"kept {name}": column for name, column in how.kept.items()}}
    rows = _listed(table, how, columns)
    row_of: list[int] = []
    names: list[Hashable] = []
    made: list[list[Any]] = [[] for _ in columns]
    for i, texts in enumerate(zip(*rows.columns[len(how.keys) :], strict=True)):
        with within(rows.place(i)):
            values = _list(texts[0], how.roles["outcome"])
            written = [None if value is None else _as_text(value) for value in values]
            kept = [_list(*each, len(values)) for each in zip(texts[1:], how.kept.values(), strict=True)]
        for column, more in zip(made, [*kept, written], strict=True):
            column.extend(more or [None])
        row_of += [i] * max(1, len(values))
        names += [(i, number) for number in range(max(1, len(values)))]
    return _trial_rows(rows, how, row_of, names, *made)


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


def _check_once(rows: DistinctRows, how: TableLayout) -> None:
    """Check that each question has one row."""
    seen: set[tuple[str | None, ...]] = set()
    for i, key in enumerate(zip(*rows.columns[: len(how.keys)], strict=True)):
        with within(rows.place(i)):
            by_role = {role: named(value, role) for role, value in zip(how.key_roles, key, strict=True)}
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
