"""From a data frame with one row per trial to the outcomes of every model, with the same levels for all."""

import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from typing import Any, cast

import numpy as np

from .._base.arrays import Indices
from .._base.words import pluralize, shorten, warn
from ..errors import OutcomeError, ParameterError, Remedy, TrialsWarning
from ._column_names import KEYS, MODEL, ROW_NUMBERS, candidates, in_frames, names_runs, plain, row_name, usual_costs
from ._combining import chosen_names
from ._labels import Labels, cluster_of_each, in_order, positions, warn_of_look_alikes
from ._matrix import OutcomeMatrix
from ._model_rows import ModelRows, check_complete, totals, warn_of_codes, with_several_runs
from ._outcome_values import FAIL, OMIT, RAISE, ColumnReader, RewardOf, missing_code
from ._relations import Data, Frame, Records, as_frame, relation_of
from ._roles import UnusedColumns, holds_lists, layout_of
from ._table_layout import ANSWERS, FACTOR, Asked, TableLayout, UnknownColumnsError
from ._table_rows import RepeatedTrialError, Trials, trials_of_table
from ._trial_costs import MeanCost, costs_by_question, costs_together
from ._trials import Labelled, Normalize, TrialColumns, coded_answers, normalize_answer, score_values

Models = tuple[dict[str, OutcomeMatrix], dict[str, dict[str, str]], dict[str, dict[str, float]]]  # by model: outcomes,
# conditions and costs
_WITHOUT_OUTCOMES = (
    Remedy("missing", "omit", "leaves the model out"),
    Remedy("missing", "fail", "counts its trials as failures"),
)
_ONLY_MODEL = "model-0"
_NO_MODELS = (
    'OutcomeSet.from_frame(frame, model="..", question="..", outcome="..") names the columns, and OutcomeSet(frame,'
    " models=[..]) those that hold one model each; pass the outcomes of one model to OutcomeMatrix"
)
_FOUND = ("question", "outcome", "failed", "model", "trial", "cluster")  # the roles of single columns
_NAMED = {*_FOUND, "times", "factors"}  # the roles that an argument of from_frame names


def _layout(
    relation: Data, stated: Mapping[str, str | None], times: str | None, factors: tuple[str, ...]
) -> tuple[Data, TableLayout]:
    """Return a relation and its columns by role: those that the user states, and others by their usual names.

    Columns are looked for if that of the questions or that of the outcomes is not stated.
    """
    fields: dict[str, str | None] = {role: name for role, name in stated.items() if name is not None}
    if {"question", "outcome"} <= fields.keys():
        may_fail = "failed" not in fields
        form = "lists" if holds_lists(relation, cast("str", fields["outcome"])) else "long"
        return relation, TableLayout(form, cast("dict[str, str]", fields), factors=factors, may_fail=may_fail)
    outcome = fields.pop("outcome", None)
    if is_labelled := (
        "question" not in fields and relation.has_row_labels and not candidates("question", relation.columns)
    ):
        relation, fields = relation.records().labelled("question"), {**fields, "question": "question"}
    fields = fields if times is None else {"trial": None, "trials": None, **fields}
    try:
        layout = layout_of(relation, Asked(fields, outcome, factors))
    except UnknownColumnsError:
        is_open = is_labelled and outcome is None and "trial" not in fields
        wide = _trials_beside_index(relation, fields, factors) if is_open else None
        if wide is None:
            raise
        layout = wide
    for name in filter(None, [layout.roles.get("task")]):
        if len(tasks := [task for (task,) in relation.tally([name])]) > 1:
            hint = f'Suite.from_frame(frame, task="{name}", ..) reads every task; or keep the rows of one'
            raise OutcomeError(f"column {name!r} holds several tasks, {shorten(tasks)}", hint=hint)
    return relation, layout


def _in_arguments(error: OutcomeError) -> OutcomeError:
    """Return an error about columns with remedies in arguments of ``from_frame``."""
    remedies = []
    for remedy in error.remedies:
        if remedy.argument == "fields" and (models := remedy.value.get("models")) is not None:
            hint = f"OutcomeSet(frame, models={models}) {remedy.effect}"
            error = error.changed(hint=f"{hint}; {error.hint}" if error.hint else hint)
        columns = {"outcome": remedy.value} if remedy.argument == "score" else remedy.value
        role, column = next(iter(columns.items())) if remedy.argument in ("score", "fields") else ("", None)
        if not role or (role in (*_FOUND, "run") and column is not None):
            remedies.append(Remedy(role, column, remedy.effect) if role else remedy)
    return error.changed(remedies=remedies)


