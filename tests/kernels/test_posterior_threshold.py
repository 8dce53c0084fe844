"""Moments of thresholds and excesses, and the covariance of an excess with Pass@k, against exact second moments."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.states import edges, fill, posterior, states_of
from oracles.posterior import (
    PRECISION,
    above,
    at_least,
    covariance,
    mean_power,
    moments,
    relative_error,
)
from scorio._kernels import posterior_threshold

PRIORS = [(1, 1), (0.01, 0.01), (1000, 1000), (0.01, 1000), (1000, 0.01), (2.5, 0.1)]
SMALL = [(n, k) for n in (1, 2, 5) for k in (1, 2, 3, 5)] + [(6, 12), (30, 20)]
LARGE = [
    (80, 80, (1, 30, 79), (1, 1)),
    (3, 300, (1, 150, 300), (0.01, 0.01)),
    (64, 200, (2, 100, 199), (2.5, 0.1)),
    (256, 64, (16, 32, 33), (0.01, 0.01)),
    (256, 64, (5, 33), (1000, 0.01)),
    (2000, 500, (50, 250), (1, 1)),
    (10_000, 100, (10, 50), (0.01, 1000)),
    (10_000, 1000, (500,), (1, 1)),
    (1_000_000, 300, (150,), (1, 1)),
]
EPSILON = 1e-12


def fill_cov(states, k, j0, a0, b0):
    out = np.full(states.n_states, np.nan)
    posterior_threshold.any_success_excess_cov(states, k, j0, a0, b0, out)
    return out


def assert_moments(found, true_mean, true_sd):
    for value, truth, bar, floor in zip(
        found, (true_mean, true_sd), (EPSILON, 10 * EPSILON), (1e-290, 1e-140), strict=True
    ):
        if truth >= floor:
            assert relative_error(value, truth) <= bar
        else:
            assert 0 <= value <= 2 * floor


def assert_covariance(found, k, j0, a, b):
    """To 1e-11 of itself where budgets are not short; what is not asked for otherwise is at least not negative."""
    truth = covariance(at_least(k, 1), above(k, j0), a, b)
    with mpmath.workprec(PRECISION):
        assert found >= 0
        if a + b <= 64 * k:
            assert abs(mpmath.mpf(found) - truth) <= 1e-11 * truth + mpmath.mpf("1e-280")


def assert_state(c, n, k, hits, prior):
    a, b = posterior(c, n, prior)
    one = states_of([c], n)
    for j0 in hits:
        found = fill(posterior_threshold.threshold, one, k, j0, *prior)
        assert_moments([x[0] for x in found], *moments(at_least(k, j0), a, b))
        if j0 < k:
            found = fill(posterior_threshold.excess, one, k, j0, *prior)
            assert_moments([x[0] for x in found], *moments(above(k, j0), a, b))
            assert_covariance(fill_cov(one, k, j0, *prior)[0], k, j0, a, b)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(("n", "k"), SMALL)
def test_single_states(n, k, prior):
    hits = range(1, k + 1) if k < 6 else sorted({1, 2, k // 2, k // 2 + 1, k - 1, k})
    for c in edges(n):
        assert_state(c, n, k, hits, prior)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "k", "hits", "prior"), LARGE)
def test_large_single_states(n, k, hits, prior):
    for c in edges(n) if k < 400 else (0, n // 2, n - 1):
        assert_state(c, n, k, hits, prior)


@pytest.mark.parametrize(
    ("n", "k", "c"), [(300, 24, range(301)), (4000, 40, range(1500, 2500)), (900, 60, range(0, 901, 7))]
)
def test_walks_along_the_states(n, k, c):
    """What is carried from state to state stays exact, with and without gaps."""
    j0, prior = k // 2, (1, 0.5)
    states = states_of(c, n)
    share, gain = (
        fill(posterior_threshold.threshold, states, k, j0, *prior),
        fill(posterior_threshold.excess, states, k, j0, *prior),
    )
    cov = fill_cov(states, k, j0, *prior)
    for i in range(0, len(c), len(c) // 9):
        a, b = posterior(c[i], n, prior)
        assert_moments((share[0][i], share[1][i]), *moments(at_least(k, j0), a, b))
        assert_moments((gain[0][i], gain[1][i]), *moments(above(k, j0), a, b))
        assert_covariance(cov[i], k, j0, a, b)


@pytest.mark.parametrize("prior", PRIORS[:4])
def test_ragged_outcomes(prior):
    c = [0, 3, 0, 1, 2, 40, 64, 0, 5, 299, 300]
    n = [3, 3, 64, 64, 64, 64, 64, 300, 300, 300, 300]
    k, j0 = 9, 5
    states = states_of(c, n)
    share, gain = (
        fill(posterior_threshold.threshold, states, k, j0, *prior),
        fill(posterior_threshold.excess, states, k, j0, *prior),
    )
    cov = fill_cov(states, k, j0, *prior)
    for i, (successes, trials) in enumerate(zip(c, n, strict=True)):
        a, b = posterior(successes, trials, prior)
        assert_moments((share[0][i], share[1][i]), *moments(at_least(k, j0), a, b))
        assert_moments((gain[0][i], gain[1][i]), *moments(above(k, j0), a, b))
        assert_covariance(cov[i], k, j0, a, b)


@pytest.mark.parametrize("k", [1, 2, 7])
def test_no_excess_above_the_budget(k):
    states = states_of([0, 2, 5], 5)
    for j0 in (k, k + 1):
        for found in (*fill(posterior_threshold.excess, states, k, j0, 1, 1), fill_cov(states, k, j0, 1, 1)):
            assert found.tolist() == [0.0] * 3


def test_by_hand():
    """Rows 01101 and 11011: majority of 3 under Beta(4, 3) and Beta(5, 2), ``g = 3p^2 - 2p^3``."""
    states = states_of([3, 4], 5)
    mean, sd = fill(posterior_threshold.threshold, states, 3, 2, 1, 1)
    assert round(states.mean(mean), 6) == 0.684524
    assert round(states.norm(sd) / 2, 6) == 0.151958
    mean, _ = fill(posterior_threshold.excess, states, 2, 1, 1, 1)
    np.testing.assert_allclose(mean, [20 / 56, 30 / 56], rtol=1e-15)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(("n", "k"), [(1_000_000, 100_000), (100, 100_000), (1, 100_000), (10, 1_000_000)])
def test_far_range(n, k, prior):
    """Beyond the bars: closed forms at the ends, complements and telescoping between them."""
    c = edges(n)
    states = states_of(c, n)
    for j0 in (1, k // 100, k // 2, k - 1, k):
        mean, sd = fill(posterior_threshold.threshold, states, k, j0, *prior)
        mirrored, mirrored_sd = fill(
            posterior_threshold.threshold, states_of([n - x for x in reversed(c)], n), k, k + 1 - j0, *reversed(prior)
        )
        gain, gain_sd = fill(posterior_threshold.excess, states, k, j0, *prior)
        cov = fill_cov(states, k, j0, *prior)
        assert ((mean >= 0) & (mean <= 1) & (gain >= 0) & (gain <= 2)).all()
        assert ((sd >= 0) & (sd <= 0.5) & (gain_sd >= 0) & (gain_sd <= 1) & (cov >= 0) & (cov <= 0.5)).all()
        np.testing.assert_allclose(mean, 1 - mirrored[::-1], rtol=0, atol=1e-10)
        np.testing.assert_allclose(sd, mirrored_sd[::-1], rtol=1e-8, atol=1e-140)
        if j0 > 1:
            before = fill(posterior_threshold.excess, states, k, j0 - 1, *prior)[0]
            np.testing.assert_allclose(before - gain, 2 / k * mean, rtol=0, atol=1e-10)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(("n", "k"), [(1_000_000, 100_000), (100, 100_000), (10, 100_000)])
def test_all_of_a_huge_budget(n, k, prior):
    """At ``j0 = k`` the threshold is ``p^k``, whose moments are ratios of rising factorials."""
    for c in edges(n):
        mean, sd = fill(posterior_threshold.threshold, states_of([c], n), k, k, *prior)
        a, b = posterior(c, n, prior)
        every = mean_power(a, b, k, 0)
        with mpmath.workprec(PRECISION):
            spread = mpmath.sqrt(mean_power(a, b, 2 * k, 0) - every**2)
        for value, truth, floor in ((mean[0], every, 1e-290), (sd[0], spread, 1e-140)):
            if truth > floor:
                assert relative_error(value, truth) <= 1e-10
            else:
                assert 0 <= value <= 2 * floor


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 60)), min_size=1, max_size=8),
    st.integers(1, 300),
    st.integers(1, 300),
    st.floats(1e-9, 1e6),
    st.floats(1e-9, 1e6),
)
def test_never_out_of_bounds(pairs, k, j0, a0, b0):
    drawn = sorted({(n, min(c, n)) for c, n in pairs})
    states = states_of([c for _, c in drawn], [n for n, _ in drawn])
    mean, sd = fill(posterior_threshold.threshold, states, k, min(j0, k), a0, b0)
    assert ((mean >= 0) & (mean <= 1)).all()
    assert ((sd >= 0) & (sd <= 0.5 + 1e-12)).all()
    mean, sd = fill(posterior_threshold.excess, states, k, j0, a0, b0)
    assert ((mean >= 0) & (mean <= 2)).all()
    assert ((sd >= 0) & (sd <= 1 + 1e-12)).all()
    assert (fill_cov(states, k, j0, a0, b0) >= 0).all()
