"""Scores, posterior moments and covariances of metrics that count successes, against exact arithmetic.

Each metric is asked about one state alone, which its kernels compute directly, and about many states at once, along
which they carry sums.
"""

import dataclasses
from fractions import Fraction
from itertools import accumulate, combinations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from oracles import finite_scores as finite, posterior as exact
from scorio import CountMetric, GeoSpectrum, GPassTau, MajAtK, MGPass, OutcomeMatrix, PassAtK, PassHatK
from scorio.metrics import AgreementAtK, AucAtK, GeomAtK, GeomDsAtK, ThresholdSpectrum

MEAN, SD = 1e-12, 1e-11
PRIORS = [(1.0, 1.0), (0.01, 0.01), (1000.0, 1000.0), (0.01, 1000.0), (1000.0, 0.01), (2.5, 0.1)]
FAR = [(1_000_000, 100_000), (1_000_000, 20), (100, 100_000), (1, 100_000), (4, 1_000_000)]


@dataclasses.dataclass(frozen=True)
class Worth(CountMetric):
    """Any credit."""

    values: tuple = ()

    def credit(self):
        return [float(value) for value in self.values]


def worth(values):
    return Worth(len(values) - 1, tuple(values)), tuple(values)


def published(k):
    """The metrics of a budget, each with its exact credit."""
    shares = np.random.default_rng(k).dirichlet(np.ones(k)).tolist()
    hits = {1, 2, k // 2, k - 1, k} & set(range(1, k + 1))
    return [
        (PassAtK(k), exact.at_least(k, 1)),
        (PassHatK(k), exact.at_least(k, k)),
        *((GPassTau(k, least / k), exact.at_least(k, least)) for least in sorted(hits)),
        (MajAtK(k), exact.at_least(k, k // 2 + 1)),
        (MGPass(k), exact.above(k, -(-k // 2))),
        (AucAtK(k), exact.area(k)),
        (AgreementAtK(k), tuple(Fraction(j in (0, k)) for j in range(k + 1))),
        (ThresholdSpectrum(k, shares), tuple(accumulate(map(Fraction, shares), initial=Fraction(0)))),
    ]


def unusual(k):
    """Credits that rise late, fall, cross zero or start above it."""
    noise = np.random.default_rng(k).normal(size=k + 1)
    late = [0.0] * (k - k // 5) + [1.0 + j for j in range(k // 5 + 1)]
    waves = [noise, np.linspace(-2.0, 1.0, k + 1), np.linspace(1.0, -1.0, k + 1) ** 3]
    return list(map(worth, [late, *(wave.tolist() for wave in waves), exact.exactly(k, min(2, k))]))


def edges(n):
    """Numbers of successes at the ends and inside."""
    return sorted({0, 1, n // 3, n // 2, n - 1, n})


def posterior(c, n, prior):
    """The parameters of the Beta posterior, exactly."""
    return Fraction(prior[0]) + c, Fraction(prior[1]) + n - c


def one(c, n):
    return OutcomeMatrix.from_counts([c], n)


def power_moments(a, b, successes, failures):
    """Mean and deviation of ``p^i (1 - p)^j``."""
    first = exact.mean_power(a, b, successes, failures)
    with mpmath.workprec(exact.PRECISION):
        return first, mpmath.sqrt(exact.mean_power(a, b, 2 * successes, 2 * failures) - first**2)


def assert_score(value, credit, n, c):
    truth = finite.score(credit, n, c)
    natural = truth if min(credit) >= 0 else finite.score([abs(x) for x in credit], n, c)
    assert abs(Fraction(float(value)) - truth) <= Fraction(MEAN) * natural + Fraction(1e-290), (n, c)


def assert_moments(found, truth, natural=None, least=1e-290, mean_bar=MEAN, sd_bar=SD):
    """A mean relative to its natural scale, and a deviation from the variance, where they are no less than promised."""
    (mean, variance), (true_mean, true_sd) = found, truth
    natural = true_mean if natural is None else natural
    assert abs(mpmath.mpf(float(mean)) - true_mean) <= mean_bar * max(natural, least)
    if true_sd >= 1e-140:
        assert exact.relative_error(np.sqrt(variance), true_sd) <= sd_bar
    else:
        assert 0.0 <= np.sqrt(variance) <= 1e-139


def assert_state(metric, credit, c, n, prior, *found):
    a, b = posterior(c, n, prior)
    natural = None if min(credit) >= 0 else exact.mean([abs(x) for x in credit], a, b)
    truth = exact.moments(credit, a, b)
    for moments in (*found, [each[0] for each in metric.moments(one(c, n), prior=prior)]):
        assert_moments(moments, truth, natural)


SIZES = [(1, 1), (2, 1), (2, 2), (5, 3), (10, 10), (80, 20), (80, 79), (256, 64), (1000, 300)]


def slowly(*sizes):
    return [pytest.param(*size, marks=pytest.mark.slow) for size in sizes]


@pytest.mark.parametrize(("n", "k"), [*SIZES, *slowly((2000, 500), (10_000, 10))])
def test_scores(n, k):
    every = OutcomeMatrix.from_counts(range(n + 1), n)
    for metric, credit in published(k) + unusual(k):
        values = metric.per_question(every)
        if metric.support() == (0.0, 1.0):
            assert ((values >= 0.0) & (values <= 1.0 + 1e-15)).all()
        for c in edges(n):
            assert_score(values[c], credit, n, c)
            assert_score(metric.score(one(c, n)), credit, n, c)


@pytest.mark.parametrize("c", [0, 1, 7, 400, 9000, 9999, 10_000])
@pytest.mark.parametrize("k", [2, 65, 1000])
def test_the_score_of_an_area_by_its_curve(c, k):
    curve = [1 - Fraction(finite.comb(10_000 - c, i), finite.comb(10_000, i)) for i in range(1, k + 1)]
    truth = (sum(curve) - (curve[0] + curve[-1]) / 2) / (k - 1)
    assert abs(Fraction(AucAtK(k).score(one(c, 10_000))) - truth) <= truth * Fraction(MEAN)


@pytest.mark.parametrize("k", [1, 10, 1000, 100_000])
def test_scores_of_a_million_trials_stay_within_bounds(k):
    n = 1_000_000
    every = OutcomeMatrix.from_counts([0, 1, 2, 1000, n // 2, n - 1000, n - 1, n], n)
    for metric in (PassAtK(k), PassHatK(k), AucAtK(k), MajAtK(k), MGPass(k), GPassTau(k, 1.0)):
        values = metric.per_question(every)
        assert ((values >= 0.0) & (values <= 1.0)).all()
        assert (np.diff(values) >= 0.0).all()


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 2), (5, 3), (3, 2), (30, 20), (80, 80), (256, 64), (2, 90)])
def test_posteriors(n, k, prior):
    every = OutcomeMatrix.from_counts(range(n + 1), n)
    for metric, credit in published(k) + unusual(k):
        moments = np.transpose(metric.moments(every, prior=prior))
        for c in edges(n):
            assert_state(metric, credit, c, n, prior, moments[c])


@pytest.mark.slow
@pytest.mark.parametrize(("n", "k", "prior"), [
    (1000, 300, (0.01, 0.01)), (10_000, 1000, (1.0, 1.0)), (10_000, 1000, (1000.0, 0.01)), (10_000, 100, (0.01, 1000)),
    (1_000_000, 300, (1.0, 1.0)), (3, 300, (0.01, 0.01)), (64, 200, (2.5, 0.1)),
])  # fmt: skip
def test_posteriors_of_many_trials(n, k, prior):
    for metric, credit in published(k) + unusual(k)[:2]:
        for c in (0, n // 2, n - 1, n):
            assert_state(metric, credit, c, n, prior)


@pytest.mark.parametrize("prior", PRIORS[:4])
@pytest.mark.parametrize("k", [1, 6, 9, 90])
def test_ragged_outcomes_along_the_states(k, prior):
    c, n = [0, 3, 0, 1, 2, 40, 64, 0, 5, 299, 300], [3, 3, 64, 64, 64, 64, 64, 300, 300, 300, 300]
    for metric, credit in published(k) + unusual(k)[:2]:
        for state, moments in zip(
            zip(c, n), np.transpose(metric.moments(OutcomeMatrix.from_counts(c, n), prior=prior))
        ):
            assert_state(metric, credit, *state, prior, moments)


def test_a_credit_for_one_number_of_successes_alone():
    """The window of a sum follows a credit into either tail."""
    for hits in range(41):
        metric, credit = worth(exact.exactly(40, hits))
        for c in (0, 75, 150):
            assert_state(metric, credit, c, 150, (1.0, 1.0))


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(("n", "k"), FAR)
def test_budgets_far_above_the_trials_and_a_million_trials(n, k, prior):
    """Closed forms at the ends, complements between them."""
    c = np.array(edges(n))
    states, mirrored = OutcomeMatrix.from_counts(c, n), OutcomeMatrix.from_counts(n - c, n)
    bar = 1e-11 if k < 10**6 else 1e-10
    bars = {"least": 1e-140, "mean_bar": bar, "sd_bar": 10 * bar}
    some, *every = (metric.moments(states, prior=prior) for metric in (PassAtK(k), PassHatK(k), GPassTau(k, 1.0)))
    for i, successes in enumerate(c.tolist()):
        a, b = posterior(successes, n, prior)
        none, sd = power_moments(a, b, 0, k)
        with mpmath.workprec(exact.PRECISION):
            assert_moments((some.mean[i], some.variance[i]), (1 - none, sd), **bars)
        for moments in every:
            assert_moments((moments.mean[i], moments.variance[i]), power_moments(a, b, k, 0), **bars)
    for least in {1, max(k // 100, 1), k // 2, k - 1}:
        mean, variance = GPassTau(k, least / k).moments(states, prior=prior)
        rest, rest_variance = GPassTau(k, (k + 1 - least) / k).moments(mirrored, prior=prior[::-1])
        np.testing.assert_allclose(mean, 1.0 - rest, rtol=0, atol=1e-10)
        np.testing.assert_allclose(np.sqrt(variance), np.sqrt(rest_variance), rtol=1e-8, atol=1e-140)
    above, below = MGPass(k).moments(states, prior=prior), MGPass(k).moments(mirrored, prior=prior[::-1])
    rate = PassAtK(1).moments(states, prior=prior).mean
    np.testing.assert_allclose(above.mean - below.mean, 2.0 * rate - 1.0, rtol=0, atol=1e-10)


@pytest.mark.parametrize(("n", "k"), [(100, 60), (10_000, 45), (10_000, 58), (2000, 80), (300, 250), (1000, 90)])
def test_all_successes_where_none_was_seen(n, k):
    """``E p^k`` down to the smallest mean and deviation promised, by each kernel that has it."""
    truth = power_moments(Fraction(1), Fraction(1 + n), k, 0)
    for metric in (PassHatK(k), GPassTau(k, 1.0), worth(exact.exactly(k, k))[0]):
        assert_moments([each[0] for each in metric.moments(one(0, n), prior=(1.0, 1.0))], truth)


@pytest.mark.parametrize(("n", "k"), [(10**6, 1999), (10**6, 10), (10, 1999), (1, 1999), (100, 1000)])
@pytest.mark.parametrize("prior", PRIORS[:2])
def test_the_rate_of_any_number_of_trials(n, k, prior):
    for c in edges(n):
        found = ThresholdSpectrum(k, np.full(k, 1.0 / k)).moments(one(c, n), prior=prior)
        assert_moments([each[0] for each in found], power_moments(*posterior(c, n, prior), 1, 0))


@pytest.mark.parametrize("value", [0.0, 1.0, 0.3, -7.1])
@pytest.mark.parametrize("k", [1, 2, 20, 500])
def test_a_constant_credit_is_certain(k, value):
    R, metric = OutcomeMatrix.from_counts([0, 3, 10], 10), worth([value] * (k + 1))[0]
    mean, variance = metric.moments(R, prior=(0.3, 0.7))
    assert (mean.tolist(), variance.tolist()) == ([value] * 3, [0.0] * 3)
    assert metric.cov(AucAtK(k), R) == 0.0


@pytest.mark.parametrize(("n", "k"), [(10**6, 10**5), (5, 10**4), (1, 1), (1, 2), (10, 10**6)])
@pytest.mark.parametrize("prior", [*PRIORS, (1e-9, 1e9), (1e-300, 1.0), (1e-320, 1e-320), (1e12, 1e12), (1e100, 1e100)])
def test_moments_are_always_finite_and_in_range(n, k, prior):
    R = OutcomeMatrix.from_counts(edges(n), n)
    for metric in (PassAtK(k), PassHatK(k), MajAtK(k), GPassTau(k, 0.01), MGPass(k), AucAtK(k)):
        mean, variance = metric.moments(R, prior=prior)
        assert ((mean >= 0.0) & (mean <= 1.0 + 1e-15)).all()
        assert ((variance >= 0.0) & (variance <= 0.25 + 1e-12)).all()
        assert -1e-15 <= PassAtK(k).cov(metric, R, prior=prior) <= 0.25 + 1e-12


@pytest.mark.slow
def test_the_steps_of_an_area_keep_what_a_credit_near_one_loses():
    """Near the top the steps of AUC@985 are 5e-7: the credit holds them to 1e-10, the metric's steps to 1e-16."""
    for c in (0, 5000, 9999, 10_000):
        truth = exact.moments(exact.area(985), 1 + c, 10_001 - c)
        found = AucAtK(985).moments(one(c, 10_000), prior=(1.0, 1.0))
        assert_moments([each[0] for each in found], truth, sd_bar=1e-13)


@pytest.mark.parametrize("prior", [(1.0, 1.0), (0.01, 0.01), (0.01, 1000.0)])
@pytest.mark.parametrize(("n", "k"), [(1, 1), (4, 2), *slowly((30, 20), (256, 64))])
def test_covariances(n, k, prior):
    pairs = combinations(published(k) + unusual(k)[:2], 2)
    for (x, x_credit), (y, y_credit) in pairs:
        for c in edges(n):
            expected = exact.covariance(x_credit, y_credit, *posterior(c, n, prior))
            bound = np.sqrt(np.prod([metric.moments(one(c, n), prior=prior).variance for metric in (x, y)]))
            assert abs(x.cov(y, one(c, n), prior=prior) - expected) <= SD * (bound + abs(expected)) + 1e-290, (x, y, c)


COUNT = [PassAtK(1), PassAtK(3), PassHatK(3), PassHatK(5), MajAtK(4), MGPass(3), AucAtK(6), GPassTau(7, 0.3)]


@pytest.mark.parametrize("y", COUNT, ids=str)
@pytest.mark.parametrize("x", COUNT, ids=str)
def test_covariances_of_different_budgets(x, y):
    k, R = max(x.k, y.k), OutcomeMatrix.from_counts([3, 4], 5)

    def to_budget(metric):
        worth = [Fraction(value).limit_denominator(10**6) for value in metric.credit()]
        return tuple(finite.score(worth, k, j) for j in range(k + 1))

    truth = sum(exact.covariance(to_budget(x), to_budget(y), 1 + c, 1 + 5 - c) for c in (3, 4)) / 4
    assert x.cov(y, R) == pytest.approx(float(truth), rel=1e-12)
    assert y.cov(x, R) == pytest.approx(float(truth), rel=1e-12)


def test_covariances_of_many_trials():
    n, k = 10_000, 1000
    for c in (0, 5000, 9000, n):
        expected = exact.covariance(exact.area(k), exact.above(k, k // 2), 1 + c, 1 + n - c)
        found = AucAtK(k).cov(MGPass(k), one(c, n))
        assert expected < 1e-280 or exact.relative_error(found, expected) <= SD, c


def first_order(x, y, u, v, joint):
    """``x^u y^v`` and its deviation, of exact moments; a base of 0 is worth 0."""
    value = x[0] ** u * y[0] ** v
    by_x, by_y = u * value / x[0], v * value / y[0]
    return value, mpmath.sqrt(by_x**2 * x[1] ** 2 + by_y**2 * y[1] ** 2 + 2 * by_x * by_y * joint)


@pytest.mark.filterwarnings("ignore:.*expanded to first order")
@pytest.mark.parametrize(("u", "v"), [(0.5, 0.25), (1.0, 0.0), (0.0, 1.0), (0.3, 2.5), (3.0, 0.25)])
@pytest.mark.parametrize(("n", "k"), [(1, 1), (5, 3), (1, 40), (80, 20), (80, 80), (80, 200)])
def test_published_moments_of_blends_are_of_first_order(n, k, u, v):
    some, every, star = exact.at_least(k, 1), exact.at_least(k, k), exact.above(k, -(-k // 2))
    for prior in ((1.0, 1.0), (0.01, 1000.0), (2.5, 0.1)):
        for c in edges(n):
            a, b = posterior(c, n, prior)
            x, y, joint = exact.moments(some, a, b), power_moments(a, b, k, 0), exact.covariance(some, every, a, b)
            with mpmath.workprec(exact.PRECISION):
                truth = first_order(x, y, mpmath.mpf(u), mpmath.mpf(v), joint)
            for metric in (GeomAtK(k, u, v), GeomDsAtK(k, u, v)):
                mu, sigma = metric.interval(one(c, n), prior=prior)[:2]
                assert_moments((mu, mpmath.mpf(sigma) ** 2), truth)
            if k > 1 and u <= 1.0:
                z, joint = exact.moments(star, a, b), exact.covariance(some, star, a, b)
                with mpmath.workprec(exact.PRECISION):
                    truth = first_order(x, z, mpmath.mpf(u), 1 - mpmath.mpf(u), joint)
                mu, sigma = GeoSpectrum(k, u).interval(one(c, n), prior=prior)[:2]
                assert_moments((mu, mpmath.mpf(sigma) ** 2), truth)


@pytest.mark.parametrize(("u", "v"), [(0.5, 0.5), (0, 0.3), (0, 2), (1, 0.01)])
def test_a_zero_base_is_worth_zero(u, v):
    """``p^k`` at 0 of 5000 successes and k = 5000 is below the smallest double."""
    assert [*GeomAtK(5000, u, v).interval(one(0, 5000), prior="uniform")][:2] == [0.0, 0.0]


@settings(max_examples=80, deadline=None)
@given(
    x=st.lists(st.floats(-1e3, 1e3, allow_subnormal=False), min_size=2, max_size=14),
    n=st.integers(1, 60),
    share=st.floats(0, 1),
    prior=st.tuples(*[st.sampled_from([0.01, 0.5, 1.0, 2.5, 1000.0])] * 2),
)
def test_any_credit_and_its_mirror(x, n, share, prior):
    c = round(share * n)
    a, b = posterior(c, n, prior)
    natural = float(exact.mean(np.abs(x), a, b))
    mobility = float(exact.deviation(np.cumsum([0.0, *np.abs(np.diff(x))]), a, b))
    true_mean, true_sd = exact.moments(x, a, b)
    straight = worth(x)[0].moments(one(c, n), prior=prior)
    mirrored = worth(x[::-1])[0].moments(one(n - c, n), prior=prior[::-1])
    for (mean,), (variance,) in (straight, mirrored):
        assert abs(mean - true_mean) <= MEAN * natural
        assert abs(np.sqrt(variance) - true_sd) <= SD * mobility + 1e-139  # variances below 1e-300 are 0


def test_the_oracle_is_enumeration():
    x, y, a, b = (Fraction(1, 3), 0, 2, -0.5), (1, -1, 0.25, 4), Fraction(2, 3), Fraction(7, 2)

    def expected(left, right):
        """By the power moments of every pair of numbers of successes."""
        return sum(
            exact.exact(Fraction(p) * Fraction(q) * finite.comb(3, i) * finite.comb(3, j))
            * exact.mean_power(a, b, i + j, 6 - i - j)
            for i, p in enumerate(left)
            for j, q in enumerate(right)
        )

    with mpmath.workprec(exact.PRECISION):
        ones = (1,) * 4
        truth = expected(x, y) - expected(x, ones) * expected(y, ones)
        assert abs(exact.covariance(x, y, a, b) - truth) < mpmath.mpf(10) ** -400
        assert abs(exact.mean(y, a, b) - expected(y, ones)) < mpmath.mpf(10) ** -400
