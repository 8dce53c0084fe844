"""Intervals with looks: every metric, shape, target and prior; what they say; and that they hold at any look."""

import warnings
from itertools import pairwise

import mpmath
import numpy as np
import pytest

from scorio import (
    AvgMetric,
    BayesMetric,
    GPassTau,
    Looks,
    MaxAtK,
    OutcomeMatrix,
    ParameterError,
    PassAtK,
    PassHatK,
    RewardMatrix,
)
from scorio.errors import BiasWarning

LOOKS = Looks(trials=64)
RNG = np.random.default_rng(0)
R = OutcomeMatrix((RNG.random((40, 8)) < RNG.beta(0.5, 0.5, (40, 1))).astype(int), clusters=[a // 2 for a in range(40)])


@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.parametrize("metric", [PassAtK(1), PassAtK(4), PassHatK(4), GPassTau(8, 0.5), BayesMetric()], ids=str)
def test_a_normal_interval_reaches_z_deviations(metric, target):
    plain = metric.interval(R, prior="learned", shape="normal", target=target, bounds=None)
    always = metric.interval(R, prior="learned", shape="normal", target=target, bounds=None, looks=LOOKS)
    assert (always.mu, always.sigma) == (plain.mu, plain.sigma)
    z = LOOKS.z(8)
    assert always.lo == pytest.approx(plain.mu - z * plain.sigma)
    assert always.hi == pytest.approx(plain.mu + z * plain.sigma)


@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.parametrize("metric", [PassAtK(1), PassHatK(4), BayesMetric()], ids=str)
def test_a_quantile_interval_is_that_of_the_tail_probability(metric, target):
    always = metric.interval(R, prior="learned", shape="quantile", target=target, looks=LOOKS)
    plain = metric.interval(R, 1.0 - LOOKS.tail(8), prior="learned", shape="quantile", target=target)
    assert tuple(always) == pytest.approx(tuple(plain), rel=1e-4)
    assert always.confidence == 0.95


@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.parametrize("shape", ["normal", "quantile"])
@pytest.mark.parametrize("metric", [AvgMetric(), BayesMetric(), MaxAtK(2)], ids=str)
def test_continuous_rewards_have_students_interval_at_the_tail_probability(metric, shape, target):
    rewards = RewardMatrix(np.random.default_rng(1).beta(2.0, 5.0, (20, 6)), clusters=[a // 2 for a in range(20)])
    always = metric.interval(rewards, shape=shape, target=target, looks=LOOKS)
    plain = metric.interval(rewards, 1.0 - LOOKS.tail(6), shape=shape, target=target)
    assert tuple(always) == pytest.approx(tuple(plain), rel=1e-6)
    assert (always.confidence, always.looks, always.rewards) == (0.95, LOOKS, "continuous")
    assert "valid at every look" in str(always)


@pytest.mark.parametrize("trials", [1, 2, 5])
@pytest.mark.parametrize("rate", [0.03, 0.2, 0.5, 0.97])
def test_early_looks_of_a_large_budget_reach_beyond_the_mean_on_both_sides(rate, trials):
    rng = np.random.default_rng(7)
    outcomes = OutcomeMatrix.from_counts(rng.binomial(trials, np.clip(rng.normal(rate, 0.02, 200), 0, 1)), trials)
    for metric in (PassAtK(1), PassAtK(4), PassHatK(4)):
        narrow = metric.interval(outcomes, prior="learned")
        for budget in (trials, 10 * trials, 100 * trials, 10_000 * trials):
            wide = metric.interval(outcomes, prior="learned", looks=Looks(trials=budget))
            assert wide.lo <= narrow.lo + 2e-5  # to which ends of ranges are found
            assert narrow.lo <= narrow.mu <= narrow.hi <= wide.hi + 1e-9
            narrow = wide


def test_far_from_the_budget_the_interval_says_nothing_but_stays_inside_the_bounds():
    distant = Looks(trials=10**12, confidence=0.999)
    for shape in ("normal", "quantile"):
        found = PassAtK(1).interval(R, prior="learned", shape=shape, looks=distant)
        assert (found.lo, found.hi) == (0.0, 1.0)


def test_tails_far_below_the_rounding_of_one_are_told_apart():
    outcomes = OutcomeMatrix.from_counts([500] * 200, 1000)
    ends = [
        PassAtK(1).interval(outcomes, prior="learned", shape="quantile", looks=Looks(trials=1000, confidence=c))
        for c in (0.9, 0.95, 0.99, 1 - 1e-12)
    ]
    wide = [
        PassAtK(1).interval(outcomes, prior="learned", shape="quantile", looks=Looks(trials=b))
        for b in (1e4, 1e5, 1e6, 2e7)
    ]
    for found in (ends, wide):
        assert all(one.hi < other.hi < 1.0 and one.lo > other.lo > 0.0 for one, other in pairwise(found))
        assert found[-1].lo + found[-1].hi == pytest.approx(1.0, abs=1e-3)


def test_the_confidence_is_that_of_the_looks():
    looks = Looks(trials=64, confidence=0.9)
    assert PassAtK(1).interval(R, prior="learned", looks=looks).confidence == 0.9
    assert PassAtK(1).interval(R, 0.9, prior="learned", looks=looks).confidence == 0.9
    with pytest.raises(ParameterError, match=r"confidence is 0.8, but the looks were declared at 0.9"):
        PassAtK(1).interval(R, 0.8, prior="learned", looks=looks)


def test_a_fixed_prior_warns_because_its_bias_breaks_the_promise():
    with pytest.warns(BiasWarning, match='pass prior="learned"'):
        PassAtK(1).interval(R, looks=LOOKS, prior="uniform")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PassAtK(1).interval(R, looks=LOOKS)
        PassAtK(1).interval(R, target="population", looks=LOOKS, prior="uniform")
        AvgMetric().interval(R, looks=LOOKS, prior="uniform")


@pytest.mark.parametrize("df", [2.0, 5.0, 30.0, 139.0, 1e4, np.inf])
def test_tails_too_small_for_a_number_have_the_quantiles_of_students_t(df):
    """Beyond, the logarithm of the tail is that of the normal distribution, by mpmath; the quantiles go on growing."""
    looks, found = Looks(trials=1e9), []
    for n in (2000.0, 1000.0, 500.0, 400.0, 300.0):
        level = looks.level(n)
        found.append(level.critical(df))
        if np.isfinite(found[-1]):
            with mpmath.workdps(60):
                x = 0 if np.isinf(df) else df / (df + mpmath.mpf(found[-1]) ** 2)
                normal = mpmath.erfc(mpmath.mpf(found[-1] if np.isinf(df) else level.z) / mpmath.sqrt(2)) / 2
                tail = normal if np.isinf(df) else mpmath.betainc(mpmath.mpf(df) / 2, 0.5, 0, x, regularized=True) / 2
                want = mpmath.erfc(level.z / mpmath.sqrt(2)) / 2
                assert float(mpmath.log(tail) / mpmath.log(want)) == pytest.approx(1.0, abs=3e-3)
    assert found == sorted(found)


@pytest.mark.parametrize("shape", ["normal", "quantile"])
@pytest.mark.parametrize("metric", [AvgMetric(), BayesMetric(), MaxAtK(2)], ids=str)
def test_continuous_rewards_far_before_the_last_look_have_a_wide_interval(metric, shape):
    rewards = OutcomeMatrix.from_rewards(np.random.default_rng(0).normal(size=(20, 8)))
    for target in ("questions", "population"):
        found = metric.interval(rewards, looks=Looks(trials=10**6), shape=shape, target=target)
        assert np.isfinite(found).all()
        assert found.lo < -10.0 < found.mu < 10.0 < found.hi


def looks_that_miss(metric, truth, rates, rng, looks, trials):
    counts = np.zeros(len(rates), int)
    for n in range(1, trials + 1):
        counts += rng.random(len(rates)) < rates
        found = metric.interval(OutcomeMatrix.from_counts(counts, n), prior="learned", shape="quantile", looks=looks)
        if not found.lo <= truth <= found.hi:
            return True
    return False


@pytest.mark.simulation
def test_few_runs_have_any_look_that_misses():
    rng, runs, naive, honest = np.random.default_rng(5), 80, 0, 0
    for _ in range(runs):
        rates = rng.beta(0.4, 0.4, 40)
        seed = int(rng.integers(2**32))
        truth = float(rates.mean())
        honest += looks_that_miss(PassAtK(1), truth, rates, np.random.default_rng(seed), Looks(trials=24), 24)
        naive += looks_that_miss(PassAtK(1), truth, rates, np.random.default_rng(seed), None, 24)
    assert honest <= 9  # nominal 4; more than 9 of 80 have a probability below 1%
    assert naive > 2 * honest
