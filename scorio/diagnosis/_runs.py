"""Runs: the outcomes of single trials in a matrix, questions by runs, where logs or arrays tell which is which."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Vector
from ..io import Reading, Source
from ..io._tabular.trial_set import TrialSet
from ..outcomes import OutcomeMatrix, OutcomeSet, Suite
from ..outcomes._foreign_arrays import as_numpy

_MOST = 2_000_000  # trials of single runs that are looked at


class Runs(NamedTuple):
    """The runs of one model on one task: ``values`` (questions, runs), NaN where a question was not tried.

    ``names`` says which trial of which log each run is, and ``seeds`` has the seed of each, or None.
    """

    values: Vector
    names: tuple[str, ...]
    seeds: tuple[str | None, ...]


RunsOf = Mapping[tuple[str, str], Runs]  # by task and model


def runs_of_reading(reading: Reading) -> RunsOf:
    """Return the runs that the logs tell apart; models whose trials have no names are left out."""
    tasks = reading.outcomes if isinstance(reading.outcomes, Suite) else {"": reading.outcomes}
    if sum(int(each.trials.sum()) for models in tasks.values() for each in models.values()) > _MOST:
        return {}
    of: dict[tuple[str, str], list[Source]] = {}
    for source in (part for each in reading.sources for part in _apart(each)):
        task = (source.run.task or "no task") if isinstance(reading.outcomes, Suite) else ""
        of.setdefault((task, source.run.model), []).append(source)
    found = {
        place: _runs(sources, tasks[place[0]][place[1]])
        for place, sources in of.items()
        if place[0] in tasks and place[1] in tasks[place[0]]
    }
    return {place: runs for place, runs in found.items() if runs is not None}


def _apart(source: Source) -> Sequence[Source]:
    if source.apart is None:
        return [source]
    return [replace(each, run=replace(each.run, model=source.run.model)) for each in source.apart()]


def _runs(sources: Sequence[Source], matrix: OutcomeMatrix) -> Runs | None:
    """Return the runs of one model; None if a trial cannot be told from the others of its question."""
    if any(source.run.counted is not None for source in sources) or matrix.questions is None:
        return None
    row = {label: i for i, label in enumerate(matrix.questions)}
    column: dict[tuple[str, Hashable], int] = {}
    seeds: dict[int, str | None] = {}
    cells: dict[tuple[int, int], float] = {}
    for source in sources:
        for question, key, outcome in _trials(source):
            if outcome is None:
                continue
            run = column.setdefault(key, len(column))
            seeds[run] = source.run.origin.get("seed")
            if (row[question], run) in cells:
                return None
            cells[row[question], run] = outcome
    if len(cells) != int(matrix.trials.sum()):
        return None
    values = np.full((len(row), len(column)), np.nan)
    for (i, j), outcome in cells.items():
        values[i, j] = outcome
    paths = {_place(source): str(source.path) for source in reversed(sources)}
    names = tuple(_name(paths[place], name) for place, name in column)
    return Runs(values, names, tuple(seeds[run] for run in range(len(column))))


def _place(source: Source) -> str:
    return source.run.identity or str(source.path)


def _trials(source: Source) -> Iterator[tuple[str, tuple[str, Hashable], float | None]]:
    """Yield the question, the run and the outcome of every trial; trials without names have the log as their run."""
    place = _place(source)
    is_unnamed = source.format == "arrays" or (
        source.format == "table" and not {"trial", "trials"} & source.run.notes.keys()
    )
    trials = source.run.columns
    for question, key, outcome, times in zip(trials.questions, trials.keys, trials.outcomes, trials.times, strict=True):
        names: Iterable[Hashable]
        if isinstance(key, TrialSet):
            names = key
        else:
            names = [None if is_unnamed else key[-1] if isinstance(key, tuple) else key] * times
        for name in names:
            yield question, (place, name), outcome


def _name(path: str, name: Any) -> str:
    return path if name is None else f"{path}: trial {name}"


def runs_of_arrays(outcomes: Any) -> RunsOf:
    """Return the runs of a tensor, or of a mapping from models to matrices: each column is a run.

    >>> list(runs_of_arrays({"a": [[0, 1], [1, 1]], "b": OutcomeMatrix([[0, 1]])}))
    [('', 'a')]
    """
    if isinstance(outcomes, (OutcomeSet, Suite, OutcomeMatrix)):
        return {}
    if isinstance(outcomes, Mapping):
        named = {("", str(name)): _columns(each) for name, each in outcomes.items()}
        return {place: runs for place, runs in named.items() if runs is not None}
    return {}


def _columns(matrix: Any) -> Runs | None:
    if isinstance(matrix, OutcomeMatrix):
        return None
    try:
        values = np.ma.filled(np.ma.asarray(as_numpy(matrix)).astype(np.float64), np.nan)
    except (TypeError, ValueError):
        return None  # rows of different lengths, tables and words: their trials are not in columns
    if values.ndim != 2:  # questions, trials
        return None
    numbers = range(values.shape[1])
    return Runs(values, tuple(f"trial {i}" for i in numbers), (None,) * len(numbers))
