"""Posteriors that are interpolated: against closed forms, and against each of them alone."""

import mpmath
import numpy as np
import pytest

from scorio import AucAtK, OutcomeMatrix
from scorio._kernels.states import States
from scorio.metrics import _credit, _many_posteriors, _rate_integrals
from scorio.metrics._rate_integrals import at_rates

K = 10**5
RNG = np.random.default_rng(4)


def crowd(rate, strength, states=300, nodes=150):
    """States with nearly one rate, and nodes of a prior around it."""
    n = np.sort(RNG.integers(8, 20_000, states))
    c = RNG.binomial(n, rate)
    order = np.lexsort((c, n))
    mean = np.clip(RNG.normal(rate, 0.02 * np.sqrt(rate * (1 - rate)), nodes), 1e-6, 1 - 1e-6)
    size = strength * np.exp(RNG.normal(0.0, 0.5, nodes))
    return States(c[order], n[order], np.ones_like(n)), list(zip(size * mean, size * (1 - mean), strict=True))


def posteriors(states, priors):
    alpha, beta = np.array(priors).T
    return alpha[:, None] + states.successes, beta[:, None] + (states.trials - states.successes)


@pytest.fixture
def interpolations(monkeypatch):
    """How many posteriors were asked for, and how many of them interpolated, of each call."""
    shares = []

    def counted(*args):
        found = _many_posteriors.interpolated(*args)
        shares.append(float(np.isfinite(found[0]).mean()))
        return found

    monkeypatch.setattr(_rate_integrals, "interpolated", counted)
    return shares


@pytest.mark.parametrize("rate", [0.5, 0.02])
@pytest.mark.parametrize("strength", [3e3, 3e5, 3e8])
def test_the_rate_and_its_square_have_closed_forms(rate, strength, interpolations):
    states, priors = crowd(rate, strength)
    j = np.arange(K + 1.0)
    integrals = at_rates(j / K, j / K * ((j - 1) / (K - 1)))
    mean, sd = integrals.moments(states, priors)
    covariance = integrals.covariance(states, priors)
    assert min(interpolations) > 0.5
    a, b = posteriors(states, priors)
    for i in RNG.integers(0, a.size, 100):
        with mpmath.workdps(50):
            x, y = mpmath.mpf(a.flat[i]), mpmath.mpf(b.flat[i])
            first, second, third = (mpmath.rf(x, power) / mpmath.rf(x + y, power) for power in (1, 2, 3))
            deviation, joint = float(mpmath.sqrt(second - first**2)), float(third - first * second)
        assert mean.flat[i] == pytest.approx(float(first), abs=2e-10)
        assert sd.flat[i] == pytest.approx(deviation, rel=2e-8, abs=2e-12)
        assert covariance.flat[i] == pytest.approx(joint, rel=1e-6)


@pytest.mark.parametrize("credit", [_credit.trapezoid(K), _credit.excess(K), _credit.at_least(K, K // 2)])
@pytest.mark.parametrize(("rate", "strength"), [(0.5, 1e3), (0.5, 1e6), (0.49, 1e5), (0.001, 1e7)])
def test_credits_are_as_each_alone(credit, rate, strength, monkeypatch):
    states, priors = crowd(rate, strength)
    integrals = at_rates(credit)
    mean, sd = integrals.moments(states, priors)
    monkeypatch.setattr(_rate_integrals, "MANY", 10**12)
    alone_mean, alone_sd = integrals.moments(states, priors)
    np.testing.assert_allclose(mean, alone_mean, rtol=0, atol=2e-10)
    np.testing.assert_allclose(sd, alone_sd, rtol=1e-7, atol=2e-12)


def test_what_is_too_rough_to_interpolate_is_computed(monkeypatch, interpolations):
    credit = (np.arange(K + 1) % 400 < 200) * 1.0  # far narrower than the cells of these posteriors
    states, priors = crowd(0.3, 3e6)
    monkeypatch.setattr(_many_posteriors, "_WIDTH", 30.0)
    integrals = at_rates(credit)
    found = integrals.moments(states, priors)
    assert interpolations == [0.0]
    monkeypatch.setattr(_rate_integrals, "MANY", 10**12)
    for each, alone in zip(found, integrals.moments(states, priors), strict=True):
        np.testing.assert_array_equal(each, alone)


def test_an_interval_hardly_changes(monkeypatch, interpolations):
    n = RNG.integers(8, 20_000, 200)
    c = RNG.binomial(n, 0.5)
    found = AucAtK(K).interval(OutcomeMatrix.from_counts(c, n), prior="learned")
    assert interpolations
    monkeypatch.setattr(_rate_integrals, "MANY", 10**12)
    alone = AucAtK(K).interval(OutcomeMatrix.from_counts(c, n), prior="learned")
    np.testing.assert_allclose(found[:4], alone[:4], rtol=2e-8)
