"""The shared prior: kernels against mpmath and quadrature, the whole against brute force, and what must hold anyway."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import hierarchy as oracle
from scorio import (
    AvgMetric,
    BayesMetric,
    GeomAtK,
    GeomDsAtK,
    GPassTau,
    MaxAtK,
    MGPass,
    OutcomeMatrix,
    PassAtK,
    PassHatK,
)
from scorio._kernels import hierarchy as kernel
from scorio.hierarchy import CORRELATION, learn

METRICS = [PassAtK(1), PassAtK(4), PassHatK(4), GPassTau(8, 0.5), MGPass(8), GeomAtK(3), GeomDsAtK(3), BayesMetric()]


def bank(successes, trials):
    return OutcomeMatrix.from_counts(np.array(successes), np.array(trials))


def test_parameters_and_their_prior_agree_with_mpmath():
    at = np.array([[-14.0, -0.3, 0.0, 14.0], [9.0, -1.7, 0.0, -9.0]])
    found = np.empty((3, 4))
    kernel.parameters(at, 0.75, 1.5, *found)
    with mpmath.workdps(50):
        for (x, y), values in zip(at.T, found.T, strict=True):
            m, r = (1 / (1 + mpmath.exp(-mpmath.mpf(float(logit)))) for logit in (x, y))
            strength = (1 - r) / r
            log_prior = mpmath.log(m * (1 - m)) + 0.75 * mpmath.log(r) + 1.5 * mpmath.log(1 - r)
            truth = [float(strength * m), float(strength * (1 - m)), float(log_prior)]
            assert values == pytest.approx(truth, rel=1e-13)


@pytest.mark.parametrize(("alpha", "beta"), [(0.3, 0.7), (1e-6, 2.0), (3.0, 5000.0), (40.0, 1e-3)])
def test_the_smooth_likelihood_agrees_with_mpmath(alpha, beta):
    c, n = np.array([0, 2, 5, 7, 60, 200]), np.array([4, 2, 9, 70, 64, 900])
    weight = np.array([3.0, 1.0, 2.0, 0.5, 1.0, 1.0])
    found = np.empty(1)
    tallies = []
    for counts in (c, n - c, n):
        order = np.argsort(counts, kind="stable")
        tallies += [counts[order], weight[order]]
    kernel.smooth(*tallies, np.array([alpha]), np.array([beta]), found)
    exact = sum(w * oracle.log_mass(alpha, beta, x, y) for x, y, w in zip(c, n, weight, strict=True))
    assert found[0] == pytest.approx(float(exact), rel=1e-12)


def test_the_masses_of_the_ends_agree_with_mpmath():
    c, n = np.array([0, 5, 0, 300]), np.array([4, 5, 1000, 300])
    found = np.empty((1, 4))
    kernel.end_masses(c, n, np.array([0.2]), np.array([1.7]), found)
    exact = [float(oracle.log_mass(0.2, 1.7, x, y)) for x, y in zip(c, n, strict=True)]
    assert found[0] == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(
    ("mass", "weight", "rest"),
    [
        ((0.2, 0.1), (30.0, 5.0), 40.0),
        ((0.01, 0.001), (35.0, 25.0), 40.0),
        ((0.5, 0.5), (3.0, 2.0), 0.0),
        ((0.3, 0.3), (0.0, 0.0), 10.0),
        ((1e-200, 1e-9), (300.0, 1.0), 200.0),
    ],
)
def test_the_integral_over_spike_weights_agrees_with_quadrature(mass, weight, rest):
    never, always = np.array([True, False]), np.array([False, True])
    log_integral, rule = np.empty(1), np.empty((3, 1, kernel.POINTS))
    kernel.spiked(np.array([mass]), never, always, np.array(weight), rest, log_integral, *rule)
    exact = oracle.log_spiked(mass, never, always, weight, rest)
    assert log_integral[0] == pytest.approx(exact, abs=0.08)  # a chance within 8%
    assert rule[0].sum() == pytest.approx(1.0)
    assert ((rule[1] > 0) & (rule[2] > 0) & (rule[1] + rule[2] < 1)).all()


@pytest.mark.parametrize("counts", [[(3, 5), (1, 5), (5, 5)], [(0, 8), (1, 3), (2, 2), (7, 8)], [(1, 1), (0, 1)]])
@pytest.mark.parametrize("metric", [PassAtK(1), PassAtK(4), PassHatK(3), MGPass(5)], ids=str)
def test_the_smooth_posterior_agrees_with_brute_force(counts, metric):
    c, n = np.array(counts).T
    R = bank(c, n)
    hierarchy = learn(R.states, spikes=False)
    R._cache["learnt"] = hierarchy
    posterior = metric.posterior(R, prior="eb")
    mu, sigma = oracle.smooth_posterior(counts, metric.credits, CORRELATION)
    assert posterior.mu == pytest.approx(mu, abs=0.025 * sigma)
    assert posterior.sigma == pytest.approx(sigma, rel=0.03)


def test_weights_add_to_one_and_spikes_follow_the_bank():
    rng = np.random.default_rng(3)
    smooth = bank(rng.binomial(16, rng.beta(2, 2, 300)), 16)
    spiky = bank(rng.binomial(16, np.where(rng.random(300) < 0.5, 0.0, rng.beta(4, 4, 300))), 16)
    for R in (smooth, spiky):
        assert R.learnt().weight.sum() == pytest.approx(1.0)
    assert smooth.learnt().spiked < 0.05
    assert spiky.learnt().spiked > 0.99


def test_one_trial_a_question_tells_no_spikes():
    assert bank([0, 1, 0, 1], 1).learnt().spiked == 0.0


def test_a_large_bank_teaches_its_own_law():
    rng = np.random.default_rng(0)
    branch = bank(rng.binomial(30, rng.beta(0.6, 1.4, 4000)), 30).learnt().branches[0]
    weight = branch.weight.sum(axis=1) / branch.weight.sum()
    assert weight @ branch.alpha == pytest.approx(0.6, rel=0.1)
    assert weight @ branch.beta == pytest.approx(1.4, rel=0.1)


def test_a_discount_widens_what_is_known_of_the_prior():
    R = bank([3, 1, 5, 0, 2, 4], 5)
    whole, part = (np.log(learn(R.states, discount).branches[0].alpha) for discount in (1.0, 0.3))
    assert np.ptp(part) > np.ptp(whole)


successes = st.lists(st.integers(0, 6), min_size=1, max_size=12)


@settings(max_examples=30, deadline=None)
@given(successes, st.sampled_from(METRICS))
def test_intervals_are_finite_ordered_and_inside_the_range(c, metric):
    R = bank(c, 6)
    for target in ("questions", "population") if len(c) > 1 else ("questions",):
        mu, sigma, lo, hi = metric.interval(R, prior="eb", method="quantile", target=target)
        assert 0.0 <= lo <= hi <= 1.0
        assert lo - 1e-9 <= mu <= hi + 1e-9
        assert sigma > 0.0


@settings(max_examples=20, deadline=None)
@given(successes, st.randoms(use_true_random=False))
def test_the_order_of_questions_does_not_matter(c, random):
    shuffled = list(c)
    random.shuffle(shuffled)
    one, other = (PassAtK(3).interval(bank(each, 6), prior="eb") for each in (c, shuffled))
    assert tuple(one) == tuple(other)


@settings(max_examples=20, deadline=None)
@given(successes)
def test_success_and_failure_are_alike(c):
    R, mirrored = bank(c, 6), bank([6 - x for x in c], 6)
    one, other = PassAtK(1).posterior(R, prior="eb"), PassAtK(1).posterior(mirrored, prior="eb")
    assert one.mu == pytest.approx(1.0 - other.mu, abs=2e-3)
    assert one.sigma == pytest.approx(other.sigma, rel=0.02)


@pytest.mark.parametrize("metric", [*METRICS, AvgMetric(), MaxAtK(3)], ids=str)
def test_moments_add_up_to_no_more_than_the_interval_knows(metric):
    R = bank([0, 3, 6, 2, 6, 0, 1], 6)
    mean, variance = metric.moments(R, prior="eb")
    posterior = metric.posterior(R, prior="eb")
    if metric.additive:
        assert mean.mean() == pytest.approx(posterior.mu, rel=1e-9)
    assert (variance >= 0.0).all()
    assert posterior.sigma <= np.sqrt(variance).mean() * 1.0001 or not metric.additive


def test_prior_outcomes_and_ragged_rows_count():
    ragged = OutcomeMatrix([[0, 1, 1], [1], [0, 0]], prior=[[1, 1], [0], [0, 0, 0]])
    counted = bank([4, 1, 0], [5, 2, 5])
    assert tuple(PassAtK(2).interval(ragged, prior="eb"))[:2] == tuple(PassAtK(2).interval(counted, prior="eb"))[:2]


def test_questions_without_trials_are_covered_by_the_others():
    R = OutcomeMatrix([[1, 0, 1], [np.nan] * 3, [1, 1, 1], [0, 1, 1]], missing="omit")
    mean, variance = PassAtK(1).moments(R, prior="eb")
    assert 0.4 < mean[1] < 0.9
    assert variance[1] > variance[0]


@pytest.mark.parametrize("fill", [0, 1])
def test_banks_of_one_outcome(fill):
    for M, N in ((1, 1), (1, 8), (50, 8)):
        found = PassAtK(2).interval(np.full((M, N), fill), prior="eb", method="quantile")
        assert 0.0 <= found.lo <= found.hi <= 1.0
        assert abs(found.mu - fill) < 0.5


def test_rewards_follow_steps_of_binary_banks():
    rng = np.random.default_rng(1)
    p = rng.beta(0.4, 0.6, 200)
    counts = np.stack([8 - (c := rng.binomial(8, p)), np.zeros(200, int), c], axis=1)
    three = OutcomeMatrix.from_counts(counts)
    two = OutcomeMatrix.from_counts(c, 8)
    for metric, plain in ((MaxAtK(4, (0, 0.5, 1)), PassAtK(4)), (BayesMetric((0, 0.5, 1)), PassAtK(1))):
        assert metric.posterior(three, prior="eb").mu == pytest.approx(plain.posterior(two, prior="eb").mu, rel=1e-6)


def test_rewards_in_any_order_and_merged():
    rng = np.random.default_rng(1)
    counts = rng.multinomial(6, [0.5, 0.3, 0.2], size=40)
    straight = MaxAtK(3, (0, 0.5, 1)).posterior(OutcomeMatrix.from_counts(counts), prior="eb")
    turned = MaxAtK(3, (1, 0, 0.5)).posterior(OutcomeMatrix.from_counts(counts[:, [2, 0, 1]]), prior="eb")
    assert (straight.mu, straight.sigma) == pytest.approx((turned.mu, turned.sigma))
    merged = MaxAtK(3, (0, 0, 1)).posterior(OutcomeMatrix.from_counts(counts), prior="eb")
    binary = PassAtK(3).posterior(OutcomeMatrix.from_counts(counts[:, 2], 6), prior="eb")
    assert (merged.mu, merged.sigma) == pytest.approx((binary.mu, binary.sigma))
