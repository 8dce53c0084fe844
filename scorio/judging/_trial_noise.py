"""How much the value of a question varies over repetitions of its trials.

A draw of ``k`` trials out of ``N`` gives an unbiased value, whose variance is estimated in one of three ways:

- continuous rewards: as ``QuestionMeans`` does;
- at least ``2 k`` trials: the jackknife ``(N-1)/N sum_t (Y_without_t - mean)^2``, which is exact for means and too
  large rather than too small for others (Efron and Stein 1981);
- binary outcomes with fewer trials: under the learned prior, the variance that repeated trials are predicted to have,
  less the posterior variance of the true value.

Elsewhere it is unknown (NaN).
"""

import numpy as np

from .._base.arrays import Vector
from .._base.special import beta_binomial
from .._base.words import pluralize
from ..errors import OutcomeError
from ..inference._prior import beta_priors, learn
from ..metrics import AvgMetric, BayesMetric, Metric
from ..metrics._checks import warn_of_biased_score
from ..metrics._reward_metrics import Categorical
from ..outcomes import OutcomeMatrix, RewardMatrix


def check_metric(metric: Metric) -> None:
    """Check that the score is the mean of a value per question, and warn if it has a bias."""
    if not metric.is_mean_over_questions:
        problem = f"{metric} is not a mean over questions, so a judge's error on it is not one either"
        raise OutcomeError(problem, hint="use a metric with a value per question, such as pass@1, pass@4 or avg")
    warn_of_biased_score(metric)


def question_values(metric: Metric, outcomes: OutcomeMatrix) -> Vector:
    """Return the value of each question without any prior: that of Bayes@N is the mean reward."""
    if isinstance(metric, BayesMetric):
        metric = AvgMetric(metric.weights)
    if outcomes.min_trials < metric.required_trials:
        raise OutcomeError(
            f"{metric} needs {pluralize(metric.required_trials, 'trial')} of every question, and the fewest is "
            f"{outcomes.min_trials}",
            hint="choose a smaller k, or leave out the questions with fewer trials",
        )
    return metric.per_question(outcomes)


def trial_variances(metric: Metric, outcomes: OutcomeMatrix) -> Vector:
    """Return the variance of each question's value over repetitions of its trials, NaN where it cannot be told."""
    if isinstance(outcomes, RewardMatrix) and isinstance(metric, Categorical):
        return metric.continuous_mean(outcomes).estimates.variance
    required = max(metric.required_trials, metric.draw_size or 1)
    if outcomes.min_trials >= max(2 * required, 2):
        return _jackknife(metric, outcomes)
    if outcomes.has_two_categories and not metric.takes_rewards:
        return _predicted(metric, outcomes.without_rewards)
    if outcomes.min_trials > required:
        return _jackknife(metric, outcomes)
    return np.full(outcomes.n_questions, np.nan)


def _jackknife(metric: Metric, outcomes: OutcomeMatrix) -> Vector:
    """Return the jackknife variance: each trial is left out once, those of one category together."""
    counts = outcomes.counts
    left_out = np.empty(counts.shape)
    for category in range(counts.shape[1]):
        fewer = counts.copy()
        fewer[:, category] -= counts[:, category] > 0
        left_out[:, category] = question_values(metric, outcomes.replaced(counts=fewer, planned=fewer.sum(axis=1)))
    trials = counts.sum(axis=1)
    mean = np.sum(counts * left_out, axis=1) / trials
    squares = np.sum(counts * (left_out - mean[:, None]) ** 2, axis=1)
    return np.asarray((trials - 1) / trials * squares)


def _predicted(metric: Metric, outcomes: OutcomeMatrix) -> Vector:
    """Return the expected variance over repeated trials, given the outcomes of all questions."""
    prior = learn(outcomes.states, point_masses=False, grid=False)
    successes, trials = outcomes.successes, outcomes.trials
    expected = np.zeros(len(trials))
    for n in np.unique(trials):
        here = np.flatnonzero(trials == n)
        table = OutcomeMatrix.from_counts(np.arange(n + 1), int(n))
        worth = question_values(metric, table)
        for weight, (a, b) in zip(prior.weight, beta_priors(prior), strict=True):
            drawn = np.arange(n + 1)
            chance = beta_binomial(drawn, n, (a + drawn)[:, None], (b + n - drawn)[:, None])
            mean = chance @ worth
            after = chance @ worth**2 - mean**2 - metric.moments(table, prior=(a, b)).variance
            expected[here] += weight * np.maximum(after, 0.0)[successes[here]]
    return np.asarray(expected / prior.weight.sum())
