"""``diagnose``: what outcomes can say, and what is suspicious about them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from shlex import quote
from typing import Any

import numpy as np

from .._base.arrays import underflow_is_zero
from .._base.words import pluralize, shorten
from ..curves._tail import FEWEST_TRIALS
from ..estimates._tasks import as_tasks
from ..io import Reading, Source
from ..outcomes import OutcomeSet, Suite
from ..params import open_unit
from ._checks import answers_as_outcomes, contradictory, copies, duplicates, gaps, inverted, means_of, trial_effects
from ._diagnosis import ADVICE, Diagnosis, Finding, Statement, TaskFacts
from ._runs import RunsOf, runs_of

_COPIES = ("copied run", "copied model", "trials alike")
_MISREAD = ("swapped axes", *_COPIES, "inverted outcomes")  # to be looked at before all else
_AGAIN = "Run it again"
_YES, _CARE, _NO = "yes", "with care", "no"
_OVERALL_SCORES, _PAIR, _RANKING = "overall scores over tasks", "which of two models is better", "a ranking"
_FEW = 20  # questions below which the spread between questions is hardly known
_USUAL_K = 8  # the k of Pass@k that is spoken of where trials are fewer


@underflow_is_zero
def diagnose(outcomes: Any, *, confidence: float = 0.95, logs: str = "LOGS") -> Diagnosis:
    """Say what outcomes hold, what is suspicious about them, which statements they support, and what to run next.

    ``outcomes`` are an OutcomeSet, a Suite, anything that OutcomeSet takes, or what ``scorio.io.recognise`` returns.
    Copied runs and swapped axes show only where single runs are known: in a reading of logs, and in arrays. Sound
    outcomes raise a false alarm with probability at most ``1 - confidence``, all models, tasks and checks together.
    ``logs`` stands for the logs in commands.

    - *trials alike*: no trials of a question differ, as copies do not, nor success rates near 0 and 1
    - *copied run*, *copied model*: outcomes are equal, which is unlikely in sound data
    - *inverted outcomes*: a model fails where others succeed
    - *duplicate questions*: the same label or text again
    - *trials differ*, *swapped axes*: trials of one number differ from others over all questions
    - *runs without a shared question*: what is called runs are parts of one run
    - *missing by outcome*: more trials are missing where the model fails, or where it succeeds
    - *answers as outcomes*: the outcome of every question is the same throughout, in a table that has answers as well
    - *missing trials*, *missing tasks*: counted

    >>> import numpy as np
    >>> from scorio import diagnose
    >>> draw = np.random.default_rng(4).binomial
    >>> diagnosis = diagnose({name: draw(1, np.linspace(0, 1, 40)[:, None], (40, 3)) for name in ("a", "b")})
    >>> diagnosis.is_sound, diagnosis.next_command
    (True, 'scorio compare LOGS')
    >>> print(diagnosis.statements[1])
    Pass@8: no, it needs 8 trials of every question, and the fewest is 3: k up to 3 is supported
    """
    open_unit("confidence", confidence)
    sources: Iterable[Source] = ()
    lost: list[Finding] = []
    if isinstance(outcomes, Reading):
        sources, tasks, lost = outcomes.sources, as_tasks(outcomes.outcomes), list(_lost(outcomes))
    else:
        tasks = as_tasks(outcomes)
    runs = runs_of(outcomes, tasks)
    findings = [*lost, *_findings(tasks, runs, list(sources), 1.0 - confidence)]
    said = list(_said_of(tasks, logs))
    command, reason = _repair(findings, logs) or _answer(said, tasks, logs)
    has_single_trials = all(matrix.max_trials < 2 for models in tasks.values() for matrix in models.values())
    return Diagnosis(
        tuple(_facts(task, models) for task, models in tasks.items()),
        tuple(findings),
        tuple(said),
        confidence,
        command,
        reason,
        runs_known=bool(runs) or has_single_trials,
    )


def _findings(tasks: Mapping[str, OutcomeSet], runs: RunsOf, sources: list[Source], error: float) -> list[Finding]:
    missing = Suite(dict(tasks)).missing if len(tasks) > 1 else {}
    findings = [
        Finding.of(
            "missing tasks", f"{model} has no outcomes of {pluralize(len(lost), 'task')}: {shorten(lost)}", model
        )
        for model, lost in missing.items()
    ]
    error /= len(tasks)
    for task, models in tasks.items():
        of_models = {name: columns for (place, name), columns in runs.items() if place == task}
        of_task = [source for source in sources if len(tasks) == 1 or (source.run.task or "no task") == task]
        checks = (
            copies(models, of_models, 0.12 * error, 0.15 * error),
            inverted(models, 0.08 * error),
            trial_effects(models, of_models, 0.25 * error),
            gaps(models, 0.25 * error),
            duplicates(models, of_task),
            answers_as_outcomes(models, of_task),
            contradictory(models),
        )
        findings += (replace(finding, task=task) for check in checks for finding in check)
    kinds = list(ADVICE)
    return sorted(findings, key=lambda finding: kinds.index(finding.kind))


def _lost(reading: Reading) -> Iterator[Finding]:
    """Yield the models that are left out, and the logs that say which error ended them."""
    advice = f"{_AGAIN}, or count its trials as failures if they are failures (missing='fail')"
    for model, reason in reading.bad_models.items():
        yield Finding.of("missing trials", f"{model} is left out: {reason}", model, advice=advice)
    for source in reading.sources:
        fault, model = source.run.notes.get("error"), source.run.model
        if fault and model not in reading.bad_models:
            finding = Finding.of(
                "missing trials", f"a log of {model} ends with an error: {fault}", model, advice=_AGAIN
            )
            yield replace(finding, task=source.run.task or "")


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
    if len(tasks) > 1 and any(statement.claim == _OVERALL_SCORES and statement.support == _NO for statement in said):
        largest = max(tasks, key=lambda task: len(tasks[task]))
        reason = "Some models lack tasks, so there are no overall scores: start with one task."
        return f"scorio score {logs} --task {quote(largest)}", reason
    commands = {statement.claim: statement.command for statement in said} if len(tasks) == 1 else {}
    count = len({name for models in tasks.values() for name in models})
    if count > 2:
        return commands.get(_RANKING) or f"scorio rank {logs}", "The models are ranked, with ties."
    if count == 2:
        command = commands.get(_PAIR) or f"scorio compare {logs}"
        return command, "The two models are compared, with an interval of the difference."
    return f"scorio score {logs}", "The models are scored, with intervals."


def _said_of(tasks: Mapping[str, OutcomeSet], logs: str) -> Iterator[Statement]:
    for task, models in tasks.items():
        place = f"{logs} --task {quote(task)}" if len(tasks) > 1 else logs
        for say in (_scores, _largest_k, _population, _pair, _ranks):
            yield replace(say(models, place), task=task)
    if len(tasks) > 1:
        yield _overall(tasks, logs)
    yield _costs(tasks, logs)


def _scores(models: OutcomeSet, logs: str) -> Statement:
    claim, command = "scores on these questions", f"scorio score {logs}"
    adaptive = [name for name, matrix in models.items() if matrix.is_adaptive]
    gaps = [name for name, matrix in models.items() if matrix.completeness < 1.0]
    counts = {
        name: (matrix.successes, matrix.trials)
        for name, matrix in models.items()
        if matrix.is_pass_fail and matrix.min_trials > 1
    }
    alike = [name for name, (c, n) in counts.items() if ((c == 0) | (c == n)).all() and 0 < c.sum() < n.sum()]
    if adaptive:
        reason = f"outcomes decided which questions of {shorten(adaptive)} got more trials: use mu, not the raw score"
    elif gaps:
        reason = f"trials of {shorten(gaps)} are missing; this is right if they are missing by chance"
    elif alike:
        reason = (
            f"all trials of each question of {shorten(alike)} agree: its success rates are near 0 and 1, or trials are"
            " copies (temperature 0, a cache) and one of each counts; outcomes alone cannot tell"
        )
    else:
        return Statement(claim, _YES, "every planned trial has an outcome", command)
    return Statement(claim, _CARE, reason, command)


def _largest_k(models: OutcomeSet, logs: str) -> Statement:
    fewest = min(matrix.min_trials for matrix in models.values())
    most = max(fewest, 1)
    if not models.is_pass_fail:
        claim = f"Max@k up to k = {most}"
        reason = "outcomes are rewards; Pass@k needs outcomes that are right or wrong: choose a threshold"
        return Statement(claim, _YES if fewest else _NO, reason, f"scorio score {logs} -m max@{most}")
    if fewest >= _USUAL_K:
        reason = f"every question has at least {fewest} trials; scorio curve says what more would give"
        return Statement(f"Pass@k up to k = {fewest}", _YES, reason, f"scorio score {logs} -m pass@{fewest}")
    claim = f"Pass@{_USUAL_K}"
    upto = f"k up to {fewest} is supported" if fewest else "some question has none"
    reason = f"it needs {_USUAL_K} trials of every question, and the fewest is {fewest}: {upto}"
    if fewest < FEWEST_TRIALS:
        return Statement(claim, _NO, reason, f"scorio score {logs} -m pass@{_USUAL_K} --too-few nan")
    reason = f"{reason}; scorio curve says what more would give"
    return Statement(claim, _NO, reason, f"scorio curve {logs} -k {_USUAL_K}")


def _population(models: OutcomeSet, logs: str) -> Statement:
    claim, command = "scores for questions like these", f"scorio score {logs} --target population"
    clusters = models.clusters
    count, unit = (models.n_questions, "question") if clusters is None else (len(set(clusters)), "cluster")
    if count < 2:
        return Statement(claim, _NO, f"it needs at least two {unit}s, and there is one")
    if count < _FEW:
        reason = f"{pluralize(count, unit)} say little about others; intervals are wide, and skewed data mislead them"
        return Statement(claim, _CARE, reason, command)
    reason = f"{pluralize(count, unit)}, if they were drawn like the questions that the statement is about"
    return Statement(claim, _YES, reason, command)


def _pair(models: OutcomeSet, logs: str) -> Statement:
    if len(models) < 2:
        return Statement(_PAIR, _NO, "there is one model")
    scores = {name: float(np.nanmean(means_of(matrix))) for name, matrix in models.items()}
    names = sorted(scores, key=lambda name: -scores[name])[:2]
    command = f"scorio compare {logs}" + ("" if len(models) == 2 else f" --between {' '.join(map(quote, names))}")
    one, other = (models[name].trials > 0 for name in names)
    shared, either = int((one & other).sum()), int((one | other).sum())
    if shared == either:
        return Statement(_PAIR, _YES, f"{names[0]} and {names[1]} have the same {shared} questions", command)
    if not shared:
        return Statement(_PAIR, _NO, f"{names[0]} and {names[1]} have no question in common")
    reason = f"{names[0]} and {names[1]} share {shared} of {either} questions: compare them on these"
    return Statement(_PAIR, _CARE, reason, f"{command} --shared-only")


def _ranks(models: OutcomeSet, logs: str) -> Statement:
    if len(models) < 2:
        return Statement(_RANKING, _NO, "there is one model")
    empty = [name for name, matrix in models.items() if not matrix.min_trials]
    if empty:
        reason = f"some question has no trial of {shorten(empty)}"
        return Statement(_RANKING, _CARE, reason, f"scorio rank {logs} --too-few omit")
    reason = f"{pluralize(len(models), 'model')} on the same questions"
    return Statement(_RANKING, _YES, reason, f"scorio rank {logs}")


def _overall(tasks: Mapping[str, OutcomeSet], logs: str) -> Statement:
    missing = Suite(dict(tasks)).missing
    if missing:
        model, lost = next(iter(missing.items()))
        return Statement(
            _OVERALL_SCORES, _NO, f"{model} lacks {shorten(lost)}, among {pluralize(len(missing), 'such model')}"
        )
    reason = f"every model has all {len(tasks)} tasks"
    return Statement(_OVERALL_SCORES, _YES, reason, f"scorio rank {logs}", "")


def _costs(tasks: Mapping[str, OutcomeSet], logs: str) -> Statement:
    claim = "scores beside costs"
    names = sorted(set.intersection(*(set(costs) for models in tasks.values() for costs in models.costs.values())))
    if not names:
        return Statement(claim, _NO, "the logs do not tell what every model cost")
    return Statement(claim, _YES, f"every model tells its {names[0]}", f"scorio costs {logs} --cost {names[0]}")
