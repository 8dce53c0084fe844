"""Runs: the outcomes of single trials, questions by runs, where they are known."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._base.arrays import Vector
from ..io import Reading, Source
from ..io._trial_table import single_trials
from ..outcomes import OutcomeMatrix, OutcomeSet, Suite
from ..outcomes._column_names import names_runs
from ..outcomes._outcome_set import ModelsOnTasks
from ..outcomes._table import as_numpy

_MOST = 2_000_000  # trials of single runs that are looked at


class Runs(NamedTuple):
    """The runs of one model on one task: ``values`` (questions, runs), NaN where a question was not tried.

    ``names`` says which trial of which log each run is.
    """

    values: Vector
    names: tuple[str, ...]


RunsOf = Mapping[tuple[str, str], Runs]  # by task and model


def runs_of(outcomes: Any, tasks: Mapping[str, OutcomeSet]) -> RunsOf:
    """Return the runs of a reading of logs, of arrays, or of outcomes, as far as they are told apart.

    >>> arrays = {"a": [[0, 1], [1, 1]], "b": OutcomeMatrix([[0, 1], [1, 0]])}
    >>> list(runs_of(arrays, {"": OutcomeSet(arrays)}))
    [('', 'a')]
    """
    named = _of_logs(outcomes, tasks) if isinstance(outcomes, Reading) else _of_arrays(outcomes, tasks)
    return {place: runs for place, runs in named.items() if runs is not None}


def _of_logs(reading: Reading, tasks: Mapping[str, OutcomeSet]) -> dict[tuple[str, str], Runs | None]:
    """Return the runs that the logs tell apart; models whose trials have no names have none."""
    if sum(int(matrix.trials.sum()) for models in tasks.values() for matrix in models.values()) > _MOST:
        return {}
    of: dict[tuple[str, str], list[Source]] = {}
    for source in (part for whole in reading.sources for part in whole.one_by_one()):
        task = (source.run.task or "no task") if isinstance(reading.outcomes, Suite) else ""
        if source.run.model in tasks.get(task, ()):
            of.setdefault((task, source.run.model), []).append(source)
    return {(task, model): _runs(sources, tasks[task][model]) for (task, model), sources in of.items()}


def _runs(sources: Sequence[Source], matrix: OutcomeMatrix) -> Runs | None:
    """Return the runs of one model; None if a trial cannot be told from the others of its question."""
    if any(source.run.label is not None or names_runs(source.run.notes.get("trial")) for source in sources):
        return _recorded(matrix)
    if any(source.run.counted is not None for source in sources) or matrix.questions is None:
        return None
    trials = (trial for source in sources for trial in single_trials(source) if trial.outcome is not None)
    cells = {(trial.question, (trial.run, trial.name)): trial.outcome for trial in trials}
    if len(cells) != int(matrix.trials.sum()):  # two trials have one name
        return None
    row = {label: i for i, label in enumerate(matrix.questions)}
    column = {run: j for j, run in enumerate(dict.fromkeys(run for _, run in cells))}
    values = np.full((len(row), len(column)), np.nan)
    for (question, run), outcome in cells.items():
        values[row[question], column[run]] = outcome
    paths = {source.run.identity or str(source.path): str(source.path) for source in reversed(sources)}
    names = tuple(paths[place] if name is None else f"{paths[place]}: trial {name}" for place, name in column)
    return Runs(values, names)


def _of_arrays(outcomes: Any, tasks: Mapping[str, OutcomeSet]) -> dict[tuple[str, str], Runs | None]:
    """Return the runs that outcomes know; of arrays by model, or of a single array, each column is a run."""
    arrays: dict[tuple[str, str], Any]
    if isinstance(outcomes, (OutcomeMatrix, ModelsOnTasks)):
        arrays = {(task, name): matrix for task, models in tasks.items() for name, matrix in models.items()}
    elif isinstance(outcomes, Mapping):
        arrays = {("", str(name)): array for name, array in outcomes.items()}
    else:
        try:
            array = as_numpy(outcomes)
        except (TypeError, ValueError):
            return {}  # rows of different lengths
        listed = {2: [array], 3: list(array)}.get(array.ndim, [])
        arrays = {("", name): rows for name, rows in zip(*tasks.values(), listed, strict=False)}
    return {place: _columns(rows) for place, rows in arrays.items()}


def _columns(matrix: Any) -> Runs | None:
    if isinstance(matrix, OutcomeMatrix):
        return _recorded(matrix)
    try:
        values = np.ma.filled(np.ma.asarray(as_numpy(matrix)).astype(np.float64), np.nan)
    except (TypeError, ValueError):
        return None  # rows of different lengths, tables and words: their trials are not in columns
    if values.ndim != 2:  # questions, trials
        return None
    return Runs(values, tuple(f"trial {i}" for i in range(values.shape[1])))


def _recorded(matrix: OutcomeMatrix) -> Runs | None:
    """Return the mean outcome of each question in each run that a matrix knows."""
    if matrix.runs is None or matrix.is_continuous or int(matrix.trials.sum()) > _MOST:
        return None
    by_run = matrix.counts_by_run
    trials, levels = by_run.sum(axis=2), np.array(matrix.levels or range(matrix.n_categories), np.float64)
    means = np.divide(by_run @ levels, trials, out=np.full(trials.shape, np.nan), where=trials > 0)
    return Runs(np.ascontiguousarray(means.T), tuple(f"run {label}" for label in matrix.runs))
