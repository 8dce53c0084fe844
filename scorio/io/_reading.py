"""``read`` and ``recognise``: files are detected, read, named, and put together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path
from typing import Any, Literal, Unpack, overload

from .._base.options import accepted, takes
from .._base.words import pluralize, shorten, unknown, warn
from ..errors import OutcomeError, ParameterError, PoolingWarning, TrialsWarning
from ..outcomes import OutcomeSet, Suite
from ..outcomes._column_names import names_runs
from ._assemble import assemble_tasks, of_task, one_task, task_name, with_tasks, without_repeats, without_unscored
from ._collect import collect
from ._doubts import warn_of_doubts, warn_of_keys
from ._format import ANSWERS, Options, Request, names_of
from ._naming import (
    check_folders_and_numbers,
    differing_details,
    only_models,
    rename_models,
    rename_separated,
    separate,
    unknown_names,
    with_factors,
)
from ._records import Run, Source, measured
from ._registry import formats
from ._sources import Sources
from ._trial_table import ByName, named_trials
from ._walk import grouped


@dataclass(frozen=True)
class Reading:
    """What was read: the outcomes, a Suite if there are several tasks, and the runs in each file.

    Prints as a list of files. ``skipped`` says why a file was not read, and ``bad`` lists those of them that
    ``skip_bad`` skipped; ``bad_tasks`` says why it left out tasks. ``bad_models`` says why models are left out: none of
    their trials has an outcome. ``unknown_models`` are the keys of ``model`` that
    are neither the name of a model nor match a path, and the patterns of ``only`` that match no model.
    """

    outcomes: OutcomeSet | Suite
    sources: tuple[Source, ...]
    skipped: Mapping[Path, str]
    unknown_models: tuple[str, ...] = ()
    bad: tuple[Path, ...] = ()
    bad_tasks: Mapping[str, str] = field(default_factory=dict)
    bad_models: Mapping[str, str] = field(default_factory=dict)

    @property
    def runs(self) -> dict[str, int]:
        """The number of runs of one task that were added up, by model."""
        return {model: max(map(len, tasks.values())) for model, tasks in self._added_up.items()}

    @property
    def _added_up(self) -> dict[str, dict[str | None, dict[tuple[str, str], Run]]]:
        """The runs of each model by task, and by identity with other settings: those of attempts at one may differ."""
        runs: dict[str, dict[str | None, dict[tuple[str, str], Run]]] = {}
        for run in (source.run for source in self.sources):
            key = run.identity, "" if run.attempt else repr(run.details)
            runs.setdefault(run.model, {}).setdefault(run.task, {})[key] = run
        return runs

    @property
    def named_runs(self) -> list[str]:
        """Which columns of tables are taken to name the run of each trial, in words."""
        notes = [source.run.notes for source in self.sources]
        name_runs = ("run" in note or names_runs(note.get("trial")) for note in notes)
        columns = (of_source.get("run", of_source.get("trial")) for of_source in compress(notes, name_runs))
        return [f"column {name} names the run of each trial" for name in dict.fromkeys(columns)]

    @property
    def differing(self) -> dict[str, list[str]]:
        """The names of other settings, such as tags, in which runs that were added up differ, by model."""
        names = {
            model: dict.fromkeys(name for runs in tasks.values() for name in differing_details([*runs.values()]))
            for model, tasks in self._added_up.items()
        }
        return {model: list(several) for model, several in names.items() if several}

    @property
    def metadata(self) -> dict[str, dict[str, Any]]:
        """What the outcomes do not tell of each model, as ``SavedCounts`` takes it.

        ``measured`` has the score and digests of the inputs of the questions by task, where logs tell them.
        """
        metadata: dict[str, dict[str, Any]] = {}
        for task, models in self.outcomes.by_task.items():
            runs = (source.run for source in self.sources if task in ("", task_name(source)))
            for model, of_model in grouped(runs, lambda run: run.model).items():
                if model in models and (entry := measured(of_model, models[model])):
                    metadata.setdefault(model, {"measured": {}})["measured"][of_model[0].task or ""] = entry
        return metadata

    def named_trials(self, missing: str = "omit") -> dict[str, dict[str, ByName]]:
        """Return the outcomes of trials by model, question and name; a trial without one has it if it may ``"fail"``.

        A name is that of the log where no two trials of the question share it, else a number from 1.
        """
        return named_trials(self.sources, missing)

    def __str__(self) -> str:
        lines = [*map(_described, self.sources)]
        lines += [f"{path}: skipped, {reason}" for path, reason in self.skipped.items()]
        lines += [f"task {task!r}: left out, {reason}" for task, reason in self.bad_tasks.items()]
        lines += [f"model {model!r}: left out, {reason}" for model, reason in self.bad_models.items()]
        lines += [f"{name!r} is neither the name of a model nor matches a path" for name in self.unknown_models]
        added = [f"{pluralize(count, 'run')} of {name!r} added up" for name, count in self.runs.items() if count > 1]
        added += [f"the runs of {name!r} differ in {shorten(names)}" for name, names in self.differing.items()]
        return "\n".join([*lines, *self.named_runs, *added, repr(self.outcomes)])


def _described(source: Source) -> str:
    run = source.run
    notes = ", ".join(f"{name} {note}" for name, note in source.notes.items())
    task = f", task {run.task!r}" if run.task is not None else ""
    place = str(source.path) + (f" and {pluralize(len(source.others), 'more file')}" if source.others else "")
    what = f"{source.format}, model {run.model!r}{task}, {pluralize(source.present, 'trial')}"
    return f"{place}: {what}" + (f" ({notes})" if notes else "")


@takes(Options, Request)
def recognise(source: Sources, **options: Unpack[Options]) -> Reading:
    r"""Read log files and tables, and say what each file was taken for.

    Trials of several files of one model and task add up. Several tasks are a :class:`scorio.Suite`. Runs under other
    conditions are models of their own, named by what differs, as in ``"m [temperature=1.0]"``.

    Parameters
    ----------
    source
        A path, a glob, a directory, or several of these.
    format
        The name of the files' format, or a :class:`scorio.io.Format`; detected from the content if left out.
    model
        The name of the model, for files that do not say it, or a mapping from names and path patterns to names.
    task, score, filter, grade
        The task (or a pattern of several), the score and the filter to read; ``score`` is the column of outcomes in
        tables. ``grade`` is a function that grades each stored response (lm-eval).
    fields, levels, table, query
        The columns by role: ``{"question": "item", "cost": ["usd", "time_s"], "models": "*"}``; the rewards of words,
        ``{"good": 0.75}``; the table of a database, or the sheet of a workbook; or a query on a database.
    factors, only
        Columns of tables, and keys of Inspect's metadata, whose levels are conditions; patterns of the models to keep.
    keep, normalize
        What else to read of each trial: ``"answers"``, the name of a score, or several of these. ``normalize`` makes
        equal answers alike, as :func:`scorio.outcomes.normalize_answer` does; None takes them as they are.
    missing
        What to do with a planned trial without an outcome: ``"omit"`` it, let it ``"fail"`` (reward 0), or ``"raise"``.
    pool
        The conditions that runs may differ in and still add up, by name; True for all conditions.
    skip_bad, n_jobs
        Whether to skip files and tasks that cannot be read (``bad``, ``bad_tasks``); the number of processes that read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> table = pathlib.Path(tempfile.mkdtemp(), "runs.csv")
    >>> _ = table.write_text("model,question,c,n\na,q1,3,5\n")
    >>> str(recognise(table)).rpartition("/")[2].splitlines()[0]
    "runs.csv: table, model 'a', 5 trials (form counts, question 'question', model 'model', trials 'n', successes 'c')"

    """
    request = Request.of(accepted(options, recognise))
    models, only, missing = request.model, request.only, request.missing
    collected = collect(source, request)
    named = _named(request, with_tasks(collected.sources))
    separated = separate(named, request.pool)
    every = rename_separated(named, separated, models)
    lost_names = unknown_names([*collected.sources, *separated], models, every, only)
    chosen = without_repeats(only_models(every, only))
    check_folders_and_numbers(chosen)
    warn_of_doubts(chosen)
    scored, bad_models = without_unscored(chosen, missing, only)
    outcomes, bad_tasks = assemble_tasks(scored, missing, skip_bad=request.skip_bad)
    warn_of_keys(outcomes, scored)
    bad = tuple(collected.bad)
    return Reading(outcomes, tuple(scored), collected.skipped, tuple(lost_names), bad, bad_tasks, bad_models)


def _named(request: Request, sources: Sequence[Source]) -> list[Source]:
    """Return the runs of the tasks that are wanted, with their models named as the user says and their factors."""
    renamed = rename_models(sources, request.model)
    wanted = with_factors(of_task(renamed, request), request.factors)
    _check_kept(wanted, request)
    return wanted


def _check_kept(sources: Sequence[Source], request: Request) -> None:
    """Check that every run has what ``keep`` asks for."""
    for source in sources if request.keep else ():
        run = source.run
        known_of_trials = run.columns if run.counted is None else run.counted.outcomes
        answers = [ANSWERS] if known_of_trials.answers is not None else []
        lacking = [name for name in request.keep if name not in (*answers, *known_of_trials.scores)]
        if lacking and (run.counted is not None or len(run.columns.questions)):
            names = sorted(form.name for form in formats().values() if request.kept_options <= form.options)
            what = "answers" if lacking[0] == ANSWERS else f"the score {lacking[0]!r}"
            problem = f"asks for {what} of each trial, which this file of format {source.format!r} does not give"
            hint = f"{' and '.join(sorted(request.kept_options))} are read from {', '.join(names)}"
            raise OutcomeError(problem, argument="keep", where=str(source.path), hint=hint)


@takes(Options, Request)
def read_runs(source: Sources, **options: Unpack[Options]) -> list[Source]:
    """Return the runs in log files and tables without putting them together, each trial in one attempt at its run.

    The arguments are those of :func:`scorio.io.recognise`; ``missing`` and ``pool`` have no effect here.
    :func:`scorio.io.assemble` makes outcomes of runs of one task.
    """
    request = Request.of(accepted(options, read_runs))
    return without_repeats(only_models(_named(request, collect(source, request).sources), request.only))


@overload
def read(source: Sources, *, suite: Literal[True], **options: Unpack[Options]) -> Suite: ...
@overload
def read(source: Sources, *, suite: Literal[False], **options: Unpack[Options]) -> OutcomeSet: ...
@overload
def read(source: Sources, *, suite: None = None, **options: Unpack[Options]) -> OutcomeSet | Any: ...
@takes(Options, Request)
def read(source: Sources, *, suite: bool | None = None, **options: Unpack[Options]) -> OutcomeSet | Suite:
    r"""Read the outcomes in log files and tables; the other arguments are those of :func:`scorio.io.recognise`.

    Several tasks are a :class:`scorio.Suite`, one task is an :class:`scorio.OutcomeSet`. Programs that read any folder
    choose one of them: ``suite=True`` always returns a suite, perhaps of one task, and ``suite=False`` always an
    ``OutcomeSet``, or raises an error if there are several tasks. Type checkers know which; without ``suite`` they take
    the result for an ``OutcomeSet``. ``suite.pooled()`` joins all tasks into one set.

    >>> import pathlib, tempfile
    >>> table = pathlib.Path(tempfile.mkdtemp(), "runs.csv")
    >>> _ = table.write_text("model,question,trial,correct\na,q1,1,1\na,q1,2,0\na,q2,1,1\na,q2,2,\n")
    >>> read(table)["a"]
    OutcomeMatrix(2 questions x 1..2 trials, binary, completeness 0.75)
    >>> _ = table.write_text("task,model,question,correct\nalgebra,a,q1,1\nchess,a,q1,0\n")
    >>> read(table)
    Suite(2 tasks x 1 model, 2 questions)
    """
    if suite not in (None, True, False):
        raise ParameterError(f"must be None, True or False; got {suite!r}", argument="suite")
    reading = recognise(source, **accepted(options, read))
    if reading.unknown_models:
        models, first = dict.fromkeys(source.run.model for source in reading.sources), reading.unknown_models[0]
        argument = "only" if first in names_of(options.get("only", ())) else "model"
        raise ParameterError(f"has an unknown name: {unknown('model', first, models)}", argument=argument)
    for model, reason in reading.bad_models.items():
        warn(f"model {model!r} is left out: {reason}", TrialsWarning)
    if options.get("pool") is not True:
        for model, names in reading.differing.items():
            runs = f"{reading.runs[model]} runs of {model!r} are added up, which differ in {shorten(names)}"
            advice = f"factors={names!r} keeps them apart, pool=True adds them up without this warning"
            warn(f"{runs}. {advice}", PoolingWarning)
    if suite is False:
        return one_task(reading.outcomes)
    is_wrapped = suite is True and isinstance(reading.outcomes, OutcomeSet)
    return Suite({task_name(reading.sources[0]): reading.outcomes}) if is_wrapped else reading.outcomes
