"""Accuracy of the objects on outcomes of one question and of extreme rows, against exact values at 500 digits."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from oracles import finite_scores as finite
from oracles import posterior as exact
from scorio import (
    AvgMetric,
    BayesMetric,
    GeoSpectrum,
    GPassTau,
    MajAtK,
    MaxAtK,
    MGPass,
    OutcomeMatrix,
    PassAtK,
    PassHatK,
)
from scorio.metrics import AucAtK, GeomAtK, GeomDsAtK, ThresholdSpectrum

MEAN, SIGMA = 1e-12, 1e-11
PRIORS = [(1, 1), (Fraction(1, 100), Fraction(1, 100)), (1000, 1000), (Fraction(1, 100), 1000), (Fraction(5, 2), 1)]


def metrics(k):
    spectrum = tuple(Fraction(1, 2 * k) for _ in range(k))
    return [
        (PassAtK(k), exact.at_least(k, 1)),
        (PassHatK(k), exact.at_least(k, k)),
        (GPassTau(k, 0.5), exact.at_least(k, max(1, -(-k // 2)))),
        (MajAtK(k), exact.at_least(k, k // 2 + 1)),
        (MGPass(k), exact.above(k, -(-k // 2))),
        (AucAtK(k), exact.area(k)),
        (ThresholdSpectrum(k, [float(w) for w in spectrum]), tuple(Fraction(j, 2 * k) for j in range(k + 1))),
    ]


def extremes(n):
    return sorted({0, 1, n // 2, n - 1, n})


def close(value, truth, tolerance):
    return abs(truth) < mpmath.mpf(10) ** -290 or exact.relative_error(value, truth) <= tolerance


@pytest.mark.slow
@pytest.mark.parametrize(("n", "k"), [(1, 1), (4, 2), (80, 20), (300, 77)])
def test_one_question(n, k):
    for metric, credit in metrics(k):
        for c in extremes(n):
            R = OutcomeMatrix.from_counts([c], n)
            truth = finite.score(credit, n, c)
            assert close(metric.score(R), mpmath.mpf(truth.numerator) / truth.denominator, MEAN), (metric, c)
            for a, b in PRIORS:
                found = metric.interval(R, prior=(float(a), float(b)))
                mean, sd = exact.moments(credit, Fraction(float(a)) + c, Fraction(float(b)) + n - c)
                assert close(found.mu, mean, MEAN), (metric, c, a, b)
                assert sd < mpmath.mpf(10) ** -140 or close(found.sigma, sd, SIGMA), (metric, c, a, b)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "k"), [(5, 3), (64, 16), (2000, 500)])
def test_extreme_rows_together(n, k):
    rows = [0, 0, 1, n - 1, n, n, n]
    R = OutcomeMatrix.from_counts(rows, n)
    for metric, credit in metrics(k):
        parts = {c: exact.moments(credit, 1 + c, 1 + n - c) for c in set(rows)}
        with mpmath.workprec(400):
            mean = sum(parts[c][0] for c in rows) / len(rows)
            sigma = mpmath.sqrt(sum(parts[c][1] ** 2 for c in rows)) / len(rows)
        found = metric.interval(R, prior="uniform")
        assert close(found.mu, mean, MEAN), metric
        assert close(found.sigma, sigma, SIGMA), metric


def delta(x, y, u, v, joint):
    """``x^u y^v`` and its first-order deviation, of exact moments."""
    value = x[0] ** u * y[0] ** v
    gx, gy = u * value / x[0], v * value / y[0]
    return value, mpmath.sqrt(gx**2 * x[1] ** 2 + gy**2 * y[1] ** 2 + 2 * gx * gy * joint)


@pytest.mark.parametrize(("n", "k"), [(1, 1), (5, 3), (80, 20), (80, 200)])
@pytest.mark.parametrize("c", ["none", "one", "most", "all"])
def test_blends_of_one_question(n, k, c):
    c = {"none": 0, "one": 1, "most": n - 1, "all": n}[c]
    R = OutcomeMatrix.from_counts([c], n)
    some, every, star = exact.at_least(k, 1), exact.at_least(k, k), exact.above(k, -(-k // 2))
    with mpmath.workprec(1500):
        a, b = 1 + c, 1 + n - c
        x, y = exact.moments(some, a, b), exact.moments(every, a, b)
        value, sd = delta(x, y, mpmath.mpf("0.5"), mpmath.mpf("0.25"), exact.covariance(some, every, a, b))
        for metric in (GeomAtK(k, 0.5, 0.25), GeomDsAtK(k, 0.5, 0.25)):
            found = metric.interval(R, prior="uniform")
            assert close(found.mu, value, MEAN)
            assert close(found.sigma, sd, SIGMA)
        if k > 1:
            z = exact.moments(star, a, b)
            value, sd = delta(x, z, mpmath.mpf("0.25"), mpmath.mpf("0.75"), exact.covariance(some, star, a, b))
            found = GeoSpectrum(k, 0.25).interval(R, prior="uniform")
            assert close(found.mu, value, MEAN)
            assert close(found.sigma, sd, SIGMA)


def dirichlet_moments(counts, rewards, k, prior=1):
    """Mean and variance of the best of ``k`` new rewards: ``E prod`` over cumulative rates, in exact fractions."""
    alpha = [Fraction(prior) + c for c in counts]
    total = sum(alpha)
    levels = sorted(set(rewards))
    below = [sum(a for a, r in zip(alpha, rewards, strict=True) if r <= level) for level in levels[:-1]]
    gaps = [Fraction(high) - Fraction(low) for low, high in zip(levels[:-1], levels[1:], strict=True)]

    def rising(a, m):
        out = Fraction(1)
        for i in range(m):
            out *= a + i
        return out

    single = [rising(a, k) / rising(total, k) for a in below]
    mean = Fraction(levels[-1]) - sum(g * m for g, m in zip(gaps, single, strict=True))
    variance = Fraction(0)
    for i, g in enumerate(gaps):
        for j, h in enumerate(gaps):
            low, high = below[min(i, j)], below[max(i, j)]
            joint = rising(low, k) * rising(high + k, k) / rising(total, 2 * k)
            variance += g * h * (joint - single[i] * single[j])
    return mean, variance


@pytest.mark.parametrize("rewards", [(0, 0.5, 1), (1.0, 0.25, 0.5, 0.5), (-1, 2, 0.125), (2, 1)])
@pytest.mark.parametrize("k", [1, 2, 7, 60])
def test_best_reward(rewards, k):
    rng = np.random.default_rng(len(rewards) * k)
    for trial in range(6):
        counts = rng.multinomial(20, rng.dirichlet(np.full(len(rewards), 0.4)))
        if trial == 0:
            counts = np.array([20] + [0] * (len(rewards) - 1))
        if trial == 1:
            counts = np.array([0] * (len(rewards) - 1) + [20])
        R = OutcomeMatrix.from_counts(counts[None])
        for prior in (1.0, 0.5):
            mean, variance = dirichlet_moments(counts.tolist(), rewards, k, prior)
            found = MaxAtK(k, rewards).interval(R, prior="uniform" if prior == 1.0 else "jeffreys")
            size = float(max(rewards)) - float(min(rewards))
            assert abs(found.mu - float(mean)) <= MEAN * max(abs(float(mean)), size if min(rewards) < 0 else 0)
            assert found.sigma == pytest.approx(float(variance) ** 0.5, rel=SIGMA)
        if k <= 20:
            drawn = [r for r, count in zip(rewards, counts, strict=True) for _ in range(count)]
            assert MaxAtK(k, rewards).score(R) == pytest.approx(float(finite.best_of(drawn, k)), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize(
    "metric", [BayesMetric((1, 0)), AvgMetric((1, 0)), MaxAtK(1, (1, 0)), MaxAtK(3, (1, 0))], ids=str
)
def test_where_a_success_is_worth_less_small_values_keep_their_digits(metric):
    n, k = 10_000, getattr(metric, "k", 1)
    R = OutcomeMatrix.from_counts([n - 1], n)
    prior = Fraction(0.01)
    found = metric.interval(R, prior=(0.01, 0.01))
    mean, variance = dirichlet_moments([1, n - 1], (1, 0), k, prior)
    truth = Fraction(1, n) if isinstance(metric, AvgMetric) else mean
    assert abs(Fraction(found.mu) / truth - 1) <= Fraction(MEAN)
    stretch = float((n + 2 * prior) / n) if isinstance(metric, AvgMetric) else 1.0
    assert found.sigma == pytest.approx(stretch * float(variance) ** 0.5, rel=SIGMA)
    assert metric.score(R) == pytest.approx(float(finite.best_of([1] + [0] * (n - 1), k)), rel=MEAN) or isinstance(
        metric, BayesMetric
    )
