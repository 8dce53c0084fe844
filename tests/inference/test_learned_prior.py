"""The learned prior: the whole against dense quadrature, the cases that went wrong once, and what must hold anyway."""

import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from mpmath import mp, rf
from scipy import stats

from oracles import beta_mixture, learned_prior as oracle
from oracles.beta_binomial import Outcomes
from oracles.beta_mixture import matched_beta
from oracles.learned_prior_sets import answer, draw, errors, is_as_rough, truth
from scorio import AvgMetric, BayesMetric, GPassTau, MaxAtK, MGPass, OutcomeMatrix, PassAtK, PassHatK, compare
from scorio._kernels import prior_moments
from scorio.inference._prior import learn
from scorio.metrics import GeomAtK, GeomDsAtK
from scorio.metrics._shared_prior import learned_prior, learned_prior_of_population
from scorio.planning._expected import draw_rates

LEARNED = {"prior": "learned", "shape": "quantile"}


def bank(successes, trials):
    return OutcomeMatrix.from_counts(np.array(successes), np.array(trials))


def check_against_oracle(metric, c, n, target="questions", width=0.02):
    """Mean within .02 sigma, sigma within 2%, quantiles within 2% of the width.

    The posterior alone, without its step toward the unbiased score, which adaptive outcomes do not have.
    """
    outcomes, truth = (
        bank(c, n).as_adaptive(),
        oracle.posterior(Outcomes.of(c, n), metric.credit_values, target == "population"),
    )
    mu, sigma = beta_mixture.moments(truth)
    lo, hi = beta_mixture.quantiles(truth)
    law = metric.posterior(outcomes, prior="learned", target=target)
    found = law.mean, law.sd, *law.on(0.0, 1.0).equal_tailed(0.025)
    if metric.k <= np.min(n):  # more trials than there are widen an interval
        found = metric.interval(outcomes, **LEARNED, target=target)[:4]
    assert found[0] == pytest.approx(mu, abs=0.02 * sigma)
    assert found[1] == pytest.approx(sigma, rel=0.02)
    assert found[2] == pytest.approx(min(lo, mu), abs=width * (hi - lo))
    assert found[3] == pytest.approx(max(hi, mu), abs=width * (hi - lo))


@pytest.mark.parametrize("metric", [PassAtK(8), PassHatK(4), GPassTau(8, 0.5)], ids=str)
def test_the_grid_density_speaks_about_other_questions(metric):
    rng = np.random.default_rng(0)
    c = rng.binomial(8, np.where(rng.random(60) < 0.06, 0.0, rng.beta(12.0, 2.0, 60)))
    prior = learn(bank(c, 8).states, fine=True)
    assert prior.grid_weight > 0.5
    check_against_oracle(metric, c, 8, "population")


# Rows of numbers that were wrong once.


@pytest.mark.parametrize("target", ["questions", "population"])
def test_a_common_rate_has_an_upper_end(target):
    interval = PassAtK(1).interval(bank(np.full(1000, 1), 8), **LEARNED, target=target)
    assert interval.lo == pytest.approx(0.118, abs=5e-4)
    assert interval.hi == pytest.approx(0.1325, abs=5e-4)
    check_against_oracle(PassAtK(1), np.full(1000, 1), 8, target)


@pytest.mark.parametrize("seed", range(10))
def test_intervals_of_a_common_rate_are_two_sided(seed):
    c = np.random.default_rng(seed).binomial(8, 0.75, 5000)
    mu, sigma, lo, hi = PassAtK(1).interval(bank(c, 8), **LEARNED)
    assert lo == pytest.approx(mu - 1.96 * sigma, abs=0.05 * sigma)
    assert hi == pytest.approx(mu + 1.96 * sigma, abs=0.05 * sigma)


@pytest.mark.slow
def test_many_questions_of_little_spread_are_found():
    c = np.random.default_rng(0).binomial(64, np.random.default_rng(1).beta(95, 5, 10**5))
    interval = PassAtK(1).interval(bank(c, 64), **LEARNED)
    assert interval.mu == pytest.approx(c.mean() / 64, abs=0.05 * interval.sigma)
    assert interval.lo < c.mean() / 64 < interval.hi
    check_against_oracle(PassAtK(1), c, 64)


