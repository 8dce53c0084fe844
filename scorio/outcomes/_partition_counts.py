"""The rows of one partition of a table as outcomes, and what all partitions make together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from .._arrays import Counts
from ._frame_counts import Row
from ._from_frames import Columns, _clusters, _coded, _models, _rewards, _stated_levels, _totals
from ._from_rewards import RewardTrials
from ._matrix import OutcomeMatrix
from ._outcome_set import OutcomeSet
from ._outcome_values import MOST_LEVELS, PASS_FAIL, is_continuous, scale_of
from ._saved_content import SavedContent, digest_of
from ._saved_counts import SavedCounts


def outcomes_of_rows(rows: Counter[Row], columns: Columns, levels: Mapping[Any, float]) -> OutcomeSet:
    """Return the outcomes of distinct rows with their counts; nulls are missing trials.

    A question that a model has no row of has no planned trials here. Rewards have levels unless there are more than 50,
    since fewer trials than those of the whole table do not show whether they are continuous.
    """
    counted = dict(zip(columns.counted, zip(*rows, strict=True), strict=True))
    times = np.fromiter(rows.values(), np.int64, len(rows))
    rewards = _rewards(counted[columns.outcome], _stated_levels(levels), columns.outcome)
    names, model, conditions = _models(counted, columns, len(times))
    questions, question = _coded(counted[columns.question], columns.question)
    clusters = None if columns.cluster is None else _clusters(counted, columns, questions)
    here, cells, shape = ~np.isnan(rewards), model * len(questions) + question, (len(names), len(questions))
    planned = _totals(cells, times, shape)
    trials = RewardTrials(rewards[here], cells[here], planned.size, f"column {columns.outcome!r}", times[here])
    nothing: list[Any] = [(np.zeros((len(questions), 2), np.int64), PASS_FAIL)] * len(names)
    reduced = trials.of_models(len(names), MOST_LEVELS) if here.any() else nothing
    models = {
        name: OutcomeMatrix._of_reduced(reduced[i], planned[i], questions, clusters) for i, name in enumerate(names)
    }
    return OutcomeSet._of(models, conditions)


def merged_partitions(parts: list[SavedCounts]) -> SavedCounts:
    """Return the counts of all partitions, with the levels that occur, or as continuous rewards if these are many."""
    first, *others = parts
    saved = first.merge(*others)
    outcomes = cast("OutcomeSet", saved.outcomes)
    levels = next(iter(outcomes.values())).levels
    if levels is None:
        return saved
    total: Counts = np.sum([matrix.counts.sum(axis=0) for matrix in outcomes.values()], axis=0)
    occurring = np.array(levels)[total > 0]
    if is_continuous(occurring, int(total.sum())):
        models = {name: matrix.as_continuous() for name, matrix in outcomes.items()}
    else:
        scale = scale_of(occurring, 1, "the table")
        kept = np.searchsorted(levels, scale) if set(scale) <= set(levels) else np.arange(len(levels))
        scale = tuple(np.array(levels)[kept].tolist())
        models = {name: each._replaced(counts=each.counts[:, kept], levels=scale) for name, each in outcomes.items()}
    tasks: dict[str | None, dict[str, OutcomeMatrix]] = {None: models}
    return SavedCounts._of(SavedContent(tasks, saved._content.parts, digest=digest_of(tasks)))
