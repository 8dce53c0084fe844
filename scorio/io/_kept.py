"""Answers and scores of single trials, as ``keep`` asks for them: the one way from a reader's values into a run."""

import json
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from .._display.words import pluralize, shorten, warn
from ..errors import AnswersWarning, OutcomeError
from ..outcomes import CONTRADICTIONS, OutcomeSet, choose, coded_answers, contradictions_text, is_missing
from ._files import LogFile
from ._format import Format, Request
from ._records import Run, Source, Trial, Trials
from .checks import model_of_path

ANSWERS, SCORES = "answers", "scores"  # the options of a format that gives them


def completed(run: Run, file: LogFile, form: Format, request: Request) -> Run:
    """Return a run as what follows the readers takes it: with names, and what is told of each trial in columns."""
    if form.is_generic:
        return run
    about: dict[str, Any] = {} if run.identity else {"identity": file.digest}
    if not run.model and run.counted is None:  # saved counts may hold a model with an empty name
        folder = file.path.resolve().parent.name
        name = folder if form.model_from == "folder" else model_of_path(file.path)
        about |= {"model": name, "model_from": form.model_from}
    if isinstance(run.trials, Trials):
        return replace(run, **about) if about else run
    trials, number = [*cast("Sequence[Trial]", run.trials)], Counter[str]()
    keys: list[Hashable] = []
    for trial in trials:
        keys.append(number[trial.question] if trial.key is None else trial.key)
        number[trial.question] += 1
    marks: dict[str, str] = {}
    for trial in trials:
        if trial.mark and marks.setdefault(trial.question, trial.mark) != trial.mark:
            hint = "give one of them another name"
            raise OutcomeError(f"two different questions are called {trial.question!r}", hint=hint)
    if marks:
        about["fingerprints"] = marks
    if "score" in form.options:
        about["notes"] = {"score": run.measure or "none", **run.notes}
    names = dict.fromkeys(name for trial in trials for name in trial.used)
    costs = {name: [trial.used.get(name) for trial in trials] for name in names}
    filled = replace(run, trials=run.columns._replace(keys=keys, costs=costs), **about)
    answers, scores = (trial.answer for trial in trials), (trial.scores for trial in trials)
    return with_samples(filled, request, answers, scores, answers_from=form.answers_from, scores_from=form.scores_from)


def with_samples(
    run: Run,
    request: Request,
    answers: Iterable[Any],
    scores: Iterable[Mapping[str, Any]],
    *,
    answers_from: str,
    scores_from: str,
) -> Run:
    """Return a run with what ``keep`` asks for: the answer of each of its trials, and scores of each by name.

    ``answers`` and ``scores`` have one value per trial, and are used only if asked for. ``answers_from`` and
    ``scores_from`` say where in the log they are; they are nowhere if it is empty. What no trial has is an error. Lists
    and objects become JSON text.
    """
    if not request.keep or not len(run.columns.questions):
        return run
    kept: dict[str, Any] = {}
    notes = dict(run.notes)
    if request.keeps_answers and answers_from:
        kept["answers"] = _answers([*answers], request, answers_from)
        notes[ANSWERS] = f"from {answers_from}"
    if request.kept_scores and scores_from:
        rows = [*scores]
        offered = list(dict.fromkeys(name for row in rows for name in row))
        if not offered:
            problem = f"asks for the score {request.kept_scores[0]!r}, and no trial has {scores_from}"
            raise OutcomeError(problem, argument="keep", hint="the log can be read without them")
        logged = {name: choose(name, offered, "keep", "score") for name in request.kept_scores}
        kept["scores"] = {
            name: [_score(row.get(place), place, request) for row in rows] for name, place in logged.items()
        }
        notes[SCORES] = f"from {scores_from} {shorten([*logged.values()])}"
    return replace(run, notes=notes, trials=run.columns._replace(**kept))


def _answers(answers: Sequence[Any], request: Request, place: str) -> list[Any]:
    """Return answers that are equal where the user takes them for equal; None for a trial without one."""
    texts = (json.dumps(answer, sort_keys=True) if isinstance(answer, (list, dict)) else answer for answer in answers)
    labels, codes = coded_answers(texts, request.normalize)
    if not labels:
        problem = f"asks for answers, and no trial has one: they are read from {place}"
        raise OutcomeError(problem, argument="keep", hint="the log can be read without them")
    return [labels[code] if code >= 0 else None for code in codes.tolist()]


def _score(value: Any, name: str, request: Request) -> float | None:
    """Return a score as a number; the words for outcomes, such as C and I, are the rewards that they stand for."""
    if is_missing(value):
        return None
    try:
        return request.outcome(value)
    except OutcomeError as error:
        raise OutcomeError(f"score {name!r} is no number: {error.problem}") from None


def check_kept(sources: Sequence[Source], request: Request, formats: Mapping[str, Format]) -> None:
    """Check that every run has what ``keep`` asks for."""
    for source in sources if request.keep else ():
        run = source.run
        known_of_trials = run.columns if run.counted is None else run.counted.outcomes
        answers = [ANSWERS] if known_of_trials.answers is not None else []
        lacking = [name for name in request.keep if name not in (*answers, *known_of_trials.scores)]
        if lacking and (run.counted is not None or len(run.columns.questions)):
            names = sorted(form.name for form in formats.values() if request.kept_options <= form.options)
            what = "answers" if lacking[0] == ANSWERS else f"the score {lacking[0]!r}"
            problem = f"asks for {what} of each trial, which this file of format {source.format!r} does not give"
            hint = f"{' and '.join(sorted(request.kept_options))} are read from {', '.join(names)}"
            raise OutcomeError(problem, argument="keep", where=str(source.path), hint=hint)


def warn_of_contradictions(models: OutcomeSet, task: str | None) -> None:
    """Warn of answers that are both right and wrong among the trials of one question: of one model, for all of them."""
    of_task = "" if task is None else f", task {task!r},"
    texts = [text for name, model in models.items() if (text := contradictions_text(model, f"{name!r}{of_task}"))]
    if texts:
        others = f", and so have {pluralize(len(texts) - 1, 'other model')}" if len(texts) > 1 else ""
        warn(f"{texts[0]}{others}. {CONTRADICTIONS}", AnswersWarning)