@pytest.mark.parametrize("questions", [10**2, 10**4, 10**6, 10**7])
def test_no_success_in_any_number_of_questions(questions):
    interval = PassAtK(1).interval(OutcomeMatrix.from_counts(np.zeros(questions, dtype=int), 1), **LEARNED)
    assert interval.mu * questions == pytest.approx(0.57, abs=0.04)
    assert interval.sigma * questions == pytest.approx(0.78, abs=0.04)
    assert 2.5 < interval.hi * questions < 3.1


def test_a_spread_below_the_binomial_one():
    interval = PassAtK(1).interval(bank(np.full(1000, 500), 1000), **LEARNED)
    assert interval == pytest.approx((0.5, 0.0005, 0.499, 0.501), abs=3e-5)


@pytest.mark.parametrize("target", ["questions", "population"])
def test_strict_floating_point_errors_are_not_raised(target):
    with np.errstate(all="raise"):
        for c, n in (([0, 3, 8], 8), (np.zeros(50, dtype=int), 8), (np.full(1000, 500), 1000)):
            for metric in (PassAtK(4), PassHatK(4), GeomDsAtK(4)):
                metric.interval(bank(c, n), **LEARNED, target=target)


def test_quantiles_solve_the_distribution_function_of_the_mixture():
    rng = np.random.default_rng(5)
    for questions in (3, 30, 3000):
        mixture = PassAtK(2).posterior(bank(rng.binomial(8, rng.beta(2, 1, questions)), 8), prior="learned")
        a, b = matched_beta(mixture.means, mixture.variances)
        for chance in (0.005, 0.025, 0.5, 0.975):
            at = mixture.on(0.0, 1.0).icdf(chance)
            assert mixture.weights @ stats.beta.cdf(at, a, b) == pytest.approx(chance, abs=max(2e-3, 0.03 * chance))


@pytest.mark.parametrize(("questions", "trials"), [(1, 1), (1, 10**6), (3, 10**5), (10**6, 2), (2000, 10**6)])
@pytest.mark.parametrize("rate", [1e-3, 0.4, 1.0])
def test_extreme_sizes_are_trusted(questions, trials, rate):
    c = np.random.default_rng(7).binomial(trials, rate, questions)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        interval = PassAtK(1).interval(bank(c, trials), **LEARNED)
    score = c.mean() / trials
    assert 0.0 <= interval.lo <= interval.mu <= interval.hi <= 1.0
    assert abs(interval.mu - score) < max(3 * interval.sigma, 1e-12)


def test_ragged_trials_from_one_to_a_hundred_thousand():
    rng = np.random.default_rng(2)
    n = np.round(10 ** rng.uniform(0, 5, 200)).astype(int)
    p = rng.beta(0.7, 1.2, 200)
    interval = PassAtK(1).interval(bank(rng.binomial(n, p), n), **LEARNED)
    assert abs(interval.mu - p.mean()) < 4 * interval.sigma


# Against the oracle.


@pytest.mark.parametrize("metric", [PassAtK(1), PassAtK(8), PassHatK(3), MGPass(5)], ids=str)
@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.parametrize(
    ("c", "n"),
    [
        ([3, 1, 5], 5),
        ([0, 1, 4, 8, 8, 6, 2, 0, 0], 8),
        (np.repeat([0, 1, 2, 5, 9, 16], [40, 2, 3, 5, 10, 20]), 16),
        (np.random.default_rng(1).binomial(4, np.random.default_rng(2).beta(2, 3, 60)), 4),
    ],
    ids=["three", "nine", "two peaks", "sixty"],
)
def test_posteriors_agree_with_dense_quadrature(metric, c, n, target):
    check_against_oracle(metric, np.array(c), n, target, width=0.03)


