"""``diagnose``: what outcomes can say, and what is suspicious about them."""

from collections.abc import Iterable, Iterator, Mapping
from shlex import quote
from types import MappingProxyType
from typing import Any

import numpy as np

from .._arrays import underflow_is_zero
from .._display.words import pluralize, shorten
from ..estimates import as_tasks
from ..io import Reading, Source
from ..outcomes import OutcomeMatrix, OutcomeSet, Suite, as_numpy
from ..params import open_unit
from ._agreement import agreement
from ._copies import copies
from ._diagnosis import KINDS, Diagnosis, Finding, Kind, TaskFacts
from ._gaps import answers_as_outcomes, contradictory, duplicates, gaps, saturated, saturation
from ._reliability import reliabilities
from ._runs import RunsOf, runs_of_arrays, runs_of_reading, trial_effects
from ._statements import NO, OVERALL_SCORES, Statement, statements

_TENSOR = 3  # dimensions: models, questions, trials


@underflow_is_zero
def diagnose(outcomes: Any, *, confidence: float = 0.95, logs: str = "LOGS") -> Diagnosis:
    """Say what outcomes hold, what is suspicious about them, which statements they support, and what to run next.

    ``outcomes`` are an OutcomeSet, a Suite, anything that OutcomeSet takes, or what ``scorio.io.recognise`` returns.
    Copied runs and swapped axes show only where single runs are known: in a reading of logs, and in arrays. Sound
    outcomes raise a false alarm with probability at most ``1 - confidence``, all models, tasks and checks together.
    ``logs`` stands for the logs in commands.

    - *trials alike*: no trials of a question differ, as copies do not, nor success rates near 0 and 1
    - *copied run*, *copied model*: outcomes are equal, which is unlikely in sound data
    - *inverted outcomes*, *labels do not match*: a model fails where others succeed, or its hard questions are others
    - *duplicate questions*: the same label or text again
    - *trials differ*, *swapped axes*: trials of one number differ from others over all questions
    - *runs without a shared question*: what is called runs are parts of one run
    - *missing by outcome*: more trials are missing where the model fails, or where it succeeds
    - *answers as outcomes*: the outcome of every question is the same throughout, in a table that has answers as well
    - *missing trials*, *missing tasks*, *saturated questions*: counted

    >>> from scorio import diagnose
    >>> draw = np.random.default_rng(4).binomial
    >>> diagnosis = diagnose({name: draw(1, np.linspace(0, 1, 40)[:, None], (40, 3)) for name in ("a", "b")})
    >>> diagnosis.is_sound, diagnosis.next_command
    (True, 'scorio compare LOGS')
    >>> print(diagnosis.statements[1])
    Pass@8: no, it needs 8 trials of every question, and the fewest is 3: k up to 3 is supported
    >>> print(diagnosis.reliability[0])
    a: ICC 0.23 [0.00, 0.42]: answers to one question differ much; more trials would help most
    """
    open_unit("confidence", confidence)
    sources: Iterable[Source] = ()
    if isinstance(outcomes, Reading):
        runs, sources = runs_of_reading(outcomes), outcomes.sources
        tasks = as_tasks(outcomes.outcomes)
    else:
        tasks = as_tasks(outcomes)
        runs = runs_of_arrays(_by_model(outcomes, tasks))
    found = _findings(tasks, runs, list(sources), 1.0 - confidence)
    found = [*_left_out(outcomes), *_crashed(outcomes), *found] if isinstance(outcomes, Reading) else found
    noise = [each for task, models in tasks.items() for each in reliabilities(task, models, confidence)]
    said = list(statements(tasks, {task: [each for each in noise if each.task == task] for task in tasks}, logs))
    command, reason = _repair(found, logs) or _answer(said, tasks, logs)
    return Diagnosis(
        tuple(_facts(task, models) for task, models in tasks.items()),
        tuple(found),
        tuple(said),
        tuple(noise),
        confidence,
        command,
        reason,
        runs_known=bool(runs) or all(matrix.max_trials < 2 for each in tasks.values() for matrix in each.values()),
    )


def _by_model(outcomes: Any, tasks: Mapping[str, OutcomeSet]) -> Any:
    """Return arrays of outcomes as a mapping from models to matrices; anything else as it is."""
    if isinstance(outcomes, (Mapping, Suite)) or len(tasks) != 1:
        return outcomes
    names = next(iter(tasks.values())).models
    if isinstance(outcomes, OutcomeMatrix):
        return {names[0]: outcomes}
    try:
        array = as_numpy(outcomes)
    except (TypeError, ValueError):
        return outcomes  # rows of different lengths
    if array.ndim == _TENSOR:
        return dict(zip(names, np.asarray(array), strict=True))
    return {names[0]: outcomes} if array.ndim == _TENSOR - 1 else outcomes


