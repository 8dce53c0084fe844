"""Outcomes written as one plain table, which every reader of tables takes."""

import zlib
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from .._base.exports import write_csv
from .._base.words import shorten, warn
from ..errors import FilesWarning, ParameterError, RunsWarning
from ..outcomes import OutcomeMatrix, OutcomeSet, Suite
from ..outcomes._trials import TrialColumns
from .checks import shown

Record = Mapping[str, Any]
_COLUMNS = ("task", "model", "question", "cluster", "draw", "run", "outcome")
_ANSWER = "answer"  # the column of answers


class QuestionTrials(NamedTuple):
    """The trials of a model on one question: outcomes, then None for each missing one, and what else is known of each.

    ``kept`` has the answer of each trial under ``answer``, and its scores by name. ``runs`` are the labels of the runs
    of the trials, if these are known of all.
    """

    question: str
    cluster: str | None
    outcomes: list[float | None]
    kept: Sequence[Mapping[str, Any]] = ()
    runs: Sequence[Hashable] = ()


def question_trials(matrix: OutcomeMatrix, model: str) -> Iterator[QuestionTrials]:
    """Yield the planned trials of each question.

    Trials are in the order of their runs, if no run has two of a question. Otherwise they have no order and are
    shuffled, the same each time for the same model, so that no trial looks better than another.

    >>> from scorio import OutcomeMatrix
    >>> list(question_trials(OutcomeMatrix([[1, 1, None]], questions=["q1"], missing="omit"), "birch"))
    [QuestionTrials(question='q1', cluster=None, outcomes=[1, 1, None], kept=(), runs=[])]
    """
    random = np.random.default_rng([1, zlib.crc32(model.encode())])
    questions = map(str, matrix.questions or range(matrix.n_questions))
    clusters = [None if cluster is None else str(cluster) for cluster in matrix.clusters or [None] * matrix.n_questions]
    by_run: Sequence[Mapping[int, int | None] | None] = _places_by_run(matrix) or [None] * matrix.n_questions
    trials = zip(matrix.trials.tolist(), matrix.planned_trials.tolist(), strict=True)
    runs, rest, first = matrix.trial_columns.runs, matrix.trial_columns.without_runs, 0
    _, rewards = matrix.trials_at(np.arange(matrix.n_questions))
    order: Sequence[int | None]
    for question, cluster, (present, planned), of_run in zip(questions, clusters, trials, by_run, strict=True):
        if of_run is None:
            shuffled = (first + random.permutation(present)).tolist()
            order, numbers = [*shuffled, *[None] * (planned - present)], [] if runs is None else runs.of_trial[shuffled]
        else:
            order, numbers = [*of_run.values()], [*of_run]
        labels = [] if runs is None else [runs.labels[number] for number in numbers]
        outcomes = [None if place is None else _reward(rewards[place], matrix) for place in order]
        kept = () if not rest else tuple({} if place is None else _kept_at(rest, place) for place in order)
        yield QuestionTrials(question, cluster, outcomes, kept, labels if len(labels) == len(order) else [])
        first += present


def _places_by_run(matrix: OutcomeMatrix) -> list[dict[int, int | None]] | None:
    """Return the place of each question's trial in a run by the number of the run, None where it is missing.

    None if runs are not known, if a question was tried twice in one, or if more trials are missing than runs.

    >>> from scorio import OutcomeMatrix
    >>> _places_by_run(OutcomeMatrix([[1, 0], [1, None]], runs=["mon", "tue"], missing="omit"))
    [{0: 1, 1: 0}, {0: 2, 1: None}]
    """
    runs, planned = matrix.trial_columns.runs, matrix.planned_trials
    if runs is None or (planned > len(runs.labels)).any():
        return None
    rows, _ = matrix.trials_at(np.arange(matrix.n_questions))
    of_question: list[dict[int, int | None]] = [{} for _ in planned]
    for place, (row, run) in enumerate(zip(rows.tolist(), runs.of_trial.tolist(), strict=True)):
        if run in of_question[row]:
            return None
        of_question[row][run] = place
    for trials, count in zip(of_question, planned.tolist(), strict=True):  # the first runs without a trial lost those
        absent = [run for run in range(len(runs.labels)) if run not in trials]
        trials.update(dict.fromkeys(absent[: count - len(trials)]))
    return [dict(sorted(trials.items())) for trials in of_question]


def _kept_at(trials: TrialColumns, place: int) -> dict[str, Any]:
    """Return the answer, as text, and the scores of the trial at a place; None for what it has not."""
    scores = {name: float(score[place]) for name, score in trials.scores.items()}
    kept: dict[str, Any] = {name: None if np.isnan(score) else score for name, score in scores.items()}
    if trials.answers is None:
        return kept
    code = int(trials.answers.of_trial[place])
    return {_ANSWER: str(trials.answers.labels[code]) if code >= 0 else None} | kept


