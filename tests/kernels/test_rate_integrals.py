"""Credits of large budgets, integrated over the success rate: against exact rationals, closed forms and quadrature."""

from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest

from oracles import posterior as truth
from scorio import GeoSpectrum, MajAtK, OutcomeMatrix
from scorio._kernels import posterior_threshold
from scorio._kernels.states import States
from scorio.metrics import AucAtK, ThresholdSpectrum
from scorio.metrics._worth import LARGE, worth_of

PRIORS = [(1.0, 1.0), (0.01, 0.02), (0.3, 7.0), (1e-9, 1e-7), (300.0, 500.0), (1e8, 3e8), (0.05, 1e9), (70.0, 1e10)]
ERROR = 2e-10  # absolute, of a mean; credits are between 0 and 1
SPREAD = 1e-8  # relative, of a standard deviation above 1e-4


def states(pairs):
    c, n = np.array(sorted(pairs, key=lambda pair: pair[::-1])).T.copy()
    return States(c, n, np.ones_like(c))


def counts(k):
    return [(c, n) for n in (1, 7, 60, k // 2, 2 * k, 5 * k, 10**4 * k) for c in {0, 1, n // 50, n // 2, n - 1, n}]


def close(mean, sd, true_mean, true_sd):
    assert abs(mean - float(true_mean)) <= ERROR
    assert abs(sd - float(true_sd)) <= SPREAD * max(float(true_sd), 1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(("k", "kind"), [(400, "area"), (400, "threshold"), (400, "wavy"), (1000, "weights")])
def test_against_exact_sums(k, kind):
    shares = [Fraction(each) for each in np.random.default_rng(k).dirichlet(np.full(k, 0.1))]
    credit = {
        "area": lambda: truth.area(k),
        "threshold": lambda: truth.at_least(k, k // 3),
        "weights": lambda: [sum(shares[:j], Fraction(0)) for j in range(k + 1)],
        "wavy": lambda: [Fraction(j * j % 7, 7) for j in range(k + 1)],
    }[kind]()
    integrals = worth_of(np.array(credit, dtype=np.float64)).integrals
    every, priors = states(counts(k)[::5]), PRIORS[1:7:2]
    for (a0, b0), means, sds in zip(priors, *integrals.moments(every, priors), strict=True):
        for (c, n), mean, sd in zip(sorted(counts(k)[::5], key=lambda pair: pair[::-1]), means, sds, strict=True):
            close(mean, sd, *truth.moments(credit, Fraction(a0) + c, Fraction(b0) + n - c))


@pytest.mark.parametrize("k", [LARGE, 10**5, 10**6])
def test_the_rate(k):
    """``p`` has a closed form at any budget."""
    integrals = worth_of(np.arange(k + 1.0) / k).integrals
    pairs = sorted(counts(k), key=lambda pair: pair[::-1])
    every = states(pairs)
    mean, sd = integrals.moments(every, PRIORS)
    for (i, (a0, b0)), (m, (c, n)) in product(enumerate(PRIORS), enumerate(pairs)):
        with mpmath.workdps(80):
            a, b = mpmath.mpf(a0) + c, mpmath.mpf(b0) + (n - c)
            first, second = (mpmath.rf(a, power) / mpmath.rf(a + b, power) for power in (1, 2))
            deviation = mpmath.sqrt(second - first**2)
        close(mean[i, m], sd[i, m], first, deviation)


@pytest.mark.parametrize("k", [LARGE, 10**5])
def test_a_threshold_against_sums_over_counts(k):
    every, priors = states(counts(k)), PRIORS[:5]
    found = worth_of(MajAtK(k).credit()).integrals.moments(every, priors)
    for prior, mean, sd in zip(priors, *found, strict=True):
        true_mean, true_sd = np.empty((2, every.n_states))
        posterior_threshold.threshold(every, k, k // 2 + 1, *prior, true_mean, true_sd)
        np.testing.assert_allclose(mean, true_mean, rtol=0, atol=ERROR)
        np.testing.assert_allclose(sd, true_sd, rtol=1e-6, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("k", [10**5, 10**6])
@pytest.mark.parametrize(("a", "b"), [(1, 1), (0.25, 12.5), (9, 4), (3, 40000)])
def test_the_area_against_quadrature(k, a, b):
    mean, sd = worth_of(AucAtK(k).credit()).integrals.moments(States(*np.array([[0], [0], [1]])), [(a, b)])
    with mpmath.workdps(40):

        def area(p):
            q = 1 - p
            return (k - q * (1 - q**k) / p - (p + 1 - q**k) / 2) / (k - 1)

        def mixed(power):
            def integrand(t):  # over t = log p
                p = mpmath.exp(t)
                return area(p) ** power * mpmath.exp(a * t) * (1 - p) ** (b - 1)

            edges = [-200, -60, -30, *range(-20, 0), *(mpmath.mpf(-1) / 2**i for i in range(1, 40, 3)), 0]
            return mpmath.quad(integrand, edges) / mpmath.beta(a, b)

        first, second = mixed(1), mixed(2)
        close(mean[0, 0], sd[0, 0], first, mpmath.sqrt(second - first**2))


def test_many_states_are_each_as_alone():
    rng = np.random.default_rng(0)
    n = np.sort(rng.integers(0, 9000, 1500))
    c = rng.binomial(n, rng.random(1500))
    order = np.lexsort((c, n))
    integrals = worth_of(AucAtK(LARGE).credit()).integrals
    together = integrals.moments(States(c[order], n[order], np.ones_like(n)), PRIORS[:3])
    for i in order[::97]:
        alone = integrals.moments(States(c[i : i + 1], n[i : i + 1], np.ones(1, np.int64)), PRIORS[:3])
        for whole, part in zip(together, alone, strict=True):
            np.testing.assert_array_equal(whole[:, np.flatnonzero(order == i)[0]], part[:, 0])


@pytest.mark.slow
@pytest.mark.parametrize("prior", ["learned", "uniform"])
@pytest.mark.parametrize("target", ["questions", "population"])
def test_intervals_go_on_as_before_at_the_first_budget_that_is_integrated(prior, target):
    """The intervals of one trial fewer are sums over counts, and hardly differ."""
    rng = np.random.default_rng(5)
    trials = rng.integers(8, 60, 40) if prior == "learned" else np.full(40, LARGE)
    R = OutcomeMatrix.from_counts(rng.binomial(trials, rng.beta(0.5, 1.5, 40)), trials)

    def metrics(k):
        weights = np.full(k, 1.0 / k)
        return AucAtK(k), ThresholdSpectrum(k, weights), GeoSpectrum(k), GeoSpectrum(k, 0.5, weights)

    for before, after in zip(metrics(LARGE - 1), metrics(LARGE), strict=True):
        sums, integrals = (metric.interval(R, prior=prior, target=target) for metric in (before, after))
        np.testing.assert_allclose(integrals[:4], sums[:4], rtol=2e-3)
