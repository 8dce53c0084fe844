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
from oracles.selection import best_by_subsets, vote_by_subsets, weighted_vote_by_subsets
from scorio import OutcomeMatrix, OutcomeSet, RewardMatrix, Suite, compare, eval, gate, judging, rank
from scorio.estimates import holm

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


ANSWERS = [
    ["a", "b", "a", None, "c"],
    ["x", "x", "y", "y", "z"],
    [None, None, "p", "q", "q"],
    ["m"] * 5,
    [None, "u", "v", "w", "u"],
]
RIGHT = [[1, 0, 1, 0, 0], [0, 0, 1, 1, 0], [0, 0, 1, 0, 0], [1] * 5, [0, 1, 0, 0, 1]]
SCORES = [[3, 1, 2, 2, 5], [1, 1, 1, 2, 2], [4, 0.5, 4, 4, 1], [2] * 5, [1, 2, 3, 4, 5]]


@pytest.mark.parametrize("k", range(1, 6))
@pytest.mark.parametrize("row", range(5))
def test_votes_and_selectors_over_all_draws(row, k):
    answers, right, scores = ANSWERS[row], RIGHT[row], SCORES[row]
    data = OutcomeMatrix([right], answers=[answers], scores={"s": [scores]})
    close(scorio.VoteAtK(k).score(data), vote_by_subsets(answers, right, k))
    close(scorio.VoteAtK(k, ties="none").score(data), vote_by_subsets(answers, right, k, shared=False))
    close(scorio.metrics.BestOfK(k, by="s").score(data), best_by_subsets(scores, right, k))
    close(scorio.metrics.WeightedVoteAtK(k, by="s").score(data), weighted_vote_by_subsets(answers, scores, right, k))


RANKED = [[0.9, 0.5, 0.5, 0.1], [0.3], [0.2, 0.2, 0.2], [1, 2, 3, 4, 5], [0.5, 0.5 + 1e-13, 0.4], [3, 1, 2, 3, 1, 1]]


@pytest.mark.parametrize("scores", RANKED, ids=str)
def test_ranks_are_counts_of_the_better_ones(scores):
    values = np.round(scores, 9)
    above = np.array([(values > each).sum() for each in values])
    like = np.array([(values == each).sum() for each in values])
    dense = [len(set(values[values > each].tolist())) + 1 for each in values]
    found = rank.rank_scores(scores)
    assert found["competition"].tolist() == (above + 1).tolist()
    assert found["competition_max"].tolist() == (above + like).tolist()
    assert found["dense"].tolist() == dense
    assert found["avg"].tolist() == (above + (like + 1) / 2).tolist()


def binomial_tail(n, k, p):
    """The probability of k or more of n."""
    return sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1))


@pytest.mark.parametrize(("wins", "losses"), [(5, 0), (6, 1), (9, 4), (3, 3), (12, 2)])
def test_single_trials_have_the_sign_test(wins, losses):
    ours = [[1]] * wins + [[0]] * losses + [[1], [0], [1]]
    theirs = [[0]] * wins + [[1]] * losses + [[1], [0], [1]]
    truth = min(Fraction(1), 2 * binomial_tail(wins + losses, max(wins, losses), Fraction(1, 2)))
    close(compare("pass@1", OutcomeMatrix(ours), OutcomeMatrix(theirs)).p_exact, truth)


@pytest.mark.parametrize("values", [[0.01, 0.04, 0.03], [0.5], [0.2, 0.2, 0.2], [0.9, 0.001, 0.04, 0.04, 0.02]])
def test_holm_multiplies_by_those_that_are_left(values):
    ordered, found, largest = sorted(values), {}, 0.0
    for i, p in enumerate(ordered):
        largest = max(largest, min(1.0, p * (len(values) - i)))
        found[p] = max(largest, found.get(p, 0.0)) if p in found else largest
    held = [max(min(1.0, q * (len(values) - ordered.index(q))) for q in ordered if q <= p) for p in values]
    assert holm(values) == pytest.approx(held)


@pytest.mark.parametrize("counts", [(5, 0), (4, 1), (5, 4), (3, 0), (2, 2)], ids=str)
@pytest.mark.parametrize("n", [5, 8])
def test_a_question_changes_by_fishers_test(counts, n):
    """Of one question the p-value is Fisher's: the probability of all tables that are no more probable."""
    new, old = counts
    ways = {
        x: math.comb(n, x) * math.comb(n, new + old - x) for x in range(max(0, new + old - n), min(n, new + old) + 1)
    }
    truth = Fraction(sum(each for each in ways.values() if each <= ways[new]), math.comb(2 * n, new + old))
    made = [OutcomeMatrix.from_counts([each], n) for each in counts]
    close(scorio.comparison.diff_questions(*made).rows[0].p_value, truth)


