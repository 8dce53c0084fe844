"""From a data frame with one row per trial to the outcomes of every model, with the same levels for all."""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Counts, Indices, Vector
from .._display.exports import note_library
from .._display.words import shorten
from ..errors import OutcomeError, ParameterError, Remedy
from ._answers import Normalize, coded_answers
from ._column_names import (
    KEYS,
    MODEL,
    ROW_NUMBERS,
    candidates,
    counted_by,
    in_frames,
    is_header,
    misspelt,
    plain,
    row_name,
    usual_costs,
)
from ._from_arrays import widen
from ._from_rewards import RewardTrials
from ._labels import Labels, check_texts, cluster_of_each, in_order
from ._outcome_values import FAIL, MOST_LEVELS, PASS_FAIL, RAISE, REMEDIES, ColumnReader, RewardOf, missing_code
from ._relations import ROW_LABELS, Frame, Relation, Rows, relation_of
from ._table_layout import TableLayout, UnknownColumnsError, recognise_columns
from ._trials import Labelled, TrialColumns, known_of_models, score_values
from ._unused_columns import UnusedColumns

_ONLY_MODEL = "model-0"
_FOUND = ("question", "outcome", "model", "trial", "cluster")  # the roles of columns that are found by their names
_NAMED = {*_FOUND, "times", "factors"}  # the roles that an argument of from_frame names
Values = Mapping[str, Sequence[Hashable]]


@dataclass(frozen=True)
class Columns:
    """The columns that hold the outcome of each trial, its question, its model, its name and its cluster.

    ``times`` is the column that says how many trials a row stands for; ``factors`` are the columns whose levels make
    rows of their own; ``answer`` is that of the trials' answers, and ``scores`` those of their scores.
    """

    question: str
    outcome: str
    model: str | None = None
    trial: str | None = None
    cluster: str | None = None
    times: str | None = None
    factors: tuple[str, ...] = ()
    run: str | None = None
    answer: str | None = None
    scores: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        others = (self.question, self.outcome, self.model, self.trial, self.cluster, self.times)
        if len(set(self.factors)) < len(self.factors) or any(name in others for name in self.factors):
            problem = f"must be different columns, each without another role; got {list(self.factors)!r}"
            raise ParameterError(problem, argument="factors")
        if self.times is not None and self.trial is not None:
            problem = "cannot be combined with trial: a row that counts several times is no single trial"
            raise ParameterError(problem, argument="times")

    @property
    def keys(self) -> list[str]:
        """The columns that identify a question of a model under the levels of factors."""
        return [self.question, *([] if self.model is None else [self.model]), *self.factors]

    @property
    def counted(self) -> list[str]:
        """The columns by which rows are counted."""
        more = (self.cluster, self.run, self.answer, *self.scores)
        return list(dict.fromkeys([self.outcome, *self.keys, *(name for name in more if name is not None)]))


def found_columns(
    relation: Relation, stated: Mapping[str, str | None], times: str | None, factors: Sequence[str]
) -> tuple[Relation, dict[str, Any]]:
    """Return the columns of a relation by role: those that the user states, and others by their usual names.

    A relation with a column per trial becomes one with a row per trial.
    """
    fields: dict[str, str | None] = {
        role: name for role, name in stated.items() if name is not None and role != "outcome"
    }
    names = [name for name in relation.columns if name != times]
    if "question" not in fields and relation.has_row_labels and not candidates("question", names):
        relation, names, fields = relation.records(), [ROW_LABELS, *names], {**fields, "question": ROW_LABELS}
    fields = fields if times is None else {"trial": None, **fields}
    layout = _layout(names, fields, stated["outcome"], factors)
    roles, used = dict(layout.roles), {*layout.roles.values(), *factors, *layout.wide}
    if "question" not in fields:
        table = UnusedColumns(relation.tally, [roles["question"]], [n for n in names if n not in used], in_frames)
        table.check_question(lambda name: Remedy("question", name, f"takes {name!r}"), has_trials="trial" in roles)
    for name in filter(None, [roles.pop("task", None)]):
        if len(tasks := [task for (task,) in relation.tally([name])]) > 1:
            hint = f'Suite.from_frame(frame, task="{name}", ..) reads every task; or keep the rows of one'
            raise OutcomeError(f"column {name!r} holds several tasks, {shorten(tasks)}", hint=hint)
    if layout.form == "counts":
        raise OutcomeError("the columns hold counts", hint="pass successes and trials to OutcomeMatrix.from_counts")
    if layout.form == "wide":
        relation = relation.records().spread([*roles.values()], layout.wide, "column", "outcome")
        roles["outcome"] = "outcome"
    return relation, {role: roles.get(role) for role in stated}


