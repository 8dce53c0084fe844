"""The score of every model on every question with an interval, for outcomes of any kind."""

from typing import Any, NamedTuple

import numpy as np

from .._arrays import Counts, Vector
from .._special import betaincinv, stdtrit
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
    columns = [_of_model(outcome, confidence) for outcome in outcomes.values()]
    arrays: list[Any] = [np.column_stack(part) for part in zip(*(column[:-2] for column in columns), strict=True)]
    least, most = (np.array([getattr(column, name) for column in columns]) for name in ("least", "most"))
    parts: list[Any] = [*arrays, float(least.min()), float(most.max())]
    return QuestionRates(*parts)


def _of_model(outcomes: OutcomeMatrix, confidence: float) -> QuestionRates:
    """Return means of outcomes; intervals are those of the Beta with the moments of the Dirichlet posterior."""
    if isinstance(outcomes, RewardMatrix):
        return _of_rewards(outcomes, confidence)
    counts, cell = np.unique(outcomes.counts, axis=0, return_inverse=True)
    levels = np.array(outcomes.levels or range(outcomes.n_categories), dtype=np.float64)
    low, high = float(levels.min()), float(levels.max())
    n, unit = counts.sum(axis=1).astype(np.float64), (levels - low) / (high - low)
    weight = counts + _JEFFREYS
    total = weight.sum(axis=1)
    mean = weight @ unit / total
    size = mean * (1.0 - mean) / ((weight @ unit**2 / total - mean**2) / (total + 1.0)) - 1.0
    a, b = mean * size, (1.0 - mean) * size
    rates = np.divide(counts @ unit, n, out=np.full(len(n), np.nan), where=n > 0)
    lo, hi = (betaincinv(a, b, (1.0 + side * confidence) / 2.0) for side in (-1.0, 1.0))
    if outcomes.is_pass_fail:
        lo, hi = np.where(rates > 0.0, lo, 0.0), np.where(rates < 1.0, hi, 1.0)
    apart = _disagreement(counts, a, b) if outcomes.is_pass_fail else [np.full(len(n), np.nan)] * 3
    scaled = (low + (high - low) * values for values in (rates, lo, hi))
    columns: list[Any] = [*(values[cell] for values in (n, *scaled, *apart)), low, high]
    return QuestionRates(*columns)


def _disagreement(counts: Counts, a: Vector, b: Vector) -> list[Vector]:
    """Return the posterior mean and variance of ``2 p (1 - p)``, and its unbiased estimate."""
    total = a + b
    mean = 2.0 * a * b / (total * (total + 1.0))
    square = 4.0 * a * (a + 1.0) * b * (b + 1.0) / (total * (total + 1.0) * (total + 2.0) * (total + 3.0))
    n = counts.sum(axis=1)
    pairs = n * (n - 1.0)
    observed = np.divide(2.0 * counts[:, 0] * counts[:, 1], pairs, out=np.full(len(n), np.nan), where=pairs > 0)
    return [mean, square - mean**2, observed]


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
