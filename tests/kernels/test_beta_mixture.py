"""Moments and quantiles of mixtures of Beta distributions against scipy."""

import numpy as np
import pytest
from scipy.special import betainc
from scipy.stats import beta

from oracles.beta_mixture import matched_beta
from scorio._kernels import beta_mixture

CHANCES = np.array([1e-6, 0.025, 0.5, 0.975, 1.0 - 1e-6])


def solved(weight, mean, variance, chances=CHANCES, low=0.0, high=1.0):
    out = np.empty(len(chances))
    arrays = (np.array(each, dtype=float) for each in (weight, mean, variance))
    beta_mixture.quantiles(*arrays, low, high, np.array(chances), out)
    return out


def chance_below(x, weight, mean, variance):
    """The mixture's distribution function."""
    return weight @ betainc(*matched_beta(np.array(mean), np.array(variance)), x)


@pytest.mark.parametrize(("a", "b"), [(1, 1), (0.3, 0.3), (2, 9), (0.01, 5), (1e-3, 1e3), (40, 3), (600, 1400)])
def test_quantiles_and_both_rare_tails_of_one_beta(a, b):
    law = beta(a, b)
    for tail in (0.5, 0.025, 1e-4, 1e-6, 1e-9):
        low, high = solved([1.0], [law.mean()], [law.var()], [tail, 1.0 - tail])
        bar = 1e-5 if tail > 1e-3 else 2e-2
        for end, beyond in ((low, law.cdf(low)), (high, law.sf(high))):
            assert beyond == pytest.approx(tail, rel=bar) or not 1e-200 < end < 1.0 - 1e-12


@pytest.mark.parametrize("mirrored", [False, True])
def test_quantiles_of_few_components_solve_the_distribution_function(mirrored):
    weight, mean, variance = [0.5, 0.3, 0.2], [0.1, 0.35, 0.8], [0.001, 0.01, 0.02]
    mean = [1 - m for m in mean] if mirrored else mean
    for chance, x in zip(CHANCES, solved(weight, mean, variance), strict=True):
        assert chance_below(x, weight, mean, variance) == pytest.approx(chance, rel=1e-6, abs=1e-8)


def test_many_components_are_joined_without_moving_the_quantiles():
    rng = np.random.default_rng(3)
    mean = rng.beta(2.0, 30.0, 600)
    weight, variance = np.full(600, 1 / 600), mean * (1 - mean) / rng.uniform(50, 400, 600)
    x = solved(weight, mean, variance, [0.025, 0.975])
    width = x[1] - x[0]
    for chance, at in zip((0.025, 0.975), x, strict=True):
        assert chance_below(at - 0.01 * width, weight, mean, variance) < chance
        assert chance_below(at + 0.01 * width, weight, mean, variance) > chance


def test_a_rare_wide_component_keeps_its_tail():
    rng = np.random.default_rng(4)
    mean = np.append(rng.beta(2.0, 600.0, 400), np.full(20, 0.003))
    weight = np.append(np.full(400, 0.99 / 400), np.full(20, 0.01 / 20))
    variance = np.append(mean[:400] * 1e-6, np.full(20, 1e-3))
    (x,) = solved(weight, mean, variance, [0.999])
    assert chance_below(x, weight, mean, variance) == pytest.approx(0.999, abs=6e-4)


def test_bounds_scale_the_quantiles():
    weight, mean, variance = [0.6, 0.4], [0.2, 0.5], [0.01, 0.02]
    scaled = solved(weight, [3 * m - 1 for m in mean], [9 * v for v in variance], low=-1.0, high=2.0)
    np.testing.assert_allclose(scaled, 3 * solved(weight, mean, variance) - 1, rtol=1e-9, atol=1e-12)


def test_moments_are_within_and_between_components():
    weight, mean, variance = np.array([0.25, 0.75]), np.array([0.2, 0.6]), np.array([0.01, 0.04])
    mu, sigma = beta_mixture.moments(weight, mean, variance)
    assert mu == pytest.approx(0.5, rel=1e-15)
    assert sigma**2 == pytest.approx(0.25 * 0.01 + 0.75 * 0.04 + 0.25 * 0.09 + 0.75 * 0.01, rel=1e-14)


def test_a_rare_distant_component_does_not_hide_the_others():
    mean = np.append(np.linspace(4e-4, 2e-3, 40), 0.9)
    weight = np.append(np.full(40, (1.0 - 1e-4) / 40), 1e-4)
    variance = np.append((mean[:40] / 30) ** 2, 0.01)
    chances = [0.001, 0.025, 0.5, 0.975]
    for chance, x in zip(chances, solved(weight, mean, variance, chances), strict=True):
        assert chance_below(x, weight, mean, variance) == pytest.approx(chance, rel=0.02)
