"""The mean and the variance of the rewards of each question, for categories and for continuous rewards."""

from __future__ import annotations

import numpy as np

from .._arrays import Flags, Vector
from ..outcomes import OutcomeMatrix, RewardMatrix


def varies(matrix: OutcomeMatrix) -> Flags:
    if isinstance(matrix, RewardMatrix):
        return np.asarray(np.nan_to_num(matrix.variances) > 0.0)
    return np.asarray((matrix.counts > 0).sum(axis=1) > 1)


def means_of(matrix: OutcomeMatrix) -> Vector:
    """Return the mean reward of each question, NaN without trials."""
    if isinstance(matrix, RewardMatrix):
        return np.where(matrix.trials > 0, matrix.means, np.nan)
    rewards = np.array(matrix.levels or range(matrix.n_categories), np.float64)
    trials = np.where(matrix.trials > 0, matrix.trials, np.nan)
    return np.asarray(matrix.counts @ rewards / trials)


def variances_of(matrix: OutcomeMatrix) -> Vector:
    """Return the sample variance of the rewards of each question; 0 where there is one trial."""
    if isinstance(matrix, RewardMatrix):
        return np.nan_to_num(matrix.variances)
    rewards = np.array(matrix.levels or range(matrix.n_categories), np.float64)
    trials = matrix.trials
    means = np.nan_to_num(means_of(matrix))
    squares = (matrix.counts * (rewards - means[:, None]) ** 2).sum(axis=1)
    return np.asarray(squares / np.maximum(trials - 1, 1))
