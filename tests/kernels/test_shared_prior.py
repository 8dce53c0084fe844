"""Nodes and weights of the learned prior against mpmath."""

import mpmath
import numpy as np
import pytest

from helpers.states import states_of
from scorio._kernels import shared_prior

BANK = ([0, 1, 3, 4], [4, 4, 4, 4], [3, 2, 4, 1])


def log_density(x, y, successes, trials, questions):
    """The log posterior density of (logit m, logit r) without point masses, up to the binomial coefficients."""
    m, r = 1 / (1 + mpmath.exp(-x)), 1 / (1 + mpmath.exp(-y))
    s = mpmath.exp(-y)  # as in the package: s = (1 - r)/r
    value = (
        mpmath.log(m * (1 - m)) + mpmath.log(mpmath.mpf(3) / 4) + mpmath.mpf(3) / 4 * mpmath.log(r) + mpmath.log(1 - r)
    )
    for c, n, count in zip(successes, trials, questions, strict=True):
        value += count * (
            mpmath.log(mpmath.rf(s * m, c)) + mpmath.log(mpmath.rf(s * (1 - m), n - c)) - mpmath.log(mpmath.rf(s, n))
        )
    return value


def test_node_weights_follow_the_posterior_density():
    prior = shared_prior.learn(states_of(*BANK), 1.0, False, False)
    with mpmath.workdps(30):
        exact = []
        for a, b in zip(prior.alpha, prior.beta, strict=True):
            a, b = mpmath.mpf(a), mpmath.mpf(b)
            exact.append(log_density(mpmath.log(a / b), -mpmath.log(a + b), *BANK))
        top = max(exact)
        weight = np.array([float(mpmath.exp(value - top)) for value in exact])
    np.testing.assert_allclose(prior.weight, weight / weight.sum(), rtol=1e-9)


def test_the_posterior_mean_of_the_prior_agrees_with_quadrature():
    prior = shared_prior.learn(states_of(*BANK), 1.0, False, False, True)
    mean = prior.weight @ (prior.alpha / (prior.alpha + prior.beta))
    axis = np.linspace(-10.0, 10.0, 41)
    with mpmath.workdps(15):
        log_weight = np.array([[float(log_density(x, y, *BANK)) for y in axis] for x in axis])
    weight = np.exp(log_weight - log_weight.max())
    exact = (weight.sum(axis=1) @ (1 / (1 + np.exp(-axis)))) / weight.sum()
    assert mean == pytest.approx(exact, abs=2e-3)


@pytest.mark.parametrize("fine", [False, True])
def test_weights_add_to_one_and_every_kind_is_named(fine):
    states = states_of([0, 5, 8], [8, 8, 8], [40, 10, 40])
    prior = shared_prior.learn(states, 1.0, True, True, fine)
    assert prior.trusted
    assert prior.weight.sum() == pytest.approx(1.0, abs=1e-12)
    assert len(prior.weight) == prior.size + prior.has_grid
    assert 0.0 < prior.point_mass_weight <= 1.0
    masses = [prior.point_masses(node) for node in range(prior.size)]
    shares = [each[0].sum() for each in masses if each is not None]
    assert shares
    assert shares == pytest.approx([1.0] * len(shares), abs=1e-12)


def test_the_grid_density_adds_to_one():
    prior = shared_prior.learn(states_of(*BANK))
    x, density = prior.grid_density
    assert (x[0], x[-1]) == (0.0, 1.0)
    assert density.sum() == pytest.approx(1.0, abs=1e-12)
    assert shared_prior.learn(states_of(*BANK), 1.0, True, False).grid_density is None
