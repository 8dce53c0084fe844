"""How well the trials show their own variance: degrees of freedom.

The interval of one difference includes that the variance of its trials is estimated. The largest of many differences
lies far out, where it matters more. With ``v_q`` the variance of the mean of question ``q`` that its trials show, the
sum over ``M`` questions has a relative variance of at most ``c^2 / M``, where ``c`` is the coefficient of variation of
the ``v_q`` (at most, because true variances differ between questions too). A sum of squares with ``d`` degrees of
freedom has ``2 / d``, so ``d = 2 M / c^2``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .._arrays import Vector, read_only
from ..outcomes import OutcomeMatrix


def variance_degrees(models: Sequence[OutcomeMatrix]) -> Vector:
    """Return the degrees of freedom of the variance of each model's trials; infinite where nothing shows them.

    >>> variance_degrees([OutcomeMatrix([[0, 1], [1, 0], [1, 1], [0, 0]])])
    array([6.])
    """
    return read_only(np.array([_degrees(each) for each in models]))


def _degrees(outcomes: OutcomeMatrix) -> float:
    if outcomes.is_continuous:
        return math.inf  # their intervals are Student's
    counts = outcomes.counts[outcomes.trials > 1].astype(np.float64)
    if not len(counts):
        return math.inf
    trials = counts.sum(axis=1)
    shown = (trials**2 - (counts**2).sum(axis=1)) / (trials**2 * (trials - 1.0))
    spread = float(shown.var(ddof=1)) if len(shown) > 1 else 0.0
    return 2.0 * len(shown) * float(shown.mean()) ** 2 / spread if spread > 0.0 else math.inf
