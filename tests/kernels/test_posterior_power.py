"""Moments of ``1 - (1 - p)^k`` and ``p^k`` against closed forms in 2000-bit arithmetic."""

from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.states import edges, fill, posterior, states_of
from oracles.posterior import PRECISION, mean_power, relative_error
from scorio._kernels import posterior_power

PRIORS = [(1, 1), (0.01, 0.01), (1000, 1000), (0.01, 1000), (1000, 0.01), (2.5, 0.1)]
SIZES = [(1, 1), (1, 40), (2, 3), (7, 4), (30, 20), (80, 80), (100, 1000), (2000, 500), (10_000, 1000), (10_000, 2)]
EPSILON = 1e-12


def fill_cross(states, k, a0, b0):
    out = np.full(states.n_states, np.nan)
    posterior_power.cross(states, k, a0, b0, out)
    return out


def truth(k, a, b):
    """E and sd of P, E and sd of U, Cov(P, U)."""
    none, every = mean_power(a, b, 0, k), mean_power(a, b, k, 0)
    with mpmath.workprec(PRECISION):
        none_sd = mpmath.sqrt(mean_power(a, b, 0, 2 * k) - none**2)
        every_sd = mpmath.sqrt(mean_power(a, b, 2 * k, 0) - every**2)
        return 1 - none, none_sd, every, every_sd, none * every - mean_power(a, b, k, k)


def assert_close(value, exact, bar, floor):
    if exact >= floor:
        assert relative_error(value, exact) <= bar
    else:
        assert 0 <= value <= 2 * floor


def assert_moments(found, exact):
    assert_close(found[0], exact[0], EPSILON, 1e-290)
    assert_close(found[1], exact[1], 10 * EPSILON, 1e-140)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(("n", "k"), SIZES)
def test_single_states(n, k, prior):
    for c in edges(n):
        one = states_of([c], n)
        exact = truth(k, *posterior(c, n, prior))
        some, every = (
            fill(posterior_power.any_success, one, k, *prior),
            fill(posterior_power.all_success, one, k, *prior),
        )
        assert_moments([x[0] for x in some], exact[:2])
        assert_moments([x[0] for x in every], exact[2:4])
        assert_close(fill_cross(one, k, *prior)[0], exact[4], EPSILON, 1e-280)


@pytest.mark.slow
@pytest.mark.parametrize("prior", PRIORS[:4])
@pytest.mark.parametrize("k", [1, 6, 90])
def test_ragged_outcomes(k, prior):
    c = [0, 3, 0, 1, 2, 40, 64, 0, 5, 299, 300]
    n = [3, 3, 64, 64, 64, 64, 64, 300, 300, 300, 300]
    assert all(left <= right for left, right in pairwise(zip(n, c, strict=True)))
    states = states_of(c, n)
    some, every = (
        fill(posterior_power.any_success, states, k, *prior),
        fill(posterior_power.all_success, states, k, *prior),
    )
    cov = fill_cross(states, k, *prior)
    for i, state in enumerate(zip(c, n, strict=True)):
        exact = truth(k, *posterior(*state, prior))
        assert_moments((some[0][i], some[1][i]), exact[:2])
        assert_moments((every[0][i], every[1][i]), exact[2:4])
        assert_close(cov[i], exact[4], EPSILON, 1e-280)


def test_every_state_of_a_long_run():
    n, k = 2000, 30
    states = states_of(range(n + 1), n)
    some, every = (
        fill(posterior_power.any_success, states, k, 1, 0.5),
        fill(posterior_power.all_success, states, k, 1, 0.5),
    )
    for c in range(0, n + 1, 125):
        exact = truth(k, *posterior(c, n, (1, 0.5)))
        assert_moments((some[0][c], some[1][c]), exact[:2])
        assert_moments((every[0][c], every[1][c]), exact[2:4])


def test_by_hand():
    """Rows 01101 and 11011 at k = 2: Beta(4, 3) and Beta(5, 2)."""
    states = states_of([3, 4], 5)
    some, every = fill(posterior_power.any_success, states, 2, 1, 1), fill(posterior_power.all_success, states, 2, 1, 1)
    np.testing.assert_allclose(some[0], [1 - 12 / 56, 1 - 6 / 56], rtol=1e-15)
    np.testing.assert_allclose(every[0], [20 / 56, 30 / 56], rtol=1e-15)
    assert round(states.norm(some[1]) / 2, 6) == 0.097263
    assert round(states.norm(every[1]) / 2, 6) == 0.146167


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(("n", "k"), [(1_000_000, 100_000), (1_000_000, 20), (100, 100_000), (1, 100_000)])
def test_far_range(n, k, prior):
    """Beyond the bars: budgets far above the trials, a million trials."""
    states = states_of(edges(n), n)
    some, every = (
        fill(posterior_power.any_success, states, k, *prior),
        fill(posterior_power.all_success, states, k, *prior),
    )
    cov = fill_cross(states, k, *prior)
    for mean, sd in (some, every):
        assert ((mean >= 0) & (mean <= 1)).all()
        assert ((sd >= 0) & np.isfinite(sd)).all()
    assert ((cov >= 0) & (cov <= 0.25)).all()
    for i, c in enumerate(edges(n)):
        exact = truth(k, *posterior(c, n, prior))
        for found, value in zip((some[0], some[1], every[0], every[1]), exact, strict=False):
            assert_close(found[i], value, 1e-10, 1e-140)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 60)), min_size=1, max_size=8),
    st.integers(1, 300),
    st.floats(1e-9, 1e6),
    st.floats(1e-9, 1e6),
)
def test_never_out_of_bounds(pairs, k, a0, b0):
    drawn = sorted({(n, min(c, n)) for c, n in pairs})
    states = states_of([c for _, c in drawn], [n for n, _ in drawn])
    for entry in (posterior_power.any_success, posterior_power.all_success):
        mean, sd = fill(entry, states, k, a0, b0)
        assert ((mean >= 0) & (mean <= 1 + 1e-15)).all()
        assert ((sd >= 0) & np.isfinite(sd)).all()
    assert (fill_cross(states, k, a0, b0) >= 0).all()
