"""The score of every model on every question with an interval, for outcomes of any kind."""

from typing import Any, NamedTuple

import numpy as np

from .._arrays import Vector
from .._special import betaincinv, stdtrit
from ..errors import OutcomeError
from ..outcomes import OutcomeMatrix, OutcomeSet, RewardMatrix

_JEFFREYS = 0.5


class QuestionRates(NamedTuple):
    """Arrays (questions, models): trials, mean outcomes, their intervals; and how often two trials disagree.

    ``disagreement`` is the posterior mean of ``2 p (1 - p)``, with its variance, and ``observed`` its unbiased
    estimate; all are NaN for rewards. ``least`` and ``most`` are the smallest and the largest possible outcome, NaN
    if unknown.
    """

    trials: Vector
    rates: Vector
    lo: Vector
    hi: Vector
    disagreement: Vector
    disagreement_variance: Vector
    observed: Vector
    least: float
    most: float


def question_rates(outcomes: OutcomeSet, confidence: float) -> QuestionRates:
    """Return the score of each model on each question: of its trials alone, without a prior from other questions.

    Intervals of success rates are those of Jeffreys' prior; they end at 0 without a success, at 1 without a failure.

    >>> rates = question_rates(OutcomeSet({"a": [[0, 1, 1, 0], [1, 1, 1, 1]]}), 0.95)
    >>> rates.rates[:, 0], rates.lo[:, 0].round(3), rates.hi[:, 0].round(3)
    (array([0.5, 1. ]), array([0.123, 0.555]), array([0.877, 1.   ]))
    """
    columns = [_of_model(each, confidence) for each in outcomes.values()]
    arrays: list[Any] = [np.column_stack(part) for part in zip(*(each[:-2] for each in columns), strict=True)]
    least, most = (np.array([getattr(each, name) for each in columns]) for name in ("least", "most"))
    parts: list[Any] = [*arrays, float(least.min()), float(most.max())]
    return QuestionRates(*parts)


def _of_model(outcomes: OutcomeMatrix, confidence: float) -> QuestionRates:
    if isinstance(outcomes, RewardMatrix):
        return _of_rewards(outcomes, confidence)
    if not outcomes.is_pass_fail:
        return _of_levels(outcomes, confidence)
    n, s = outcomes.trials.astype(np.float64), outcomes.successes.astype(np.float64)
    states, cell = np.unique(np.column_stack([s, n - s]), axis=0, return_inverse=True)
    a, b = states.T + _JEFFREYS
    lo = np.where(states[:, 0] > 0, betaincinv(a, b, (1.0 - confidence) / 2.0), 0.0)[cell]
    hi = np.where(states[:, 1] > 0, betaincinv(a, b, (1.0 + confidence) / 2.0), 1.0)[cell]
    total = a + b
    mean = 2.0 * a * b / (total * (total + 1.0))
    square = 4.0 * a * (a + 1.0) * b * (b + 1.0) / (total * (total + 1.0) * (total + 2.0) * (total + 3.0))
    has, pairs = n > 0, n * (n - 1.0)
    observed = np.divide(2.0 * s * (n - s), pairs, out=np.full(len(n), np.nan), where=pairs > 0)
    rates = np.divide(s, n, out=np.full(len(n), np.nan), where=has)
    return QuestionRates(n, rates, lo, hi, mean[cell], (square - mean**2)[cell], observed, 0.0, 1.0)


def _of_levels(outcomes: OutcomeMatrix, confidence: float) -> QuestionRates:
    """Return means of rewards; their intervals are those of the Beta with the moments of the Dirichlet posterior."""
    levels = np.array(outcomes.levels or range(outcomes.n_categories), dtype=np.float64)
    low, high = float(levels.min()), float(levels.max())
    n = outcomes.trials.astype(np.float64)
    unit = (levels - low) / (high - low)
    weight = outcomes.counts + _JEFFREYS
    total = weight.sum(axis=1)
    mean = weight @ unit / total
    variance = (weight @ unit**2 / total - mean**2) / (total + 1.0)
    size = mean * (1.0 - mean) / variance - 1.0
    ends = [betaincinv(mean * size, (1.0 - mean) * size, (1.0 + side * confidence) / 2.0) for side in (-1.0, 1.0)]
    rates = np.divide(outcomes.counts @ levels, n, out=np.full(len(n), np.nan), where=n > 0)
    unknown = np.full(len(n), np.nan)
    lo, hi = (low + (high - low) * end for end in ends)
    return QuestionRates(n, rates, lo, hi, unknown, unknown, unknown, low, high)


def _of_rewards(outcomes: RewardMatrix, confidence: float) -> QuestionRates:
    """Return means of continuous rewards, with Student's intervals; unknown for fewer than two trials."""
    n = outcomes.trials.astype(np.float64)
    several = n > 1
    reach = stdtrit(np.maximum(n - 1.0, 1.0), (1.0 + confidence) / 2.0)
    width = np.where(several, reach * np.sqrt(np.where(several, outcomes.variances, 0.0) / np.maximum(n, 1.0)), np.nan)
    rates = np.where(n > 0, outcomes.means, np.nan)
    unknown = np.full(len(n), np.nan)
    low, high = outcomes.support or (np.nan, np.nan)
    return QuestionRates(n, rates, rates - width, rates + width, unknown, unknown, unknown, low, high)


def check_questions(outcomes: OutcomeSet) -> None:
    """Check that there are several questions, without which there is nothing to tell apart."""
    if outcomes.n_questions < 2:
        raise OutcomeError("a table of questions needs at least two questions")
