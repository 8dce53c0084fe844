"""``Design``: exact integrals, its inverse functions, and ``compare`` on simulated models."""

import math

import numpy as np
import pytest
from scipy import stats

from scorio import Design
from scorio.errors import OutcomeError, ParameterError


@pytest.mark.parametrize("trials", [1, 4, 16])
def test_the_standard_error_of_two_sided_difficulties(trials):
    """30% never and 30% always solved, the rest uniform: E p(1-p) = .4/6 and Var p = .3 + .4/3 - .25."""
    noise, between = 2 * 0.4 / 6 / trials, 0.3 + 0.4 / 3 - 0.25
    design = Design(100, trials, profile="two-sided", correlation=0.5)
    shown = between if trials == 1 else 0.0  # single trials are compared by the paired t test
    assert design.sigma() ** 2 == pytest.approx((noise + shown) / 100, rel=1e-3)
    for paired, spread in ((True, between), (False, 2 * between)):
        of_population = Design(100, trials, "pass@1", "two-sided", 0.5, "population", paired)
        assert of_population.sigma() ** 2 == pytest.approx((noise + spread) / 100, rel=1e-3)


def test_pass_at_k_by_enumeration():
    """k = 2 of 4 trials, with two-sided difficulties: 30% never and 30% always solved, the rest uniform."""
    design = Design(50, 4, "pass@2", "two-sided")
    value = np.array([1 - math.comb(4 - c, 2) / 6 for c in range(5)])
    rates = np.concatenate([np.zeros(300), (np.arange(400) + 0.5) / 400, np.ones(300)])
    chance = stats.binom.pmf(np.arange(5), 4, rates[:, None])
    variance = np.mean(chance @ value**2 - (chance @ value) ** 2)
    assert design.sigma() ** 2 == pytest.approx(2 * variance / 50, rel=1e-3)


def test_the_power_is_that_of_the_test():
    design = Design(200, 4, confidence=0.9)
    sigma = design.sigma(0.04)
    z = stats.norm.ppf(0.95)
    assert design.power(0.04) == pytest.approx(stats.norm.sf(z - 0.04 / sigma) + stats.norm.cdf(-z - 0.04 / sigma))
    assert design.power(0.0) == pytest.approx(0.1)
    assert design.power(-0.04) == design.power(0.04)


@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.parametrize("profile", ["typical", "hard", "two-sided"])
def test_the_functions_are_inverse(profile, target):
    design = Design(150, 8, profile=profile, target=target)
    gap = design.detectable(0.9)
    assert design.power(gap) == pytest.approx(0.9, abs=1e-3)
    count = design.questions_for(gap, 0.9)
    assert abs(count - 150) <= 2


def test_errors():
    for call, message in [
        (lambda: Design(100, 2, "pass@4"), "must be at least 4 for pass@4"),
        (lambda: Design(1, 2), "must be at least 2"),
        (lambda: Design(100, 2, profile="odd"), "unknown profile 'odd'"),
        (lambda: Design(100, 2, correlation=2), "must be between -1 and 1"),
        (lambda: Design(100, 2, "geomds@2"), "no plan without a pilot"),
    ]:
        with pytest.raises((OutcomeError, ParameterError), match=message):
            call()
