"""Matrices of the same questions: put them in one order, check that they agree, merge them."""

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from .._arrays import Counts, Indices
from .._display.words import pluralize, warn
from ..errors import OutcomeError, RunsWarning
from ._counts import CountTable
from ._from_arrays import widen
from ._labels import Labels, label_order
from ._outcome_values import MOST_TRIALS
from ._trial_runs import LOST_RUNS, together
from ._trial_samples import samples_together

M = TypeVar("M", bound=CountTable)


def rearranged(matrix: M, order: Indices | None) -> M:
    """Return the questions at these positions; the matrix itself for None."""
    return matrix if order is None else matrix._reordered(order)


def in_order_of(questions: Labels | None, count: int, matrix: M, whose: str) -> M:
    """Return the matrix with its questions in a given order, by label where there are labels on both sides."""
    if questions is not None and matrix.questions is not None:
        return rearranged(matrix, label_order(questions, matrix.questions, whose))
    if matrix.n_questions != count:
        raise OutcomeError(f"{whose} has {pluralize(matrix.n_questions, 'question')} where the first has {count}")
    return matrix


def check_clusters(mine: Labels | None, theirs: Labels | None, whose: str) -> None:
    """Check that no question is in two clusters."""
    if mine is not None and theirs is not None and mine != theirs:
        a = next(a for a in range(len(mine)) if mine[a] != theirs[a])
        problem = f"clusters differ: {whose} has question {a} in {theirs[a]!r}, the first has it in {mine[a]!r}"
        raise OutcomeError(problem)


def labelled(matrix: M, questions: Labels | None, clusters: Labels | None) -> M:
    """Return the matrix with these labels and clusters."""
    if (matrix.questions, matrix.clusters) == (questions, clusters):
        return matrix
    return matrix._replaced(questions=questions, clusters=clusters)


def matched(mine: CountTable, other: M) -> M:
    """Return the other matrix with its questions in the order of the first, checked to be in the same clusters."""
    whose = "the other matrix"
    theirs = in_order_of(mine.questions, mine.n_questions, other, whose)
    check_clusters(mine.clusters, theirs.clusters, whose)
    return theirs


def added_trials(mine: Counts, more: Counts, labels: Labels | None) -> Counts:
    """Return the trials of each question added up, checked to stay exact in a double.

    >>> added_trials(np.array([2**53]), np.array([1]), ("q1",))
    Traceback (most recent call last):
    scorio.errors.OutcomeError: question 'q1' would have 9007199254740993 trials: a question has at most 2**53
    """
    total = mine + more
    if int(total.max(initial=0)) > MOST_TRIALS:
        a = int(total.argmax())
        label = labels[a] if labels else a
        raise OutcomeError(f"question {label!r} would have {total[a]} trials: a question has at most 2**53")
    return total


def merged(mine: M, other: M) -> M:
    """Return the trials of both."""
    theirs = matched(mine, other)
    if mine.levels != theirs.levels:
        problem = f"the categories of the two matrices mean different rewards: {mine.levels} and {theirs.levels}"
        raise OutcomeError(problem)
    width = max(mine.n_categories, theirs.n_categories)
    return mine._replaced(
        counts=widen(mine.counts, width) + widen(theirs.counts, width),
        planned=added_trials(mine.planned_trials, theirs.planned_trials, mine.questions),
        prior=_one_prior(mine.prior_counts, theirs.prior_counts, width),
        questions=mine.questions or theirs.questions,
        clusters=mine.clusters or theirs.clusters,
        adaptive=mine.is_adaptive or theirs.is_adaptive,
        **known_of_trials([mine, theirs]),
    )


def known_of_trials(matrices: Sequence[CountTable], rows: Sequence[Indices] | None = None) -> dict[str, Any]:
    """Return the runs and the samples of the trials of several matrices, by the name of the part.

    Each is None unless it is known of all of them. The questions of each matrix go to its ``rows``, or stay where they
    are.
    """
    known: dict[str, Any] = {"runs": None, "samples": None}
    if len({each._runs is None for each in matrices}) > 1:
        warn(LOST_RUNS, RunsWarning)
    has_runs, has_samples = (all(getattr(each, f"_{part}") is not None for each in matrices) for part in known)
    if has_runs or has_samples:
        here = [np.arange(each.n_questions) for each in matrices] if rows is None else rows
        placed = [(each, each._trials_at(own)) for each, own in zip(matrices, here, strict=True)]
        if has_runs:
            known["runs"] = together((each._runs, *trials) for each, trials in placed)
        if has_samples:
            known["samples"] = samples_together((each._samples, *trials) for each, trials in placed)
    return known


def _one_prior(mine: Counts | None, theirs: Counts | None, width: int) -> Counts | None:
    if mine is None or theirs is None:
        return theirs if mine is None else mine
    if not np.array_equal(widen(mine, width), widen(theirs, width)):
        raise OutcomeError("the two matrices have different prior outcomes")
    return mine
