"""From a data frame with one row per trial to the outcomes of every model, with the same levels for all."""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np

from .._arrays import Counts, Indices
from .._display.exports import note_library
from .._display.words import shorten
from ..errors import OutcomeError, ParameterError, Remedy
from ._column_names import (
    KEYS,
    MODEL,
    ROW_NUMBERS,
    candidates,
    check_is_no_failure,
    in_frames,
    plain,
    row_name,
    usual_costs,
)
from ._from_arrays import widen
from ._labels import Labels, cluster_of_each, in_order
from ._outcome_values import FAIL, MOST_LEVELS, PASS_FAIL, RAISE, REMEDIES, ColumnReader, RewardOf, missing_code
from ._relations import ROW_LABELS, Data, Frame, Records, relation_of
from ._rewards import RewardTrials
from ._roles import UnusedColumns, layout_of
from ._table_layout import ANSWERS, FACTOR, Asked, TableLayout, UnknownColumnsError
from ._table_rows import RepeatedTrialError, TableRows, TableTrials, trials_of_rows, trials_of_table
from ._trials import Labelled, Normalize, TrialColumns, coded_answers, normalize_answer, score_values

_ONLY_MODEL = "model-0"
_NO_MODELS = (
    'OutcomeSet.from_frame(frame, model="..", question="..", outcome="..") names the columns, and OutcomeSet(frame,'
    " models=[..]) those that hold one model each; pass the outcomes of one model to OutcomeMatrix"
)
_FOUND = ("question", "outcome", "model", "trial", "cluster")  # the roles of columns that are found by their names
_NAMED = {*_FOUND, "times", "factors"}  # the roles that an argument of from_frame names
_ARGUMENTS = {*_NAMED, "levels", "missing", "run", "answer", "scores", "normalize"}


def _layout(
    relation: Data, stated: Mapping[str, str | None], times: str | None, factors: tuple[str, ...]
) -> tuple[Data, TableLayout]:
    """Return a relation and its columns by role: those that the user states, and others by their usual names.

    Columns are looked for if that of the questions or that of the outcomes is not stated.
    """
    fields: dict[str, str | None] = {role: name for role, name in stated.items() if name is not None}
    if {"question", "outcome"} <= fields.keys():
        return relation, TableLayout("long", cast("dict[str, str]", fields), factors=factors)
    outcome = fields.pop("outcome", None)
    if "question" not in fields and relation.has_row_labels and not candidates("question", relation.columns):
        relation, fields = relation.records(), {**fields, "question": ROW_LABELS}
    fields = fields if times is None else {"trial": None, "trials": None, **fields}
    try:
        layout = layout_of(relation, Asked(fields, outcome, factors))
    except UnknownColumnsError:
        lone = _lone_columns(relation, fields, factors) if outcome is None else None
        if lone is None:
            raise
        layout = lone
    for name in filter(None, [layout.roles.get("task")]):
        if len(tasks := [task for (task,) in relation.tally([name])]) > 1:
            hint = f'Suite.from_frame(frame, task="{name}", ..) reads every task; or keep the rows of one'
            raise OutcomeError(f"column {name!r} holds several tasks, {shorten(tasks)}", hint=hint)
    return relation, layout


def _in_arguments(error: OutcomeError) -> OutcomeError:
    """Return an error about columns with remedies in arguments of ``from_frame``."""
    remedies = []
    for remedy in error.remedies:
        columns = {"outcome": remedy.value} if remedy.argument == "score" else remedy.value
        role, column = next(iter(columns.items())) if remedy.argument in ("score", "fields") else ("", None)
        if not role or (role in _FOUND and column is not None):
            remedies.append(Remedy(role, column, remedy.effect) if role else remedy)
    return error.changed(remedies=remedies)


