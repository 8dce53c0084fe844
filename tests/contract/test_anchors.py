"""Answers against truth that is computed here in exact fractions, by enumeration or by the published formula.

The record says that answers are as they were; these say that they are right.
"""

import itertools
import math
from collections import Counter
from fractions import Fraction
from functools import cache
from statistics import NormalDist

import numpy as np
import pytest

import scorio
from oracles.finite_scores import enumerated
from scorio import OutcomeMatrix, RewardMatrix, compare, eval

CLOSE = 1e-11
Z = NormalDist().inv_cdf(0.975)
DRAWN = np.random.default_rng(11)
BINARY = {
    f"{m} x {n}": DRAWN.integers(0, 2, (m, n)).tolist() for m, n in ((1, 3), (3, 4), (4, 5), (2, 6), (5, 3), (3, 7))
}
BINARY |= {"all right": [[1] * 4] * 2, "all wrong": [[0] * 4] * 2, "unequal": [[1, 0, 1, 1], [0, 1], [1, 1, 0]]}
GRADED = {f"graded {i}": DRAWN.integers(0, 3, (3, 4 + i)).tolist() for i in range(3)}
WEIGHTS = (Fraction(0), Fraction(1, 4), Fraction(1))


def close(value, truth, tolerance=CLOSE):
    assert value == pytest.approx(float(truth), rel=tolerance, abs=tolerance)


def mean(values):
    values = list(values)
    return sum(values, Fraction(0)) / len(values)


