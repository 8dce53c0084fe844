"""The variance of a question's value over its trials, against exact enumeration of binomial outcomes."""

import numpy as np
import pytest
from scipy import stats

from scorio import OutcomeMatrix, RewardMatrix
from scorio.judging._trial_noise import trial_variances
from scorio.metrics import Metric


def exact(metric, n, p):
    """Mean of the estimate of the variance, and the variance of the value, over all outcomes of one question."""
    table = OutcomeMatrix.from_counts(np.arange(n + 1), n)
    value, chance = metric.per_question(table), stats.binom.pmf(np.arange(n + 1), n, p)
    return chance @ trial_variances(metric, table), chance @ value**2 - (chance @ value) ** 2


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("n", [2, 5, 8])
def test_it_is_unbiased_for_means(n, p):
    assert exact(Metric.from_string("pass@1"), n, p)[0] == pytest.approx(exact(Metric.from_string("pass@1"), n, p)[1])


@pytest.mark.parametrize("p", [0.1, 0.4, 0.9])
@pytest.mark.parametrize("name", ["pass@2", "pass@4", "pass^3", "gpass@4:tau=.5"])
def test_the_jackknife_is_not_too_small(name, p):
    estimated, true = exact(Metric.from_string(name), 8, p)
    assert true <= estimated * (1 + 1e-12)
    assert estimated < 3 * true + 1e-3


@pytest.mark.parametrize(("name", "n"), [("pass@4", 4), ("pass@1", 1), ("pass@4", 6), ("pass^4", 4)])
def test_with_few_trials_the_mean_over_questions_is_right(name, n):
    """On questions with Beta rates the learned prior is right, so the mean is that of exact enumeration."""
    rng, metric = np.random.default_rng(1), Metric.from_string(name)
    p = rng.beta(0.8, 1.2, 3000)
    R = OutcomeMatrix.from_counts(rng.binomial(n, p), n)
    value = metric.per_question(OutcomeMatrix.from_counts(np.arange(n + 1), n))
    chance = stats.binom.pmf(np.arange(n + 1), n, p[:, None])
    true = np.mean(chance @ value**2 - (chance @ value) ** 2)
    tolerance = 0.25 if n == 1 else 0.06
    assert trial_variances(metric, R).mean() == pytest.approx(true, rel=tolerance)


def test_rewards():
    rewards = np.random.default_rng(2).random((5, 4))
    found = trial_variances(Metric.from_string("avg"), RewardMatrix(rewards))
    assert found == pytest.approx(rewards.var(axis=1, ddof=1) / 4)
    levels = OutcomeMatrix.from_rewards([[0.0, 0.5, 1.0], [0.5, 0.5, 1.0]])
    by_level = trial_variances(Metric.from_string("avg"), levels)
    assert by_level == pytest.approx([0.25 / 3, np.var([0.5, 0.5, 1], ddof=1) / 3])


def test_one_trial_of_a_reward_says_nothing():
    assert np.isnan(trial_variances(Metric.from_string("avg"), OutcomeMatrix.from_rewards([[0.0], [0.5], [1.0]]))).all()