@pytest.mark.parametrize("k", [prior_moments.LARGEST_BUDGET, prior_moments.LARGEST_BUDGET + 1])
def test_large_budgets_use_the_other_kernels(k):
    R = bank([0, 1, 4, 8, 8, 6, 2, 0, 0], 8)
    mixture = GPassTau(k, 0.5).posterior(R, prior="learned")
    mean, _ = GPassTau(k, 0.5).moments(R, prior="learned")
    near = GPassTau(prior_moments.LARGEST_BUDGET - 1, 0.5).posterior(R, prior="learned")
    assert mean.mean() == pytest.approx(mixture.mean, rel=1e-12)
    assert (mixture.mean, mixture.sd) == pytest.approx((near.mean, near.sd), rel=0.05)


@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.parametrize(("metric", "powers"), [(PassAtK(4), (1.0, 0.0)), (PassHatK(4), (0.0, 1.0))], ids=str)
@pytest.mark.parametrize("rates", ["smooth", "two", "hopeless"])
def test_credits_in_kernels_say_what_tables_of_integrals_say(metric, powers, rates, target):
    """Powers of 1 and 0 make a geometric mean the metric itself, which then is no credit of a draw to the package."""
    rng = np.random.default_rng(3)
    p = {"smooth": rng.beta(0.5, 0.5, 60), "two": rng.choice([0.3, 0.7], 300), "hopeless": rng.choice([0.0, 0.6], 60)}
    outcomes = bank(rng.binomial(8, p[rates]), 8)
    for recorded, error in ((outcomes.as_adaptive(), 2e-3), (outcomes, 0.1)):  # the step toward scores is rougher
        one, other = (
            each.posterior(recorded, prior="learned", target=target) for each in (metric, GeomAtK(4, *powers))
        )
        assert one.mean == pytest.approx(other.mean, abs=error * other.sd)
        assert one.sd == pytest.approx(other.sd, rel=error)
    one, other = (each.moments(outcomes, prior="learned") for each in (metric, GeomAtK(4, *powers)))
    np.testing.assert_allclose(one.mean, other.mean, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(one.variance, other.variance, rtol=1e-5, atol=1e-12)


def test_point_masses_are_named_where_the_outcomes_show_them():
    rng = np.random.default_rng(3)
    smooth = bank(rng.binomial(16, rng.beta(2, 2, 300)), 16)
    spiky = bank(rng.binomial(16, np.where(rng.random(300) < 0.5, 0.0, rng.beta(4, 4, 300))), 16)
    for R in (smooth, spiky):
        assert learned_prior(R).weight.sum() == pytest.approx(1.0)
    assert learned_prior(smooth).point_mass_weight < 0.05
    assert learn(spiky.states, grid=False).point_mass_weight > 0.99


def test_one_trial_per_question_shows_no_point_masses():
    assert learned_prior(bank([0, 1, 0, 1], 1)).point_mass_weight == 0.0


def test_outcomes_without_a_success_or_a_failure_leave_the_grid_out():
    for c in (0, 8):
        assert learned_prior(bank(np.full(40, c), 8)).grid_weight == 0.0


def test_a_shape_that_no_beta_has_goes_to_the_grid():
    rng = np.random.default_rng(4)
    p = np.where(rng.random(500) < 0.06, 0.0, np.minimum(rng.beta(12, 2, 500), 0.99))
    p = np.where(rng.random(500) < 0.15, 0.7 * rng.random(500), p)
    assert learned_prior(bank(rng.binomial(16, p), 16)).grid_weight > 0.9


def test_many_questions_teach_their_own_law():
    rng = np.random.default_rng(0)
    prior = learn(bank(rng.binomial(30, rng.beta(0.6, 1.4, 4000)), 30).states, grid=False)
    assert prior.weight @ prior.alpha == pytest.approx(0.6, rel=0.1)
    assert prior.weight @ prior.beta == pytest.approx(1.4, rel=0.1)


def test_drawn_rates_have_the_moments_of_the_posterior():
    R = bank([0, 1, 3, 8, 8, 5, 0, 0, 6, 7], 8)
    rng, prior = np.random.default_rng(0), learned_prior(R)
    drawn = np.array([draw_rates(prior, R.state_of_question, rng) for _ in range(6000)])
    mean, variance = PassAtK(1).moments(R, prior="learned")
    error = np.sqrt(variance / len(drawn))
    assert (np.abs(drawn.mean(axis=0) - mean) < 5 * error).all()
    assert drawn.var(axis=0) == pytest.approx(variance, rel=0.15)
    whole = PassAtK(1).posterior(R, prior="learned")
    assert drawn.mean(axis=1).std() == pytest.approx(whole.sd, rel=0.06)


# Outcomes of which the grid density is all that is left.

MANY = bank([20] * 300 + [180] * 300, 200)


def test_the_grid_density_can_be_all_that_is_left():
    for outcomes in (bank([1] * 200 + [7] * 200, 8), MANY):
        prior = learned_prior(outcomes)
        assert prior.has_grid
        assert prior.size == 0


def test_pass_at_100_of_programming_questions_has_an_interval():
    (x, density), found = learned_prior(MANY).grid_density, PassAtK(100).interval(MANY, prior="learned")
    assert found.mu == pytest.approx(density @ (1.0 - (1.0 - x) ** 100), abs=2e-3)


def test_budgets_beyond_the_small_kernels_continue_those_below():
    found = [PassAtK(k).interval(MANY, prior="learned").mu for k in (32, 33, 40, 50, 64, 100)]
    assert np.all(np.diff(found) > 0.0)
    assert np.diff(found).max() < 0.02


def test_models_with_one_component_are_compared():
    pair = bank([7] * 40, 8), bank([3] * 40, 8)
    for metric, target in product((PassAtK(64), PassAtK(4)), ("questions", "population")):
        found = compare(metric, *pair, prior="learned", target=target)
        assert np.isfinite(found.p_better)


def test_means_of_whole_sets_leave_the_grid_out_with_clusters_too():
    successes = [1] * 20 + [7] * 20
    outcomes = OutcomeMatrix.from_counts(successes, trials=8, clusters=list(range(40)))
    plain = OutcomeMatrix.from_counts(successes, trials=8)
    assert learned_prior_of_population(plain).has_grid
    one, other = (GeomDsAtK(2).interval(each, prior="learned", target="population") for each in (outcomes, plain))
    assert tuple(one) == pytest.approx(tuple(other))


# What holds whatever the outcomes are.

METRICS = [PassAtK(1), PassAtK(4), PassHatK(4), GPassTau(8, 0.5), MGPass(8), GeomAtK(3), GeomDsAtK(3), BayesMetric()]


successes = st.lists(st.integers(0, 6), min_size=1, max_size=12)


@settings(max_examples=20, deadline=None)
@given(successes, st.randoms(use_true_random=False))
def test_the_order_of_questions_does_not_matter(c, random):
    shuffled = list(c)
    random.shuffle(shuffled)
    one, other = (PassAtK(3).interval(bank(each, 6), prior="learned") for each in (c, shuffled))
    assert tuple(one) == tuple(other)


@settings(max_examples=20, deadline=None)
@given(successes)
def test_success_and_failure_are_alike(c):
    R, mirrored = bank(c, 6), bank([6 - x for x in c], 6)
    one, other = PassAtK(1).posterior(R, prior="learned"), PassAtK(1).posterior(mirrored, prior="learned")
    assert one.mean == pytest.approx(1.0 - other.mean, abs=2e-3)
    assert one.sd == pytest.approx(other.sd, rel=0.02)


@pytest.mark.parametrize("metric", [*METRICS, AvgMetric(), MaxAtK(3)], ids=str)
def test_moments_add_up_to_no_more_than_the_interval_knows(metric):
    R = bank([0, 3, 6, 2, 6, 0, 1], 6)
    mean, variance = metric.moments(R, prior="learned")
    posterior = metric.posterior(R, prior="learned")
    if metric.is_mean_over_questions:
        assert mean.mean() == pytest.approx(posterior.mean, rel=1e-9)
    assert (variance >= 0.0).all()
    assert posterior.sd <= np.sqrt(variance).mean() * 1.0001 or not metric.is_mean_over_questions


def test_prior_outcomes_and_ragged_rows_count():
    ragged = OutcomeMatrix([[0, 1, 1], [1], [0, 0]], prior=[[1, 1], [0], [0, 0, 0]])
    counted = bank([4, 1, 0], [5, 2, 5])
    assert (
        tuple(PassAtK(2).interval(ragged, prior="learned"))[:2]
        == tuple(PassAtK(2).interval(counted, prior="learned"))[:2]
    )


def test_questions_without_trials_are_covered_by_the_others():
    R = OutcomeMatrix([[1, 0, 1], [np.nan] * 3, [1, 1, 1], [0, 1, 1]], missing="omit")
    mean, variance = PassAtK(1).moments(R, prior="learned")
    assert 0.4 < mean[1] < 0.9
    assert variance[1] > variance[0]


def test_rewards_follow_steps_of_binary_banks():
    rng = np.random.default_rng(1)
    p = rng.beta(0.4, 0.6, 200)
    counts = np.stack([8 - (c := rng.binomial(8, p)), np.zeros(200, int), c], axis=1)
    three = OutcomeMatrix.from_counts(counts)
    two = OutcomeMatrix.from_counts(c, 8)
    for metric, plain in ((MaxAtK(4, (0, 0.5, 1)), PassAtK(4)), (BayesMetric((0, 0.5, 1)), PassAtK(1))):
        assert metric.posterior(three, prior="learned").mean == pytest.approx(
            plain.posterior(two, prior="learned").mean, rel=1e-6
        )


def test_rewards_in_any_order_and_merged():
    rng = np.random.default_rng(1)
    counts = rng.multinomial(6, [0.5, 0.3, 0.2], size=40)
    straight = MaxAtK(3, (0, 0.5, 1)).posterior(OutcomeMatrix.from_counts(counts), prior="learned")
    turned = MaxAtK(3, (1, 0, 0.5)).posterior(OutcomeMatrix.from_counts(counts[:, [2, 0, 1]]), prior="learned")
    assert (straight.mean, straight.sd) == pytest.approx((turned.mean, turned.sd))
    merged = MaxAtK(3, (0, 0, 1)).posterior(OutcomeMatrix.from_counts(counts), prior="learned")
    binary = PassAtK(3).posterior(OutcomeMatrix.from_counts(counts[:, 2], 6), prior="learned")
    assert (merged.mean, merged.sd) == pytest.approx((binary.mean, binary.sd))


# Small sets of every shape; ``study.py learned-prior`` has 2,000 of them.

SETS = 150


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, SETS, 10))
def test_sets_of_every_shape_agree_with_the_oracle(first):
    of_two_minds = 0
    for seed in range(first, first + 10):
        c, n, shape, metric, target = draw(seed, most_questions=40, most_trials=12)
        mine, prior = answer(c, n, metric, target)
        found = errors(mine, truth(c, n, metric, target))
        label = f"set {seed}: {len(c)} x {n.min()}..{n.max()} {shape}, {metric}, {target}: {found}"
        assert prior.trusted, label
        if not is_as_rough(prior, c, n, metric):
            of_two_minds += 1
            continue
        assert abs(found["mean"]) < 0.02, label
        assert abs(found["sigma"]) < (0.02 if len(c) > 1 else 0.06), label
        within = max(abs(found["low"]), abs(found["high"]))
        assert within < (0.035 if len(c) > 1 else 0.25), label
    assert of_two_minds <= 2


def test_the_oracle_knows_the_beta_binomial_law():
    x, y = 0.4, -1.3
    m, s = 1 / (1 + mp.exp(-x)), mp.exp(-y)
    outcomes = Outcomes.of([3, 0, 5000], [5, 4, 9000])
    exact = [
        mp.log(rf(s * m, int(c)) * rf(s * (1 - m), int(n - c)) / rf(s, int(n)))
        for c, n in zip(outcomes.c, outcomes.n, strict=True)
    ]
    found = outcomes.log_states(np.array([x]), np.array([y]))[0]
    assert found == pytest.approx([float(value) for value in exact], rel=1e-9)
