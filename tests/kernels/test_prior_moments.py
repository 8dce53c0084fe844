"""Moments of metrics under the components of a learned prior against mpmath."""

import mpmath
import numpy as np
import pytest

from scorio._kernels import prior_moments, shared_prior
from scorio._kernels.states import States

BANK = ([0, 1, 3, 4], [4, 4, 4, 4], [3, 2, 4, 1])
CREDIT = np.array([0.0, 0.2, 0.7, 1.0])


def states_of(successes, trials, questions):
    return States(*(np.array(each, dtype=np.int64) for each in (successes, trials, questions)))


def beta_prior():
    return shared_prior.learn(states_of(*BANK), 1.0, False, False)


def checked(prior):
    """The nodes that are compared with mpmath: a dozen or so."""
    return slice(None, None, max(1, prior.size // 12))


def expectation(a, b, credit):
    """The expected credit of k trials whose rate has a Beta distribution, in mpmath."""
    k = len(credit) - 1
    return sum(
        mpmath.mpf(x) * mpmath.binomial(k, j) * mpmath.beta(a + j, b + k - j) / mpmath.beta(a, b)
        for j, x in enumerate(credit)
    )


def moments(a, b, credit):
    """Mean and variance of ``sum_j x_j C(k, j) p^j q^(k - j)``, by quadrature of the exact polynomial."""
    mean, k = expectation(a, b, credit), len(credit) - 1
    square = [mpmath.mpf(0)] * (2 * k + 1)
    for i, x in enumerate(credit):
        for j, y in enumerate(credit):
            square[i + j] += (
                (mpmath.mpf(x) - mean) * (mpmath.mpf(y) - mean) * mpmath.binomial(k, i) * mpmath.binomial(k, j)
            )
    variance = sum(z * mpmath.beta(a + j, b + 2 * k - j) / mpmath.beta(a, b) for j, z in enumerate(square))
    return mean, variance


def exact_components(prior):
    found = []
    for a, b in zip(prior.alpha[checked(prior)], prior.beta[checked(prior)], strict=True):
        each = [moments(mpmath.mpf(a) + c, mpmath.mpf(b) + n - c, CREDIT) for c, n, _ in zip(*BANK, strict=True)]
        mean = sum(count * e for count, (e, _) in zip(BANK[2], each, strict=True)) / sum(BANK[2])
        variance = sum(count * v for count, (_, v) in zip(BANK[2], each, strict=True)) / sum(BANK[2]) ** 2
        found.append((float(mean), float(variance)))
    return np.array(found).T


def test_components_are_those_of_the_beta_posteriors():
    prior = beta_prior()
    mean, variance = np.empty((2, prior.size))
    prior_moments.components(prior, CREDIT, mean, variance)
    with mpmath.workdps(40):
        exact = exact_components(prior)
    np.testing.assert_allclose(mean[checked(prior)], exact[0], rtol=1e-12)
    np.testing.assert_allclose(variance[checked(prior)], exact[1], rtol=1e-9)


def test_tables_give_what_credits_give():
    prior = beta_prior()
    one, other, tables = np.empty((2, prior.size)), np.empty((2, prior.size)), np.full((2, prior.size, 4), 0.5)
    some = checked(prior)
    for node in range(prior.size)[some]:
        a, b = prior.alpha[node], prior.beta[node]
        for state, (c, n) in enumerate(zip(*BANK[:2], strict=True)):
            tables[:, node, state] = [float(each) for each in moments(mpmath.mpf(a) + c, mpmath.mpf(b) + n - c, CREDIT)]
    prior_moments.components(prior, CREDIT, *one)
    prior_moments.components(prior, CREDIT, *other, *tables)
    np.testing.assert_allclose(one[:, some], other[:, some], rtol=1e-9)


def test_another_question_has_the_mean_of_the_prior():
    prior = beta_prior()
    mean, variance = np.empty((2, prior.size))
    prior_moments.of_unseen(prior, CREDIT, mean, variance)
    exact = [
        float(expectation(mpmath.mpf(a), mpmath.mpf(b), CREDIT)) for a, b in zip(prior.alpha, prior.beta, strict=True)
    ]
    np.testing.assert_allclose(mean, exact, rtol=1e-12)
    assert (variance >= 0.0).all()


def test_the_states_add_up_to_the_components():
    prior = shared_prior.learn(states_of([0, 5, 8], [8, 8, 8], [40, 10, 40]), 1.0, True, False)
    mean, variance = np.empty((2, prior.size))
    totals = np.zeros((3, 3))
    prior_moments.components(prior, CREDIT, mean, variance)
    prior_moments.of_states(prior, CREDIT, totals)
    assert totals[0] @ [40, 10, 40] / 90 == pytest.approx(prior.weight @ mean, rel=1e-12)


def test_grid_values_are_binomial_expectations():
    prior = shared_prior.learn(states_of(*BANK))
    values, (x, _) = prior_moments.grid_values(prior, CREDIT), prior.grid_density
    k, j = len(CREDIT) - 1, np.arange(len(CREDIT))
    choose = np.array([float(mpmath.binomial(k, i)) for i in range(k + 1)])
    exact = (choose * x[:, None] ** j * (1 - x[:, None]) ** (k - j)) @ CREDIT
    np.testing.assert_allclose(values, exact, rtol=1e-13, atol=1e-300)


def test_the_grid_component_is_what_its_posterior_says():
    prior = shared_prior.learn(states_of(*BANK))
    count = np.array(BANK[2], dtype=float)
    values, share = prior_moments.grid_values(prior, CREDIT), prior_moments.grid_posterior(prior)
    mean, variance = np.empty((2, prior.size + 1))
    prior_moments.components(prior, CREDIT, mean, variance)
    own = share @ values
    away = share * (values - own[:, None])
    scores = count @ prior_moments.grid_scores(prior, away)
    spread = count @ (away * (values - own[:, None])).sum(axis=1)
    assert mean[-1] == pytest.approx(count @ own / 10, rel=1e-13)
    assert variance[-1] == pytest.approx((spread + scores @ scores) / 100, rel=1e-10)


def test_intervals_are_those_of_the_mixture():
    prior = shared_prior.learn(states_of(*BANK))
    out, parts = np.empty((1, 4)), np.empty((2, prior.size + 1))
    prior_moments.intervals(prior, [CREDIT], np.array([[0.0, 1.0]]), 0.9, out)
    prior_moments.components(prior, CREDIT, *parts)
    mu = prior.weight @ parts[0]
    assert out[0, 0] == pytest.approx(mu, rel=1e-13)
    assert out[0, 1] ** 2 == pytest.approx(prior.weight @ (parts[1] + (parts[0] - mu) ** 2), rel=1e-12)
    assert 0.0 < out[0, 2] < mu < out[0, 3] < 1.0
