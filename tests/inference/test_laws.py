"""Laws: probabilities and quantiles are inverse, and draws follow them."""

import math

import numpy as np
import pytest
from scipy import stats

from scorio.estimates._difference_law import DifferenceLaw
from scorio.inference import Mixture
from scorio.inference._law import SkewedT
from scorio.inference._level import Level
from scorio.rank._chosen import SmoothLaw

WEIGHTS, MEANS, VARIANCES = np.array([0.3, 0.5, 0.2]), np.array([0.12, 0.4, 0.9]), np.array([1e-3, 0.01, 0.002])
LAWS = {
    "mixture": Mixture(WEIGHTS, MEANS, VARIANCES),
    "bounded mixture": Mixture(WEIGHTS, MEANS, VARIANCES, 0.0, 1.0),
    "t": SkewedT(1.0, 2.0, 7.0, 0.0),
    "t to the left": SkewedT(1.0, 2.0, 7.0, -0.4),
    "t to the right": SkewedT(1.0, 2.0, 2.5, 0.7),
    "skewed normal": SkewedT(-3.0, 0.5, math.inf, 0.3),
    "difference": DifferenceLaw(0.02, 0.03, 0.05, 0.02, 0.05),
    "difference, t": DifferenceLaw(0.02, 0.03, 0.03, 0.02, 0.025, 6.0),
}
CHANCES = np.array([1e-6, 0.001, 0.1, 0.4, 0.6, 0.9, 0.999, 1.0 - 1e-6])
named = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)


@named
def test_quantiles_solve_the_distribution_function(law):
    found = law.icdf(CHANCES)
    assert (np.diff(found) > 0.0).all()
    joined = 1e-5 if law is LAWS["bounded mixture"] else 1e-9  # its kernel joins components
    np.testing.assert_allclose(law.cdf(found), CHANCES, rtol=joined, atol=joined * 1e-3)
    assert law.icdf(0.3) == pytest.approx(law.icdf(np.array([0.3]))[0])
    assert law.cdf(float(law.icdf(0.3))) == pytest.approx(0.3, rel=joined)


@named
def test_draws_follow_the_distribution_function(law):
    draws = law.draws(4000, np.random.default_rng(5))
    assert draws.shape == (4000,)
    assert stats.kstest(law.cdf(draws), "uniform").pvalue > 1e-3


@pytest.mark.parametrize("law", [LAWS["mixture"], LAWS["bounded mixture"]])
def test_mean_and_sd_are_those_of_the_draws(law):
    draws = law.draws(200_000, np.random.default_rng(6))
    assert law.mean == pytest.approx(draws.mean(), abs=4 * law.sd / math.sqrt(len(draws)))
    assert law.sd == pytest.approx(draws.std(), rel=0.02)


def test_quantiles_of_a_skewed_t_are_the_ends_of_its_interval():
    for name in ("t to the left", "t to the right", "skewed normal"):
        assert LAWS[name].icdf([0.05, 0.95]) == pytest.approx(LAWS[name].ends(Level(0.9)))


def test_a_mixture_without_bounds_has_normal_components():
    law, x = LAWS["mixture"], np.linspace(-0.2, 1.3, 7)
    np.testing.assert_allclose(law.cdf(x), WEIGHTS @ stats.norm.cdf(x, MEANS[:, None], np.sqrt(VARIANCES)[:, None]))
    certain = Mixture.single(0.3, 0.0)
    assert (certain.cdf(0.2), certain.cdf(0.4)) == (0.0, 1.0)
    assert certain.icdf(0.7) == pytest.approx(0.3)


@pytest.mark.parametrize("ends", [(0.3, 0.7), (0.4, 0.7), (0.1, 0.6)])
def test_a_smooth_law_has_the_ends_of_its_interval_and_their_probability(ends):
    law = SmoothLaw(0.5, *ends, 1.96)
    assert law.beyond(np.array([-1.96, 0.0, 1.96])) == pytest.approx([ends[0], 0.5, ends[1]])
    places = np.linspace(*ends, 9)
    assert law.beyond(law.deviates(places)[0]) == pytest.approx(places)
