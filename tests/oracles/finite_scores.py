"""Exact scores of recorded trials, by integer binomials and by enumeration of every draw."""

from fractions import Fraction
from itertools import combinations
from math import comb


def score(credit, n, c):
    """``sum_j x_j P(X = j)``, ``X ~ Hypergeometric(n, c, k)``, from the credit's exact values."""
    k = len(credit) - 1
    worth = sum(Fraction(x) * comb(c, j) * comb(n - c, k - j) for j, x in enumerate(credit) if x and k - j <= n - c)
    return Fraction(worth, comb(n, k))


def enumerated(worth, outcomes, k):
    """The mean of ``worth(draw)`` over every choice of ``k`` of the outcomes."""
    draws = list(combinations(outcomes, k))
    return sum(Fraction(worth(draw)) for draw in draws) / len(draws)


def best_of(rewards, k):
    """Max@k by its definition: ``sum_(i >= k) C(i - 1, k - 1) g_(i) / C(N, k)`` over sorted rewards."""
    ordered = sorted(rewards)
    total = sum(comb(i - 1, k - 1) * Fraction(g) for i, g in enumerate(ordered, 1) if i >= k)
    return total / comb(len(ordered), k)
