"""The questions of several tasks as the questions of one."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from .._arrays import Vector
from ..errors import OutcomeError
from ._alignment import on_one_scale, widened
from ._labels import Labels
from ._matrix import OutcomeMatrix
from ._reward_matrix import RewardMatrix
from ._reward_summary import RewardSummary


def pooled(parts: Mapping[str, OutcomeMatrix]) -> OutcomeMatrix:
    """Return one model's questions of all tasks, named ``task/question``.

    >>> pooled({"a": OutcomeMatrix([[0, 1]]), "b": OutcomeMatrix([[1, 1], [0, 0]])}).counts.tolist()
    [[1, 1], [0, 2], [2, 0]]
    """
    matrices = list(parts.values())
    questions = [f"{task}/{label}" for task, each in parts.items() for label in labels_of(each)]
    clusters = _clusters(parts)
    planned = np.concatenate([each.planned_trials for each in matrices])
    adaptive = any(each.is_adaptive for each in matrices)
    if any(each.is_continuous for each in matrices):
        rewards = [each.as_continuous() for each in matrices]
        summary = _joined([each._summary for each in rewards if isinstance(each, RewardMatrix)])
        return RewardMatrix._of_table(summary, planned, None, questions, clusters, None, adaptive)
    scaled = widened(on_one_scale(matrices), 2)
    counts = np.concatenate([each.counts for each in scaled])
    if any(each.prior_counts is not None for each in scaled):
        raise OutcomeError("tasks with prior outcomes cannot be pooled: rank the suite itself, task by task")
    return OutcomeMatrix._of_table(counts, planned, None, questions, clusters, scaled[0].levels, adaptive)


def labels_of(matrix: OutcomeMatrix) -> Sequence[Hashable]:
    """Return the labels of the questions, or their numbers."""
    return matrix.questions or range(matrix.n_questions)


def _clusters(parts: Mapping[str, OutcomeMatrix]) -> Labels | None:
    """Return the cluster of each question; a question of a task without clusters is one of its own."""
    if all(each.clusters is None for each in parts.values()):
        return None
    return tuple(f"{task}/{label}" for task, each in parts.items() for label in each.clusters or labels_of(each))


def _joined(summaries: Sequence[RewardSummary]) -> RewardSummary:
    def joined(name: str) -> Vector:
        return np.concatenate([getattr(each, name) for each in summaries])

    values = joined("values") if all(each.values is not None for each in summaries) else None
    trials = np.concatenate([each.trials for each in summaries])
    return RewardSummary(trials, joined("mean"), joined("squares"), joined("cubes"), values)
