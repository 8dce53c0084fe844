"""The rewards of each question in three numbers, whatever kind the outcomes are."""

import numpy as np

from .._arrays import Vector
from ._matrix import OutcomeMatrix
from ._reward_matrix import RewardMatrix


def question_rewards(outcomes: OutcomeMatrix) -> tuple[Vector, Vector, Vector]:
    """Return the trials of each question, their mean reward, NaN without trials, and the sum of squared deviations.

    >>> [numbers.round(3).tolist() for numbers in question_rewards(OutcomeMatrix([[0, 1, 1, 1], [0, 0, 0, 0]]))]
    [[4.0, 4.0], [0.75, 0.0], [0.75, 0.0]]
    """
    n = outcomes.trials.astype(np.float64)
    if isinstance(outcomes, RewardMatrix):
        squares = np.where(n > 1, outcomes.variances * (n - 1.0), 0.0)
        return n, np.where(n > 0, outcomes.means, np.nan), squares
    levels = np.array(outcomes.levels or range(outcomes.n_categories), dtype=np.float64)
    mean = np.divide(outcomes.counts @ levels, n, out=np.full(len(n), np.nan), where=n > 0)
    squares = (outcomes.counts * (levels - np.nan_to_num(mean)[:, None]) ** 2).sum(axis=1)
    return n, mean, np.asarray(squares)
