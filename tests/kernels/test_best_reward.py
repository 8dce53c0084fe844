"""Max@k and weighted rates of graded outcomes against exact fractions: one question at a time, so nothing averages."""

from fractions import Fraction
from itertools import chain, repeat
from math import sqrt

import numpy as np
import pytest

from oracles import best_reward as exact, finite_scores as finite
from scorio import AvgMetric, BayesMetric, MaxAtK, OutcomeMatrix

REWARDS = {
    "rising": (0.0, 0.5, 1.0),
    "unsorted": (0.25, 0.0, 4.0, 1.0),
    "duplicates": (1.0, 0.0, 1.0, 0.0, 3.0),
    "negative": (-2.0, 1.0, -0.5),
    "far apart": (0.0, 1e-9, 1.0, 1e6),
}
WHOLE = (0.0, 1.0)


def profiles(width, trials):
    """All of one kind, all but one, and mixtures."""
    found = []
    for only in range(width):
        counts = [0] * width
        counts[only] = trials
        found.append(counts)
        found.append([count - 1 if i == only else int(i == (only + 1) % width) for i, count in enumerate(counts)])
    found.append([trials // width] * (width - 1) + [trials - trials // width * (width - 1)])
    return found


def each(counts, rewards):
    """The rewards of the trials behind the counts."""
    return list(chain.from_iterable(repeat(reward, count) for reward, count in zip(rewards, counts, strict=True)))


def close(value, truth, relative, rewards):
    """Relative to the value where no reward is negative, else to the range of the rewards."""
    scale = abs(truth) if min(rewards) >= 0 else Fraction(max(rewards)) - Fraction(min(rewards))
    assert abs(Fraction(float(value)) - truth) <= Fraction(relative) * scale, (float(value), float(truth))


def close_sd(value, variance, relative=1e-11):
    assert abs(Fraction(float(value)) ** 2 / variance - 1) <= 2 * Fraction(relative), (value, sqrt(variance))


@pytest.mark.parametrize("name", REWARDS)
@pytest.mark.parametrize(("trials", "k"), [(1, 1), (6, 1), (6, 4), (6, 6), (80, 20), (256, 64)])
def test_scores(name, trials, k):
    rewards = REWARDS[name]
    every = profiles(len(rewards), trials)
    values = MaxAtK(k, rewards).per_question(OutcomeMatrix.from_counts(every))
    for counts, value in zip(every, values, strict=True):
        truth = finite.best_of(each(counts, rewards), k)
        close(value, truth, 1e-12, rewards)
        close(MaxAtK(k, rewards).score(OutcomeMatrix.from_counts([counts])), truth, 1e-12, rewards)


def test_a_single_good_trial_in_ten_thousand():
    counts, rewards = [9999, 0, 1], (0.0, 0.5, 1e-3)
    for k in (1, 2, 1000, 9999, 10000):
        value = MaxAtK(k, rewards).score(OutcomeMatrix.from_counts([counts]))
        close(value, Fraction(1e-3) * k / 10000, 1e-12, rewards)


@pytest.mark.parametrize("name", REWARDS)
@pytest.mark.parametrize("extra", [0.01, 1.0, 1000.0])
@pytest.mark.parametrize(("trials", "k"), [(1, 2), (40, 1), (40, 7), (80, 20), (3, 60)])
def test_posterior(name, extra, trials, k):
    rewards = REWARDS[name]
    prior = (extra,) * len(rewards)
    every = profiles(len(rewards), trials)
    metric = MaxAtK(k, rewards)
    means, variances = metric.moments(OutcomeMatrix.from_counts(every), prior=prior)
    for counts, mean, variance in zip(every, means, variances, strict=True):
        truth, spread = exact.best_of(counts, rewards, prior, k)
        alone = metric.interval(OutcomeMatrix.from_counts([counts]), prior=prior, bounds=None)
        close(mean, truth, 1e-12, rewards)
        close(alone.mu, truth, 1e-12, rewards)
        close_sd(sqrt(variance), spread)
        close_sd(alone.sigma, spread)


def test_posterior_with_a_lopsided_prior_and_ragged_rows():
    rewards, prior, k = (0.5, 0.0, 2.0), (0.01, 1000.0, 3.5), 9
    every = [[0, 0, 1], [30, 2, 0], [1, 9, 5]]
    means, variances = MaxAtK(k, rewards).moments(OutcomeMatrix.from_counts(every), prior=prior)
    for counts, mean, variance in zip(every, means, variances, strict=True):
        truth, spread = exact.best_of(counts, rewards, prior, k)
        close(mean, truth, 1e-12, rewards)
        close_sd(sqrt(variance), spread)


def test_prior_outcomes_count_in_the_posterior_only():
    outcomes, before = [[0, 1, 2, 2], [1, 1, 0, 0]], [[0, 2], [1, 2]]
    rewards, k = (0.0, 0.5, 1.0), 3
    R = OutcomeMatrix(outcomes, prior=before)
    counts = [[2, 1, 3], [2, 3, 1]]
    truths = [exact.best_of(row, rewards, (1, 1, 1), k) for row in counts]
    found = MaxAtK(k, rewards).interval(R, prior="uniform")
    close(found.mu, sum(mean for mean, _ in truths) / 2, 1e-12, rewards)
    close_sd(found.sigma, sum(spread for _, spread in truths) / 4)
    assert MaxAtK(k, rewards).score(R) == MaxAtK(k, rewards).score(OutcomeMatrix(outcomes))


@pytest.mark.parametrize("name", REWARDS)
@pytest.mark.parametrize("extra", [0.01, 1.0, 1000.0])
@pytest.mark.parametrize("trials", [1, 40, 10000])
def test_linear_posterior(name, extra, trials):
    weights = REWARDS[name]
    prior = (extra,) * len(weights)
    for counts in profiles(len(weights), trials):
        truth, spread = exact.linear(counts, weights, prior)
        R = OutcomeMatrix.from_counts([counts])
        for metric in (BayesMetric(weights), MaxAtK(1, weights)):
            found = metric.interval(R, prior=prior, bounds=None)
            close(found.mu, truth, 1e-12, weights)
            close_sd(found.sigma, spread)


@pytest.mark.parametrize(
    "metric", [BayesMetric((1, 0)), AvgMetric((1, 0)), MaxAtK(1, (1, 0)), MaxAtK(3, (1, 0))], ids=str
)
def test_where_a_success_is_worth_less_small_values_keep_their_digits(metric):
    n, k, prior = 10_000, getattr(metric, "k", 1), (0.01, 0.01)
    R = OutcomeMatrix.from_counts([n - 1], n)
    found, (mean, spread) = metric.interval(R, prior=prior), exact.best_of([1, n - 1], (1, 0), prior, k)
    if isinstance(metric, AvgMetric):
        mean, spread = Fraction(1, n), spread * (1 + 2 * Fraction(prior[0]) / n) ** 2
    close(found.mu, mean, 1e-12, (1, 0))
    close_sd(found.sigma, spread)
    if not isinstance(metric, BayesMetric):
        close(metric.score(R), finite.best_of([1] + [0] * (n - 1), k), 1e-12, (1, 0))


@pytest.mark.parametrize("weight", [0.0, 0.3, 7.0])
def test_equal_rewards_are_certain(weight):
    R = OutcomeMatrix.from_counts([[3, 0, 2], [1, 1, 0]])
    for metric in (MaxAtK(2, (weight,) * 3), BayesMetric((weight,) * 3)):
        found = metric.interval(R)
        assert found.mu == weight
        assert found.sigma == 0.0


@pytest.mark.parametrize("k", [1, 1000, 100000])
def test_far_beyond_the_trials_it_stays_finite(k):
    rewards = (0.0, 0.5, 1.0)
    every = profiles(3, 10)
    means, variances = MaxAtK(k, rewards).moments(OutcomeMatrix.from_counts(every), prior=(0.01, 1.0, 0.01))
    assert (np.isfinite(means) & (means >= WHOLE[0]) & (means <= WHOLE[1])).all()
    assert (np.isfinite(variances) & (variances >= 0.0)).all()
