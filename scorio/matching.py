"""Matrices of the same questions: put in one order, checked to mean the same, merged or lined up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import labels
from .errors import OutcomeError
from .intake import Counts, widen
from .words import amount

if TYPE_CHECKING:
    from .labels import Labels
    from .outcomes import OutcomeMatrix


def rearranged(matrix: OutcomeMatrix, order: NDArray[np.intp] | None) -> OutcomeMatrix:
    """The questions at these positions; the matrix itself for None."""
    if order is None:
        return matrix
    return matrix.replaced(
        counts=matrix.counts[order],
        planned=matrix.planned_trials[order],
        prior=None if matrix.prior_counts is None else matrix.prior_counts[order],
        questions=_taken(matrix.questions, order),
        clusters=_taken(matrix.clusters, order),
    )


def _taken(given: Labels | None, order: NDArray[np.intp]) -> Labels | None:
    return None if given is None else tuple(given[i] for i in order)


def in_order_of(questions: Labels | None, count: int, matrix: OutcomeMatrix, whose: str) -> OutcomeMatrix:
    """The matrix with its questions in a given order: by label where there are labels on both sides."""
    if questions is not None and matrix.questions is not None:
        return rearranged(matrix, labels.order(questions, matrix.questions, whose))
    if matrix.n_questions != count:
        raise OutcomeError(f"{whose} has {amount(matrix.n_questions, 'question')} where the first has {count}")
    return matrix


def demand_clusters(mine: Labels | None, theirs: Labels | None, whose: str) -> None:
    """Check that no question is in two clusters."""
    if mine is not None and theirs is not None and mine != theirs:
        a = next(a for a in range(len(mine)) if mine[a] != theirs[a])
        raise OutcomeError(
            f"clusters differ: {whose} has question {a} in {theirs[a]!r}, the first has it in {mine[a]!r}"
        )


def merged(mine: OutcomeMatrix, other: OutcomeMatrix) -> OutcomeMatrix:
    """The trials of both."""
    whose = "the other matrix"
    theirs = in_order_of(mine.questions, mine.n_questions, other, whose)
    demand_clusters(mine.clusters, theirs.clusters, whose)
    if mine.levels != theirs.levels:
        raise OutcomeError(f"the categories mean different rewards: {mine.levels} and {theirs.levels}")
    width = max(mine.n_categories, theirs.n_categories)
    return mine.replaced(
        counts=widen(mine.counts, width) + widen(theirs.counts, width),
        planned=mine.planned_trials + theirs.planned_trials,
        prior=_one_prior(mine.prior_counts, theirs.prior_counts, width),
        questions=mine.questions or theirs.questions,
        clusters=mine.clusters or theirs.clusters,
    )


def _one_prior(mine: Counts | None, theirs: Counts | None, width: int) -> Counts | None:
    if mine is None or theirs is None:
        return theirs if mine is None else mine
    if not np.array_equal(widen(mine, width), widen(theirs, width)):
        raise OutcomeError("the two matrices have different prior outcomes")
    return mine


def aligned(
    matrices: Sequence[OutcomeMatrix], names: Sequence[str], questions: Labels | None, clusters: Labels | None
) -> list[OutcomeMatrix]:
    """Matrices with the same questions in one order, the same labels and clusters, and the same rewards.

    Labels and clusters that are not given are those of the first matrix that has any; matrices without labels are
    taken to be in that order. Rewards share the union of their levels.
    """
    if questions is None:
        questions = next((matrix.questions for matrix in matrices if matrix.questions is not None), None)
    count = matrices[0].n_questions if questions is None else len(questions)
    found = [in_order_of(questions, count, *pair) for pair in zip(matrices, names, strict=True)]
    if clusters is None:
        clusters = next((matrix.clusters for matrix in found if matrix.clusters is not None), None)
    for name, matrix in zip(names, found, strict=True):
        demand_clusters(clusters, matrix.clusters, name)
    return _on_one_scale([_labelled(matrix, questions, clusters) for matrix in found])


def _labelled(matrix: OutcomeMatrix, questions: Labels | None, clusters: Labels | None) -> OutcomeMatrix:
    if (matrix.questions, matrix.clusters) == (questions, clusters):
        return matrix
    return matrix.replaced(questions=questions, clusters=clusters)


def widened(matrices: Sequence[OutcomeMatrix], categories: int) -> list[OutcomeMatrix]:
    """Matrices with one number of categories, at least ``categories``."""
    width = max(categories, *(matrix.n_categories for matrix in matrices))
    return [
        matrix if matrix.n_categories == width else matrix.replaced(counts=widen(matrix.counts, width))
        for matrix in matrices
    ]


def _on_one_scale(matrices: list[OutcomeMatrix]) -> list[OutcomeMatrix]:
    """Matrices of rewards with the union of their levels."""
    scales = {matrix.levels for matrix in matrices}
    if len(scales) == 1:
        return matrices
    if None in scales:
        raise OutcomeError("some models have real rewards, others have categories")
    union = sorted({level for scale in scales if scale for level in scale})
    return [_rescaled(matrix, union) for matrix in matrices]


def _rescaled(matrix: OutcomeMatrix, union: list[float]) -> OutcomeMatrix:
    where = np.searchsorted(union, np.asarray(matrix.levels))

    def spread(counts: Any) -> Any:
        if counts is None:
            return None
        wide = np.zeros((matrix.n_questions, len(union)), np.int64)
        wide[:, where] = counts
        return wide

    return matrix.replaced(counts=spread(matrix.counts), prior=spread(matrix.prior_counts), levels=tuple(union))