def _trials_beside_index(
    relation: Data, fields: Mapping[str, str | None], factors: Sequence[str]
) -> TableLayout | None:
    """Return the layout of a pandas frame whose index names the questions; its columns, or its only one, are trials."""
    names = relation.columns
    usual = {role: [fields.get(role), *candidates(role, names)] for role in KEYS}
    roles = {role: name for role, offered in usual.items() if (name := next(filter(None, offered), None)) is not None}
    used = {*roles.values(), *usual_costs(names).values(), *factors}
    rest = [name for name in names if name not in used]
    is_numbered = any(plain(name) in ROW_NUMBERS or candidates("trial", [name]) for name in rest)
    if not rest or is_numbered:
        return None
    if len(rest) == 1:
        return TableLayout("long", {**roles, "outcome": rest[0]}, factors=tuple(factors))
    return TableLayout("wide", roles, tuple(rest), factors=tuple(factors), is_unclear=True)


def _relation(frame: Any, outcome: str | None) -> Data:
    """Return a frame, or a series, as a relation; in memory if the outcomes are lists, which no engine counts."""
    relation = frame if isinstance(frame, (Frame, Records)) else relation_of(as_frame(frame)) or Frame(frame)
    names = candidates("outcome", relation.columns) if outcome is None else [outcome]
    return relation.records() if any(holds_lists(relation, name) for name in names) else relation


def read_frame(frame: Any, columns: Mapping[str, Any], max_levels: int | None = None) -> Models:
    """Return outcomes, conditions and costs of each model; ``columns`` are arguments of ``OutcomeSet.from_frame``."""
    relation = _relation(frame, columns.get("outcome"))
    roles = {role: columns.get(role) for role in _FOUND}
    several = (columns.get(argument, ()) for argument in ("factors", "scores"))
    factors, scores = ((names,) if isinstance(names, str) else tuple(names) for names in several)
    times, run, answer = (columns.get(argument) for argument in ("times", "run", "answer"))
    if len(set(factors)) < len(factors) or any(name in (*roles.values(), times) for name in factors):
        problem = f"must be different columns, each without another role; got {list(factors)!r}"
        raise ParameterError(problem, argument="factors")
    if times is not None and roles.get("trial") is not None:
        problem = "cannot be combined with trial: a row that counts several times is no single trial"
        raise ParameterError(problem, argument="times")
    try:
        relation, layout = _layout(relation, roles, times, factors)
        if times is not None and layout.wide:
            problem = f"cannot be combined with one column per trial, as {shorten(layout.wide)} are"
            raise ParameterError(problem, argument="times")
        kept = ({} if answer is None else {ANSWERS: answer}) | {name: name for name in scores}
        by_role = {**layout.roles, **({} if times is None else {"times": times})}
        trial = layout.roles.get("trial")
        run = trial if run is None and roles["trial"] is None and names_runs(trial) else run
        factors = layout.factors if run is None or run in factors else (*layout.factors, run)
        costs = _costs(relation, {*by_role.values(), *kept.values(), *factors}) if layout.form == "long" else {}
        costs = costs if times is None else {}
        layout = replace(layout, roles=by_role, run=run or "", kept=kept, costs=costs, factors=factors)
        rest = UnusedColumns(relation, layout)
        if times is None:
            rest.check_no_counts()
        else:
            rest.check_times(times)
        models = _models_of(relation, layout, columns, max_levels)
    except OutcomeError as error:
        raise _in_arguments(error) from None
    first, *_ = matrices = models[0].values()
    if first.levels is not None:
        counts = np.sum([matrix.counts for matrix in matrices], axis=(0, 1))
        warn_of_codes(dict(zip(first.levels, counts.tolist(), strict=True)))
    warn_of_look_alikes("models", models[0])
    warn_of_look_alikes("questions", first.questions or ())
    outcome = layout.roles.get("outcome", "")
    if outcome in (roles["outcome"], *candidates("outcome", [outcome])):
        if not columns.get("run"):
            layout = replace(layout, run="", factors=tuple(name for name in layout.factors if name != layout.run))
        are_stated = None not in (roles["question"], roles["outcome"])
        UnusedColumns(relation, layout).warn_of_pooled(are_stated=are_stated)
    if not columns.get("levels"):
        rest.warn_of_less()
    return models