@pytest.mark.parametrize(
    "rows",
    [
        [(0, 1), (1, 1), (0, 1), (0, 0), (0, 0), (0, 1), (0, 0), (0, 0), (1, 0), (0, 0)],
        [(1, 2), (2, 2), (3, 3), (3, 1)],
    ],
)
def test_agreement_of_raters_counts_pairs(rows):
    values = [each for row in rows for each in row]
    observed = mean(Fraction(a != b) for a, b in rows)
    shares = [Counter(each) for each in zip(*rows, strict=True)]
    chance = sum(Fraction(shares[0][v] * shares[1][v], len(rows) ** 2) for v in set(values))
    found = judging.measure_agreement(*zip(*rows, strict=True))
    close(found.share.mu, 1 - observed)
    close(found.kappa.mu, (1 - observed - chance) / (1 - chance))


@pytest.mark.parametrize("weights", [None, "questions", {"x": 1.0, "y": 3.0}], ids=str)
def test_overall_scores_are_weighted_means_of_tasks(weights):
    x, y = BINARY["3 x 4"], BINARY["2 x 6"]
    shares = {"questions": (3, 2), None: (1, 1)}.get(weights if not isinstance(weights, dict) else 0, (1, 3))
    suite = Suite({"x": OutcomeSet({"m": x}), "y": OutcomeSet({"m": y})})
    each = [mean(Fraction(sum(row), len(row)) for row in rows) for rows in (x, y)]
    truth = sum(Fraction(share, sum(shares)) * score for share, score in zip(shares, each, strict=True))
    close(scorio.Leaderboard("pass@1", suite, task_weights=weights).scores.ravel()[0], truth)


@pytest.mark.parametrize(("successes", "limit"), [(1, 0.5), (3, 0.5), (8, 0.5), (0, 0.3), (7, 0.7)])
def test_a_limit_of_one_question_is_the_binomial_test(successes, limit):
    data = OutcomeMatrix.from_counts([successes], 8)
    failed = 1 - binomial_tail(8, successes + 1, Fraction(str(limit))) <= Fraction(1, 20)
    verdict = gate("pass@1", data, per_question=limit, question_rule="binomial").verdict
    assert (verdict == "failed") == failed


@pytest.mark.parametrize("trial", range(6))
def test_a_success_costs_all_trials_by_the_successes(trial):
    rng = np.random.default_rng(trial)
    right, spent = rng.integers(0, 2, (6, 4)), rng.integers(1, 9, (2, 6, 4)) / 4
    right[0] = 1
    data = OutcomeSet({"a": right, "b": 1 - right * 0}, costs={"a": {"usd": spent[0]}, "b": {"usd": spent[1]}})
    found = scorio.comparison.compare_costs(data, data, model=("a", "b"))
    close(found.ratio[0], (spent[0].sum() / right.sum()) / (spent[1].sum() / 24))


@pytest.mark.parametrize("reward", range(4))
def test_paired_difference_is_a_mean_of_differences(reward):
    rng = np.random.default_rng(reward)
    one, other = rng.integers(0, 2, (2, 9, 4)).tolist()
    truth = mean(Fraction(sum(a) - sum(b), 4) for a, b in zip(one, other, strict=True))
    found = compare("pass@1", OutcomeMatrix(one), OutcomeMatrix(other), prior="uniform")
    close(found.scores[0] - found.scores[1], truth)
    close(found.difference, truth * Fraction(4, 6))  # of posterior means, (c + 1) / (n + 2)


@pytest.mark.parametrize("kind", ["coins", "levels"])
def test_simulated_truth_is_the_mean_of_rates(kind):
    rates = [[0.2, 0.5, 0.9], [0.1, 0.1, 0.4]]
    if kind == "coins":
        world = scorio.simulate.coins(rates, 3, rng=1)
        truths = {"pass@1": lambda p: p, "pass@3": lambda p: 1 - (1 - p) ** 3, "pass^2": lambda p: p * p}
        for metric, truth in truths.items():
            for found, own in zip(world.truth(metric), rates, strict=True):
                close(found, mean(truth(Fraction(str(each))) for each in own))
    else:
        chances = np.array([[[0.2, 0.3, 0.5], [0.6, 0.4, 0.0]]])
        truth = (0.2 * 0 + 0.3 * 0.4 + 0.5 + 0.4 * 0.4) / 2
        close(scorio.simulate.categorical(chances, 2, rng=1).truth(scorio.AvgMetric((0, 0.4, 1)))[0], truth)


INTERVALS = [(0.3, True), (0.7, True), (math.nextafter(0.3, 0), False), (math.nextafter(0.7, 1), False), (0.5, True)]


@pytest.mark.parametrize(("value", "inside"), INTERVALS)
def test_an_interval_contains_its_ends(value, inside):
    assert (value in scorio.Interval(0.5, 0.1, 0.3, 0.7)) == inside
