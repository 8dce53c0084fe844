"""What is known of each model, question by question: the input of water-filling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._arrays import Counts, Vector
from ..inference import LEARNED, Level, as_prior
from ..metrics import BayesMetric, ContinuousMean, Metric, PassAtK
from ..outcomes import OutcomeMatrix, RewardMatrix
from ._entrants import TaskPart
from ._expected import Futures
from ._water_filling import expected_variances

_LEAST = 1e-9  # trials: the least that a posterior is worth
_FUTURES, _FEWEST_FUTURES = 12, 2  # simulated over all tasks of a model, and of each task
_RATE = PassAtK(1)


@dataclass(frozen=True)
class Knowledge:
    """The posterior of one model's score under the learned prior, the weighted sum over its tasks.

    ``variance`` is the part of the variance of the score that comes from each question, task after task, and ``known``
    the number of trials that the posterior of the question's success rate is worth. ``level`` is that of the interval.
    """

    parts: Sequence[TaskPart]
    mean: float
    variance: Vector
    known: Vector
    level: Level

    @classmethod
    def of(cls, parts: Sequence[TaskPart], level: Level) -> Knowledge:
        """Fit the learned prior on every task."""
        means = [part.weight * part.metric.law_of(part.outcomes, LEARNED, "questions").mean for part in parts]
        variances = [
            (part.weight / part.outcomes.n_questions) ** 2 * _value_variance(part.metric, part.outcomes)
            for part in parts
        ]
        known = [np.maximum(_trials_known(part.metric, part.outcomes), _LEAST) for part in parts]
        return cls(parts, float(sum(means)), np.concatenate(variances), np.concatenate(known), level)

    def expected(self, more: Counts) -> float:
        """Return the variance of the score that is expected after ``more`` trials of each question.

        It is the mean over simulated futures. That every posterior narrows as if its question had a fixed variance, as
        water-filling takes it, would be too wide: the posterior of Pass@k narrows faster where it is curved, and all
        posteriors narrow as well because more trials show the prior better. Continuous rewards are taken so.
        """
        futures = range(max(-(-_FUTURES // len(self.parts)), _FEWEST_FUTURES))
        ends = np.cumsum([part.outcomes.n_questions for part in self.parts])[:-1]
        of_tasks = zip(
            self.parts, *(np.split(values, ends) for values in (more, self.variance, self.known)), strict=True
        )
        total = 0.0
        for part, trials, variance, known in of_tasks:
            if isinstance(part.outcomes, RewardMatrix):
                share = expected_variances(variance, known, trials).sum() / variance.sum() if variance.any() else 1.0
                after = float(share) * part.metric.law_of(part.outcomes, LEARNED, "questions").sd ** 2
            else:
                future = Futures(part.metric, part.outcomes, as_prior(LEARNED), futures, self.level)
                after = future.variance(trials)
            total += part.weight**2 * after
        return total


def _value_variance(metric: Metric, outcomes: OutcomeMatrix) -> Vector:
    """Return the posterior variance of each question's value; of a blend of dataset means, a first-order bound."""
    terms = None if metric.is_mean_over_questions else metric.covariance_terms(outcomes, as_prior(LEARNED))
    if terms is None:
        return metric.moments(outcomes, prior=LEARNED).variance
    spreads = [np.abs(gain) * np.sqrt(part.moments(outcomes, prior=LEARNED).variance) for gain, part in terms]
    return np.asarray(np.sum(spreads, axis=0) ** 2)


def _trials_known(metric: Metric, outcomes: OutcomeMatrix) -> Vector:
    """Return the number ``T`` of trials for which ``s**2 / (T + 1)`` is the posterior variance of the mean reward.

    ``s**2`` is the variance of a single trial: for binary outcomes ``m (1 - m)`` with ``m`` the posterior mean.
    Continuous rewards have their own trials, and as many as the spread between questions is worth.
    """
    if isinstance(outcomes, RewardMatrix):
        spread = ContinuousMean(outcomes, 1, learned=True).means.spread
        shared = spread.within / spread.between if spread.between > 0.0 else np.inf
        return np.asarray(outcomes.trials + shared, dtype=np.float64)
    if outcomes.has_two_categories and not metric.takes_rewards:
        mean, variance = _RATE.moments(outcomes, prior=LEARNED)
        single = mean * (1.0 - mean)
    else:
        rate = BayesMetric(getattr(metric, "weights", None))
        mean, variance = rate.moments(outcomes, prior=LEARNED)
        single = _single_variance(outcomes, rate.rewards_of(outcomes))
    return np.divide(single, variance, out=np.full_like(single, np.inf), where=variance > 0.0) - 1.0


def _single_variance(outcomes: OutcomeMatrix, rewards: Vector) -> Vector:
    """Return the variance of one trial's reward, from a question's counts plus one trial at the pooled rates."""
    width = min(outcomes.n_categories, len(rewards))
    counts, levels = outcomes.with_prior_counts.counts[:, :width], rewards[:width]
    total = counts.sum(axis=0)
    rates = counts + total / total.sum()
    rates /= rates.sum(axis=1, keepdims=True)
    mean = rates @ levels
    return np.asarray(rates @ levels**2 - mean**2)
