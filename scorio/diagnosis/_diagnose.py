"""``diagnose``: what outcomes can say, and what is suspicious about them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from shlex import quote
from typing import Any

from .._arrays import underflow_is_zero
from .._display.words import pluralize, shorten
from ..estimates import as_tasks
from ..io import Reading, Source
from ..outcomes import OutcomeSet, Suite
from ..params import open_unit
from ._agreement import agreement
from ._copies import copies
from ._diagnosis import ADVICE, Diagnosis, Finding, TaskFacts
from ._gaps import answers_as_outcomes, contradictory, duplicates, gaps, saturated, saturation
from ._reliability import reliabilities
from ._runs import RunsOf, runs_of_arrays, runs_of_reading, trial_effects
from ._statements import NO, OVERALL_SCORES, PAIR, RANKING, Statement, statements

_COPIES = ("copied run", "copied model", "trials alike")
_MISREAD = ("swapped axes", *_COPIES, "inverted outcomes", "labels do not match")  # to be looked at before all else
_AGAIN = "Run it again"


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

    >>> import numpy as np
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
    lost: list[Finding] = []
    if isinstance(outcomes, Reading):
        runs, sources, tasks = runs_of_reading(outcomes), outcomes.sources, as_tasks(outcomes.outcomes)
        lost = [*_left_out(outcomes), *_crashed(outcomes)]
    else:
        tasks = as_tasks(outcomes)
        runs = runs_of_arrays(outcomes, tasks)
    findings = [*lost, *_findings(tasks, runs, list(sources), 1.0 - confidence)]
    noise = [part for task, models in tasks.items() for part in reliabilities(task, models, confidence)]
    said = list(statements(tasks, noise, logs))
    command, reason = _repair(findings, logs) or _answer(said, tasks, logs)
    has_single_trials = all(matrix.max_trials < 2 for models in tasks.values() for matrix in models.values())
    return Diagnosis(
        tuple(_facts(task, models) for task, models in tasks.items()),
        tuple(findings),
        tuple(said),
        tuple(noise),
        confidence,
        command,
        reason,
        runs_known=bool(runs) or has_single_trials,
    )


def _findings(tasks: Mapping[str, OutcomeSet], runs: RunsOf, sources: list[Source], error: float) -> list[Finding]:
    """Return what is suspicious on any task, the most serious first."""
    findings = list(_missing_tasks(tasks))
    error /= len(tasks)
    for task, models in tasks.items():
        of_models = {name: columns for (place, name), columns in runs.items() if place == task}
        of_task = [source for source in sources if len(tasks) == 1 or (source.run.task or "no task") == task]
        checks = (
            copies(models, of_models, 0.12 * error, 0.15 * error),
            agreement(models, 0.08 * error),
            trial_effects(models, of_models, 0.25 * error),
            gaps(models, 0.25 * error),
            saturated(models),
            duplicates(models, of_task),
            answers_as_outcomes(models, of_task),
            contradictory(models),
        )
        findings += (replace(finding, task=task) for check in checks for finding in check)
    kinds = list(ADVICE)
    return sorted(findings, key=lambda finding: kinds.index(finding.kind))


def _crashed(reading: Reading) -> Iterator[Finding]:
    """Yield the logs that say which error ended them."""
    for source in reading.sources:
        fault, model = source.run.notes.get("error"), source.run.model
        if fault and model not in reading.bad_models:
            finding = Finding.of(
                "missing trials", f"a log of {model} ends with an error: {fault}", model, advice=_AGAIN
            )
            yield replace(finding, task=source.run.task or "")


def _left_out(reading: Reading) -> Iterator[Finding]:
    advice = f"{_AGAIN}, or count its trials as failures if they are failures (missing='fail')"
    for model, reason in reading.bad_models.items():
        yield Finding.of("missing trials", f"{model} is left out: {reason}", model, advice=advice)


def _missing_tasks(tasks: Mapping[str, OutcomeSet]) -> Iterator[Finding]:
    for model, lost in Suite(dict(tasks)).missing.items() if len(tasks) > 1 else ():
        what = f"{model} has no outcomes of {pluralize(len(lost), 'task')}: {shorten(lost)}"
        yield Finding.of("missing tasks", what, model)


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
        {name: dict(conditions) for name, conditions in models.conditions.items() if conditions},
    )


def _repair(findings: list[Finding], logs: str) -> tuple[str, str] | None:
    """Return the command that repairs or shows what is suspicious, and why, if anything should be looked at first."""
    first = {finding.kind: finding for finding in reversed(findings)}
    for kind in _MISREAD:
        if finding := first.get(kind):
            about = f"{finding.advice}: see the outcomes as they were read first."
            if kind in _COPIES:
                about = f"Look at the outcomes of {' and '.join(finding.models)}: copies are no evidence."
            return f"scorio convert {logs}", about
    if "missing by outcome" in first:
        return f"scorio rank {logs} --missing fail", "Missing trials depend on the outcome: count them as failures."
    return None


def _answer(said: list[Statement], tasks: Mapping[str, OutcomeSet], logs: str) -> tuple[str, str]:
    """Return the command that answers the most, and why."""
    if len(tasks) > 1 and any(statement.claim == OVERALL_SCORES and statement.support == NO for statement in said):
        largest = max(tasks, key=lambda task: len(tasks[task]))
        reason = "Some models lack tasks, so there are no overall scores: start with one task."
        return f"scorio score {logs} --task {quote(largest)}", reason
    commands = {statement.claim: statement.command for statement in said} if len(tasks) == 1 else {}
    count = len({name for models in tasks.values() for name in models})
    if count > 2:
        return commands.get(RANKING) or f"scorio rank {logs}", "The models are ranked, with ties."
    if count == 2:
        command = commands.get(PAIR) or f"scorio compare {logs}"
        return command, "The two models are compared, with an interval of the difference."
    return f"scorio score {logs}", "The models are scored, with intervals."
