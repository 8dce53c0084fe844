"""Outcomes written as one plain table, which every reader of tables takes."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, Any

from .._display.exports import json_lines, write_csv
from .._display.words import warn
from ..errors import ParameterError, RunsWarning
from ..outcomes import OutcomeMatrix, OutcomeSet, Suite, trials_by_run
from ..params import choice
from ._tabular.duck import write_parquet
from ._written_logs import ANSWER, check_kept_names, question_trials

TABLES = ("csv", "jsonl", "parquet")
Record = Mapping[str, Any]
_COLUMNS = ("task", "model", "question", "cluster", "trial", "run", "outcome")
_NUMBERS = {"trial": "BIGINT", "outcome": "DOUBLE"}  # the columns of Parquet with numbers


def write_table(outcomes: OutcomeSet | Suite, file: IO[str] | Path, form: str = "csv") -> None:
    """Write outcomes as a table with one row per planned trial; the outcome of a missing trial is empty.

    ``form`` is ``"csv"``, ``"jsonl"`` or ``"parquet"``, which needs a path. A column says the task, if there are
    several, and the run, if it is known of every trial. ``read`` takes what is written; a warning says what the table
    does not tell.
    """
    choice("form", form, TABLES)
    check_names(outcomes)
    kept = check_kept_names(outcomes, _COLUMNS)
    warn_of_lost_runs(outcomes, form)
    rows = _rows(outcomes, kept)
    if form == "parquet":
        if not isinstance(file, Path):
            raise ParameterError("must be a path: Parquet is not text", argument="file")
        first = next(rows)
        numbers = set(kept) - {ANSWER}
        columns = {name: "DOUBLE" if name in numbers else _NUMBERS.get(name, "VARCHAR") for name in first}
        write_parquet(file, chain([first], rows), columns)
    elif isinstance(file, Path):
        with file.open("w", encoding="utf-8", newline="") as opened:
            _write(opened, form, rows)
    else:
        _write(file, form, rows)


def check_names(models: OutcomeSet | Suite) -> None:
    """Check that what is written can be read again under the same names."""
    for task, each in [("a task", models)] if isinstance(models, OutcomeSet) else models.items():
        labels = each.questions or ()
        groups = {"a task": [task], "a model": list(each), "a question": labels, "a cluster": each.clusters or ()}
        for kind, names in groups.items():
            blank = next((name for name in names if not str(name).strip()), None)
            if blank is not None:
                raise ParameterError(f"{kind} is called {blank!r}, and what is blank cannot be read again")
        if len(set(map(str, labels))) < len(labels):
            raise ParameterError("two questions have names of other types and the same text: give them other names")


def warn_of_lost_runs(models: OutcomeSet | Suite, form: str) -> None:
    """Warn where what is written in a form does not say which run a trial belongs to."""
    every = [matrix for each in models.by_task.values() for matrix in each.values()]
    known = [matrix for matrix in every if matrix.runs is not None and len(matrix.runs) > 1]
    if form in TABLES:
        is_kept = all(trials_by_run(matrix) or matrix.completeness == 1.0 for matrix in known)
    else:
        is_kept = form == "hf-eval-results"  # which has no trials to tell of
    if known and not is_kept:
        kept = "a file of saved counts, NAME.npz, keeps it"
        warn(f"the run of each trial is known, and is not in what is written: {kept}", RunsWarning)


def _write(file: IO[str], form: str, rows: Iterator[Record]) -> None:
    if form == "jsonl":
        file.writelines(json_lines([row]) for row in rows)
    else:
        write_csv(rows, file, as_is=True)


def _rows(models: OutcomeSet | Suite, kept: Sequence[str]) -> Iterator[Record]:
    """Yield the rows; those of a suite name their task, and all have the columns of any."""
    if isinstance(models, OutcomeSet):
        yield from _trials(models, kept)
        return
    has_clusters = any(each.clusters is not None for each in models.values())
    for task, each in models.items():
        for row in _trials(each, kept):
            names = ("model", "question", *(["cluster"] * has_clusters), *row)
            yield {"task": task} | {name: row.get(name) for name in names}


def _trials(models: OutcomeSet, kept: Sequence[str]) -> Iterator[Record]:
    """Yield one row per planned trial: with its run if it is known of every trial, and without a number if no run has
    two trials of a question.
    """
    none: Record = dict.fromkeys(kept)
    rows = {name: list(question_trials(outcomes, str(name))) for name, outcomes in models.items()}
    of_questions = [row for own in rows.values() for row in own]
    has_runs = all(len(row.runs) == len(row.outcomes) for row in of_questions)
    has_numbers = any(len({*row.runs}) < len(row.outcomes) for row in of_questions)  # else the column names runs
    for name, own in rows.items():
        for labels, row in zip(_labels(name, models[name]), own, strict=True):
            for at, outcome in enumerate(row.outcomes):
                number: Record = {"trial": at + 1} if has_numbers else {}
                run: Record = {"run": row.runs[at]} if has_runs else {}
                yield {**labels, **number, **run, "outcome": outcome, **none, **(row.kept[at] if row.kept else {})}


def _labels(name: str, outcomes: OutcomeMatrix) -> Iterator[Record]:
    """Yield the model, question and cluster of each question."""
    for a, question in enumerate(outcomes.questions or range(outcomes.n_questions)):
        cluster = {} if outcomes.clusters is None else {"cluster": outcomes.clusters[a]}
        yield {"model": name, "question": question, **cluster}