def _costs(relation: Data, used: Collection[str]) -> dict[str, str]:
    """Return the columns with usual names of costs that have numbers, by the name of the cost."""
    costs = usual_costs(name for name in relation.columns if name not in used)
    if not costs or isinstance(relation, Records):
        return costs
    is_number = relation.numeric([*costs.values()])
    return {name: column for (name, column), number in zip(costs.items(), is_number, strict=True) if number}


def _costs_of_models(
    rows: ModelRows, trials: Trials, outcomes: Mapping[str, OutcomeMatrix]
) -> dict[str, dict[str, float]]:
    """Return what the trials of each model cost, where all with an outcome tell it."""
    costs: dict[str, dict[str, float]] = {name: {} for name in outcomes}
    for i, name in enumerate(rows.models if trials.costs else ()):
        of_model, matrix = trials.picked(np.flatnonzero(rows.model == i).tolist()), outcomes[name]
        for what in trials.costs:
            spent, solved = (costs_by_question(of_model, what, successes=only) for only in (False, True))
            if spent is not None and solved is not None and matrix.trials.any():
                mean = MeanCost.over(costs_together([spent], matrix), int(matrix.trials.sum()), what)
                costs[name][what] = mean.with_successes(costs_together([solved], matrix), matrix)
    return {name: told for name, told in costs.items() if told}


