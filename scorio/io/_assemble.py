"""Runs become an OutcomeSet or a Suite: trials are added up, duplicates refused, and questions aligned.

Of several attempts at one run each trial is kept once. Runs that are counted already are added to those of trials.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, compress
from typing import Any

from .._base.words import pluralize, shorten, unknown, warn
from ..errors import AnswersWarning, OutcomeError, Remedy, within
from ..outcomes import OutcomeMatrix, OutcomeSet, Suite
from ..outcomes._combining import union, with_failures
from ..outcomes._labels import check_texts, warn_of_look_alikes
from ..outcomes._model_rows import check_complete, with_several_runs
from ..outcomes._outcome_values import FAIL, RAISE, missing_code
from ..outcomes._trial_order import warn_of_order
from ..outcomes._trials import contradictions_text
from ._costs import costs_of
from ._format import Request
from ._naming import common_conditions
from ._records import Source, has_text, mark_of, with_text
from ._trial_table import TrialTable, told_apart
from ._walk import grouped

_NAMES = {"inspect": "a key of the metadata, or by 'id' whatever the input", "lm-eval": "a field of the document"}
_TABLES = ("table", "database")  # formats whose files are named by people
NO_TASK = "no task"  # the name of a task without one, beside others in a suite
_Questions = Mapping[str, Mapping[str, None]]  # the questions of each model, in order
Models = Mapping[str, OutcomeMatrix]


def task_name(source: Source) -> str:
    """Return the name that a task has in a suite."""
    return source.run.task or NO_TASK


def with_tasks(sources: Sequence[Source]) -> list[Source]:
    """Return the sources with the file's name as the task, where one table names no task and other files do.

    Several tables without a task stay one task, as they may hold one model each.
    """
    tasks = {source.run.task for source in sources}
    is_named = [
        not source.run.task and source.format in _TABLES and "tool" not in source.run.notes for source in sources
    ]
    paths = {path for source in compress(sources, is_named) for path in source.paths}
    if len(tasks) == 1 or len(paths) != 1:
        return list(sources)
    path = paths.pop()
    name = next((name for name in (path.stem, path.name) if name not in tasks), None)
    return [source.changed(task=name) if named else source for source, named in zip(sources, is_named, strict=True)]


def assemble_tasks(
    sources: Sequence[Source], missing: str, *, skip_bad: bool
) -> tuple[OutcomeSet | Suite, dict[str, str]]:
    """Return the outcomes, a suite if there are several tasks, and why tasks were left out.

    ``skip_bad`` leaves out the tasks whose outcomes cannot be put together.
    """
    for source in sources:  # names that came past the checks of readers
        run = source.run
        with within(source.path):
            check_texts({run.model, run.task, *run.planned, *run.columns.questions, *run.columns.clusters}, "the file")
    by_task = grouped(sources, task_name)
    if len(by_task) == 1:
        return assemble(sources, missing), {}
    tasks: dict[str, OutcomeSet] = {}
    bad: dict[str, OutcomeError] = {}
    for task, of_task in by_task.items():
        try:
            tasks[task] = assemble(of_task, missing)
        except OutcomeError as error:
            bad[task] = error
            if not skip_bad:
                remedies = [*error.remedies, Remedy("skip_bad", True, "leaves the task out")]
                where = f"task {task}" + (f": {error.where}" if error.where else "")
                raise error.changed(where=where, remedies=remedies) from None
    if not tasks:
        first = next(iter(bad))
        raise bad[first].at(f"task {first}")
    lost = {task: shorten(dict.fromkeys(source.run.model for source in by_task[task])) for task in bad}
    return Suite(tasks), {task: f"{lost[task]}: {error.text()}" for task, error in bad.items()}


def without_unscored(
    sources: Sequence[Source], missing: str, asked: Collection[str]
) -> tuple[list[Source], dict[str, str]]:
    """Return the sources of models with an outcome in the task, and why others are left out, by model.

    A model stays if the user ``asked`` for it by name, if its missing trials are failures or errors, and if no model of
    the task has an outcome: it is an error then, or a score.
    """
    if missing != "omit":
        return [*sources], {}
    reasons: dict[str, list[str]] = {}
    lost: set[tuple[str, str]] = set()
    by_task = grouped(sources, task_name)
    for task, of_task in by_task.items():
        models = grouped(of_task, lambda source: source.run.model)
        unscored = {model for model, of_model in models.items() if not any(source.present for source in of_model)}
        for model in unscored - set(asked) if len(unscored) < len(models) else ():
            lost.add((task, model))
            trials = sum(source.planned for source in models[model])
            place = f"task {task}: " if len(by_task) > 1 else ""
            fault = _faults(models[model])
            reasons.setdefault(model, []).append(f"{place}none of {pluralize(trials, 'trial')} has an outcome{fault}")
    kept = [source for source in sources if (task_name(source), source.run.model) not in lost]
    return kept, {model: "; ".join(texts) for model, texts in reasons.items()}


def _faults(sources: Iterable[Source]) -> str:
    """Say what ended the logs of a model, where they say it."""
    said = dict.fromkeys(filter(None, (source.run.notes.get("error") for source in sources)))
    return f": the log ends with an error, {shorten(said)}" if said else ""


def assemble(sources: Sequence[Source], missing: str = "omit") -> OutcomeSet:
    """Return the outcomes of every model on the same questions of one task.

    ``missing`` says what happens to planned trials without an outcome, as for :func:`scorio.io.recognise`.
    """
    outcomes = _aligned(sources, missing_code(missing))
    warn_of_look_alikes("models", outcomes)
    warn_of_look_alikes("questions", outcomes.questions or ())
    if any(source.run.columns.answers is not None for source in sources):
        _warn_of_contradictions(outcomes, sources[0].run.task)
    return OutcomeSet(outcomes, costs=costs_of(sources, outcomes))


def _warn_of_contradictions(models: OutcomeSet, task: str | None) -> None:
    """Warn of answers that are both right and wrong among the trials of one question: of one model, for all of them."""
    of_task = "" if task is None else f", task {task!r},"
    texts = [text for name, model in models.items() if (text := contradictions_text(model, f"{name!r}{of_task}"))]
    if texts:
        others = f", and so have {pluralize(len(texts) - 1, 'other model')}" if len(texts) > 1 else ""
        warn(f"{texts[0]}{others}. {AnswersWarning.advice}", AnswersWarning)


def _aligned(sources: Sequence[Source], code: int) -> OutcomeSet:
    check_one_measure(sources)
    check_same_questions(sources)
    counted = [source for source in sources if source.run.counted is not None]
    trials = [source for source in sources if source.run.counted is None]
    outcomes = _of_trials(trials, code) if trials or not counted else None
    if counted or outcomes is None:
        outcomes = added_up(counted, outcomes, code, common_conditions(sources))
    for name, matrix in outcomes.items() if code == RAISE else ():
        with within(next(source.path for source in sources if source.run.model == name)):
            check_complete({name: matrix})
    return outcomes


def _of_trials(sources: Sequence[Source], code: int) -> OutcomeSet:
    """Return the outcomes of runs of single trials."""
    sources = told_apart(sources)
    asked: dict[str, dict[str, None]] = {}
    for run in (source.run for source in sources):
        asked.setdefault(run.model, {}).update(dict.fromkeys(chain(run.planned, run.columns.questions)))
    table = TrialTable(sources, asked)
    rows = table.rows()
    table.check_once()
    _check_questions(asked, sources, rows.unscored(code))
    if table.is_in_order:
        trials = rows.trials
        warn_of_order(trials.rewards, trials.rows, trials.n_rows, [*rows.models])
    return OutcomeSet(with_several_runs(rows.outcomes(code)), conditions=common_conditions(sources))


def _check_questions(asked: _Questions, sources: Sequence[Source], unscored: Collection[str]) -> None:
    """Check that no model is without any outcome, and that each has a question in common with the first."""
    first = next(iter(asked))
    for name, labels in asked.items():
        of_model = [source for source in sources if source.run.model == name]
        if name in unscored:
            raise OutcomeError(f"no trial of {name!r} has an outcome{_faults(of_model)}", where=str(of_model[0].path))
        if labels.keys().isdisjoint(asked[first]):
            problem = f"{name!r} has no question in common with {first!r}; it has {shorten(labels)}"
            hint = "read what belongs together, one folder or file at a time, or suite.select(models=[..])"
            raise OutcomeError(problem, where=str(of_model[0].path), hint=hint)


def check_one_measure(sources: Sequence[Source]) -> None:
    first: dict[str | None, Source] = {}
    for source in [source for source in sources if source.run.measure]:
        other = first.setdefault(source.run.task, source)
        if other.run.measure != source.run.measure:
            raise OutcomeError(
                f"{other.path} is scored by {other.run.measure!r}, {source.path} by {source.run.measure!r}",
                remedies=[Remedy("score", "...", "chooses one"), Remedy("filter", "...", "its filter")],
            )


def check_same_questions(sources: Sequence[Source]) -> None:
    """Check that a question of several files is the same one in all."""
    first: dict[tuple[str | None, str], tuple[str, Source]] = {}
    has_marks = any(source.run.counted is not None and source.run.fingerprints for source in sources)
    for source in sources:
        as_mark = mark_of if has_marks and source.run.counted is None else str
        for question, text in source.run.fingerprints.items():
            mark = as_mark(text)
            first_mark, other = first.setdefault((source.run.task, question), (mark, source))
            if first_mark != mark:
                raise OutcomeError(
                    f"question {question!r} is another document in {source.path} than in {other.path}",
                    remedies=[Remedy("fields", {"question": "..."}, f"names questions by {_NAMES[source.format]}")]
                    if source.format in _NAMES
                    else [],
                )


def without_repeats(sources: Sequence[Source]) -> list[Source]:
    """Return the sources with each trial in one attempt: the last that has an outcome for it, else the last."""
    attempts = grouped((source.run for source in sources if source.run.attempt), lambda run: (run.model, run.identity))
    last: dict[tuple[Any, ...], tuple[bool, str]] = {}  # per trial whether it has an outcome, and the attempt
    for place, runs in attempts.items():
        for run in runs if len({run.attempt for run in runs}) > 1 else ():
            trials = run.columns
            for question, key, outcome in zip(trials.questions, trials.keys, trials.outcomes, strict=True):
                trial = *place, question, key
                last[trial] = max(last.get(trial, (False, "")), (outcome is not None, run.attempt))
    return [_with_last(source, last) for source in sources] if last else list(sources)


def _with_last(source: Source, last: Mapping[tuple[Any, ...], tuple[bool, str]]) -> Source:
    """Return a source without the trials that another attempt at its run keeps."""
    run, trials = source.run, source.run.columns
    rows = list(zip(trials.questions, trials.keys, strict=True))
    here = (True, run.attempt)
    kept = [i for i, row in enumerate(rows) if last.get((run.model, run.identity, *row), here)[1] == run.attempt]
    if not run.attempt or len(kept) == len(rows):
        return source
    notes = {**run.notes, "counted in other attempts": str(len(rows) - len(kept))}
    return source.changed(trials=trials.picked(kept), notes=notes)


def of_task(sources: list[Source], request: Request) -> list[Source]:
    """Return the sources of the tasks that the user wants."""
    kept = [source for source in sources if request.wants(source.run.task)]
    if not kept and all(source.run.task is None for source in sources):
        raise OutcomeError("cannot be chosen: the logs do not name their tasks", argument=f"task={request.task!r}")
    if not kept:
        raise OutcomeError(unknown("task", request.task, sorted({str(source.run.task) for source in sources})))
    return kept


def one_task(outcomes: OutcomeSet | Suite) -> OutcomeSet:
    """Return the outcomes of the only task.

    >>> one_task(Suite({"add": {"a": [[1]]}, "go": {"a": [[0]]}}))
    Traceback (most recent call last):
    scorio.errors.OutcomeError: there are 2 tasks, and one is needed here, of 'add', 'go': task="add" chooses the first
    """
    if isinstance(outcomes, OutcomeSet):
        return outcomes
    if len(outcomes) == 1:
        return next(iter(outcomes.values()))
    problem = f"there are {len(outcomes)} tasks, and one is needed here, of {shorten(outcomes)}"
    raise OutcomeError(problem, remedies=[Remedy.choice("task", outcomes)])


def added_up(
    counted: Sequence[Source], others: OutcomeSet | None, missing: int, conditions: Mapping[str, Any]
) -> OutcomeSet:
    """Return the outcomes of counted runs and of ``others``, which come from logs.

    Beside labels of logs, which are text, numbers become text.
    """
    _check_once(counted)
    matrices = [(source.run.model, source.run.counted.outcomes) for source in counted if source.run.counted]
    as_text = others is not None or len({has_text(matrix) for _, matrix in matrices}) > 1
    parts: list[Models] = [{model: with_text(matrix) if as_text else matrix} for model, matrix in matrices]
    merged: Models = union([*parts, *([] if others is None else [others])], sort=False, fill_planned=True)
    for name, matrix in merged.items():
        if not matrix.trials.any() and not (missing == FAIL and matrix.planned):
            raise OutcomeError(f"no trial of {name!r} has an outcome", where=str(counted[0].path))
    if missing == FAIL:
        merged = {name: with_failures(matrix) for name, matrix in merged.items()}
    return OutcomeSet(merged, conditions=conditions)


def _check_once(counted: Sequence[Source]) -> None:
    """Check that no part of a model's outcomes is in two files."""
    seen: dict[tuple[str, str | None, str], Source] = {}
    for source in counted:
        for part in source.run.counted.parts if source.run.counted else ():
            other = seen.setdefault((source.run.model, source.run.task, part), source)
            if other is not source:
                problem = f"both files hold the part {shorten([part])} of {source.run.model!r}"
                raise OutcomeError(problem, where=f"{other.path} and {source.path}", hint="read only one of them")
