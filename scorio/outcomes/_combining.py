"""Outcomes combined: those of several models aligned, those of several tasks pooled, and those of several parts united.

A union of parts is exact. Numbers of trials add up. Models and questions keep their order where all parts have the
same, and are sorted otherwise, so no grouping or order of the parts changes the result. Rewards that were kept are
sorted within each question before their moments are computed, so that these are the same to the last bit as well.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import attrgetter
from typing import Any, cast

import numpy as np

from .._arrays import Counts, Indices
from .._display.words import shorten
from ..errors import OutcomeError
from ._from_arrays import widen
from ._labels import Labels, check_labels, check_same_clusters, in_order
from ._matrix import OutcomeMatrix
from ._outcome_values import PASS_FAIL, Levels, added_trials
from ._reward_matrix import RewardMatrix
from ._rewards import RewardSummary, summarize
from ._rewards import pooled as pooled_summary
from ._trials import together

_KIND = attrgetter("questions", "clusters", "counts.shape", "levels")  # alike where nothing needs to be lined up


def align(
    models: Mapping[str, OutcomeMatrix],
    *,
    questions: Labels | None = None,
    clusters: Labels | None = None,
    categories: int = 0,
) -> dict[str, OutcomeMatrix]:
    """Return outcomes of models on the same questions, in one order, with the same labels, clusters and rewards.

    Questions are matched by label where there are labels, and by place otherwise. Labels and clusters that are not
    given are those of the first model that has any. If one model has continuous rewards, all get them; otherwise
    rewards share the union of their levels, and all models have one number of categories, at least ``categories``.
    An error names the model that does not fit.

    >>> one = OutcomeMatrix([[0, 1], [1, 1]], questions=["a", "b"])
    >>> other = OutcomeMatrix([[0, 0], [1, 0]], questions=["b", "a"])
    >>> align({"one": one, "other": other})["other"].successes
    array([1, 0])
    """
    matrices = list(models.values())
    if questions is None and clusters is None and _are_aligned(matrices, categories):
        return dict(models)
    is_continuous = any(matrix.is_continuous for matrix in matrices)
    if is_continuous:
        matrices = [matrix.as_continuous() for matrix in matrices]
    if questions is None:
        questions = next((matrix.questions for matrix in matrices if matrix.questions is not None), None)
    count = matrices[0].n_questions if questions is None else len(questions)
    ordered = [one.in_order_of(questions, count, name) for one, name in zip(matrices, models, strict=True)]
    if clusters is None:
        clusters = next((matrix.clusters for matrix in ordered if matrix.clusters is not None), None)
    for name, matrix in zip(models, ordered, strict=True):
        check_same_clusters(clusters, matrix.clusters, name)
    lined_up = on_one_scale([matrix.labelled(questions, clusters) for matrix in ordered])
    return dict(zip(models, lined_up if is_continuous else widened(lined_up, categories), strict=True))


def _are_aligned(matrices: Sequence[OutcomeMatrix], categories: int) -> bool:
    """Return whether matrices without labels and clusters have as many questions, and the same categories."""
    first = matrices[0]
    if set(map(type, matrices)) != {type(first)} or first.is_continuous:
        return False
    if first.questions is not None or first.clusters is not None:
        return False
    return first.n_categories >= categories and len(set(map(_KIND, matrices))) == 1


def widened(matrices: Sequence[OutcomeMatrix], categories: int) -> list[OutcomeMatrix]:
    """Return matrices with one number of categories, at least ``categories``."""
    width = max(categories, *(matrix.n_categories for matrix in matrices))
    return [
        matrix
        if matrix.n_categories == width
        else matrix.replaced(counts=widen(matrix.counts, width), trial_columns=matrix.trial_columns)
        for matrix in matrices
    ]


def on_one_scale(matrices: list[OutcomeMatrix], holders: str = "models") -> list[OutcomeMatrix]:
    """Return matrices of rewards with the union of their levels; pass/fail outcomes are rewards of 0 and 1."""
    if len({matrix.levels for matrix in matrices}) == 1:
        return matrices
    scales = [PASS_FAIL if matrix.levels is None else matrix.levels for matrix in matrices]
    if any(matrix.n_categories != len(scale) for matrix, scale in zip(matrices, scales, strict=True)):
        hint = "give each category its reward, as in OutcomeMatrix.from_counts(counts, levels=[..])"
        raise OutcomeError(f"some {holders} have real rewards, others have categories", hint=hint)
    union = sorted({level for scale in scales for level in scale})
    return [_rescaled(matrix, scale, union) for matrix, scale in zip(matrices, scales, strict=True)]


def _rescaled(matrix: OutcomeMatrix, scale: Levels, union: list[float]) -> OutcomeMatrix:
    where = np.searchsorted(union, scale)

    def spread(counts: Any) -> Any:
        if counts is None:
            return None
        wide = np.zeros((matrix.n_questions, len(union)), np.int64)
        wide[:, where] = counts
        return wide

    counts, prior = spread(matrix.counts), spread(matrix.prior_counts)
    return matrix.replaced(counts=counts, prior=prior, levels=tuple(union), trial_columns=matrix.trial_columns)


def pooled(parts: Mapping[str, OutcomeMatrix]) -> OutcomeMatrix:
    """Return one model's questions of all tasks, named ``task/question``.

    >>> pooled({"a": OutcomeMatrix([[0, 1]]), "b": OutcomeMatrix([[1, 1], [0, 0]])}).counts.tolist()
    [[1, 1], [0, 2], [2, 0]]
    """
    if any(matrix.prior_counts is not None for matrix in parts.values()):
        raise OutcomeError("tasks with prior outcomes cannot be pooled: rank the suite itself, task by task")
    has_clusters = any(matrix.clusters is not None for matrix in parts.values())
    renamed: list[dict[str, OutcomeMatrix]] = []
    for task, matrix in parts.items():
        questions = tuple(f"{task}/{label}" for label in labels_of(matrix))
        clusters = tuple(f"{task}/{label}" for label in matrix.clusters or labels_of(matrix))
        # A question of a task without clusters is a cluster of its own.
        renamed.append({"": matrix.replaced(questions=questions, clusters=clusters if has_clusters else None)})
    labels = [label for told in renamed for label in told[""].questions or ()]
    check_labels(labels, len(labels), "questions", unique=True)
    return union(renamed, sort=False)[""]


def labels_of(matrix: OutcomeMatrix) -> Sequence[Hashable]:
    """Return the labels of the questions, or their numbers."""
    return matrix.questions or range(matrix.n_questions)


def united(lists: Sequence[Sequence[Any]], *, sort: bool = True) -> list[Any]:
    """Return the union of some lists: in their order where they are equal, else sorted, or by first places."""
    union = list(dict.fromkeys(item for items in lists for item in items))
    return in_order(union) if sort and any(list(items) != union for items in lists) else union


def union(
    parts: Sequence[Mapping[str, OutcomeMatrix]], *, sort: bool = True, fill_planned: bool = False
) -> dict[str, OutcomeMatrix]:
    """Return the models of all parts with the trials of all parts.

    A question that a model has in no part has no planned trials; with ``fill_planned``, as many as the question for
    which the model has most.
    """
    matrices = [matrix for part in parts for matrix in part.values()]
    questions = _all_questions(matrices, sort=sort)
    clusters = _all_clusters(matrices, questions)
    if any(matrix.is_continuous for matrix in matrices):
        matrices = [matrix.as_continuous() for matrix in matrices]
    else:
        matrices = widened(on_one_scale(matrices, "parts"), 2)
    of_model: dict[str, list[OutcomeMatrix]] = {}
    for name, matrix in zip((name for part in parts for name in part), matrices, strict=True):
        of_model.setdefault(name, []).append(matrix)
    rows_of = _Rows(questions)
    labels = questions if matrices[0].questions is not None else None
    made: dict[str, OutcomeMatrix] = {}
    for name in united([list(part) for part in parts], sort=sort):
        rows = [rows_of(matrix) for matrix in of_model[name]]
        planned = _all_planned(of_model[name], rows, questions, fill=fill_planned)
        made[name] = _one_model(name, of_model[name], rows, planned, sort=sort).labelled(labels, clusters)
    return made


def _all_questions(matrices: Sequence[OutcomeMatrix], *, sort: bool) -> Labels:
    """Return the labels of all questions; parts without labels must have equally many questions."""
    lists = [matrix.questions for matrix in matrices]
    if all(labels is None for labels in lists):
        counts = sorted({matrix.n_questions for matrix in matrices})
        if len(counts) > 1:
            problem = f"questions without labels cannot be matched: the parts have {shorten(counts)} questions"
            raise OutcomeError(problem, hint="label the questions, as in OutcomeSet(.., questions=[..])")
        return tuple(range(counts[0]))
    if any(labels is None for labels in lists):
        raise OutcomeError("some parts label their questions, others do not", hint="label the questions of all parts")
    different = list({id(labels): cast("Labels", labels) for labels in lists}.values())
    return tuple(united(different, sort=sort))


def _all_clusters(matrices: Sequence[OutcomeMatrix], questions: Labels) -> Labels | None:
    """Return the cluster of each question, which is the same in all parts."""
    if all(matrix.clusters is None for matrix in matrices):
        return None
    cluster_of: dict[Hashable, Hashable] = {}
    different = {(id(matrix.questions), id(matrix.clusters)): matrix for matrix in matrices}
    for matrix in different.values():
        for label, cluster in zip(labels_of(matrix), matrix.clusters or (), strict=False):
            if cluster_of.setdefault(label, cluster) != cluster:
                raise OutcomeError(f"question {label!r} is in two clusters, {cluster_of[label]!r} and {cluster!r}")
    lost = [label for label in questions if label not in cluster_of]
    if lost:
        problem = f"question {lost[0]!r} is in no cluster, and other questions are"
        raise OutcomeError(problem, hint="give every question its cluster")
    return tuple(cluster_of[label] for label in questions)


OutcomeMatrix._union = staticmethod(union)


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


def _all_planned(parts: Sequence[OutcomeMatrix], rows: Sequence[Indices], questions: Labels, *, fill: bool) -> Any:
    planned, asked = np.zeros(len(questions), np.int64), np.zeros(len(questions), np.bool_)
    for matrix, here in zip(parts, rows, strict=True):
        planned[here] = added_trials(planned[here], matrix.planned_trials, matrix.questions)
        asked[here] = True
    return np.where(asked, planned, planned.max()) if fill else planned


def _one_model(
    name: str, parts: Sequence[OutcomeMatrix], rows: Sequence[Indices], planned: Counts, *, sort: bool
) -> OutcomeMatrix:
    """Return the trials of a model in all parts, without labels."""
    columns, is_adaptive = together(parts, rows), any(matrix.is_adaptive for matrix in parts)
    if parts[0].is_continuous:
        rewards = [cast("RewardMatrix", matrix) for matrix in parts]
        supports = {matrix.support for matrix in rewards}
        summary = _one_summary([matrix.summary for matrix in rewards], rows, len(planned), sort=sort)
        support = supports.pop() if len(supports) == 1 else None
        return RewardMatrix.of_parts(summary, planned, None, None, None, support, is_adaptive, columns)
    counts = np.zeros((len(planned), parts[0].n_categories), np.int64)
    for matrix, here in zip(parts, rows, strict=True):
        counts[here] += matrix.counts
    prior, levels = _same_prior(name, parts, rows, len(planned)), parts[0].levels
    return OutcomeMatrix.of_parts(counts, planned, prior, None, None, levels, is_adaptive, columns)


def _same_prior(name: str, parts: Sequence[OutcomeMatrix], rows: Sequence[Indices], count: int) -> Any:
    """Return the prior outcomes, which every part with prior outcomes of a question has alike."""
    if all(matrix.prior_counts is None for matrix in parts):
        return None
    width = max(matrix.prior_counts.shape[1] for matrix in parts if matrix.prior_counts is not None)
    prior, has_prior = np.zeros((count, width), np.int64), np.zeros(count, np.bool_)
    for matrix, here in zip(parts, rows, strict=True):
        if matrix.prior_counts is not None:
            mine = widen(matrix.prior_counts, width)
            if (has_prior[here] & (prior[here] != mine).any(axis=1)).any():
                raise OutcomeError(f"two parts have different prior outcomes{f' of {name!r}' * bool(name)}")
            prior[here], has_prior[here] = mine, True
    return prior


def _one_summary(parts: Sequence[RewardSummary], rows: Sequence[Indices], count: int, *, sort: bool) -> RewardSummary:
    """Return the summary of all trials; with ``sort``, it does not depend on the order of the parts."""
    spread = [part.spread(here, count) for part, here in zip(parts, rows, strict=True)]
    if not all(part.values is not None for part in parts):
        first, *others = sorted(
            spread, key=lambda part: [numbers.tobytes() for numbers in (part.trials, part.mean, part.squares)]
        )
        return reduce(pooled_summary, others, first)
    values = np.concatenate([cast("Any", part.values) for part in parts])
    row = np.concatenate([here[part.rows] for part, here in zip(parts, rows, strict=True)])
    order = np.lexsort((values, row)) if sort else np.argsort(row, kind="stable")
    if len(parts) == 1:
        return replace(spread[0], values=values[order])
    return summarize(values[order], row[order], count)
