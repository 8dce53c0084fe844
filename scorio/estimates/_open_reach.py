"""How far what trials leave open reaches on both sides of models whose metric needs more trials than there are.

An interval of such a metric (``metrics/_profile``) is a law of errors and, by its share, the range of all
distributions that fit. Errors of two models are independent, and their variances add. What is left open is no error:
every value of a range is as good as any other, so the ranges of two models add as they are. From 4 times the trials on,
where only the ranges are left, models are told apart only if these do not overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._arrays import Vector, read_only
from ..metrics import LeftOpen


class OpenReach(NamedTuple):
    """The reach ``below`` and ``above`` the mean of each model, (L,) each; ``kept`` is the share of the law of errors.

    >>> open_reach([LeftOpen(0.5, (0.2, 0.8)), None], np.array([0.4, 0.3]))
    OpenReach(below=array([0.1, 0. ]), above=array([0.2, 0. ]), kept=1.0)
    """

    below: Vector
    above: Vector
    kept: float

    def variance(self, unit: float) -> Vector:
        """Return the variance of each model with which independent errors tell nothing apart that ranges do not."""
        return np.asarray(2.0 * ((self.below + self.above) / (2.0 * unit)) ** 2)


def open_reach(parts: Sequence[LeftOpen | None], mu: Vector) -> OpenReach | None:
    """Return the reach of what is left open of each model around ``mu``; None if that is nothing."""
    if not any(parts):
        return None
    share = np.array([0.0 if part is None else part.share for part in parts])
    low, high = np.array([(mean, mean) if part is None else part.ends for part, mean in zip(parts, mu, strict=True)]).T
    below, above = (np.maximum(share * side, 0.0) for side in (mu - low, high - mu))
    return OpenReach(read_only(below), read_only(above), 1.0 - float(share.min()))


def summed_reach(parts: Sequence[OpenReach | None], weights: Vector) -> OpenReach | None:
    """Return the reach of weighted sums over tasks, which may all lie at the same end; ``weights`` are (T, L)."""
    open_parts = [(weight, part) for weight, part in zip(weights, parts, strict=True) if part is not None]
    if not open_parts:
        return None
    ends = [
        np.where(weight > 0.0, (weight * part.below, weight * part.above), (-weight * part.above, -weight * part.below))
        for weight, part in open_parts
    ]
    below, above = map(read_only, np.sum(ends, axis=0))
    return OpenReach(below, above, 1.0)