def _lone_columns(relation: Data, fields: Mapping[str, str | None], factors: Sequence[str]) -> TableLayout | None:
    """Return the layout of a lone column, which holds outcomes, or of all columns beside a pandas index: trials."""
    names = [*relation.columns, *([ROW_LABELS] if fields.get("question") == ROW_LABELS else [])]
    usual = {role: [fields.get(role), *candidates(role, names)] for role in KEYS}
    roles = {role: name for role, offered in usual.items() if (name := next(filter(None, offered), None)) is not None}
    used = {*roles.values(), *usual_costs(names).values(), *factors}
    rest = [name for name in names if name not in used]
    is_lone = len(rest) == 1 or roles.get("question") == ROW_LABELS
    is_numbered = any(plain(name) in ROW_NUMBERS or candidates("trial", [name]) for name in rest)
    if "question" in roles and rest and is_lone and not is_numbered and {*filter(None, fields.values())} <= {*names}:
        if len(rest) == 1:
            check_is_no_failure(rest[0])
        form, wide = ("wide", tuple(rest)) if len(rest) > 1 else ("long", ())
        return TableLayout(form, roles if wide else {**roles, "outcome": rest[0]}, wide, factors=tuple(factors))
    return None


class Parts(NamedTuple):
    """The arguments of ``OutcomeMatrix.of_reduced`` for every row of a set, and the conditions of each."""

    outcomes: dict[str, tuple[Any, ...]]
    conditions: dict[str, dict[str, str]]


def only_model(parts: Parts) -> tuple[Any, ...]:
    """Return the part of the only model."""
    if len(parts.outcomes) > 1:
        problem = f"the table holds several models, {shorten(parts.outcomes)}"
        raise OutcomeError(problem, hint="OutcomeSet reads them all; or keep the rows of one")
    [part] = parts.outcomes.values()
    return part


def _names(names: Iterable[str]) -> tuple[str, ...]:
    """Return names of columns, of which one may stand alone."""
    return (names,) if isinstance(names, str) else tuple(names)


def read_frame(frame: Any, columns: Mapping[str, Any], max_levels: int | None = None) -> Parts:
    """Return the parts of a set; ``columns`` are the arguments of ``OutcomeSet.from_frame``."""
    if columns.keys() - _ARGUMENTS:
        raise TypeError(f"from_frame got unexpected arguments: {', '.join(sorted(columns.keys() - _ARGUMENTS))}")
    note_library(frame)
    relation = frame if isinstance(frame, (Frame, Records)) else relation_of(frame) or Frame(frame)
    roles = {role: columns.get(role) for role in _FOUND}
    factors, scores = (_names(columns.get(argument, ())) for argument in ("factors", "scores"))
    times, run, answer = (columns.get(argument) for argument in ("times", "run", "answer"))
    if len(set(factors)) < len(factors) or any(name in (*roles.values(), times) for name in factors):
        problem = f"must be different columns, each without another role; got {list(factors)!r}"
        raise ParameterError(problem, argument="factors")
    if times is not None and roles.get("trial") is not None:
        problem = "cannot be combined with trial: a row that counts several times is no single trial"
        raise ParameterError(problem, argument="times")
    try:
        relation, layout = _layout(relation, roles, times, factors)
        kept = ({} if answer is None else {ANSWERS: answer}) | {name: name for name in scores}
        by_role = {**layout.roles, **({} if times is None else {"times": times})}
        factors = layout.factors if run is None or run in factors else (*layout.factors, run)
        layout = replace(layout, roles=by_role, run=run or "", kept=kept, costs={}, factors=factors)
        normalize = columns.get("normalize", normalize_answer)
        missing = columns.get("missing", "raise")
        parts = outcome_parts(relation, layout, columns.get("levels"), missing, normalize, max_levels)
    except OutcomeError as error:
        raise _in_arguments(error) from None
    outcome = layout.roles.get("outcome", "")
    if outcome in (roles["outcome"], *candidates("outcome", [outcome])):
        is_stated = roles.get("trial") is not None  # a trial that was found by its name may be a run
        used = {role: name for role, name in by_role.items() if role != "trial" or is_stated}
        UnusedColumns(relation, replace(layout, roles=used)).warn_of_pooled()
    return parts


