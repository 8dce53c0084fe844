"""The trials of all files in columns of numbers, to find duplicates and to add trials up; and one by one, by name."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from os.path import commonpath
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from .._base.arrays import Counts, Flags, Vector
from ..errors import OutcomeError, Remedy
from ..outcomes._column_names import names_runs
from ..outcomes._labels import cluster_of_each
from ..outcomes._model_rows import ModelRows, totals
from ..outcomes._table_rows import Trials
from ..outcomes._trials import Labelled, TrialColumns, coded_answers, score_values
from ._files import LogFile
from ._records import Source

ByName = dict[str, float]  # the outcome of each trial of a question
_ANY = ("long", "counts", "models")  # forms of tables whose trials have no order
T = TypeVar("T", bound=Hashable)
_MOST_TRIALS = 1 << 27  # whose runs are kept


def told_apart(sources: Sequence[Source]) -> list[Source]:
    """Return the sources; files whose trials were checked in one query are read one by one if others share a run."""
    runs = Counter(_run_key(source) for source in sources)
    shared = (source.one_by_one() if runs[_run_key(source)] > 1 else [source] for source in sources)
    return [*chain.from_iterable(shared)]


def _run_key(source: Source) -> tuple[str, str | None, str]:
    return source.run.model, source.run.task, source.run.identity


def _advised(error: OutcomeError, one: Source, other: Source) -> OutcomeError:
    """Return the error about a trial that is there twice, with what to do if two files have it."""
    remedies: list[Remedy] = []
    hint = None
    if one.path != other.path and one.path.is_file() and other.path.is_file():
        if LogFile(one.path).digest == LogFile(other.path).digest:
            hint = "the files are equal: read one of them"
        else:
            if {"trial"} <= one.run.notes.keys() & other.run.notes.keys():
                remedies = [Remedy("fields", {"trial": None}, "if these are two runs, whose trials add up")]
            stems = (one.path.stem, other.path.stem) if one.path.stem != other.path.stem else ("first", "second")
            names = {str(one.path): stems[0], str(other.path): stems[1]}
            remedies.append(Remedy("model", names, "if they are of two models"))
    return error.changed(remedies=remedies, hint=hint)


class TrialTable:
    """The trials of all sources, one by one: a row that names its trials has an entry for each, other rows have one.

    ``asked`` has the questions of each model, in order.
    """

    def __init__(self, sources: Sequence[Source], asked: Mapping[str, Iterable[str]]) -> None:
        self._sources = sources
        self._models = _numbered(asked)
        self._questions = _numbered(chain.from_iterable(asked.values()))
        parts = [source.run.columns for source in sources]
        columns = [list(chain.from_iterable(column)) for column in zip(*(part[:5] for part in parts), strict=True)]
        questions, keys, rewards, self._clusters, times = columns
        names = [key if isinstance(key, frozenset) else (key,) for key in keys]
        self._row = np.repeat(np.arange(len(keys)), [*map(len, names)])
        self._ends = np.cumsum([len(part.questions) for part in parts])
        self._names: list[Hashable] = [*chain.from_iterable(names)]
        self._is_set = np.array([isinstance(key, frozenset) for key in keys], np.bool_)[self._row]
        self._times = np.where(self._is_set, 1, np.array(times, np.int64)[self._row])
        # Without the order of their trials, those of a row with several are in no order.
        self.is_in_order = max(times, default=1) == 1
        self._reward = np.array([math.nan if reward is None else reward for reward in rewards], np.float64)[self._row]
        self._question = _coded(questions, self._questions)[self._row]
        self._number_cells()

    def _number_cells(self) -> None:
        """Number the cells, which are the questions in a run of a model, and the trials in these."""
        keys = [(source.run.model, source.run.identity) for source in self._sources]
        runs, width = _numbered(keys), len(self._questions)
        run = self._of_source([runs[key] for key in keys])
        model_of_run = np.array([self._models[name] for name, _ in runs])
        self._model = model_of_run[run]
        plan = [
            (runs[key] * width + self._questions[label], times)
            for key, source in zip(keys, self._sources, strict=True)
            for label, times in source.run.planned.items()
        ]
        planned, self._planned = np.array(plan, np.int64).reshape(-1, 2).T
        cells, where = np.unique(np.concatenate([planned, run * width + self._question]), return_inverse=True)
        self._planned_cell, self._cell = where[: len(plan)], where[len(plan) :]
        self._cells = model_of_run[cells // width], cells % width
        self._trial = self._cell * len(self._names) + _coded(self._names, _numbered(self._names))

    def _of_source(self, values: Sequence[int]) -> Counts:
        """Return the value of the source of each entry."""
        return np.repeat(np.array(values, np.int64), np.diff(self._ends, prepend=0))[self._row]

    def rows(self) -> ModelRows:
        """Return the rows of all models."""
        return ModelRows(
            [*self._models],
            tuple(self._questions),
            self._model,
            self._question,
            self._reward,
            self._times,
            self._planned_trials(),
            self._cluster_of_each(),
            TrialColumns(self._runs(), self._answers(), self._scores()),
        )

    def check_once(self) -> None:
        """Check that no trial of a run is there twice; a trial without an outcome may have one in a later row."""
        entries = np.flatnonzero(~np.isnan(self._reward) | self._is_set)
        again = entries[_again(self._trial[entries])]
        if not len(again):
            return
        second = again[self._row[again] == self._row[again[0]]]
        names = {str(self._names[entry]): entry for entry in second.tolist()}
        entry = names[in_order(names)[0]]
        first = entries[np.argmax(self._trial[entries] == self._trial[entry])]
        rows = [int(self._row[at]) for at in (first, entry)]
        one, other = (self._sources[int(np.searchsorted(self._ends, row, "right"))] for row in rows)
        both = f"{one.path}" if one.path == other.path else f"{one.path} and {other.path}"
        label = [*self._questions][self._question[entry]]
        problem = f"question {label!r} of {one.run.model!r} has trial {self._names[entry]!r} of one run twice"
        raise _advised(OutcomeError(problem, where=both), one, other)

    def _planned_trials(self) -> Counts:
        """Return the number of trials planned over all runs, which is at least the number of trials present.

        The last of several rows of one trial counts. A question that a model was not asked has as many planned
        trials as the question that the model was asked most often.
        """
        last = ~_again(self._trial[::-1])[::-1]
        planned, there = np.zeros((2, len(self._cells[0])), np.int64)
        np.maximum.at(planned, self._planned_cell, self._planned)
        np.add.at(there, self._cell[last], self._times[last])
        shape = len(self._models), len(self._questions)
        total, has_cell = totals(*self._cells, np.maximum(planned, there), shape), np.zeros(shape, np.bool_)
        has_cell[self._cells] = True
        return np.where(has_cell, total, total.max(axis=1, keepdims=True, initial=0))

    def _cluster_of_each(self) -> tuple[Hashable, ...] | None:
        """Return the cluster of each question; None if no question has one."""
        if not any(self._clusters):
            return None
        columns = [source.run.columns for source in self._sources]
        told = [dict.fromkeys(zip(of_run.questions, of_run.clusters, strict=True)) for of_run in columns]
        places = zip(told, self._sources, strict=True)
        clusters = cluster_of_each((*pair, str(source.path)) for pairs, source in places for pair in pairs)
        return tuple(clusters.get(label, label) for label in self._questions)

    def _runs(self) -> Labelled | None:
        """Return the run of each entry.

        It is what a column says that the user named, else a value of the column of trials where its name says that
        these are runs, else the file. None for more trials than are kept one by one.
        """
        runs = [source.run for source in self._sources]
        are_keys = [run.label is None and names_runs(run.notes.get("trial")) for run in runs]
        paths = _short([str(source.path) for source in self._sources])
        files = [source.run.label or path for source, path in zip(self._sources, paths, strict=True)]
        number = _numbered(files)
        if (len(number) == 1 and not any(are_keys)) or int(self._times.sum()) > _MOST_TRIALS:
            return None
        codes = self._of_source([number[file] for file in files])
        if any(are_keys):
            is_key = self._of_source([*map(int, are_keys)]).tolist()
            labels = [*number]
            told = zip(self._names, is_key, codes.tolist(), strict=True)
            of_each = [name if key and isinstance(name, str) else labels[code] for name, key, code in told]
            number = _numbered(of_each)
            codes = _coded(of_each, number)
        return Labelled(tuple(number), codes)

    def _answers(self) -> Labelled | None:
        """Return the answers of the entries; None unless all runs have them."""
        answers = [columns.answers for columns in self._of_trials]
        if any(column is None for column in answers):
            return None
        labels, codes = coded_answers(self._of_rows(column or () for column in answers), None)
        return Labelled(labels, codes[self._row])

    def _scores(self) -> dict[str, Vector]:
        """Return the scores of the entries that all runs have."""
        parts = [columns.scores for columns in self._of_trials]
        names = [name for name in (parts or [{}])[0] if all(name in part for part in parts)]
        return {name: score_values(self._of_rows(part[name] for part in parts), name)[self._row] for name in names}

    @property
    def _of_trials(self) -> list[Trials]:
        """What is told of the trials of each run that has any: a run that broke off at once tells nothing."""
        return [source.run.columns for source in self._sources if len(source.run.columns.questions)]

    def _of_rows(self, values: Iterable[Iterable[T | None]]) -> Iterator[T | None]:
        """Yield the value of each row that has an outcome, and None for others."""
        has_outcome = np.zeros(len(self._row) and self._row[-1] + 1, np.bool_)
        has_outcome[self._row] = ~np.isnan(self._reward) & (self._times > 0)
        return (value if here else None for value, here in zip(chain.from_iterable(values), has_outcome, strict=True))


def _short(paths: Sequence[str]) -> list[str]:
    """Return the paths without the folders that all of them share."""
    folders = commonpath([str(Path(path).parent) for path in paths])
    return [str(Path(path).relative_to(folders)) for path in paths]


def _numbered(items: Iterable[T]) -> dict[T, int]:
    """Return the distinct items, numbered in order."""
    return {item: i for i, item in enumerate(dict.fromkeys(items))}


def _coded(items: Iterable[T], numbers: Mapping[T, int]) -> Counts:
    return np.fromiter(map(numbers.__getitem__, items), np.int64)


def _again(codes: Counts) -> Flags:
    """Return which codes occurred before."""
    again = np.ones(len(codes), np.bool_)
    again[np.unique(codes, return_index=True)[1]] = False
    return again


def in_order(trials: Iterable[str]) -> list[str]:
    """Return the names of trials: numbers in order, then the others.

    >>> in_order({"10", "seed 7", "9"})
    ['9', '10', 'seed 7']
    """
    return sorted(trials, key=lambda name: (_number(name), name))


def _number(name: Hashable) -> float:
    """Return the number that a name is; other names stay behind the numbers."""
    text = str(name)
    return int(text) if text.isascii() and text.isdecimal() else math.inf


class SingleTrial(NamedTuple):
    """A trial of a question; ``name`` is None if the trials of its question have none."""

    run: str
    name: Hashable
    question: str
    outcome: float | None


def single_trials(source: Source) -> Iterator[SingleTrial]:
    """Yield every trial of a source."""
    run, trials, notes = source.run.identity or str(source.path), source.run.columns, source.run.notes
    is_any = source.apart is not None or source.format == "arrays"
    is_any = is_any or (notes.get("form") in _ANY and "trial" not in notes)
    for question, key, outcome, times in zip(trials.questions, trials.keys, trials.outcomes, trials.times, strict=True):
        names: Iterable[Hashable]
        if isinstance(key, frozenset):
            names = in_order(key)
        else:
            name = key[-1] if isinstance(key, tuple) else key
            names = [None if is_any or isinstance(name, float) else name] * times
        for name in names:
            yield SingleTrial(run, name, question, outcome)


def named_trials(sources: Iterable[Source], missing: str) -> dict[str, dict[str, ByName]]:
    """Return the outcomes of trials by model, question and name.

    A name is that of the log where no two trials of the question share it, else a number from 1. A question that has
    several trials without names is left out: nobody can say which of them is which.
    """
    cells: dict[tuple[str, str], dict[tuple[str, Hashable], float | None]] = {}
    unnamed: set[tuple[str, str]] = set()
    for source in (source_of_file for together in sources for source_of_file in together.one_by_one()):
        for trial in single_trials(source):
            place = source.run.model, trial.question
            cell = cells.setdefault(place, {})
            key = trial.run, trial.name
            if trial.name is None and key in cell:
                unnamed.add(place)
            if trial.outcome is not None or key not in cell:  # a later row may hold the outcome of an earlier one
                cell[key] = trial.outcome
    named: dict[str, dict[str, ByName]] = {}
    for (model, question), cell in cells.items():
        if (model, question) not in unnamed:
            kept = {key: outcome for key, outcome in cell.items() if outcome is not None or missing == "fail"}
            named.setdefault(model, {})[question] = _by_name(kept)
    return named


def _by_name(trials: dict[tuple[str, Hashable], float | None]) -> ByName:
    runs = {run: i for i, run in enumerate(dict.fromkeys(run for run, _ in trials))}
    order = sorted(trials, key=lambda key: (runs[key[0]], _number(key[1])))
    names = [str(name) for _, name in order]
    if None in {name for _, name in order} or len(set(names)) < len(names):
        names = [str(i + 1) for i in range(len(order))]
    return {name: trials[key] or 0.0 for name, key in zip(names, order, strict=True)}
