"""Counts of several parts merged exactly: the union of their models and questions, whatever the order of the parts.

Numbers of trials add up. Models and questions keep their order where all parts have the same, and are sorted
otherwise, so no grouping or order of the parts changes the result. Rewards that were kept are sorted within each
question before their moments are computed, so that these are the same to the last bit as well.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, cast

import numpy as np

from .._arrays import Indices
from .._display.words import shorten
from ..errors import OutcomeError
from ._alignment import on_one_scale, widened
from ._from_arrays import widen
from ._labels import Labels
from ._matrix import OutcomeMatrix
from ._reward_matrix import RewardMatrix
from ._reward_summary import RewardSummary, pooled, summarize


def in_order(lists: Sequence[Sequence[Any]]) -> list[Any]:
    """Return the union of some lists: in their order where they are equal, else sorted."""
    if all(each is lists[0] or list(each) == list(lists[0]) for each in lists):
        return list(lists[0])
    union = dict.fromkeys(item for each in lists for item in each)
    try:
        return sorted(union)
    except TypeError:
        return sorted(union, key=lambda label: (type(label).__name__, str(label)))


def first_seen(lists: Sequence[Sequence[Any]]) -> list[Any]:
    """Return the union of some lists in the order of their first places."""
    return list(dict.fromkeys(item for each in lists for item in each))


def union(
    parts: Sequence[Mapping[str, OutcomeMatrix]], *, sort: bool = True, fill_planned: bool = False
) -> dict[str, OutcomeMatrix]:
    """Return the models of all parts with the trials of all parts.

    A question that a model has in no part has no planned trials; with ``fill_planned``, as many as the question for
    which the model has most.
    """
    matrices = [matrix for part in parts for matrix in part.values()]
    arranged = in_order if sort else first_seen
    questions = _questions(matrices, arranged)
    clusters = _clusters(matrices, questions)
    if any(matrix.is_continuous for matrix in matrices):
        matrices = [matrix.as_continuous() for matrix in matrices]
    else:
        _check_same_kind(matrices)
        matrices = widened(on_one_scale(matrices), 2)
    of_model: dict[str, list[OutcomeMatrix]] = {}
    for name, matrix in zip((name for part in parts for name in part), matrices, strict=True):
        of_model.setdefault(name, []).append(matrix)
    rows_of = _Rows(questions)
    made: dict[str, OutcomeMatrix] = {}
    for name in arranged([list(part) for part in parts]):
        own = of_model[name]
        rows = [rows_of(matrix) for matrix in own]
        planned = _planned(own, rows, len(questions), fill=fill_planned)
        merged = _one_model(name, own, rows, len(questions))
        labels = questions if matrices[0].questions is not None else None
        merged._complete(planned, labels, clusters, adaptive=any(matrix.is_adaptive for matrix in own))
        made[name] = merged
    return made


def _questions(matrices: Sequence[OutcomeMatrix], arranged: Any) -> Labels:
    """Return the labels of all questions; parts without labels must have equally many questions."""
    lists = [matrix.questions for matrix in matrices]
    if all(labels is None for labels in lists):
        counts = sorted({matrix.n_questions for matrix in matrices})
        if len(counts) > 1:
            raise OutcomeError(
                f"questions without labels cannot be matched: the parts have {shorten(counts)} questions",
                hint="label the questions, as in OutcomeSet(.., questions=[..])",
            )
        return tuple(range(counts[0]))
    if any(labels is None for labels in lists):
        raise OutcomeError("some parts label their questions, others do not", hint="label the questions of all parts")
    different = list({id(labels): cast("Labels", labels) for labels in lists}.values())
    return tuple(arranged(different))


def _clusters(matrices: Sequence[OutcomeMatrix], questions: Labels) -> Labels | None:
    """Return the cluster of each question, which is the same in all parts."""
    if all(matrix.clusters is None for matrix in matrices):
        return None
    known: dict[Hashable, Hashable] = {}
    different = {(id(matrix.questions), id(matrix.clusters)): matrix for matrix in matrices}
    for matrix in different.values():
        labels = matrix.questions or range(matrix.n_questions)
        for label, cluster in zip(labels, matrix.clusters or (), strict=False):
            if known.setdefault(label, cluster) != cluster:
                raise OutcomeError(f"question {label!r} is in two clusters, {known[label]!r} and {cluster!r}")
    lost = [label for label in questions if label not in known]
    if lost:
        raise OutcomeError(f"question {lost[0]!r} is in no cluster, others are")
    return tuple(known[label] for label in questions)


def _check_same_kind(matrices: Sequence[OutcomeMatrix]) -> None:
    """Check that no part has categories without rewards where another one has rewards."""
    has_levels = any(matrix.levels is not None for matrix in matrices)
    if has_levels and any(matrix.levels is None and not matrix.is_pass_fail for matrix in matrices):
        raise OutcomeError("some parts have real rewards, others have categories")


class _Rows:
    """The row of each question of a part among all questions; found once for parts that share their labels."""

    def __init__(self, questions: Labels) -> None:
        self._questions, self._where = questions, {label: i for i, label in enumerate(questions)}
        self._known: dict[int, tuple[Labels, Indices]] = {}

    def __call__(self, matrix: OutcomeMatrix) -> Indices:
        """Return the rows of one matrix."""
        labels = self._questions if matrix.questions is None else matrix.questions
        if id(labels) not in self._known:
            rows = np.fromiter(map(self._where.__getitem__, labels), np.intp, len(labels))
            self._known[id(labels)] = labels, rows  # which keeps the labels alive, and so their id their own
        return self._known[id(labels)][1]


def _planned(own: Sequence[OutcomeMatrix], rows: Sequence[Indices], count: int, *, fill: bool) -> Any:
    planned, asked = np.zeros(count, np.int64), np.zeros(count, np.bool_)
    for matrix, here in zip(own, rows, strict=True):
        planned[here] += matrix.planned_trials
        asked[here] = True
    return np.where(asked, planned, planned.max()) if fill else planned


def _one_model(name: str, own: Sequence[OutcomeMatrix], rows: Sequence[Indices], count: int) -> OutcomeMatrix:
    if own[0].is_continuous:
        rewards = [cast("RewardMatrix", matrix) for matrix in own]
        supports = {matrix.support for matrix in rewards}
        summary = _one_summary([matrix._summary for matrix in rewards], rows, count)
        return RewardMatrix._of_table(summary, 0, None, None, None, supports.pop() if len(supports) == 1 else None)
    width = own[0].n_categories
    counts = np.zeros((count, width), np.int64)
    for matrix, here in zip(own, rows, strict=True):
        counts[here] += matrix.counts
    return OutcomeMatrix._of_table(counts, 0, _prior(name, own, rows, count), None, None, own[0].levels)


def _prior(name: str, own: Sequence[OutcomeMatrix], rows: Sequence[Indices], count: int) -> Any:
    """Return the prior outcomes, which every part with prior outcomes of a question has alike."""
    if all(matrix.prior_counts is None for matrix in own):
        return None
    width = max(matrix.prior_counts.shape[1] for matrix in own if matrix.prior_counts is not None)
    prior, known = np.zeros((count, width), np.int64), np.zeros(count, np.bool_)
    for matrix, here in zip(own, rows, strict=True):
        if matrix.prior_counts is not None:
            mine = widen(matrix.prior_counts, width)
            if (known[here] & (prior[here] != mine).any(axis=1)).any():
                raise OutcomeError(f"two parts have different prior outcomes of {name!r}")
            prior[here], known[here] = mine, True
    return prior


def _one_summary(parts: Sequence[RewardSummary], rows: Sequence[Indices], count: int) -> RewardSummary:
    """Return the summary of all trials; kept trials are sorted first, others are pooled in an order of their own."""
    spread = [_spread(part.without_values(), here, count) for part, here in zip(parts, rows, strict=True)]
    if not all(part.values is not None for part in parts):
        first, *others = sorted(spread, key=_moments) if len(spread) > 1 else spread
        return reduce(pooled, others, first)
    values = np.concatenate([cast("Any", part.values) for part in parts])
    row = np.concatenate([here[part.rows] for part, here in zip(parts, rows, strict=True)])
    order = np.lexsort((values, row))
    if len(parts) == 1:
        return replace(spread[0], values=values[order])
    return summarize(values[order], row[order], count)


def _moments(part: RewardSummary) -> bytes:
    return part.trials.tobytes() + part.mean.tobytes() + part.squares.tobytes()


def _spread(part: RewardSummary, here: Indices, count: int) -> RewardSummary:
    """Return the summary among all questions."""
    trials, (mean, squares, cubes) = np.zeros(count, np.int64), np.zeros((3, count))
    mean[:] = np.nan
    trials[here], mean[here], squares[here], cubes[here] = part.trials, part.mean, part.squares, part.cubes
    return RewardSummary(trials, mean, squares, cubes)


def total_of(parts: Iterable[Mapping[str | None, Mapping[str, OutcomeMatrix]]]) -> dict[Any, dict[str, OutcomeMatrix]]:
    """Return the union of parts task by task."""
    listed = list(parts)
    tasks = in_order([[*part] for part in listed])
    if None in tasks and len(tasks) > 1:
        raise OutcomeError("some parts have tasks, others do not")
    return {task: union([part[task] for part in listed if task in part]) for task in tasks}
