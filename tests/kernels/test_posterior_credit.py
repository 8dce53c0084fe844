"""Posterior moments and covariances of any credit, against exact rationals and closed forms."""

from fractions import Fraction
from itertools import pairwise, product
from math import comb, prod

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.states import posterior as shapes
from helpers.states import states_of as states
from oracles import posterior as truth
from scorio._kernels import posterior_credit

PRIORS = [(1.0, 1.0), (0.01, 0.01), (1000.0, 1000.0), (0.01, 1000.0), (1000.0, 0.01), (0.5, 3.0)]
MEAN, SD = 1e-12, 1e-11


def moments(successes, trials, x, prior=(1.0, 1.0), steps=None):
    every = states(successes, trials)
    mean, sd = np.full((2, every.n_states), np.nan)
    posterior_credit.moments(every, len(x) - 1, np.asarray(x, dtype=np.float64), *prior, mean, sd, steps)
    return mean, sd


def covariance(successes, trials, x, y, prior=(1.0, 1.0)):
    every = states(successes, trials)
    out = np.full(every.n_states, np.nan)
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    posterior_credit.covariance(every, len(x) - 1, x, y, *prior, out)
    return out


def extremes(n):
    return sorted({0, 1, n // 3, n - 1, n} & set(range(n + 1)))


def floats(credit):
    return [float(value) for value in credit]


def rising(k):
    """Credits that start at nothing and never fall: the built-in ones and the hardest of the others."""
    shares = np.random.default_rng(k).dirichlet(np.ones(k))
    return {
        "area": floats(truth.area(k)),
        "threshold": floats(truth.at_least(k, max(1, k // 3))),
        "excess": floats(truth.above(k, (k + 1) // 2)),
        "any": floats(truth.at_least(k, 1)),
        "all": floats(truth.exactly(k, k)),
        "spectrum": [0.0, *np.cumsum(shares)],
        "late": [0.0] * (k - k // 5) + [1.0 + j for j in range(k // 5 + 1)],
    }


def wavy(k):
    """Credits that fall, cross zero or start above it."""
    noise = np.random.default_rng(k).normal(size=k + 1)
    return {
        "noise": noise,
        "penalty": np.linspace(-2.0, 1.0, k + 1),
        "falling": np.linspace(1.0, -1.0, k + 1) ** 3,
        "exactly two": floats(truth.exactly(k, min(2, k))),
        "offset": 5.0 + (np.arange(k + 1) >= k - 1),
    }


def check(c, n, x, prior, mean, sd):
    """One state against the truth; the error of a credit that changes sign or direction is on its natural scale."""
    a, b = shapes(c, n, prior)
    true_mean, true_sd = truth.moments(x, a, b)
    natural = true_mean if min(x) >= 0 else truth.mean(np.abs(x), a, b)
    assert abs(mpmath.mpf(mean) - true_mean) <= MEAN * max(natural, 1e-290), (c, n, prior)
    if true_sd >= 1e-140:
        assert truth.relative_error(sd, true_sd) <= SD, (c, n, prior)
    else:
        assert 0.0 <= sd <= 1e-139, (c, n, prior)


def test_truth_is_enumeration():
    x, y, a, b = (Fraction(1, 3), 0, 2, -0.5), (1, -1, 0.25, 4), Fraction(2, 3), Fraction(7, 2)

    def power(i, j):
        top = prod(a + r for r in range(i)) * prod(b + r for r in range(j))
        return top / prod(a + b + r for r in range(i + j))

    def mean(credit):
        return sum(Fraction(v) * comb(3, j) * power(j, 3 - j) for j, v in enumerate(credit))

    cross = sum(
        Fraction(x[i]) * Fraction(y[j]) * comb(3, i) * comb(3, j) * power(i + j, 6 - i - j)
        for i, j in product(range(4), repeat=2)
    )
    expected = cross - mean(x) * mean(y)
    assert abs(truth.covariance(x, y, a, b) - truth.exact(expected)) < mpmath.mpf(10) ** -400
    assert abs(truth.mean(y, a, b) - truth.exact(mean(y))) < mpmath.mpf(10) ** -400


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 2), (5, 3), (3, 2), (30, 20), (256, 64), (2, 90)])
def test_moments(n, k, prior):
    counts = extremes(n)
    for x in (rising(k) | wavy(k)).values():
        for c, mean, sd in zip(counts, *moments(counts, n, x, prior), strict=True):
            check(c, n, x, prior, mean, sd)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "k", "prior"), [(1000, 300, (0.01, 0.01)), (10_000, 1000, (1.0, 1.0)), (10_000, 1000, (1000.0, 0.01))]
)
@pytest.mark.parametrize("name", ["threshold", "spectrum", "late", "noise"])
def test_moments_of_many_trials(n, k, prior, name):
    x = (rising(k) | wavy(k))[name]
    counts = [0, 1, n // 2, n]
    for c, mean, sd in zip(counts, *moments(counts, n, x, prior), strict=True):
        check(c, n, x, prior, mean, sd)


def test_single_bump_anywhere():
    """The window follows a credit into either tail."""
    k, n = 40, 150
    for hits in range(k + 1):
        x = floats(truth.exactly(k, hits))
        for c, mean, sd in zip([0, 75, n], *moments([0, 75, n], n, x), strict=True):
            check(c, n, x, (1.0, 1.0), mean, sd)


def test_far_tail():
    """All of ``k`` hits where none was seen: ``E p^k`` down to the smallest mean and deviation promised."""
    reached = 1.0
    for n, k in [(100, 60), (10_000, 45), (10_000, 58), (2000, 80), (300, 250), (1000, 90)]:
        (mean,), (sd,) = moments(0, n, floats(truth.exactly(k, k)))
        a, b = shapes(0, n, (1.0, 1.0))
        with mpmath.workprec(truth.PRECISION):
            true_mean = truth.mean_power(a, b, k, 0)
            true_sd = mpmath.sqrt(truth.mean_power(a, b, 2 * k, 0) - true_mean**2)
        assert truth.relative_error(mean, true_mean) <= MEAN
        assert truth.relative_error(sd, true_sd) <= SD
        reached = min(reached, sd)
    assert reached < 1e-120


@pytest.mark.parametrize("k", [1, 2, 20, 500])
@pytest.mark.parametrize("value", [0.0, 1.0, 0.3, -7.1])
def test_constant_credit(k, value):
    mean, sd = moments([0, 3, 10], 10, [value] * (k + 1), (0.3, 0.7))
    assert mean.tolist() == [value] * 3
    assert sd.tolist() == [0.0] * 3
    assert covariance([0, 3, 10], 10, [value] * (k + 1), np.arange(k + 1.0)).tolist() == [0.0] * 3


def test_credits_stay_in_their_range():
    x = floats(truth.area(30))
    mean, sd = moments(np.arange(2001), 2000, x)
    assert mean.min() > 0.0
    assert mean.max() <= 1.0
    assert np.all(np.diff(mean) >= 0.0)
    assert sd.min() > 0.0


@pytest.mark.slow
def test_steps_restore_what_a_credit_near_one_loses():
    """Near the top the steps of AUC@985 are 5e-7: the credit holds them to 1e-10, ``steps`` to 1e-16."""
    n, k = 10_000, 985
    area = truth.area(k)
    steps = np.array([float(high - low) for low, high in pairwise(area)])
    counts = [0, 5000, n - 1, n]
    mean, sd = moments(counts, n, floats(area), steps=steps)
    for c, m, s in zip(counts, mean, sd, strict=True):
        true_mean, true_sd = truth.moments(area, *shapes(c, n, (1.0, 1.0)))
        assert truth.relative_error(m, true_mean) <= MEAN
        assert truth.relative_error(s, true_sd) <= 1e-13


@pytest.mark.slow
@pytest.mark.parametrize("prior", [(1.0, 1.0), (0.01, 0.01), (0.01, 1000.0)])
@pytest.mark.parametrize(("n", "k"), [(1, 1), (4, 2), (30, 20), (256, 64)])
def test_covariance(n, k, prior):
    counts = extremes(n)
    credits = rising(k) | wavy(k)
    for (left, x), (right, y) in product(credits.items(), repeat=2):
        if left > right:
            continue
        _, x_sd = moments(counts, n, x, prior)
        _, y_sd = moments(counts, n, y, prior)
        rows = zip(counts, covariance(counts, n, x, y, prior), x_sd, y_sd, strict=True)
        for c, value, x_scale, y_scale in rows:
            expected = truth.covariance(x, y, *shapes(c, n, prior))
            assert abs(value - expected) <= SD * float(x_scale) * float(y_scale) + 1e-290, (left, right, c)


def test_covariance_of_many_trials():
    n, k = 10_000, 1000
    x, y = rising(k)["area"], rising(k)["excess"]
    counts = [0, 5000, 9000, n]
    for c, value in zip(counts, covariance(counts, n, x, y), strict=True):
        expected = truth.covariance(x, y, *shapes(c, n, (1.0, 1.0)))
        assert expected < 1e-280 or truth.relative_error(value, expected) <= SD, c


@pytest.mark.parametrize("k", [1, 2, 20, 300])
def test_covariance_with_itself_is_the_variance(k):
    for x in (rising(k) | wavy(k)).values():
        _, sd = moments(extremes(80), 80, x)
        kept = sd > 1e-140
        np.testing.assert_allclose(covariance(extremes(80), 80, x, x)[kept], sd[kept] ** 2, rtol=1e-13)


@pytest.mark.parametrize(("n", "k"), [(10**6, 10**5), (10**6, 10), (10, 10**4), (1, 10**4), (100, 10**5)])
@pytest.mark.parametrize("prior", [(1.0, 1.0), (0.01, 0.01)])
def test_out_of_reach_of_enumeration(n, k, prior):
    """``p`` itself, and ``p^2``, in closed form at any budget."""
    j = np.arange(k + 1.0)
    for power, x in ((1, j / k), (2, j / k * ((j - 1) / (k - 1)))):
        steps = np.full(k, 1.0 / k) if power == 1 else 2.0 * j[:-1] / k / (k - 1)
        counts = extremes(n)
        for c, mean, sd in zip(counts, *moments(counts, n, x, prior, steps), strict=True):
            a, b = shapes(c, n, prior)
            with mpmath.workprec(truth.PRECISION):
                true_mean = truth.mean_power(a, b, power, 0)
                true_sd = mpmath.sqrt(truth.mean_power(a, b, 2 * power, 0) - true_mean**2)
            assert truth.relative_error(mean, true_mean) <= MEAN
            assert truth.relative_error(sd, true_sd) <= SD


@pytest.mark.parametrize(("n", "k"), [(10**6, 10**5), (5, 10**4), (1, 1), (1, 2)])
@pytest.mark.parametrize("prior", [*PRIORS, (1e-9, 1e9), (1e-300, 1.0), (1e-320, 1e-320), (1e12, 1e12), (1e300, 1e300)])
def test_always_finite_and_in_range(n, k, prior):
    bump = (np.arange(k + 1) == k // 2) * 1.0
    for x in (np.arange(k + 1) / k, (np.arange(k + 1) == k) * 1.0, bump):
        mean, sd = moments(extremes(n), n, x, prior)
        assert np.all((mean >= 0.0) & (mean <= 1.0))
        assert np.all((sd >= 0.0) & (sd <= 0.5 + 1e-12))
        assert np.all(np.isfinite(covariance(extremes(n), n, x, bump, prior)))


def test_ragged_states_are_each_as_alone():
    x, y = rising(25)["area"], rising(25)["excess"]
    trials = np.array([1, 1, 7, 7, 7, 25, 400, 400])
    successes = np.array([0, 1, 0, 3, 7, 24, 0, 399])
    together = [*moments(successes, trials, x), covariance(successes, trials, x, y)]
    for i, (c, n) in enumerate(zip(successes, trials, strict=True)):
        alone = [*moments(c, n, x), covariance(c, n, x, y)]
        for whole, part in zip(together, alone, strict=True):
            assert whole[i] == part[0]


@settings(max_examples=80, deadline=None)
@given(
    x=st.lists(st.floats(-1e3, 1e3, allow_subnormal=False), min_size=2, max_size=14),
    n=st.integers(1, 60),
    share=st.floats(0, 1),
    prior=st.tuples(*[st.sampled_from([0.01, 0.5, 1.0, 2.5, 1000.0])] * 2),
)
def test_any_credit_and_its_mirror(x, n, share, prior):
    c = round(share * n)
    a, b = shapes(c, n, prior)
    natural = float(truth.mean(np.abs(x), a, b))
    mobility = float(truth.deviation(np.cumsum([0.0, *np.abs(np.diff(x))]), a, b))
    true_mean, true_sd = truth.moments(x, a, b)
    (mean,), (sd,) = moments(c, n, x, prior)
    (mirrored,), (mirrored_sd,) = moments(n - c, n, x[::-1], prior[::-1])
    assert abs(mean - true_mean) <= MEAN * natural
    assert abs(mirrored - true_mean) <= MEAN * natural
    assert abs(sd - true_sd) <= SD * mobility + 1e-290
    assert abs(mirrored_sd - true_sd) <= SD * mobility + 1e-290
