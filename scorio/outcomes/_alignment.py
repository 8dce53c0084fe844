"""Matrices of the same questions: put them in one order, check that they agree, merge or align them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from .._arrays import Counts, Indices
from .._display.words import pluralize
from ..errors import OutcomeError
from ._counts import CountTable
from ._from_arrays import widen
from ._labels import Labels, label_order
from ._outcome_values import PASS_FAIL, Levels

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
        raise OutcomeError(
            f"clusters differ: {whose} has question {a} in {theirs[a]!r}, the first has it in {mine[a]!r}"
        )


def matched(mine: CountTable, other: M) -> M:
    """Return the other matrix with its questions in the order of the first, checked to be in the same clusters."""
    whose = "the other matrix"
    theirs = in_order_of(mine.questions, mine.n_questions, other, whose)
    check_clusters(mine.clusters, theirs.clusters, whose)
    return theirs


def merged(mine: M, other: M) -> M:
    """Return the trials of both."""
    theirs = matched(mine, other)
    if mine.levels != theirs.levels:
        raise OutcomeError(f"the categories mean different rewards: {mine.levels} and {theirs.levels}")
    width = max(mine.n_categories, theirs.n_categories)
    return mine._replaced(
        counts=widen(mine.counts, width) + widen(theirs.counts, width),
        planned=mine.planned_trials + theirs.planned_trials,
        prior=_one_prior(mine.prior_counts, theirs.prior_counts, width),
        questions=mine.questions or theirs.questions,
        clusters=mine.clusters or theirs.clusters,
        adaptive=mine.is_adaptive or theirs.is_adaptive,
    )


def _one_prior(mine: Counts | None, theirs: Counts | None, width: int) -> Counts | None:
    if mine is None or theirs is None:
        return theirs if mine is None else mine
    if not np.array_equal(widen(mine, width), widen(theirs, width)):
        raise OutcomeError("the two matrices have different prior outcomes")
    return mine


def aligned(matrices: Sequence[M], names: Sequence[str], questions: Labels | None, clusters: Labels | None) -> list[M]:
    """Return matrices with the same questions in one order, the same labels and clusters, and the same rewards.

    Labels and clusters that are not given are those of the first matrix that has any; matrices without labels are
    taken to be in that order. Rewards share the union of their levels.
    """
    if questions is None:
        questions = next((matrix.questions for matrix in matrices if matrix.questions is not None), None)
    count = matrices[0].n_questions if questions is None else len(questions)
    ordered = [in_order_of(questions, count, *pair) for pair in zip(matrices, names, strict=True)]
    if clusters is None:
        clusters = next((matrix.clusters for matrix in ordered if matrix.clusters is not None), None)
    for name, matrix in zip(names, ordered, strict=True):
        check_clusters(clusters, matrix.clusters, name)
    return on_one_scale([_labelled(matrix, questions, clusters) for matrix in ordered])


def _labelled(matrix: M, questions: Labels | None, clusters: Labels | None) -> M:
    if (matrix.questions, matrix.clusters) == (questions, clusters):
        return matrix
    return matrix._replaced(questions=questions, clusters=clusters)


def widened(matrices: Sequence[M], categories: int) -> list[M]:
    """Return matrices with one number of categories, at least ``categories``."""
    width = max(categories, *(matrix.n_categories for matrix in matrices))
    return [
        matrix if matrix.n_categories == width else matrix._replaced(counts=widen(matrix.counts, width))
        for matrix in matrices
    ]


def on_one_scale(matrices: list[M]) -> list[M]:
    """Return matrices of rewards with the union of their levels; pass/fail outcomes are rewards of 0 and 1."""
    if len({matrix.levels for matrix in matrices}) == 1:
        return matrices
    scales = [PASS_FAIL if matrix.levels is None else matrix.levels for matrix in matrices]
    if any(matrix.n_categories != len(scale) for matrix, scale in zip(matrices, scales, strict=True)):
        raise OutcomeError("some models have real rewards, others have categories")
    union = sorted({level for scale in scales for level in scale})
    return [_rescaled(matrix, scale, union) for matrix, scale in zip(matrices, scales, strict=True)]


def _rescaled(matrix: M, scale: Levels, union: list[float]) -> M:
    where = np.searchsorted(union, scale)

    def spread(counts: Any) -> Any:
        if counts is None:
            return None
        wide = np.zeros((matrix.n_questions, len(union)), np.int64)
        wide[:, where] = counts
        return wide

    return matrix._replaced(counts=spread(matrix.counts), prior=spread(matrix.prior_counts), levels=tuple(union))
