"""The smallest number that is enough: of trials per question, or of questions over several tasks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from .._display.progress import Progress
from ._water_filling import expected_variances, fill

MOST = 1_000_000  # no plan has more trials per question


def fewest(enough: Callable[[int], bool]) -> int | None:
    """Return the smallest number that is enough, by doubling and halving; None above ``MOST``."""
    if enough(0):
        return 0
    high = 1
    with Progress("planning"):
        while not enough(high):
            if high >= MOST:
                return None
            high = min(2 * high, MOST)
        low = high // 2
        while high - low > max(1, low // 1000):
            middle = (low + high) // 2
            low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def fewest_questions(sigma: Sequence[float], questions: Sequence[int], target: float) -> tuple[list[int], float]:
    """Return the fewest further questions of each task with which the overall sigma is ``target``, and that sigma.

    ``sigma`` is what each task adds now, with so many ``questions``; its square falls as one over their number.

    >>> more, reached = fewest_questions([0.05, 0.01], [20, 20], 0.03)
    >>> more, round(reached, 4)
    ([43, 0], 0.0299)
    """
    variance, known = np.array(sigma) ** 2, np.array(questions, dtype=np.float64)
    price = np.ones(len(variance))

    def reached(total: int) -> float:
        return math.sqrt(float(expected_variances(variance, known, fill(variance, known, price, total)).sum()))

    high = 1
    while reached(high) > target:
        high *= 2
    low = 0 if reached(0) > target else -1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) <= target else (middle, high)
    more = fill(variance, known, price, high)
    return more.tolist(), reached(high)
