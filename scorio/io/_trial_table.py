"""The trials of all files in columns of numbers, to find duplicates and to add trials up; and one by one, by name."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress, groupby, pairwise
from operator import itemgetter
from os.path import commonpath
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import OutcomeError, Remedy
from ..outcomes import Labelled, RewardTrials, coded_answers, names_runs, score_values
from ._files import LogFile
from ._records import Source, Trials

ByName = dict[str, float]  # the outcome of each trial of a question
_ANY = ("long", "counts", "models")  # forms of tables whose trials have no order
Counts = NDArray[np.int64]
T = TypeVar("T", bound=Hashable)
_Duplicate = tuple[int, int, Hashable]  # the second row, the first row, and the trial that both have
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
    """The trials of all sources in order, one per row; sums are by model and question, in the order of these lists."""

    def __init__(self, sources: Sequence[Source], models: Sequence[str], questions: Sequence[str]) -> None:
        self._sources, self._questions = sources, questions
        self._shape = len(models), len(questions)
        parts = [source.run.columns for source in sources]
        columns = [list(chain.from_iterable(column)) for column in zip(*(part[:5] for part in parts), strict=True)]
        asked, self._keys, rewards, _, times = columns
        self._times = np.array(times, np.int64)
        self._reward = np.array([math.nan if reward is None else reward for reward in rewards], np.float64)
        self._has_outcome = ~np.isnan(self._reward)
        self._here = self._has_outcome & (self._times > 0)
        self._is_set = np.array([isinstance(key, frozenset) for key in self._keys], np.bool_)
        self._ends = np.cumsum([len(part.questions) for part in parts])
        self._number(models, asked)

    def _number(self, models: Sequence[str], asked: Sequence[str]) -> None:
        """Number the model and the question of each row, and the cells: a cell is a question in a run of a model."""
        model, question = _numbered(models), _numbered(self._questions)
        keys = [(source.run.model, source.run.identity) for source in self._sources]
        runs = _numbered(keys)
        run = np.repeat([runs[key] for key in keys], np.diff(self._ends, prepend=0))
        model_of_run = np.array([model[name] for name, _ in runs])
        self._question = _coded(asked, question)
        self._model = model_of_run[run]
        width = len(self._questions)
        plan = [
            (runs[key] * width + question[label], times)
            for key, source in zip(keys, self._sources, strict=True)
            for label, times in source.run.planned.items()
        ]
        planned, self._planned = np.array(plan, np.int64).reshape(-1, 2).T
        cells, where = np.unique(np.concatenate([planned, run * width + self._question]), return_inverse=True)
        self._planned_cell, self._cell = where[: len(plan)], where[len(plan) :]
        self._cells = model_of_run[cells // width], cells % width
        self._trial = self._cell * len(self._keys) + _coded(self._keys, _numbered(self._keys))

    def check_once(self) -> None:
        """Check that no trial of a run is there twice; a trial without an outcome may have one in a later row."""
        duplicate = min(chain(self._same_keys(), self._shared_keys()), default=None)
        if duplicate is not None:
            second, first, trial = duplicate
            one, other = (self._sources[int(np.searchsorted(self._ends, row, "right"))] for row in (first, second))
            both = f"{one.path}" if one.path == other.path else f"{one.path} and {other.path}"
            label = self._questions[self._question[second]]
            problem = f"question {label!r} of {one.run.model!r} has trial {trial!r} of one run twice"
            raise _advised(OutcomeError(problem, where=both), one, other)

    def _same_keys(self) -> Iterator[_Duplicate]:
        """Yield the first row whose trial has an outcome for the second time."""
        rows = np.flatnonzero(self._has_outcome & ~self._is_set)
        again = _again(self._trial[rows])
        if again.any():
            second = rows[np.argmax(again)]
            first = rows[np.argmax(self._trial[rows] == self._trial[second])]
            yield int(second), int(first), self._keys[second]

    def _shared_keys(self) -> Iterator[_Duplicate]:
        """Yield the rows with a set of trials that shares a trial with an earlier row."""
        rows = np.flatnonzero(self._is_set)
        rows = rows[np.argsort(self._cell[rows], kind="stable")]
        for _, alike in groupby(zip(self._cell[rows].tolist(), rows.tolist(), strict=True), itemgetter(0)):
            first_with: dict[str, int] = {}
            for _, row in alike:
                if shared := first_with.keys() & self._keys[row]:
                    [name, *_] = in_order(shared)
                    yield row, first_with[name], name
                    break
                first_with |= dict.fromkeys(self._keys[row], row)

    def planned(self) -> Counts:
        """Return the number of trials planned over all runs, which is at least the number of trials present.

        The last of several rows of one trial counts. A question that a model was not asked has as many planned
        trials as the question that the model was asked most often.
        """
        last = ~_again(self._trial[::-1])[::-1]
        planned, there = np.zeros((2, len(self._cells[0])), np.int64)
        np.maximum.at(planned, self._planned_cell, self._planned)
        np.add.at(there, self._cell[last], self._times[last])
        total, has_cell = np.zeros(self._shape, np.int64), np.zeros(self._shape, np.bool_)
        np.add.at(total, self._cells, np.maximum(planned, there))
        has_cell[self._cells] = True
        return np.where(has_cell, total, total.max(axis=1, keepdims=True, initial=0))

    def scored(self) -> NDArray[np.bool_]:
        """Return which models have a trial with an outcome."""
        return np.bincount(self._model[self._here], minlength=self._shape[0]) > 0

    def present(self) -> Counts:
        """Return the number of trials with an outcome."""
        present = np.zeros(self._shape, np.int64)
        np.add.at(present, (self._model[self._here], self._question[self._here]), self._times[self._here])
        return present

    def runs(self) -> Labelled | None:
        """Return the runs of the trials with an outcome, in the order of ``trials``.

        A run is what a column says that the user named, else a value of the column of trials where its name says that
        these are runs, else a file. None for more trials than are kept one by one.
        """
        runs = [source.run for source in self._sources]
        are_keys = [run.label is None and names_runs(run.notes.get("trial")) for run in runs]
        paths = _short([str(source.path) for source in self._sources])
        names = [source.run.label or path for source, path in zip(self._sources, paths, strict=True)]
        if (len(set(names)) == 1 and not any(are_keys)) or int(self._times[self._here].sum()) > _MOST_TRIALS:
            return None
        labels: list[str] = []
        places = pairwise([0, *self._ends.tolist()])
        for name, is_key, (start, end) in zip(names, are_keys, places, strict=True):
            for row in range(start, end):
                if self._here[row]:
                    labels += _runs_of_key(self._keys[row], int(self._times[row]), name, is_key)
        number = _numbered(labels)
        return Labelled(tuple(number), _coded(labels, number))

    def answers(self) -> Labelled | None:
        """Return the answers of the trials with an outcome, in their order; None unless all runs have them."""
        answers = [columns.answers for columns in self._of_trials]
        if any(column is None for column in answers):
            return None
        labels, codes = coded_answers(self._of_each(column or () for column in answers), None)
        return Labelled(labels, np.repeat(codes, self._times[self._here]))

    def scores(self) -> dict[str, NDArray[np.float64]]:
        """Return the scores of the trials with an outcome, in their order, that all runs have."""
        parts, times = [columns.scores for columns in self._of_trials], self._times[self._here]
        names = [name for name in (parts or [{}])[0] if all(name in part for part in parts)]
        values = {name: score_values(self._of_each(part[name] for part in parts), name) for name in names}
        return {name: np.repeat(scores, times) for name, scores in values.items()}

    @property
    def _of_trials(self) -> list[Trials]:
        """What is told of the trials of each run that has any: a run that broke off at once tells nothing."""
        return [source.run.columns for source in self._sources if len(source.run.columns.questions)]

    def _of_each(self, values: Iterable[Iterable[T | None]]) -> Iterator[T | None]:
        return compress(chain.from_iterable(values), self._here.tolist())

    def trials(self) -> RewardTrials:
        """Return the trials with an outcome, the rows being the questions of one model after another."""
        here, (models, questions) = self._here, self._shape
        rows = self._model[here] * questions + self._question[here]
        return RewardTrials(self._reward[here], rows, models * questions, "the data", self._times[here])


def _runs_of_key(key: Hashable, times: int, file: str, is_key: bool) -> list[str]:
    """Return the run of each trial of a row: the name of the trial if this ``is_key``, else the file."""
    if not is_key:
        return [file] * times
    names = in_order(key) if isinstance(key, frozenset) else [key] * times if isinstance(key, str) else []
    return names if len(names) == times else [file] * times


def _short(paths: Sequence[str]) -> list[str]:
    """Return the paths without the folders that all of them share."""
    folders = commonpath([str(Path(path).parent) for path in paths])
    return [str(Path(path).relative_to(folders)) for path in paths]


def _numbered(items: Iterable[T]) -> dict[T, int]:
    """Return the distinct items, numbered in order."""
    return {item: i for i, item in enumerate(dict.fromkeys(items))}


def _coded(items: Iterable[T], numbers: Mapping[T, int]) -> NDArray[np.int64]:
    return np.fromiter(map(numbers.__getitem__, items), np.int64)


def _again(codes: NDArray[np.int64]) -> NDArray[np.bool_]:
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