def _layout(
    names: Sequence[str], fields: Mapping[str, str | None], outcome: str | None, factors: Sequence[str]
) -> TableLayout:
    """Return the layout of a relation. A lone column is the outcome, and all columns beside a pandas index are trials.

    What helps is said in arguments of ``from_frame``.
    """
    try:
        return recognise_columns(names, fields, outcome, factors, exports=False)
    except OutcomeError as error:
        usual = {role: [fields.get(role), *candidates(role, names)] for role in KEYS}
        firsts = {role: next(filter(None, offered), None) for role, offered in usual.items()}
        roles = {role: name for role, name in firsts.items() if name is not None}
        used = {*roles.values(), *usual_costs(names).values(), *factors}
        rest = [name for name in names if name not in used]
        is_lone = len(rest) == 1 or roles.get("question") == ROW_LABELS
        is_numbered = any(plain(name) in ROW_NUMBERS or candidates("trial", [name]) for name in rest)
        is_stated = outcome is not None or not {*filter(None, fields.values())} <= {*names}
        may_be_trials = "question" in roles and rest and is_lone and not (is_numbered or is_stated)
        if isinstance(error, UnknownColumnsError) and may_be_trials:
            return TableLayout("wide", roles, tuple(rest))
        remedies = []
        for remedy in error.remedies:
            columns = remedy.value if isinstance(remedy.value, dict) else {"outcome": remedy.value}
            role, column = next(iter(columns.items()))
            remedies += [Remedy(role, column, remedy.effect)] if role in _FOUND else []
        raise OutcomeError(error.problem, remedies=remedies, hint=error.hint) from None


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


def names_of_columns(names: Iterable[str]) -> tuple[str, ...]:
    """Return names of columns, of which one may stand alone."""
    return (names,) if isinstance(names, str) else tuple(names)


def read_frame(
    frame: Any,
    roles: Mapping[str, str | None],
    others: Mapping[str, Any],
    levels: RewardOf | None,
    missing: str,
    normalize: Normalize | None,
    max_levels: int | None = None,
) -> Parts:
    """Return the parts of a set; ``roles`` are columns that may be found by their names, ``others`` are only stated.

    Columns are looked for if that of the questions or that of the outcomes is not stated.
    """
    relation, stated, named = _relation(frame), {**others}, dict[str, Any](roles)
    for several in ("factors", "scores"):
        stated[several] = names_of_columns(stated.get(several, ()))
    if named["question"] is None or named["outcome"] is None:
        relation, named = found_columns(relation, roles, stated["times"], stated["factors"])
    columns = Columns(**named, **stated)
    parts = outcome_parts(relation, columns, levels, missing, normalize, max_levels)
    if columns.outcome in (roles["outcome"], *candidates("outcome", [columns.outcome])):
        unused = _unused(relation, columns, roles.get("trial"))  # a trial that was found by its name may be a run
        unused.warn_of_pooled(has_model=columns.model is not None, has_run=columns.run is not None)
    return parts


def _relation(frame: Any) -> Relation:
    note_library(frame)
    return frame if isinstance(frame, Relation) else relation_of(frame) or Frame(frame)


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
        raise OutcomeError(problem, hint=_without_models(relation))
    try:
        others = {"times": None, "run": None, "answer": None}
        return read_frame(relation, dict.fromkeys(_FOUND), others, None, missing, None, max_levels)
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


def _without_models(relation: Relation) -> str:
    """Say how to read a table without a column of models."""
    question = candidates("question", relation.columns)
    rest = [name for name in relation.columns if name not in question]
    values = [row for name in rest for row in relation.tally([name])] if len(rest) > 1 else [()]
    if all(isinstance(value, (bool, int, float)) for row in values for value in (row or [""])):
        names = ", ".join(f'"{name}"' for name in rest)
        return f"if each column is a model, write OutcomeSet(frame, models=[{names}])"
    return (
        'OutcomeSet.from_frame(frame, model="..", question="..", outcome="..") names the columns; pass the outcomes of'
        " one model to OutcomeMatrix"
    )


