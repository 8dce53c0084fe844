"""The trials of all files on one pile, in columns of numbers: duplicates are found in it, and trials added up."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, groupby
from operator import itemgetter
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import OutcomeError
from .records import Columns, Source
from .trial_set import TrialSet

Counts = NDArray[np.int64]
T = TypeVar("T", bound=Hashable)
_Twice = tuple[int, int, Hashable]  # the second row, the first, and the trial that both have


class Part(NamedTuple):
    """What one file has of one model: its trials, the label of each, and how many were planned of each label."""

    source: Source
    trials: Columns
    labels: Sequence[str]
    planned: Mapping[str, int]

    @property
    def of(self) -> tuple[str, str]:
        """The model and its run."""
        return self.source.run.model, self.source.run.identity


def part_of(source: Source, *, several: bool) -> Part:
    """A source with its questions labelled, by their task too where there are several."""
    prefix, trials = f"{source.run.task}/" if several else "", source.run.columns
    planned = {prefix + question: times for question, times in source.run.planned.items()}
    return Part(source, trials, [prefix + question for question in trials.questions], planned)


class Pile:
    """The trials of all parts in order, a row each; sums are by model and question, as these are listed."""

    def __init__(self, parts: Sequence[Part], models: Sequence[str], questions: Sequence[str]) -> None:
        self._parts, self._questions = parts, questions
        self._shape = len(models), len(questions)
        columns = [list(chain.from_iterable(column)) for column in zip(*(part.trials for part in parts), strict=True)]
        _, self._keys, rewards, _, times = columns
        self._times = np.array(times, np.int64)
        self._reward = np.array([math.nan if reward is None else reward for reward in rewards], np.float64)
        self._has_outcome = ~np.isnan(self._reward)
        self._here = self._has_outcome & (self._times > 0)
        self._is_set = np.array([isinstance(key, TrialSet) for key in self._keys], np.bool_)
        self._ends = np.cumsum([len(part.labels) for part in parts])
        self._number(models)

    def _number(self, models: Sequence[str]) -> None:
        """Number the model and question of each row, and what was asked: a question in a run of a model."""
        model, question = _numbered(models), _numbered(self._questions)
        runs = _numbered(part.of for part in self._parts)
        run = np.repeat([runs[part.of] for part in self._parts], np.diff(self._ends, prepend=0))
        model_of_run = np.array([model[name] for name, _ in runs])
        self._question = _coded(chain.from_iterable(part.labels for part in self._parts), question)
        self._model = model_of_run[run]
        width = len(self._questions)
        plan = [
            (runs[part.of] * width + question[label], times)
            for part in self._parts
            for label, times in part.planned.items()
        ]
        planned, self._planned = np.array(plan, np.int64).reshape(-1, 2).T
        asked, where = np.unique(np.concatenate([planned, run * width + self._question]), return_inverse=True)
        self._planned_of, self._asked_of = where[: len(plan)], where[len(plan) :]
        self._asked = model_of_run[asked // width], asked % width
        self._trial = self._asked_of * len(self._keys) + _coded(self._keys, _numbered(self._keys))

    def demand_once(self) -> None:
        """Check that no trial of a run is there twice; one without an outcome may have it later."""
        twice = min(chain(self._same(), self._shared()), default=None)
        if twice is not None:
            second, first, trial = twice
            one, other = (self._parts[int(np.searchsorted(self._ends, row, "right"))].source for row in (first, second))
            both = f"{one.path}" if one.path == other.path else f"{one.path} and {other.path}"
            label = self._questions[self._question[second]]
            raise OutcomeError(f"{both}: question {label!r} of {one.run.model!r} has trial {trial!r} of one run twice")

    def _same(self) -> Iterator[_Twice]:
        """The first row whose trial has an outcome for the second time."""
        rows = np.flatnonzero(self._has_outcome & ~self._is_set)
        again = _again(self._trial[rows])
        if again.any():
            second = rows[np.argmax(again)]
            first = rows[np.argmax(self._trial[rows] == self._trial[second])]
            yield int(second), int(first), self._keys[second]

    def _shared(self) -> Iterator[_Twice]:
        """Rows of a set of trials, one of which an earlier row has."""
        rows = np.flatnonzero(self._is_set)
        rows = rows[np.argsort(self._asked_of[rows], kind="stable")]
        for _, alike in groupby(zip(self._asked_of[rows].tolist(), rows.tolist(), strict=True), itemgetter(0)):
            for (_, first), (_, second) in combinations(alike, 2):
                trial = self._keys[first].shared(self._keys[second])
                if trial is not None:
                    yield second, first, trial

    def meant(self) -> Counts:
        """Trials meant to be run: those that were planned, or more where more are there, over all runs.

        Of rows of one trial the last counts. A question that a model was not asked is planned as often as the one
        that it was asked most often.
        """
        last = ~_again(self._trial[::-1])[::-1]
        planned, there = np.zeros((2, len(self._asked[0])), np.int64)
        np.maximum.at(planned, self._planned_of, self._planned)
        np.add.at(there, self._asked_of[last], self._times[last])
        meant, asked = np.zeros(self._shape, np.int64), np.zeros(self._shape, np.bool_)
        np.add.at(meant, self._asked, np.maximum(planned, there))
        asked[self._asked] = True
        return np.where(asked, meant, meant.max(axis=1, keepdims=True))

    def scored(self) -> NDArray[np.bool_]:
        """Which models have a trial with an outcome."""
        return np.bincount(self._model[self._here], minlength=self._shape[0]) > 0

    def rewards(self) -> set[float]:
        """The distinct rewards."""
        return set(self._reward[self._here].tolist())

    def present(self) -> Counts:
        """Trials with an outcome."""
        return self.counts([-math.inf])[:, :, 0]

    def counts(self, levels: Sequence[float]) -> Counts:
        """Trials with an outcome, by the highest of these levels that their reward reaches too."""
        here, counts = self._here, np.zeros((*self._shape, len(levels)), np.int64)
        level = np.searchsorted(levels, self._reward[here], "right") - 1
        np.add.at(counts, (self._model[here], self._question[here], level), self._times[here])
        return counts


def _numbered(items: Iterable[T]) -> dict[T, int]:
    """The distinct items, numbered as they first stand."""
    return {item: i for i, item in enumerate(dict.fromkeys(items))}


def _coded(items: Iterable[T], numbers: Mapping[T, int]) -> NDArray[np.int64]:
    return np.fromiter(map(numbers.__getitem__, items), np.int64)


def _again(codes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which codes have stood before."""
    again = np.ones(len(codes), np.bool_)
    again[np.unique(codes, return_index=True)[1]] = False
    return again
