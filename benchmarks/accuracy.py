"""Measure the worst relative errors of scores and posteriors against exact fractions and 2,000-bit moments.

python benchmarks/accuracy.py --trials 2000
"""

import argparse
import sys
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

import mpmath

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from test_accuracy import PRIORS, delta, extremes, metrics

from oracles import finite_scores as finite
from oracles import posterior as exact
from scorio import GeomAtK, GeomDsAtK, GeoSpectrum, OutcomeMatrix

SIZES = [(1, 1), (4, 2), (5, 9), (80, 20), (300, 77), (2000, 500), (10_000, 1000)]
LEAST = {"score": 1e-290, "mu": 1e-290, "sigma": 1e-140}  # below it nothing is promised, nor of blends of such bases


class Worst:
    """The largest relative error of every figure of every metric, and how many were checked."""

    def __init__(self):
        self.errors, self.checked = defaultdict(float), 0

    def note(self, metric, figure, value, truth):
        """One value against its truth."""
        if abs(truth) >= LEAST[figure]:
            key = type(metric).__name__, figure
            self.errors[key] = max(self.errors[key], exact.relative_error(value, truth))
            self.checked += 1


def check_counts(worst, n, k):
    """Every count metric on the extreme counts, all priors."""
    for metric, credit in metrics(k):
        for c in extremes(n):
            R = OutcomeMatrix.from_counts([c], n)
            if k <= n:
                truth = finite.score(credit, n, c)
                worst.note(metric, "score", metric.score(R), mpmath.mpf(truth.numerator) / truth.denominator)
            for a, b in PRIORS:
                found = metric.interval(R, prior=(float(a), float(b)))
                mean, sd = exact.moments(credit, Fraction(float(a)) + c, Fraction(float(b)) + n - c)
                worst.note(metric, "mu", found.mu, mean)
                worst.note(metric, "sigma", found.sigma, sd)


def check_blends(worst, n, k):
    """Products of powers, by first-order deviations of exact moments."""
    some, half = exact.at_least(k, 1), mpmath.mpf("0.5")
    others = [(exact.at_least(k, k), (GeomAtK(k), GeomDsAtK(k)))]
    if k > 1:
        others.append((exact.above(k, -(-k // 2)), (GeoSpectrum(k),)))
    for c in extremes(n):
        R = OutcomeMatrix.from_counts([c], n)
        a, b = 1 + c, 1 + n - c
        with mpmath.workprec(1500):
            x = exact.moments(some, a, b)
            for other, blends in others:
                y = exact.moments(other, a, b)
                if min(x[0], y[0]) < LEAST["mu"]:
                    continue
                truth = delta(x, y, half, half, exact.covariance(some, other, a, b))
                for metric in blends:
                    found = metric.interval(R, prior="uniform")
                    worst.note(metric, "mu", found.mu, truth[0])
                    worst.note(metric, "sigma", found.sigma, truth[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=10_000, help="the largest number of trials")
    largest = parser.parse_args().trials
    worst = Worst()
    for n, k in SIZES:
        if n <= largest:
            check_counts(worst, n, k)
            check_blends(worst, n, k)
    for name in dict.fromkeys(name for name, _ in worst.errors):
        figures = {figure: error for (metric, figure), error in worst.errors.items() if metric == name}
        print(f"{name:<18}" + "".join(f"{figure:>8} {error:.1e}" for figure, error in figures.items()))
    print(f"{worst.checked:,} values; promised: 1e-12 of scores and mu, 1e-11 of sigma")


if __name__ == "__main__":
    main()