def _findings(tasks: Mapping[str, OutcomeSet], runs: RunsOf, sources: list[Source], error: float) -> list[Finding]:
    """Return what is suspicious on any task, the most serious first."""
    found: list[Finding] = []
    error /= len(tasks)
    for task, models in tasks.items():
        own = {name: each for (place, name), each in runs.items() if place == task}
        of_task = [source for source in sources if len(tasks) == 1 or (source.run.task or "no task") == task]
        found += copies(task, models, own, 0.12 * error, 0.15 * error)
        found += agreement(task, models, 0.08 * error)
        found += trial_effects(task, models, own, 0.25 * error)
        found += gaps(task, models, 0.25 * error)
        found += saturated(task, models)
        found += duplicates(task, models, of_task)
        found += answers_as_outcomes(task, models, of_task)
        found += contradictory(task, models)
    found += _missing_tasks(tasks)
    return sorted(found, key=lambda each: KINDS.index(each.kind))


def _crashed(reading: Reading) -> Iterator[Finding]:
    """Yield the logs that say which error ended them."""
    for source in reading.sources:
        fault, model = source.run.notes.get("error"), source.run.model
        if fault and model not in reading.bad_models:
            what = f"a log of {model} ends with an error: {fault}"
            yield Finding("missing trials", what, "Run it again", source.run.task or "", (model,))


def _left_out(reading: Reading) -> Iterator[Finding]:
    for model, reason in reading.bad_models.items():
        advice = "Run it again, or count its trials as failures if they are failures (missing='fail')"
        yield Finding("missing trials", f"{model} is left out: {reason}", advice, "", (model,))


def _missing_tasks(tasks: Mapping[str, OutcomeSet]) -> Iterator[Finding]:
    if len(tasks) > 1:
        for model, lost in Suite(dict(tasks)).missing.items():
            what = f"{model} has no outcomes of {pluralize(len(lost), 'task')}: {shorten(lost)}"
            yield Finding("missing tasks", what, "Run them, or leave out the model or the tasks", "", (model,))


def _facts(task: str, models: OutcomeSet) -> TaskFacts:
    clusters = models.clusters
    if models.first.is_continuous:
        kind = "continuous rewards"
    else:
        kind = "right or wrong" if models.is_pass_fail else f"{models.n_categories} categories"
    return TaskFacts(
        task,
        models.models,
        models.n_questions,
        None if clusters is None else len(set(clusters)),
        sum(int(matrix.trials.sum()) for matrix in models.values()),
        sum(matrix.planned for matrix in models.values()),
        models.trials_each,
        kind,
        saturation(models),
        {name: dict(each) for name, each in models.conditions.items() if each},
    )


_AS_READ = "{advice}: see the outcomes as they were read first."
_NO_EVIDENCE = "Look at the outcomes of {models}: copies are no evidence."
_REPAIRS: Mapping[Kind, tuple[str, str]] = MappingProxyType(  # options that show or repair a finding, and why
    {
        "swapped axes": ("convert {logs}", _AS_READ),
        "copied run": ("convert {logs}", _NO_EVIDENCE),
        "copied model": ("convert {logs}", _NO_EVIDENCE),
        "trials alike": ("convert {logs}", _NO_EVIDENCE),
        "inverted outcomes": ("convert {logs}", _AS_READ),
        "labels do not match": ("convert {logs}", _AS_READ),
        "missing by outcome": (
            "rank {logs} --missing fail",
            "Missing trials depend on the outcome: count them as failures.",
        ),
    }
)


def _repair(found: list[Finding], logs: str) -> tuple[str, str] | None:
    """Return the command that repairs or shows what is suspicious, and why, if anything should be looked at first."""
    by_kind = {each.kind: each for each in reversed(found)}
    for kind, (command, reason) in _REPAIRS.items():
        if first := by_kind.get(kind):
            about = {"advice": first.advice, "models": " and ".join(first.models)}
            return f"scorio {command.format(logs=logs)}", reason.format(**about)
    return None


def _answer(said: list[Statement], tasks: Mapping[str, OutcomeSet], logs: str) -> tuple[str, str]:
    """Return the command that answers the most, and why."""
    if len(tasks) > 1 and any(each.claim == OVERALL_SCORES and each.support == NO for each in said):
        largest = max(tasks, key=lambda task: len(tasks[task]))
        reason = "Some models lack tasks, so there are no overall scores: start with one task."
        return f"scorio score {logs} --task {quote(largest)}", reason
    count = len({name for models in tasks.values() for name in models})
    if count > 2:
        return _command(said, "a ranking", f"scorio rank {logs}", tasks), "The models are ranked, with ties."
    if count == 2:
        fallback = f"scorio compare {logs}"
        command = _command(said, "which of two models is better", fallback, tasks)
        return command, "The two models are compared, with an interval of the difference."
    return f"scorio score {logs}", "The models are scored, with intervals."


def _command(said: list[Statement], claim: str, fallback: str, tasks: Mapping[str, OutcomeSet]) -> str:
    """Return the command of a statement, where there is one task."""
    if len(tasks) > 1:
        return fallback
    return next(each.command for each in said if each.claim == claim) or fallback
