"""The posterior variance of every question's value, as the input of water-filling."""

from dataclasses import dataclass

import numpy as np

from .._arrays import Counts, Vector
from ..inference import LEARNED, Level, as_prior
from ..metrics import BayesMetric, ContinuousMean, Metric, PassAtK
from ..outcomes import OutcomeMatrix, RewardMatrix
from ._expected import Futures
from ._water_filling import expected_variances

_LEAST = 1e-9  # trials: the least that a posterior is worth
_FUTURES, _FEWEST_FUTURES = 12, 2  # simulated over all tasks of a model, and of each task
_RATE = PassAtK(1)
_LEVEL = Level(0.95)


@dataclass(frozen=True)
class Knowledge:
    """The metric's posterior under the learned prior: its ``mean``, its ``sigma`` and the share of each question.

    ``variance`` is the part of the metric's variance that comes from each question. ``known`` is the number of trials
    that the posterior of the question's success rate is worth. ``metric`` and ``outcomes`` are what it was made of, and
    ``level`` is that of its interval.
    """

    mean: float
    sigma: float
    variance: Vector
    known: Vector
    metric: Metric
    outcomes: OutcomeMatrix
    level: Level

    def expected(self, more: Counts, futures: int) -> float:
        """Return the posterior variance of the metric that is expected after ``more`` trials of each question.

        It is the mean over simulated futures. That every posterior narrows as if its question had a fixed variance, as
        water-filling takes it, would be too wide: the posterior of Pass@k narrows faster where it is curved, and all
        posteriors narrow as well because more trials show the prior better. Continuous rewards are taken so.
        """
        if not isinstance(self.outcomes, RewardMatrix):
            return Futures(self.metric, self.outcomes, as_prior(LEARNED), range(futures), self.level).variance(more)
        total = float(self.variance.sum())
        if total == 0.0 or not more.any():
            return self.sigma**2
        after = float(expected_variances(self.variance, self.known, more).sum())
        return self.sigma**2 * after / total


@dataclass(frozen=True)
class OverallKnowledge:
    """What is known of one model on several tasks: of the weighted sum of its scores by task."""

    parts: tuple[Knowledge, ...]
    weights: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The posterior mean of the overall score."""
        return float(sum(weight * part.mean for weight, part in zip(self.weights, self.parts, strict=True)))

    @property
    def variance(self) -> Vector:
        """The part of the overall variance that comes from each question, task after task."""
        weighted = zip(self.weights, self.parts, strict=True)
        return np.concatenate([weight**2 * part.variance for weight, part in weighted])

    @property
    def known(self) -> Vector:
        """The number of trials that the posterior of each question is worth, task after task."""
        return np.concatenate([part.known for part in self.parts])

    def expected(self, more: Counts) -> float:
        """Return the overall variance that is expected after ``more`` trials of each question."""
        futures = max(-(-_FUTURES // len(self.parts)), _FEWEST_FUTURES)
        ends = np.cumsum([len(part.known) for part in self.parts])[:-1]
        parts = zip(self.weights, self.parts, np.split(more, ends), strict=True)
        return float(sum(weight**2 * part.expected(own, futures) for weight, part, own in parts))


def knowledge(metric: Metric, outcomes: OutcomeMatrix, level: Level = _LEVEL) -> Knowledge:
    """Fit the learned prior; return the variance of every question and the number of trials its posterior is worth."""
    posterior = metric._law_of(outcomes, LEARNED, "questions")
    variance = _value_variance(metric, outcomes) / outcomes.n_questions**2
    known = np.maximum(_trials_known(metric, outcomes), _LEAST)
    return Knowledge(posterior.mean, posterior.sd, variance, known, metric, outcomes, level)


def _value_variance(metric: Metric, outcomes: OutcomeMatrix) -> Vector:
    """Return the posterior variance of each question's value; of a blend of dataset means, a first-order bound."""
    terms = None if metric._is_mean_over_questions else metric._covariance_terms(outcomes, as_prior(LEARNED))
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
    if outcomes.has_two_categories and not metric._takes_rewards:
        mean, variance = _RATE.moments(outcomes, prior=LEARNED)
        single = mean * (1.0 - mean)
    else:
        rate = BayesMetric(getattr(metric, "weights", None))
        mean, variance = rate.moments(outcomes, prior=LEARNED)
        single = _single_variance(outcomes, rate._rewards(outcomes))
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