def parts_by_column(values: Any, models: Sequence[str], missing: str) -> Any:
    """Return the outcomes of models that have one column each; the rows of a question are its trials."""
    relation = relation_of(values)
    if relation is None:
        return None
    records, rest = relation.records(), [name for name in relation.columns if name not in models]
    if not (records.has_row_labels or candidates("question", rest)):
        return {name: [[value] for value in records.column(name)] for name in models}
    usual = {role: next(iter(candidates(role, rest)), None) for role in ("question", "cluster", "trial")}
    roles = {**usual, "question": usual["question"] or ROW_LABELS, "outcome": "outcome", "model": "model"}
    keys = [name for role, name in roles.items() if role in usual and name is not None]
    spread = records.spread(keys, models, "model", "outcome")
    parts = outcome_parts(spread, Columns(**roles), None, missing)  # type: ignore[arg-type]
    return parts._replace(outcomes={name: parts.outcomes[name] for name in models})


def outcome_parts(
    frame: Relation,
    columns: Columns,
    levels: RewardOf | None,
    missing: str,
    normalize: Normalize | None = None,
    max_levels: int | None = None,
) -> Parts:
    """Return the parts of a set with a row for every model, and level of factors; rows and questions are sorted."""
    code, stated = missing_code(missing), _stated_levels(levels)
    if columns.trial is not None:
        _check_single_trials(frame, columns)
    values, rewards, times = _rows(frame, columns, stated)
    names, model, conditions = _models(values, columns, len(times))
    questions, question = _coded(values[columns.question], columns.question)
    clusters = _clusters(values, columns, questions)
    here, cells, shape = ~np.isnan(rewards), model * len(questions) + question, (len(names), len(questions))
    planned, recorded = _totals(cells, times, shape), _totals(cells[here], times[here], shape)
    # A question that a model has no row of is planned as often as the question that the model has most rows of.
    planned = np.where(planned > 0, planned, planned.max(axis=1, keepdims=True))
    absent = planned - recorded
    trials = RewardTrials(rewards[here], cells[here], planned.size, f"column {columns.outcome!r}", times[here])
    if code == FAIL and absent.any():
        trials, recorded = trials.with_failures(absent.ravel()), planned
    reduced = trials.of_models(len(names), max_levels)
    for i, name in enumerate(names):
        _check_outcomes(recorded[i], planned[i], name, questions, code)
    trial_columns = _known(values, columns, np.where(here, times, 0), trials, len(names), normalize)
    parts = {name: (reduced[i], planned[i], questions, clusters, trial_columns[i]) for i, name in enumerate(names)}
    return Parts(parts, conditions)


def _known(
    values: Values, columns: Columns, times: Counts, trials: RewardTrials, models: int, normalize: Normalize | None
) -> Sequence[TrialColumns]:
    """Return what is known of each model's trials; ``times`` says how often each row has an outcome."""

    def of_trials(labels: Labels, codes: Any) -> Labelled:
        return Labelled(labels, np.repeat(codes, times))

    if columns.run is not None and len(trials.rewards) != np.count_nonzero(times):
        problem = "cannot be combined with missing='fail': the trials that are missing belong to no run"
        raise ParameterError(problem, argument="run", remedies=[Remedy("missing", "omit", "leaves them out")])
    return known_of_models(
        trials,
        models,
        None if columns.run is None else of_trials(*_coded(values[columns.run], columns.run)),
        None if columns.answer is None else of_trials(*coded_answers(values[columns.answer], normalize)),
        {name: np.repeat(score_values(values[name], name), times) for name in columns.scores},
    )


def _rows(frame: Relation, columns: Columns, levels: RewardOf) -> tuple[Values, Vector, Counts]:
    """Return the labels of each distinct row, its reward, and how often it occurs; every row of continuous rewards."""
    labels = columns.counted[1:]
    every = None if levels or columns.times else frame.continuous_rows(columns.outcome, labels, MOST_LEVELS)
    if every is not None:
        rewards, values = every
        return dict(zip(labels, values, strict=True)), rewards, np.ones(rewards.size, np.int64)
    rows = frame.tally(columns.counted, columns.times)
    if not rows:
        raise OutcomeError("the data frame has no rows")
    if columns.times is None and columns.trial is None and max(rows.values()) == 1:
        _unused(frame, columns, None).check_no_counts(columns.outcome, _times)
    _check_no_header(rows, columns)
    counted_values = dict(zip(columns.counted, zip(*rows, strict=True), strict=True))
    times = np.fromiter(rows.values(), np.int64, len(rows))
    return counted_values, _rewards(counted_values[columns.outcome], levels, columns.outcome), times


