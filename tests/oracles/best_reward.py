"""Exact moments of rewards under a Dirichlet posterior, term by term from its joint moments, in fractions."""

from fractions import Fraction
from math import comb


def rising(a, k):
    """``a (a + 1) ... (a + k - 1)``, for ``a`` a fraction, by its integer numerator and denominator."""
    numerator = 1
    for i in range(k):
        numerator *= a.numerator + i * a.denominator
    return Fraction(numerator, a.denominator**k)


def pseudo_counts(counts, prior):
    """Count plus prior of each category, from the exact values of both."""
    return [Fraction(count) + Fraction(extra) for count, extra in zip(counts, prior, strict=True)]


def linear(counts, weights, prior):
    """Mean and variance of ``sum_j w_j p_j``."""
    v, w = pseudo_counts(counts, prior), [Fraction(each) for each in weights]
    total = sum(v)
    mean = sum(a * b for a, b in zip(v, w, strict=True)) / total
    return mean, sum(a * (b - mean) ** 2 for a, b in zip(v, w, strict=True)) / (total * (total + 1))


def best_of(counts, rewards, prior, k):
    """Mean and variance of the expected best reward of ``k`` new trials.

    ``g = sum over r of r (P(best <= r) - P(best < r)) = r_L - sum_l (r_(l+1) - r_l) A_l^k`` with ``A_l`` the rate of
    rewards up to ``r_l``; ``E A_i^k A_j^k`` for ``i < j`` from the binomial expansion of ``A_j = A_i + (A_j - A_i)``.
    """
    v = pseudo_counts(counts, prior)
    levels = sorted({Fraction(each) for each in rewards})
    gaps = [upper - lower for lower, upper in zip(levels, levels[1:], strict=False)]
    below = [sum(a for a, w in zip(v, rewards, strict=True) if Fraction(w) <= level) for level in levels[:-1]]
    once, twice = rising(sum(v), k), rising(sum(v), 2 * k)
    power = [rising(a, k) / once for a in below]

    def product(i, j):
        if i == j:
            return rising(below[i], 2 * k) / twice
        between = below[j] - below[i]
        return sum(comb(k, t) * rising(below[i], k + t) * rising(between, k - t) for t in range(k + 1)) / twice

    mean = levels[-1] - sum(gap * each for gap, each in zip(gaps, power, strict=True))
    variance = Fraction(0)
    for j, outer in enumerate(gaps):
        for i, inner in enumerate(gaps[: j + 1]):
            share = inner * outer * (product(i, j) - power[i] * power[j])
            variance += share if i == j else 2 * share
    return mean, variance
