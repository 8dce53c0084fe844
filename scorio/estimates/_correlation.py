"""Several metrics of the same trials: their posteriors are not independent.

Under a fixed prior their covariance is known (``Metric.cov``). The correlation under the uniform prior is taken for
that under a learned one, whose deviations are its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .._arrays import Vector, read_only
from ..errors import OutcomeError
from ..metrics import Metric
from ..outcomes import OutcomeMatrix
from ._stack import Stack


def correlation_of(metrics: Sequence[Metric], models: Sequence[OutcomeMatrix], trials: Sequence[int]) -> Vector:
    """Return the correlations of the values, (L, L); those of the same number in ``trials`` are of the same trials."""
    correlation = np.eye(len(models))
    for i, j in itertools.combinations(range(len(models)), 2):
        if trials[i] == trials[j]:
            correlation[i, j] = correlation[j, i] = _correlation(metrics[i], metrics[j], models[i])
    return correlation


def _correlation(one: Metric, other: Metric, outcomes: OutcomeMatrix) -> float:
    try:
        variances = one.cov(one, outcomes), other.cov(other, outcomes)
        covariance = one.cov(other, outcomes)
    except TypeError as error:
        problem = f"{one} and {other} are of the same trials, and {error}"
        raise OutcomeError(problem, hint='target="population" needs no covariance') from None
    scale = float(np.sqrt(variances[0] * variances[1]))
    return float(np.clip(covariance / scale, -1.0, 1.0)) if scale > 0.0 else 0.0


def with_correlation(stack: Stack, correlation: Vector) -> Stack:
    """Return the values with their correlations, as effects that they share."""
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    shared = np.sqrt(stack.joint.alone)[:, None] * root
    joint = replace(stack.joint, shared=read_only(shared), alone=read_only(np.zeros(len(shared))))
    return replace(stack, joint=joint, correlation=read_only(correlation), few=None)