def _check_no_header(rows: Rows, columns: Columns) -> None:
    roles = ["outcome", "question", *(["model"] if columns.model is not None else []), *columns.factors]
    if columns.cluster is not None:
        roles.append("cluster")
    names = dict(zip([*roles, "run"], columns.counted, strict=False))
    for row in rows:
        if isinstance(row[0], str) and is_header(row, names):
            problem = f"the row {shorten(row)} repeats the names of the columns: several tables follow one another"
            raise OutcomeError(problem, hint="remove such rows")


def _unused(frame: Relation, columns: Columns, trial: str | None) -> UnusedColumns:
    """Return the columns that have no role, not even that of the trial."""
    used = [*columns.counted, *filter(None, [columns.times, trial])]
    return UnusedColumns(frame.tally, columns.keys, [name for name in frame.columns if name not in used], in_frames)


def _times(column: str) -> list[Remedy]:
    return [Remedy("times", column, "counts each row as often")] if counted_by(column) == "trials" else []


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


def _check_single_trials(frame: Relation, columns: Columns) -> None:
    keys = frame.repeated(columns.keys, str(columns.trial))
    if keys is not None:
        question, *rest = keys
        names = [*([] if columns.model is None else ["model"]), *columns.factors]
        of_model = "".join(f" of {name} {value!r}" for name, value in zip(names, rest, strict=True))
        near = (
            []
            if columns.model is not None
            else misspelt("model", [name for name in frame.columns if name not in columns.counted])
        )
        factors = Remedy("factors", ["..."], "names the columns, such as a prompt, whose levels are kept apart")
        models = [Remedy("model", name, "reads the models, which it seems to name") for name in near[:1]]
        problem = f"column {columns.trial!r} is null, or the same twice, for question {question!r}{of_model}"
        raise OutcomeError(problem, remedies=models or [factors])


def _models(values: Values, columns: Columns, rows: int) -> tuple[list[str], Indices, dict[str, dict[str, str]]]:
    """Return the names of the models, sorted, the model of each row, and the conditions of each if there are factors.

    With factors, every model under every combination of levels is a row of the set.
    """
    names: list[str] = [_ONLY_MODEL]
    model = np.zeros(rows, np.intp)
    if columns.model is not None:
        labels, model = _coded([name if name is None else str(name) for name in values[columns.model]], columns.model)
        names = list(map(str, labels))
    if not columns.factors:
        return names, model, {}
    levels, place = zip(*(_coded(values[name], name) for name in columns.factors), strict=True)
    combined, row = np.unique(np.column_stack([model, *place]), axis=0, return_inverse=True)
    conditions = {}
    for model_number, *at in combined.tolist():
        settings = {name: str(of_factor[i]) for name, of_factor, i in zip(columns.factors, levels, at, strict=True)}
        conditions[row_name(names[model_number], settings)] = {MODEL: names[model_number], **settings}
    if len(conditions) < len(combined):
        raise OutcomeError("two combinations of models and levels have the same name", hint="rename some levels")
    return list(conditions), np.asarray(row).reshape(-1), conditions


def _coded(values: Sequence[Hashable], column: str) -> tuple[Labels, Indices]:
    """Return the distinct labels, sorted, and the index of each value among them."""
    different = set(values)
    if None in different:
        raise OutcomeError(f"column {column!r} is null in some row: every trial needs its label")
    labels = tuple(in_order(different))
    check_texts(labels, f"column {column!r}")
    where = {label: i for i, label in enumerate(labels)}
    return labels, np.fromiter(map(where.__getitem__, values), np.intp, len(values))


def _clusters(values: Values, columns: Columns, questions: Labels) -> Labels | None:
    """Return the cluster of each question, if there is a column of clusters."""
    if columns.cluster is None:
        return None
    cluster_of = cluster_of_each(values[columns.question], values[columns.cluster], columns.cluster)
    return tuple(cluster_of[question] for question in questions)


def _rewards(values: Sequence[Hashable], levels: RewardOf, column: str) -> Vector:
    """Return the reward of each outcome, NaN where an outcome is missing."""
    reader = ColumnReader(levels)
    try:
        rewards = {(type(value), value): reader(value) for value in set(values)}
    except OutcomeError as error:
        raise error.at(f"column {column!r}") from None
    return np.array([math.nan if (reward := rewards[type(value), value]) is None else reward for value in values])


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
