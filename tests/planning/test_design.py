"""``Design``: exact integrals, its inverse functions, and ``compare`` on simulated models."""

import math

import numpy as np
import pytest
from scipy import stats

from scorio import Design, OutcomeMatrix, compare
from scorio.errors import OutcomeError, ParameterError
from scorio.planning._design import better_by, rates_of


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


@pytest.mark.slow
def test_pass_at_k_by_enumeration():
    """A model that solves everything half of the time, k = 2 of 4 trials."""
    half = OutcomeMatrix.from_counts(np.full(3000, 500), 1000)
    design = Design(50, 4, "pass@2", half)
    value = np.array([1 - math.comb(4 - c, 2) / 6 for c in range(5)])
    chance = stats.binom.pmf(np.arange(5), 4, 0.5)
    variance = chance @ value**2 - (chance @ value) ** 2
    assert design.sigma() ** 2 == pytest.approx(2 * variance / 50, rel=0.02)


def test_outcomes_of_another_benchmark_give_their_difficulties():
    rng = np.random.default_rng(1)
    rates = rng.beta(0.6, 1.1, 4000)
    found = rates_of(OutcomeMatrix.from_counts(rng.binomial(30, rates), 30))
    assert found.mean() == pytest.approx(rates.mean(), abs=0.01)
    assert np.mean(found * (1 - found)) == pytest.approx(np.mean(rates * (1 - rates)), rel=0.03)
    masses = np.where(rng.random(4000) < 0.4, 0.0, rng.random(4000))
    found = rates_of(OutcomeMatrix.from_counts(rng.binomial(30, masses), 30))
    assert np.mean(found < 1e-3) == pytest.approx(0.4, abs=0.03)


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


def test_the_better_model_is_better_by_the_difference():
    design = Design(100, 4, "pass@2", "hard")
    rates = rates_of("hard")
    better = better_by(design.metric, rates, 4, 0.1)
    assert np.mean((1 - rates) ** 2 - (1 - better) ** 2) == pytest.approx(0.1, abs=1e-6)
    assert (better >= rates).all()
    with pytest.raises(ParameterError, match=r"no model can be better by more than 0\.\d+"):
        design.power(0.8)
    assert math.isnan(Design(2, 1, profile="two-sided").detectable())


@pytest.mark.parametrize("target", ["questions", "population"])
def test_compare_has_the_power(target):
    """Two models with a correlation of 1 between their ranks of questions, and that of their values in the design."""
    rng, runs = np.random.default_rng([2, len(target)]), 250
    metric, rates = Design(100, 6).metric, rates_of("typical")
    better = better_by(metric, rates, 6, 0.06)
    design = Design(100, 6, target=target, correlation=float(np.corrcoef(rates, better)[0, 1]))
    calls = 0
    for _ in range(runs):
        place = rng.integers(0, 400, 100) if target == "population" else np.arange(2, 400, 4)
        A, B = (OutcomeMatrix.from_counts(rng.binomial(6, each[place]), 6) for each in (better, rates))
        calls += compare("pass@1", A, B, target=target).winner == "A"
    promised = design.power(0.06)
    assert 0.3 < promised < 0.97
    assert calls / runs == pytest.approx(promised, abs=0.03 + 3 * np.sqrt(promised * (1 - promised) / runs))


def test_errors():
    for call, message in [
        (lambda: Design(100, 2, "pass@4"), "must be at least 4 for pass@4"),
        (lambda: Design(1, 2), "must be at least 2"),
        (lambda: Design(100, 2, profile="odd"), "unknown profile 'odd'"),
        (lambda: Design(100, 2, correlation=2), "must be between -1 and 1"),
        (lambda: Design(100, 2, "geomds@2"), "no plan without a pilot"),
        (lambda: Design(100, 2, profile=OutcomeMatrix.from_rewards([[0.1, 0.5]])), "needs binary outcomes"),
    ]:
        with pytest.raises((OutcomeError, ParameterError), match=message):
            call()
