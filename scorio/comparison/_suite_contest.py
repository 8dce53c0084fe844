"""Models whose overall differences on several tasks are wanted, at one confidence level or at one of many looks.

Let ``n_t`` be the trials per question of task ``t``, and ``v_t / n_t`` the variance of its weighted part. The
information about the overall score is ``1 / sum(v_t / n_t)``. The covariance of the estimate at a look with every
later one is the variance of the later one, in whatever order the tasks get their trials. So the boundary of one task
holds for the sum if it is taken at the number of trials ``n`` of every task that would give this information. It lies
between the fewest and the most trials of any task: the boundary is the wider one of both ends, because between them
it falls, or falls and then rises.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._arrays import Vector
from ..inference import Looks
from ..inference._prior import PriorLike
from ..outcomes import OutcomeMatrix
from ._contest import Contest
from ._differences import Differences
from ._overall import OverallDifferences, overall_differences, pull, pulls

Span = tuple[float, float]  # the fewest and the most trials per question


def tail_of(looks: Looks, span: Span, alpha: float | None = None) -> float:
    """Return the two-sided tail probability at a look where tasks or models differ in their trials.

    >>> looks = Looks(budget=64)
    >>> tail_of(looks, (4, 16)) == looks.tail(4)
    True
    """
    return min(looks.tail(n, alpha) for n in dict.fromkeys(span))


def span_of(matrices: Sequence[OutcomeMatrix]) -> Span:
    """Return the fewest and the most mean trials per question."""
    trials = [float(each.mean_trials) for each in matrices]
    return min(trials), max(trials)


@dataclass(frozen=True)
class SuiteContest:
    """Models on several tasks, which have these ``weights``."""

    tasks: Sequence[Contest]
    weights: Vector
    prior: PriorLike

    @property
    def spans(self) -> Vector:
        """The fewest and the most trials per question of each two models on any task, (L, L, 2)."""
        trials = np.array([[each.mean_trials for each in task.models] for task in self.tasks], dtype=np.float64)
        fewest, most = trials.min(axis=0), trials.max(axis=0)
        return np.stack([np.minimum.outer(fewest, fewest), np.maximum.outer(most, most)], axis=-1)

    def differences(self, confidence: float, error: float | None = None) -> OverallDifferences:
        """Return the differences of overall scores; ``error`` is the probability of both tails at one of many looks."""
        return self.summed([task.differences(confidence, error) for task in self.tasks])

    def summed(self, parts: Sequence[Differences]) -> OverallDifferences:
        """Return the differences of overall scores from those on each task."""
        moved = [
            pulls(task.metric, task.models, part.joint.mu, self.prior)
            for task, part in zip(self.tasks, parts, strict=True)
        ]
        return overall_differences(parts, self.weights, pull(np.array(moved), self.weights))