def read_table(values: Any, missing: str, max_levels: int | None = None, *, of_models: bool = False) -> Models | None:
    """Return the outcomes of each model in a table whose columns have usual names; None for anything else.

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


def _one_model(values: Any, beside: Mapping[str, Any], **options: Any) -> OutcomeMatrix | None:
    """Return the outcomes of the only model in a table; None for anything else.

    Nothing may be given ``beside`` it, trial by trial or question by question, that a table has in columns.
    """
    read = read_table(values, **options)
    stated = next((name for name, value in beside.items() if value is not None), None)
    if read is not None and stated is not None:
        hint = "name their columns: OutcomeMatrix.from_frame(table, question=.., run=.., answer=.., scores=[..])"
        raise OutcomeError("is not taken beside a table, whose columns hold it", argument=stated, hint=hint)
    return None if read is None else only_model(read[0])


def only_model(models: Mapping[str, OutcomeMatrix]) -> OutcomeMatrix:
    """Return the outcomes of the only model."""
    if len(models) > 1:
        problem = f"the table holds several models, {shorten(models)}"
        raise OutcomeError(problem, hint="OutcomeSet reads them all; or keep the rows of one")
    return next(iter(models.values()))


OutcomeMatrix._of_table = staticmethod(_one_model)


def _is_array(frame: Frame) -> bool:
    """Return whether neither the rows nor the columns have a name that says what they hold."""
    names = [] if frame.has_row_labels else frame.columns
    usual = (candidates(role, names) for role in ("question", "model", "outcome", "trial"))
    is_number = any(plain(name) in ROW_NUMBERS or name.startswith("Unnamed:") for name in names)
    return not (frame.has_row_labels or any(usual) or is_number)


def read_columns(values: Any, models: Sequence[str], missing: str) -> Any:
    """Return the outcomes of models that have one column each; the rows of a question are its trials."""
    relation = relation_of(values)
    if relation is None:
        return None
    if not {*models} <= {*relation.columns} and candidates("model", relation.columns):  # by the name of an axis
        outcomes, *_ = read_frame(relation, {"missing": missing})
        return {name: outcomes[name] for name in chosen_names("model", models, tuple(outcomes))}
    records, rest = relation.records(), [name for name in relation.columns if name not in models]
    if not (records.has_row_labels or candidates("question", rest)):
        return {name: [[value] for value in records.column(name)] for name in models}
    records = records if candidates("question", rest) else records.labelled("question")
    layout = layout_of(records, Asked({"model": None}, several={"models": models}))
    outcomes, *_ = _models_of(records, layout, {"missing": missing})
    return {name: outcomes[name] for name in models if name in outcomes}


def _models_of(
    relation: Data, layout: TableLayout, options: Mapping[str, Any], max_levels: int | None = None
) -> Models:
    """Return the outcomes of every model, and level of factors, and their conditions; rows and questions are sorted.

    ``options`` are levels, missing, normalize and the run that the user states.
    """
    code = missing_code(options.get("missing", "raise"))
    try:
        reader = ColumnReader(_stated_levels(options.get("levels")), layout.share)
        trials, labels = trials_of_table(relation, layout, reader)
    except RepeatedTrialError as error:
        factors = Remedy("factors", ["..."], "names the columns, such as a prompt, whose levels are kept apart")
        error = error.changed(remedies=[*error.remedies, factors])
        raise UnusedColumns(relation, layout).advised(error) from None
    normalize = options.get("normalize", normalize_answer)
    rows, conditions = _rows_of_models(trials, labels, layout, normalize)
    has_names = "model" in labels
    lost = rows.unscored(code)
    if lost and (code != OMIT or len(lost) == len(rows.models)):
        whose = repr(next(iter(lost))) if has_names else "any question"
        remedies = _WITHOUT_OUTCOMES if len(lost) < len(rows.models) else ()
        raise OutcomeError(f"no trial of {whose} has an outcome", remedies=remedies)
    for name, count in lost.items():
        reason = f"none of {pluralize(count, 'trial')} has an outcome"
        warn(f"model {name!r} is left out: {reason}", TrialsWarning)
    if lost:
        kept = [i for i, model in enumerate(rows.model.tolist()) if rows.models[model] not in lost]
        labels = {role: [column[i] for i in kept] for role, column in labels.items()}
        trials = trials.picked(kept)
        rows, conditions = _rows_of_models(trials, labels, layout, normalize)
    if options.get("run") and code == FAIL and rows.absent.any():
        problem = "cannot be combined with missing='fail': the trials that are missing belong to no run"
        raise ParameterError(problem, argument="run", remedies=[Remedy("missing", "omit", "leaves them out")])
    outcomes = rows.outcomes(code, max_levels)
    if code == RAISE:
        check_complete(outcomes, has_names=has_names)
    outcomes = outcomes if options.get("run") else with_several_runs(outcomes)
    conditions = {name: conditions[name] for name in outcomes if name in conditions}
    return outcomes, conditions, _costs_of_models(rows, trials, outcomes)


def _rows_of_models(
    trials: Trials, labels: Mapping[str, Sequence[Any]], layout: TableLayout, normalize: Normalize | None
) -> tuple[ModelRows, dict[str, dict[str, str]]]:
    """Return the rows of all models, and their conditions."""
    times = np.array(trials.times, np.int64)
    names, model, conditions = _rows_of_set(labels, layout, len(times))
    questions, question = _coded(labels["question"])
    planned = totals(model, question, times, (len(names), len(questions)))
    rows = ModelRows(
        names,
        questions,
        model,
        question,
        np.array(trials.outcomes, np.float64),  # None becomes NaN
        times,
        # A question that a model has no row of is planned as often as the question that the model has most rows of.
        np.where(planned > 0, planned, planned.max(axis=1, keepdims=True)),
        _clusters(labels, layout, questions),
        TrialColumns(
            Labelled(*_coded(labels[FACTOR.format(layout.run)])) if layout.run else None,
            None if trials.answers is None else Labelled(*coded_answers(trials.answers, normalize)),
            {name: score_values(column, name) for name, column in trials.scores.items()},
        ),
        f"column {layout.roles.get('outcome', 'outcome')!r}",
    )
    return rows, conditions


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


def _rows_of_set(
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
    return labels, positions(values, labels)


def _clusters(values: Mapping[str, Sequence[Any]], layout: TableLayout, questions: Labels) -> Labels | None:
    """Return the cluster of each question, if there is a column of clusters."""
    if "cluster" not in values:
        return None
    place = f"column {layout.roles['cluster']!r}"
    cluster_of = cluster_of_each(zip(values["question"], values["cluster"], repeat(place), strict=False))
    if not cluster_of:
        raise OutcomeError(f"{place} is null in every row")
    return tuple(cluster_of[question] for question in questions)


def frames_by_task(frame: Any, column: str) -> dict[str, Data]:
    """Return the rows of each task; tasks come sorted, named by their text."""
    relation = relation_of(frame) or Frame(frame)
    values = [value for (value,) in relation.tally([column])]
    if not values:
        raise OutcomeError("the table has no rows")
    if None in values:
        raise OutcomeError(f"column {column!r} has rows without a task", argument="task")
    names = {str(value): value for value in values}
    if len(names) < len(values):
        raise OutcomeError(f"column {column!r} has tasks with the same text", argument="task")
    return {name: relation.where(column, names[name]) for name in sorted(names)}
