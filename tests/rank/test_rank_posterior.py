"""Probabilities to be the best: closed forms, mpmath, an even grid, simulation."""

from itertools import permutations

import mpmath
import numpy as np
import pytest
from scipy.stats import norm

from scorio.estimates._joint import Joint, difference
from scorio.rank._rank_posterior import DRAWS, RankPosterior, best_probabilities


@pytest.mark.parametrize("sigma", [(0.03, 0.04), (1e-7, 0.2), (0.0, 0.1)])
def test_two_models_in_closed_form(sigma):
    expected = norm.cdf(0.05 / np.hypot(*sigma))
    best = best_probabilities(np.array([0.55, 0.5]), np.array(sigma))
    np.testing.assert_allclose(best, [expected, 1 - expected], rtol=1e-9)


def test_the_best_of_three_against_mpmath():
    mu, sigma = [0.5, 0.52, 0.4], [0.03, 0.01, 0.1]
    best = best_probabilities(np.array(mu), np.array(sigma))
    for i in range(3):
        others = [j for j in range(3) if j != i]

        def inside(x, i=i, others=others):
            density = mpmath.npdf(x, mu[i], sigma[i])
            return density * mpmath.fprod(mpmath.ncdf(x, mu[j], sigma[j]) for j in others)

        exact = mpmath.quad(inside, [-1, 0.2, 0.4, 0.45, 0.5, 0.52, 0.55, 0.6, 0.8, 2])
        assert best[i] == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("count", [30, 200])
def test_many_models_against_an_even_grid(count):
    random = np.random.default_rng(count)
    mu, sigma = random.normal(0.5, 0.03, count), random.uniform(0.01, 0.04, count)
    x, step = np.linspace((mu - 9 * sigma).min(), (mu + 9 * sigma).max(), 6_001, retstep=True)
    below = norm.logcdf(x[:, None], mu, sigma)
    expected = (norm.pdf(x[:, None], mu, sigma) * np.exp(below.sum(axis=1, keepdims=True) - below)).sum(axis=0) * step
    np.testing.assert_allclose(best_probabilities(mu, sigma), expected, atol=1e-12)


def test_against_simulation():
    random = np.random.default_rng(5)
    mu, sigma = random.normal(0.5, 0.05, 8), 10 ** random.uniform(-3, -1, 8)
    first = (mu + sigma * random.standard_normal((200_000, 8))).argmax(axis=1)
    seen = np.bincount(first, minlength=8) / 200_000
    np.testing.assert_allclose(best_probabilities(mu, sigma), seen, atol=5 * 0.5 / np.sqrt(200_000))


def test_a_shared_draw_of_questions_is_simulated_within_its_standard_error():
    values = np.random.default_rng(1).random((3, 12))
    joint = Joint(values.mean(axis=1), (values - 0.5) / 12, np.array([0.01, 0.05, 0.02]) ** 2, 11.0)
    found = RankPosterior(joint, 7)
    assert found.error == 0.5 / np.sqrt(DRAWS)
    for i, j in permutations(range(3), 2):
        assert found.beats[i, j] == joint.p_above(difference(i, j))
    drawn = joint.draw(100_000, np.random.default_rng(0))
    ranks = 1 + (drawn[:, None] > drawn[:, :, None]).sum(axis=2)
    np.testing.assert_allclose(found.best, (ranks == 1).mean(axis=0), atol=5 * found.error)
    np.testing.assert_allclose(found.expected, ranks.mean(axis=0), atol=5 / np.sqrt(100_000))
    assert found.best.sum() == pytest.approx(1.0, rel=1e-12)