# What a draw of k outcomes, 0 or 1, is worth.
WORTH = {
    "pass_at_k": lambda k: lambda draw: any(draw),
    "pass_hat_k": lambda k: lambda draw: all(draw),
    "unanimous_at_k": lambda k: lambda draw: all(draw),
    "g_pass_at_k": lambda k: lambda draw: all(draw),
    "maj_at_k": lambda k: lambda draw: 2 * sum(draw) > k,
    "mg_pass_at_k": lambda k: lambda draw: Fraction(2 * max(sum(draw) - -(-k // 2), 0), k),
    "auc_at_k": lambda k: lambda draw: area_under_passes(k, sum(draw)),
}


def area_under_passes(k, successes):
    """The trapezoid over i of the probability that the first i of k draws have a success."""
    hit = [1 - Fraction(math.comb(k - successes, i), math.comb(k, i)) for i in range(1, k + 1)]
    return hit[0] if k == 1 else (sum(hit) - (hit[0] + hit[-1]) / 2) / (k - 1)


def cases(arrays, *others):
    return [
        pytest.param(name, k, *more, id=f"{name}, k={k}{''.join(f', {each}' for each in more)}")
        for name, rows in arrays.items()
        for k in range(1, min(map(len, rows)) + 1)
        for more in itertools.product(*others)
    ]


@pytest.mark.parametrize(("name", "k"), cases(BINARY))
def test_scores_are_means_over_all_draws(name, k):
    rows = BINARY[name]
    for function, worth in WORTH.items():
        close(getattr(eval, function)(OutcomeMatrix(rows), k), mean(enumerated(worth(k), row, k) for row in rows))


@pytest.mark.parametrize(("name", "k", "tau"), cases(BINARY, (0.0, 0.34, 0.5, 0.75, 1.0)))
def test_g_pass_counts_draws_with_enough_successes(name, k, tau):
    rows, least = BINARY[name], max(1, math.ceil(Fraction(str(tau)) * k))
    close(
        eval.g_pass_at_k_tau(OutcomeMatrix(rows), k, tau),
        mean(enumerated(lambda d: sum(d) >= least, r, k) for r in rows),
    )


@pytest.mark.parametrize(("name", "k"), cases(GRADED))
def test_best_and_worst_of_draws(name, k):
    rows = [[WEIGHTS[each] for each in row] for row in GRADED[name]]
    close(eval.max_at_k(GRADED[name], k, list(map(float, WEIGHTS))), mean(enumerated(max, row, k) for row in rows))
    close(eval.worst_at_k(GRADED[name], k, list(map(float, WEIGHTS))), mean(enumerated(min, row, k) for row in rows))
    rewards = RewardMatrix([[0.1 + 0.7 * float(each) for each in row] for row in rows])
    close(
        scorio.MaxAtK(k).score(rewards), Fraction(1, 10) + Fraction(7, 10) * mean(enumerated(max, r, k) for r in rows)
    )


@pytest.mark.parametrize(("name", "k"), cases({name: rows for name, rows in BINARY.items() if len(rows) > 1}))
def test_blends_are_powers_of_means(name, k):
    rows = BINARY[name]
    some, every = ([float(enumerated(kind, row, k)) for row in rows] for kind in (any, all))
    above = float(mean(enumerated(WORTH["mg_pass_at_k"](k), row, k) for row in rows))
    close(
        eval.geom_at_k(OutcomeMatrix(rows), k, 0.3, 0.7),
        np.mean([a**0.3 * b**0.7 for a, b in zip(some, every, strict=True)]),
    )
    close(eval.geom_ds_at_k(OutcomeMatrix(rows), k, 0.3, 0.7), np.mean(some) ** 0.3 * np.mean(every) ** 0.7)
    close(eval.geo_spectrum_at_k(OutcomeMatrix(rows), k, 0.2), np.mean(some) ** 0.2 * above**0.8)


# The posterior of a binary question is Beta(a, b): powers of the rate have exact expectations.
@cache
def power(a, b, i, j):
    up = math.prod((a + each for each in range(i)), start=Fraction(1)) * math.prod(b + each for each in range(j))
    return up / math.prod(a + b + each for each in range(i + j))


def moments(credit, a, b):
    """The mean and the variance of ``sum_j x_j C(k, j) p^j (1 - p)^(k - j)``."""
    k = len(credit) - 1
    parts = [x * math.comb(k, j) for j, x in enumerate(credit)]
    center = sum(x * power(a, b, j, k - j) for j, x in enumerate(parts))
    square = sum(x * y * power(a, b, i + j, 2 * k - i - j) for i, x in enumerate(parts) for j, y in enumerate(parts))
    return center, square - center**2


@pytest.mark.parametrize(("name", "k", "prior"), cases(BINARY, ((1, 1), (Fraction(1, 2), 3))))
def test_intervals_are_those_of_the_beta_posterior(name, k, prior):
    rows, (alpha, beta) = BINARY[name], prior
    for function, worth in WORTH.items():
        credit = [Fraction(worth(k)([1] * j + [0] * (k - j))) for j in range(k + 1)]
        found = [moments(credit, alpha + Fraction(sum(row)), beta + Fraction(len(row) - sum(row))) for row in rows]
        mu, sigma = mean(each for each, _ in found), math.sqrt(sum(each for _, each in found)) / len(rows)
        ends = [min(max(float(mu) + side * Z * sigma, 0.0), 1.0) for side in (-1, 1)]
        given = getattr(eval, f"{function}_ci")(OutcomeMatrix(rows), k, alpha0=float(alpha), beta0=float(beta))
        for value, truth in zip(given, (mu, sigma, *ends), strict=True):
            close(value, truth, 1e-9)


@pytest.mark.parametrize("name", GRADED)
@pytest.mark.parametrize("before", [[], [[0, 1], [2, 2], [1, 0]]])
def test_bayes_and_avg_follow_their_formulas(name, before):
    rows, n = GRADED[name], len(GRADED[name][0])
    counts = [Counter([*row, *(before[i] if before else []), 0, 1, 2]) for i, row in enumerate(rows)]
    total = n + 3 + (2 if before else 0)
    first = [sum(WEIGHTS[k] * v for k, v in each.items()) / Fraction(total) for each in counts]
    second = [sum(WEIGHTS[k] ** 2 * v for k, v in each.items()) / Fraction(total) for each in counts]
    variance = sum(b - a * a for a, b in zip(first, second, strict=True)) / (len(rows) ** 2 * (total + 1))
    found = eval.bayes(rows, list(map(float, WEIGHTS)), before or None)
    close(found[0], mean(first))
    close(found[1], math.sqrt(variance))
    if not before:
        average = eval.avg(rows, list(map(float, WEIGHTS)))
        close(average[0], mean(WEIGHTS[each] for row in rows for each in row))
        close(average[1], math.sqrt(variance) * total / n)


@pytest.mark.parametrize("reward", range(4))
def test_paired_difference_is_a_mean_of_differences(reward):
    rng = np.random.default_rng(reward)
    one, other = rng.integers(0, 2, (2, 9, 4)).tolist()
    truth = mean(Fraction(sum(a) - sum(b), 4) for a, b in zip(one, other, strict=True))
    found = compare("pass@1", OutcomeMatrix(one), OutcomeMatrix(other), prior="uniform")
    close(found.scores[0] - found.scores[1], truth)
    close(found.difference, truth * Fraction(4, 6))  # of posterior means, (c + 1) / (n + 2)


INTERVALS = [(0.3, True), (0.7, True), (math.nextafter(0.3, 0), False), (math.nextafter(0.7, 1), False), (0.5, True)]


@pytest.mark.parametrize(("value", "inside"), INTERVALS)
def test_an_interval_contains_its_ends(value, inside):
    assert (value in scorio.Interval(0.5, 0.1, 0.3, 0.7)) == inside