def parts_of_table(
    values: Any, missing: str, max_levels: int | None = None, *, of_models: bool = False
) -> Parts | None:
    """Return the parts of a table whose columns have usual names; None for anything else.

    A data frame without such names is an array of numbers.
    """
    relation = relation_of(values)
    if relation is None or (not of_models and isinstance(relation, Frame) and _is_array(relation)):
        return None
    if isinstance(relation, Frame) and relation.is_small:
        relation = relation.records()
    if of_models and not candidates("model", relation.columns):
        problem = f"no column of models was found; the columns are {shorten(relation.columns)}"
        raise OutcomeError(problem, hint=_NO_MODELS)
    try:
        return read_frame(relation, {"missing": missing}, max_levels)
    except OutcomeError as error:
        calls = [
            f"{in_frames(remedy.argument, remedy.value)} {remedy.effect}"
            for remedy in error.remedies
            if remedy.argument in _NAMED
        ]
        if not calls:
            raise
        raise OutcomeError(error.problem, where=error.where, hint="; ".join(calls)) from None


def check_not_beside_table(**arguments: Any) -> None:
    """Check that nothing is given trial by trial, or question by question, that a table has in columns."""
    given = next((name for name, value in arguments.items() if value is not None), None)
    if given is not None:
        hint = "name their columns: OutcomeMatrix.from_frame(table, question=.., run=.., answer=.., scores=[..])"
        raise OutcomeError("is not taken beside a table, whose columns hold it", argument=given, hint=hint)


