"""The influence of a continuous reward on a question's value: the reward itself, or what it adds to the best of k."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._arrays import Vector
from ..outcomes import RewardMatrix

if TYPE_CHECKING:
    from ._base import Metric


def influence_of_rewards(metric: Metric, rewards: RewardMatrix) -> Vector:
    """Return the influence of every trial, in the order of questions and of rewards within them.

    With ``F`` the distribution of a question's rewards, the expected best of ``k`` has the derivative
    ``k F(x)^(k-1)`` with respect to a reward that moves past ``x``.

    >>> from scorio import MaxAtK
    >>> influence_of_rewards(MaxAtK(2), RewardMatrix([[0.1, 0.2, 0.4]])).round(4).tolist()
    [0.0, 0.0667, 0.3333]
    """
    values, k = rewards.ordered, metric.draw_size or 1
    if k == 1:
        return values
    n = rewards.trials
    first = np.repeat(np.cumsum(n) - n, n)
    place = np.arange(len(values)) - first
    below = place / np.repeat(np.maximum(n, 1), n)
    steps = k * below ** (k - 1) * np.diff(values, prepend=values[:1])
    steps[place == 0] = 0.0
    total = np.cumsum(steps)
    return np.asarray(total - total[first])
