"""The run that each trial belongs to: trials of one run share a server, a day or a seed.

Runs are kept beside the counts, as the number of the run of every trial. Trials are in the order of their questions,
and those of a question in the order of their outcomes, failures first: the counts say which outcome each trial has, so
one byte per trial is enough for up to 255 runs.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._arrays import Counts, Flags, Indices, Vector, read_only
from .._display.words import shorten
from .._kernels import run_totals
from ..errors import OutcomeError
from ._from_rewards import RewardTrials, reals
from ._labels import Labels, check_texts
from ._outcome_values import FAIL, failure_reward, is_missing
from ._table import Ragged, as_table, is_row, n_rows, planned_trials, rewards_of_words

UNKNOWN_RUNS = "it is not known which run each trial belongs to"
LOST_RUNS = (
    "the runs of some of the trials that are merged are known, and of others not: the merged outcomes know no runs, so"
    " that intervals take trials as independent. Give all of them their runs"
)
NAME_RUNS = (
    "in logs and tables, a run is one of several files of a model, or a value of a column of trials named run, seed or"
    " job, or of another column that fields={'run': ...} names; for arrays, OutcomeMatrix(R,"
    " runs=[..]) gives each column its run"
)


@dataclass(frozen=True, eq=False)
class TrialRuns:
    """The ``labels`` of the runs, and the number ``of_trial`` of the run of every trial.

    ``of_question`` is how many trials of every question each run has, if that is the same for all.

    >>> runs = TrialRuns(("mon", "tue"), np.array([1, 0, 0, 1], np.uint8))
    >>> runs.counts(np.array([[1, 1], [2, 0]])).tolist()  # by run, question and category
    [[[0, 1], [1, 0]], [[1, 0], [1, 0]]]
    """

    labels: Labels
    of_trial: NDArray[np.unsignedinteger[Any]]
    of_question: Counts | None = None

    @classmethod
    def of(cls, labels: Sequence[Hashable], rows: Indices, outcomes: Any, run: Any) -> TrialRuns:
        """Return runs of trials in any order: the question of each, a number that orders outcomes, and its run.

        Runs are sorted by their labels, and those without a trial are left out.
        """
        names, number = _in_order(labels, np.unique(run))
        codes = number[run]
        return cls.sorted(names, codes[np.lexsort((codes, outcomes, rows))], np.bincount(rows))

    @classmethod
    def sorted(cls, labels: Labels, of_trial: NDArray[np.unsignedinteger[Any]], trials: Counts) -> TrialRuns:
        """Return runs of trials in their order, of questions with so many ``trials``."""
        found = np.zeros(len(labels), np.int64)
        alike = run_totals.composition(np.ascontiguousarray(trials, np.int64), of_trial, found)
        return cls(labels, read_only(of_trial), read_only(found) if alike else None)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.labels, self.of_trial, self.of_question)

    def take(self, order: Indices, trials: Counts) -> TrialRuns:
        """Return the runs of the questions at these positions; ``trials`` are those of each question before."""
        where = places_of(order, trials)
        rows = np.repeat(np.arange(len(order)), trials[order])
        return TrialRuns.of(self.labels, rows, np.arange(len(where)), self.of_trial[where])

    def part(self, start: int, stop: int) -> TrialRuns:
        """Return the runs of the trials from one place to another, with all labels."""
        return TrialRuns(self.labels, self.of_trial[start:stop], self.of_question)

    def share_questions(self, trials: Counts) -> bool:
        """Whether a question, of which each has so many ``trials``, has trials in two runs."""
        changes = self.of_trial[1:] != self.of_trial[:-1]
        ends = np.cumsum(trials)
        changes[ends[(ends > 0) & (ends < len(self.of_trial))] - 1] = False
        return bool(changes.any())

    def counts(self, counts: Counts) -> Counts:
        """Return the trials by run, question and category, (T, M, C+1); ``counts`` are those of all runs."""
        cell = np.repeat(np.arange(counts.size), counts.ravel())
        where = self.of_trial.astype(np.int64) * counts.size + cell
        return np.bincount(where, minlength=len(self.labels) * counts.size).reshape(-1, *counts.shape)


def places_of(order: Indices, trials: Counts) -> Indices:
    """Return the places of the trials of the questions at these positions, of which all have so many ``trials``.

    >>> places_of(np.array([2, 0]), np.array([1, 3, 2])).tolist()
    [4, 5, 0]
    """
    kept = trials[order]
    start = (np.cumsum(trials) - trials)[order] - (np.cumsum(kept) - kept)
    return np.asarray(np.repeat(start, kept) + np.arange(int(kept.sum())))


def _restored(labels: Labels, of_trial: Any, of_question: Counts | None = None) -> TrialRuns:
    return TrialRuns(labels, read_only(of_trial), None if of_question is None else read_only(of_question))


def _in_order(labels: Sequence[Hashable], present: Indices) -> tuple[Labels, NDArray[Any]]:
    """Return the labels that are present, sorted, and the new number of each, in the narrowest type."""
    names = _sorted([(labels[i], i) for i in present.tolist()])
    number = np.zeros(len(labels), np.min_scalar_type(max(len(names) - 1, 0)))
    for place, (_, i) in enumerate(names):
        number[i] = place
    return tuple(label for label, _ in names), number


def _sorted(names: list[tuple[Hashable, int]]) -> list[tuple[Hashable, int]]:
    try:
        return sorted(names)
    except TypeError:
        return sorted(names, key=lambda each: (type(each[0]).__name__, str(each[0])))


def together(parts: Iterable[tuple[TrialRuns | None, Indices, Any]]) -> TrialRuns | None:
    """Return the runs of the trials of several parts; None unless all trials have one.

    Each part has its runs, and the question and a number that orders the outcome of each of its trials.
    """
    listed = [part for part in parts if len(part[1])]
    if not listed or any(runs is None for runs, _, _ in listed):
        return None
    known = [(runs, rows, outcomes) for runs, rows, outcomes in listed if runs is not None]
    labels = list(dict.fromkeys(label for runs, _, _ in known for label in runs.labels))
    number = {label: i for i, label in enumerate(labels)}
    codes = [np.array([number[label] for label in runs.labels])[runs.of_trial] for runs, _, _ in known]
    return TrialRuns.of(
        labels, *(np.concatenate(each) for each in ([p[1] for p in known], [p[2] for p in known], codes))
    )


def runs_of_models(
    labels: Sequence[Hashable], trials: RewardTrials, run: Indices, models: int
) -> list[TrialRuns | None]:
    """Return the runs of each of several models, whose rows are the questions of one model after another.

    ``run`` is the number of the run of each of the ``trials``, or of each time that one occurs. A model without a
    trial has none.
    """
    times = 1 if trials.times is None else trials.times
    rows, rewards = (np.repeat(each, times) for each in (trials.rows, trials.rewards))
    runs = run if len(run) == len(rows) else np.repeat(run, times)
    model, question = np.divmod(rows, trials.n_rows // models)
    order = np.argsort(model, kind="stable")
    ends = np.searchsorted(model[order], np.arange(models + 1))
    parts = [order[start:end] for start, end in itertools.pairwise(ends.tolist())]
    return [TrialRuns.of(labels, question[own], rewards[own], runs[own]) if own.size else None for own in parts]


class ListedTrials(NamedTuple):
    """Trials as they are listed question by question: the reward of each, and which are kept, those with an outcome."""

    rewards: Vector
    kept: Flags
    lengths: Counts  # the trials of each question
    is_rectangular: bool

    @property
    def rows(self) -> Indices:
        """The question of each trial."""
        return np.repeat(np.arange(self.lengths.size), self.lengths)


def listed_trials(values: Any, missing: int, name: str) -> ListedTrials:
    """Return the trials of a table of outcomes or rewards; ``missing`` says what becomes of missing ones."""
    table = as_table(values, name)
    words = rewards_of_words(table, name)
    table = table if words is None else words
    planned = planned_trials(table)
    lengths = np.full(n_rows(table), planned) if isinstance(planned, int) else planned
    rewards, hidden = reals(table.flat if isinstance(table, Ragged) else table)
    absent = np.isnan(rewards)
    if missing == FAIL and absent.any():
        rewards[absent & ~hidden] = failure_reward(rewards[~absent & ~hidden])
    return ListedTrials(rewards, ~(np.isnan(rewards) | hidden), lengths, isinstance(planned, int))


def runs_of_trials(values: Any, runs: Iterable[Any], missing: int, name: str = "R") -> TrialRuns:
    """Return the runs of outcomes or rewards by question, of which ``missing`` says what becomes of missing ones.

    ``runs`` has one label per column, or one row of labels per question, in the shape of the values.

    >>> runs_of_trials([[0, 1], [1, None]], ["mon", "tue"], 1).of_trial.tolist()
    [0, 1, 0]
    """
    trials = listed_trials(values, missing, name)
    lengths, kept, rewards = trials.lengths, trials.kept, trials.rewards
    listed = _listed(runs)
    is_by_column = not any(isinstance(each, list) for each in listed)
    if kept.all() and trials.is_rectangular and is_by_column and len(listed) == lengths[0]:
        return _of_columns(listed, rewards.reshape(-1, len(listed)))
    labels, run = _run_of_each(listed, lengths)
    return TrialRuns.of(labels, trials.rows[kept], rewards[kept], run[kept])


def _of_columns(runs: list[Any], rewards: Any) -> TrialRuns:
    """Return the runs of questions that have a trial in every column, (M, N): each column is of one run."""
    labels, codes = _run_of_each(runs, np.array([len(runs)]))
    names, number = _in_order(labels, np.unique(codes))
    columns = np.argsort(number[codes], kind="stable")
    order = np.argsort(rewards[:, columns], axis=1, kind="stable")
    of_question = np.bincount(number[codes], minlength=len(names))
    return TrialRuns(names, read_only(number[codes][columns][order].ravel()), read_only(of_question))


def _listed(runs: Any) -> list[Any]:
    """Return the labels as a list, of lists where there is one per trial."""
    if isinstance(runs, (str, bytes, Mapping)) or not np.iterable(runs):
        problem = f"must be one label per column of the outcomes, or one per trial; got {runs!r}"
        raise OutcomeError(problem, argument="runs")
    return [plain(each) for each in runs]


def _run_of_each(listed: list[Any], lengths: Counts) -> tuple[Labels, Indices]:
    """Return the labels of the runs, and the number of the run of every trial of questions with so many trials."""
    most = int(lengths.max())
    if any(isinstance(each, list) for each in listed):
        found = [len(each) if isinstance(each, list) else 0 for each in listed]
        if found != lengths.tolist():
            problem = f"must have as many labels for each question as it has trials, {shorten(lengths.tolist())}"
            hint = "models in different runs: a mapping from each model to its labels"
            raise OutcomeError(f"{problem}; got {shorten(found)}", argument="runs", hint=hint)
        labels = [label for each in listed for label in each]
    elif len(listed) == most:
        labels = [label for length in lengths.tolist() for label in listed[:length]]
    else:
        problem = f"must have one label for each of {most} columns, or one row of labels for each question"
        raise OutcomeError(f"{problem}; got {len(listed)}", argument="runs")
    number = {label: i for i, label in enumerate(dict.fromkeys(labels))}
    if any(is_missing(label) for label in number):
        raise OutcomeError("has a missing label: every trial needs its run", argument="runs")
    check_texts(number, "runs")
    return tuple(number), np.array([number[label] for label in labels], np.int64)


def plain(each: Any) -> Any:
    """Return a label, or a row of labels, without the types of arrays."""
    return each.tolist() if isinstance(each, (np.generic, np.ndarray)) else list(each) if is_row(each) else each
