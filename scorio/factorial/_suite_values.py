r"""The values of several tasks as those of one: the weighted mean over tasks is the mean over all questions.

With ``N`` questions in all, ``n_t`` on task ``t`` of weight ``w_t``, and ``G`` and ``G_t`` clusters, a value becomes

    y' = overall + f_t (y - mean of the cell on task t),   f_t = w_t N/n_t sqrt(G_t (G - 1) / ((G_t - 1) G)).

The mean of ``y'`` in a cell is its overall score, and the variance of that mean over questions or clusters, taken as if
all were of one task, is ``sum_t w_t^2 Var_t``: tasks are fixed, and the questions of each vary around its mean. With
tasks of one size and one weight, ``f_t`` is nearly 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from .._arrays import Vector
from .._display.words import shorten
from ..errors import OutcomeError
from ._design import Design
from ._values import Values


def check_same_levels(designs: Mapping[str, Design]) -> None:
    """Check that models were run under the same levels on all tasks."""
    first, *others = designs
    for task in others:
        for name, levels in designs[first].levels.items():
            theirs = designs[task].levels.get(name, ())
            lacking = {first: set(theirs) - set(levels), task: set(levels) - set(theirs)}
            for where, absent in lacking.items():
                if absent:
                    raise OutcomeError(
                        f"task {where!r} lacks {name} {shorten(sorted(absent))}",
                        hint="leave out the task, as in suite.select(tasks=[..]), or what it lacks; nothing is imputed",
                    )
        if designs[task].levels != designs[first].levels:
            raise OutcomeError(f"tasks {first!r} and {task!r} do not have the same factors", hint="name factors=[..]")


def joined_values(parts: Sequence[Values], weights: Vector) -> Values:
    """Return the overall values of tasks with the same cells."""
    counts = np.array([len(each.value) for each in parts], dtype=np.float64)
    clusters = np.array([each.group.max() + 1.0 for each in parts])
    few = np.maximum(clusters - 1.0, 1.0)
    factor = weights * counts.sum() / counts
    factor *= np.sqrt(clusters * max(clusters.sum() - 1.0, 1.0) / (few * clusters.sum()))
    means = np.array([each.value.mean(axis=0) for each in parts])
    overall = np.tensordot(weights, means, 1)
    moved = [overall + f * (each.value - mean) for f, each, mean in zip(factor, parts, means, strict=True)]
    starts = np.concatenate([[0.0], np.cumsum(clusters)[:-1]]).astype(np.intp)
    noise = np.array([each.noise for each in parts])
    return replace(
        parts[0],
        value=np.concatenate(moved),
        noise=float((counts * factor**2) @ noise / counts.sum()),
        group=np.concatenate([each.group + start for each, start in zip(parts, starts, strict=True)]),
        down=_added([each.down for each in parts], weights),
        up=_added([each.up for each in parts], weights),
        wide_down=_added([each.wide_down for each in parts], weights),
        wide_up=_added([each.wide_up for each in parts], weights),
        support=(
            _sum([each.support[0] for each in parts], weights),
            _sum([each.support[1] for each in parts], weights),
        ),
        notes=(),
    )


def _sum(values: Sequence[float], weights: Vector) -> float:
    return float(weights @ np.array(values))


def _added(reaches: Sequence[Vector], weights: Vector) -> Vector:
    """Return how far the intervals of overall scores extend: the errors of tasks are independent."""
    return np.asarray(np.sqrt(np.tensordot(weights**2, np.array(reaches) ** 2, 1)))
