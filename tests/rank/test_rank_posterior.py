"""Rank distributions: closed forms, enumeration, mpmath, simulation, and what must hold of all of them."""

from itertools import permutations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from scorio._kernels.rank_law import leave_one_out
from scorio.estimates._joint import Joint, difference, independent
from scorio.rank._rank_posterior import RankPosterior, rank_pmf

numbers = st.floats(0, 1)
models = st.lists(st.tuples(numbers, st.sampled_from([0.0, 1e-6, 0.01, 0.03, 0.2])), min_size=1, max_size=7)


def law_without(above, i):
    """How many of the other models are above, by enumeration."""
    others = [p for j, p in enumerate(above) if j != i]
    law = np.zeros(len(above))
    for flips in np.ndindex(*[2] * len(others)):
        law[sum(flips)] += np.prod([p if up else 1 - p for p, up in zip(others, flips, strict=True)])
    return law


@pytest.mark.parametrize("above", [[0.3], [0.5, 0.5], [0.1, 0.9, 0.5, 0.2], [1.0, 0.0, 0.25, 0.75], [0.999, 1e-9, 0.6]])
def test_the_kernel_counts_the_others_that_are_above(above):
    above = np.array(above)
    pmf, scratch, mass = np.zeros((len(above),) * 2), np.empty((2, len(above) + 1)), np.linspace(1, 2, len(above))
    leave_one_out(above[None], 1 - above[None], mass[None], np.arange(len(above)), 0, scratch, pmf)
    for i, p in enumerate(above):
        expected = mass[i] * law_without(above, i) if 0 < p < 1 else np.zeros(len(above))
        np.testing.assert_allclose(pmf[i], expected, rtol=1e-12, atol=1e-16)


@pytest.mark.parametrize("sigma", [(0.03, 0.04), (1e-7, 0.2), (0.0, 0.1)])
def test_two_models_in_closed_form(sigma):
    expected = norm.cdf(0.05 / np.hypot(*sigma))
    pmf = rank_pmf(np.array([0.55, 0.5]), np.array(sigma))
    np.testing.assert_allclose(pmf, [[expected, 1 - expected], [1 - expected, expected]], rtol=1e-9)


def test_the_best_of_three_against_mpmath():
    mu, sigma = [0.5, 0.52, 0.4], [0.03, 0.01, 0.1]
    pmf = rank_pmf(np.array(mu), np.array(sigma))
    for i in range(3):
        others = [j for j in range(3) if j != i]

        def inside(x, i=i, others=others):
            density = mpmath.npdf(x, mu[i], sigma[i])
            return density * mpmath.fprod(mpmath.ncdf(x, mu[j], sigma[j]) for j in others)

        exact = mpmath.quad(inside, [-1, 0.2, 0.4, 0.45, 0.5, 0.52, 0.55, 0.6, 0.8, 2])
        assert pmf[i, 0] == pytest.approx(float(exact), rel=1e-12)


def slow_pmf(mu, sigma):
    """The same integral on an even grid of nodes, with whole distributions: each is the inverse Fourier transform."""
    grid, step = np.linspace((mu - 9 * sigma).min(), (mu + 9 * sigma).max(), 12_001, retstep=True)
    omega = np.exp(2j * np.pi * np.arange(len(mu)) / len(mu))
    transforms = np.zeros((len(mu), len(mu)), complex)
    for x in np.array_split(grid, 40):  # all nodes at once would need a gigabyte
        density = norm.pdf(x[:, None], mu, sigma) * step
        factors = 1.0 + norm.sf(x[:, None], mu, sigma)[:, :, None] * (omega - 1.0)
        first = np.ones_like(factors[:, :1])
        before = np.concatenate([first, factors[:, :-1]], axis=1).cumprod(axis=1)
        after = np.concatenate([first, factors[:, :0:-1]], axis=1).cumprod(axis=1)[:, ::-1]
        transforms += np.einsum("xi,xik->ik", density, before * after)
    return np.fft.fft(transforms, axis=1).real / len(mu)


@pytest.mark.slow
@pytest.mark.parametrize("count", [30, 60])
def test_many_models_against_fourier_transforms(count):
    random = np.random.default_rng(count)
    mu, sigma = random.normal(0.5, 0.03, count), random.uniform(0.01, 0.04, count)
    np.testing.assert_allclose(rank_pmf(mu, sigma), slow_pmf(mu, sigma), atol=1e-12)


def test_against_simulation():
    random = np.random.default_rng(5)
    mu, sigma = random.normal(0.5, 0.05, 8), 10 ** random.uniform(-3, -1, 8)
    draws = mu + sigma * random.standard_normal((200_000, 8))
    ranks = (-draws).argsort(axis=1).argsort(axis=1)
    seen = np.stack([(ranks == r).mean(axis=0) for r in range(8)], axis=1)
    np.testing.assert_allclose(rank_pmf(mu, sigma), seen, atol=5 * 0.5 / np.sqrt(200_000))


def test_a_shared_draw_of_questions_is_simulated_within_its_standard_error():
    values = np.random.default_rng(1).random((3, 12))
    joint = Joint(values.mean(axis=1), (values - 0.5) / 12, np.array([0.01, 0.05, 0.02]) ** 2, 11.0)
    found = RankPosterior(joint, 40_000, 7)
    assert found.error == 0.5 / np.sqrt(40_000)
    for i, j in permutations(range(3), 2):
        assert found.beats[i, j] == joint.p_above(difference(i, j))
    above = found.beats.sum(axis=0) - 0.5
    np.testing.assert_allclose(found.expected, 1 + above, atol=4 * 2 * found.error)
    np.testing.assert_allclose(found.pmf.sum(axis=0), 1.0, rtol=1e-12)
    np.testing.assert_allclose(found.pmf.sum(axis=1), 1.0, rtol=1e-12)


@given(models)
@settings(max_examples=40)
def test_expected_ranks_are_one_and_the_chances_to_be_beaten(found):
    mu, sigma = np.array(found).T
    known = RankPosterior(independent(mu, sigma), 1, 0)
    np.testing.assert_allclose(known.beats + known.beats.T, 1.0, rtol=1e-12)
    apart = np.abs(np.subtract.outer(mu, mu)) > 1e-6  # a model without uncertainty has a hair of it in the pmf
    if (apart | np.eye(len(mu), dtype=bool)).all():
        np.testing.assert_allclose(known.expected, 0.5 + known.beats.sum(axis=0), rtol=1e-5)


def test_rank_intervals_are_quantiles():
    known = RankPosterior(independent([0.5, 0.5, 0.5, 0.9], [0.02] * 4), 1, 0)
    assert known.interval(0.95).tolist() == [[2, 4], [2, 4], [2, 4], [1, 1]]
    assert known.interval(0.2).tolist()[0] == [3, 3]