def _reward(reward: float, matrix: OutcomeMatrix) -> float:
    return int(reward) if not matrix.is_continuous and reward.is_integer() else float(reward)


def write_table(outcomes: OutcomeSet | Suite, file: IO[str] | Path) -> None:
    """Write outcomes as CSV with one row per planned trial; the outcome of a missing trial is empty.

    A column says the task, if there are several, and the run, if it is known of every trial. ``read`` takes what is
    written; a warning says what the table does not tell.
    """
    rows = _rows(outcomes, _checked(outcomes))
    with file.open("w", encoding="utf-8", newline="") if isinstance(file, Path) else nullcontext(file) as opened:
        write_csv(rows, opened, as_is=True)


def _checked(outcomes: OutcomeSet | Suite) -> list[str]:
    """Return the names of what is known of trials beside their outcomes: ``answer``, and those of scores.

    Check that what is written can be read again under the same names, and warn where it does not say which run a trial
    belongs to.
    """
    for task, models in [("a task", outcomes)] if isinstance(outcomes, OutcomeSet) else outcomes.items():
        labels = models.questions or ()
        groups = {"a task": [task], "a model": [*models], "a question": labels, "a cluster": models.clusters or ()}
        for kind, names in groups.items():
            blank = next((name for name in names if not str(name).strip()), None)
            if blank is not None:
                raise ParameterError(f"{kind} is called {blank!r}, and what is blank cannot be read again")
        if len(set(map(str, labels))) < len(labels):
            raise ParameterError("two questions have names of other types and the same text: give them other names")
    matrices = [matrix for models in outcomes.by_task.values() for matrix in models.values()]
    kept = [_ANSWER] if any(matrix.answers is not None for matrix in matrices) else []
    kept += dict.fromkeys(name for matrix in matrices for name in matrix.scores)
    wrong = next((name for i, name in enumerate(kept) if name in _COLUMNS or name in kept[:i]), None)
    keeps = "a file of saved counts, NAME.npz, keeps it"
    if wrong is not None:
        raise ParameterError(f"a score is called {shown(wrong)}, as something else in what is written: {keeps}")
    with_runs = [matrix for matrix in matrices if matrix.runs is not None and len(matrix.runs) > 1]
    if not all(_places_by_run(matrix) or matrix.completeness == 1.0 for matrix in with_runs):
        warn(f"the run of each trial is known, and is not in what is written: {keeps}", RunsWarning)
    spent = [models.costs[name] for models in outcomes.by_task.values() for name in models]
    if costs := dict.fromkeys(chain.from_iterable(spent)):
        warn(f"costs are known, {shorten(costs)}, and are not in what is written: {keeps}", FilesWarning)
    return kept


def _rows(models: OutcomeSet | Suite, kept: Sequence[str]) -> Iterator[Record]:
    """Yield the rows; those of a suite name their task, and all have the columns of any."""
    if isinstance(models, OutcomeSet):
        yield from _trials(models, kept)
        return
    has_clusters = any(of_task.clusters is not None for of_task in models.values())
    for task, of_task in models.items():
        for row in _trials(of_task, kept):
            names = ("model", "question", *(["cluster"] * has_clusters), *row)
            yield {"task": task} | {name: row.get(name) for name in names}


def _trials(models: OutcomeSet, kept: Sequence[str]) -> Iterator[Record]:
    """Yield one row per planned trial: with its run if it is known of every trial, and without a number if no run has
    two trials of a question.
    """
    none: Record = dict.fromkeys(kept)
    rows = {name: list(question_trials(outcomes, str(name))) for name, outcomes in models.items()}
    of_questions = [row for of_model in rows.values() for row in of_model]
    has_runs = all(len(row.runs) == len(row.outcomes) for row in of_questions)
    has_numbers = any(len({*row.runs}) < len(row.outcomes) for row in of_questions)  # else the column names runs
    for name, of_model in rows.items():
        for label, row in zip(models[name].questions or range(len(of_model)), of_model, strict=True):
            about = {"model": name, "question": label} | ({} if row.cluster is None else {"cluster": row.cluster})
            for at, outcome in enumerate(row.outcomes):
                number: Record = {"draw": at + 1} if has_numbers else {}
                run: Record = {"run": row.runs[at]} if has_runs else {}
                yield {**about, **number, **run, "outcome": outcome, **none, **(row.kept[at] if row.kept else {})}