def categories_of_table(values: Any, missing: str, width: int, given: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """Return the counts of the only model in a table, its planned trials, levels, labels, clusters and known trials.

    None for anything else than a table. There are at least ``width`` categories; what else is ``given`` is refused.
    """
    parts = parts_of_table(values, missing)
    if parts is None:
        return None
    check_not_beside_table(**given)
    (counts, levels), *rest = only_model(parts)
    if levels is None:
        raise OutcomeError("the outcomes are continuous rewards", hint="OutcomeMatrix.from_frame reads them")
    if levels == PASS_FAIL:
        counts, levels = widen(counts, max(width, counts.shape[1])), None
    return counts, rest[0], levels, *rest[1:]


def _is_array(frame: Frame) -> bool:
    """Return whether neither the rows nor the columns have a name that says what they hold."""
    names = [] if frame.has_row_labels else frame.columns
    usual = (candidates(role, names) for role in ("question", "model", "outcome", "trial"))
    return not (frame.has_row_labels or any(usual) or any(plain(name) in ROW_NUMBERS for name in names))


def parts_by_column(values: Any, models: Sequence[str], missing: str) -> Any:
    """Return the outcomes of models that have one column each; the rows of a question are its trials."""
    relation = relation_of(values)
    if relation is None:
        return None
    records, rest = relation.records(), [name for name in relation.columns if name not in models]
    if not (records.has_row_labels or candidates("question", rest)):
        return {name: [[value] for value in records.column(name)] for name in models}
    question = {} if candidates("question", rest) else {"question": ROW_LABELS}
    layout = layout_of(records, Asked({**question, "model": None}, several={"models": models}))
    parts = outcome_parts(records, layout, None, missing)
    return parts._replace(outcomes={name: parts.outcomes[name] for name in models})


def outcome_parts(
    relation: Data,
    layout: TableLayout,
    levels: RewardOf | None,
    missing: str,
    normalize: Normalize | None = None,
    max_levels: int | None = None,
) -> Parts:
    """Return the parts of a set with a row for every model, and level of factors; rows and questions are sorted."""
    code = missing_code(missing)
    labels, _, outcomes, kept, rows = _trials(relation, layout, _stated_levels(levels))
    rewards, times = np.array(outcomes, np.float64), np.array(rows.times, np.int64)  # None becomes NaN
    names, model, conditions = _models(labels, layout, len(times))
    questions, question = _coded(labels["question"])
    clusters = _clusters(labels, layout, questions)
    here, cells, shape = ~np.isnan(rewards), model * len(questions) + question, (len(names), len(questions))
    planned, recorded = _totals(cells, times, shape), _totals(cells[here], times[here], shape)
    # A question that a model has no row of is planned as often as the question that the model has most rows of.
    planned = np.where(planned > 0, planned, planned.max(axis=1, keepdims=True))
    absent = planned - recorded
    of = f"column {layout.roles.get('outcome', 'outcome')!r}"
    trials = RewardTrials(rewards[here], cells[here], planned.size, of, times[here])
    if code == FAIL and absent.any():
        trials, recorded = trials.with_failures(absent.ravel()), planned
    reduced = trials.of_models(len(names), max_levels)
    for i, name in enumerate(names):
        _check_outcomes(recorded[i], planned[i], name, questions, code)
    runs = labels[FACTOR.format(layout.run)] if layout.run else None
    trial_columns = _known(runs, kept, np.where(here, times, 0), trials, len(names), normalize)
    parts = {name: (reduced[i], planned[i], questions, clusters, trial_columns[i]) for i, name in enumerate(names)}
    return Parts(parts, conditions)


def _trials(relation: Data, layout: TableLayout, levels: RewardOf) -> TableTrials:
    """Return the distinct rows of a frame as trials; every row of continuous rewards."""
    reward_of, times = ColumnReader(levels, layout.share), layout.roles.get("times")
    if layout.form != "long":
        return trials_of_table(relation, layout, reward_of)
    columns = UnusedColumns(relation, layout)
    if "trial" in layout.roles:
        _check_single_trials(relation, layout, columns)
    *names, outcome = layout.row_roles.values()
    every = None if levels or times else relation.continuous_rows(outcome, names, MOST_LEVELS)
    if every is not None:
        rewards, values = every
        by_role = dict(zip(layout.row_roles, values, strict=False))
        kept = {name: by_role[f"kept {name}"] for name in layout.kept}
        return TableTrials(by_role, (), rewards, kept, TableRows((), [1] * rewards.size))
    rows = relation.tally([*names, outcome]) if times is None else _times_each(relation, [*names, outcome], times)
    if not rows:
        raise OutcomeError("the data frame has no rows")
    if times is None and "trial" not in layout.roles and max(rows.values()) == 1:
        columns.check_no_counts()
    return trials_of_rows(TableRows([*zip(*rows, strict=True)], [*rows.values()]), layout, reward_of)


def _times_each(relation: Data, names: Sequence[str], times: str) -> Mapping[tuple[Any, ...], int]:
    """Return the rows of some columns, each as often as its value in the column ``times`` says."""
    rows: Counter[tuple[Any, ...]] = Counter()
    for (*row, count), number in relation.tally([*names, times]).items():
        if type(count) is not int or count < 0:
            raise OutcomeError(f"column {times!r} must hold whole numbers: how often each row counts; got {count!r}")
        rows[tuple(row)] += count * number
    return rows


def _known(
    runs: Sequence[Hashable] | None,
    kept: Mapping[str, Sequence[Any]],
    times: Counts,
    trials: RewardTrials,
    models: int,
    normalize: Normalize | None,
) -> Sequence[TrialColumns]:
    """Return what is known of each model's trials; ``times`` says how often each row has an outcome."""

    def of_trials(labels: Labels, codes: Any) -> Labelled:
        return Labelled(labels, np.repeat(codes, times))

    if runs is not None and len(trials.rewards) != np.count_nonzero(times):
        problem = "cannot be combined with missing='fail': the trials that are missing belong to no run"
        raise ParameterError(problem, argument="run", remedies=[Remedy("missing", "omit", "leaves them out")])
    return TrialColumns.of_models(
        trials,
        models,
        None if runs is None else of_trials(*_coded(runs)),
        of_trials(*coded_answers(kept[ANSWERS], normalize)) if ANSWERS in kept else None,
        {name: np.repeat(score_values(kept[name], name), times) for name in kept if name != ANSWERS},
    )


def _stated_levels(levels: RewardOf | None) -> dict[Any, float | None]:
    """Return the rewards that the user states, also by the text that some engines make of a value."""
    if levels is None:
        return {}
    try:
        rewards = {value: None if reward is None else float(reward) for value, reward in levels.items()}
    except (AttributeError, TypeError, ValueError):
        rewards = {"": math.nan}
    if not all(reward is None or math.isfinite(reward) for reward in rewards.values()):
        raise ParameterError(f"must map outcomes to finite rewards, or to None; got {levels!r}", argument="levels")
    return {str(value): reward for value, reward in rewards.items()} | rewards


def _check_single_trials(relation: Data, layout: TableLayout, unused: UnusedColumns) -> None:
    trial = layout.roles["trial"]
    keys = relation.repeated([*layout.keys.values()], trial)
    if keys is not None:
        question, *rest = keys
        names = [role if role in KEYS else name for role, name in layout.keys.items()]
        of_model = "".join(f" of {name} {value!r}" for name, value in zip(names[1:], rest, strict=True))
        problem = f"column {trial!r} is null, or the same twice, for question {question!r}{of_model}"
        factors = Remedy("factors", ["..."], "names the columns, such as a prompt, whose levels are kept apart")
        raise unused.advised(RepeatedTrialError(problem, remedies=[factors]))


def _models(
    values: Mapping[str, Sequence[Any]], layout: TableLayout, rows: int
) -> tuple[list[str], Indices, dict[str, dict[str, str]]]:
    """Return the names of the models, sorted, the model of each row, and the conditions of each if there are factors.

    With factors, every model under every combination of levels is a row of the set.
    """
    names: list[str] = [_ONLY_MODEL]
    model = np.zeros(rows, np.intp)
    if "model" in values:
        labels, model = _coded([*map(str, values["model"])])
        names = list(map(str, labels))
    factors = [name for name in layout.factors if name != layout.run]
    if not factors:
        return names, model, {}
    levels, place = zip(*(_coded(values[FACTOR.format(name)]) for name in factors), strict=True)
    combined, row = np.unique(np.column_stack([model, *place]), axis=0, return_inverse=True)
    conditions = {}
    for model_number, *at in combined.tolist():
        settings = {name: str(of_factor[i]) for name, of_factor, i in zip(factors, levels, at, strict=True)}
        conditions[row_name(names[model_number], settings)] = {MODEL: names[model_number], **settings}
    if len(conditions) < len(combined):
        raise OutcomeError("two combinations of models and levels have the same name", hint="rename some levels")
    return list(conditions), np.asarray(row).reshape(-1), conditions


def _coded(values: Sequence[Hashable]) -> tuple[Labels, Indices]:
    """Return the distinct labels, sorted, and the index of each value among them."""
    labels = tuple(in_order(set(values)))
    where = {label: i for i, label in enumerate(labels)}
    return labels, np.fromiter(map(where.__getitem__, values), np.intp, len(values))


def _clusters(values: Mapping[str, Sequence[Any]], layout: TableLayout, questions: Labels) -> Labels | None:
    """Return the cluster of each question, if there is a column of clusters."""
    if "cluster" not in values:
        return None
    cluster_of = cluster_of_each(values["question"], values["cluster"], layout.roles["cluster"])
    return tuple(cluster_of[question] for question in questions)


def _totals(cells: Indices, times: Counts, shape: tuple[int, int]) -> Counts:
    """Return the trials by model and question."""
    total = np.zeros(math.prod(shape), np.int64)
    np.add.at(total, cells, times)
    return total.reshape(shape)


def _check_outcomes(present: Counts, planned: Counts, name: str, questions: Labels, missing: int) -> None:
    """Check that one model has some outcome, and every outcome that was planned unless they may be left out."""
    where = None if name == _ONLY_MODEL else f"model {name!r}"  # a frame without a column of models names none
    if not present.any():
        raise OutcomeError("no trial of any question has an outcome", where=where)
    if missing == RAISE and (present < planned).any():
        label = questions[int(np.argmax(present < planned))]
        problem = f"question {label!r} has a trial without an outcome"
        if len({str(question).casefold() for question in questions}) < len(questions):
            problem += ", and some names of questions differ in capitals only"
            raise OutcomeError(problem, where=where, hint="write one question in one way")
        raise OutcomeError(problem, where=where, remedies=REMEDIES)


def frames_by_task(frame: Any, column: str) -> dict[str, Any]:
    """Return the rows of each task as a frame of the same kind; tasks come sorted, named by their text."""
    import narwhals as nw

    values = [value for (value,) in Frame(frame).tally([column])]
    if not values:
        raise OutcomeError("the data frame has no rows")
    if None in values:
        raise OutcomeError(f"column {column!r} has rows without a task", argument="task")
    names = {str(value): value for value in values}
    if len(names) < len(values):
        raise OutcomeError(f"column {column!r} has tasks with the same text", argument="task")
    table = nw.from_native(frame)
    return {name: table.filter(nw.col(column) == names[name]).to_native() for name in sorted(names)}
