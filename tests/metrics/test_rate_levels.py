"""Fewer points for posteriors of few trials: as all points, and as closed forms."""

import mpmath
import numpy as np
import pytest

from scorio._kernels.states import States
from scorio.metrics import _credit, _rate_levels
from scorio.metrics._rate_integrals import at_rates

RNG = np.random.default_rng(7)


def credits(k):
    return {
        "area": _credit.trapezoid(k),
        "a vote": _credit.at_least(k, k // 2 + 1),
        "any": _credit.at_least(k, 1),
        "jagged": RNG.random(k + 1),
    }


def states(rate, most, count=60):
    n = RNG.integers(1, most, count)
    c = RNG.binomial(n, rate)
    order = np.lexsort((c, n))
    return States(c[order], n[order], np.ones_like(n))


def priors(strength, count=40):
    size, mean = strength * np.exp(2.0 * RNG.normal(size=count)), np.clip(RNG.beta(0.3, 0.3, count), 1e-9, 1 - 1e-9)
    return list(zip(size * mean, size * (1 - mean), strict=True))


@pytest.mark.parametrize("k", [2000, 10**5])
@pytest.mark.parametrize("rate", [0.5, 0.02, 0.0001])
@pytest.mark.parametrize("strength", [0.3, 30.0, 3e3])
def test_levels_say_what_all_points_say(k, rate, strength, monkeypatch):
    about = states(rate, k // 10), priors(strength)
    for credit in credits(k).values():
        mean, sd = at_rates(credit).moments(*about)
        with monkeypatch.context() as patch:
            patch.setattr(_rate_levels, "_COARSEST", 1e18)
            all_mean, all_sd = at_rates(credit).moments(*about)
        np.testing.assert_allclose(mean, all_mean, rtol=0, atol=1e-12)
        np.testing.assert_allclose(sd, all_sd, rtol=1e-9, atol=4e-12)


@pytest.mark.parametrize(("k", "last"), [(2000, 64.0), (10**5, 4096.0), (10**6, 16384.0)])
def test_levels_are_of_all_strengths_that_fewer_points_serve(k, last):
    [levels] = at_rates(_credit.at_least(k, 1))._levels
    strengths = [level.strength for level in levels]
    assert strengths[:-1] == list(4.0 ** np.arange(1, len(strengths)))
    assert strengths[-2:] == [last, 2.0 * k]
    sizes = [level.points.shape[1] for level in levels]
    assert sizes == sorted(sizes)
    assert all(level.weights.shape == (4, size) for level, size in zip(levels, sizes, strict=True))


@pytest.mark.parametrize("strength", [2.0, 200.0, 2e4])
@pytest.mark.parametrize("share", [1e-12, 1e-4, 0.03, 0.5, 0.999])
def test_a_level_integrates_a_power_of_the_rate_exactly(strength, share):
    """The mean and the sd of ``p`` itself, for the strength at either end of a level."""
    k = 10**5
    j = np.arange(k + 1.0)
    integrals = at_rates(j / k)
    for size in (strength, 3.9 * strength):
        a, b = share * size, (1.0 - share) * size
        [[mean]], [[sd]] = integrals.moments(States(*np.array([[0], [0], [1]])), [(a, b)])
        with mpmath.workdps(40):
            x, y = mpmath.mpf(a), mpmath.mpf(b)
            true_mean, true_sd = x / (x + y), mpmath.sqrt(x * y / (x + y + 1)) / (x + y)
        assert mean == pytest.approx(float(true_mean), rel=1e-10, abs=1e-13)
        assert sd == pytest.approx(float(true_sd), rel=1e-9, abs=1e-12)
