"""Exact tests: McNemar's against scipy's binomial test, and the bound for few trials against all possible outcomes."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from scorio import Leaderboard, OutcomeMatrix, compare
from scorio.estimates._few_trials import FewTrials


@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.parametrize("seed", range(6))
def test_p_exact_is_the_sign_test_of_the_questions_that_differ(seed, target):
    rng = np.random.default_rng(seed)
    one, other = rng.integers(0, 2, (2, 30, 1))
    wins, losses = int((one > other).sum()), int((one < other).sum())
    found = compare("pass@1", one, other, target=target)
    assert found.p_exact == pytest.approx(binomtest(wins, wins + losses, 0.5).pvalue, rel=1e-12)
    assert found.p_exact == compare("pass@1", other, one, target=target).p_exact
    assert "exact McNemar test p" in str(found)


@pytest.mark.parametrize(
    ("outcomes", "options"),
    [
        (([[1, 0]], [[0, 0]]), {}),
        (([[1], [0]], [[0], [0]]), {"metric": "pass@2"}),
        (([[1], [0]], [[0], [0]]), {"paired": False}),
        (([[1], [2]], [[0], [0]]), {"metric": "max@1:w=0,.5,1"}),
    ],
    ids=["two trials", "another budget", "unpaired", "categories"],
)
def test_other_outcomes_have_no_exact_test(outcomes, options):
    assert compare(**{"metric": "pass@1", "A": outcomes[0], "B": outcomes[1]} | options).p_exact is None


def test_clusters_are_no_independent_questions_of_a_population():
    one, other = (OutcomeMatrix(R, clusters=[0, 0, 1, 1]) for R in ([[1], [1], [0], [1]], [[0], [0], [0], [1]]))
    assert compare("pass@1", one, other, target="population").p_exact is None
    assert compare("pass@1", one, other).p_exact == 0.5


def test_no_question_that_differs_is_no_evidence():
    assert compare("pass@1", [[1], [0]], [[1], [0]]).p_exact == 1.0


def enumerated(one, other, trials):
    """The probability of a difference as large, by all outcomes of equal models with the pooled rates."""
    pooled = [Fraction(a + b, 2 * trials) for a, b in zip(one, other, strict=True)]
    total = Fraction(0)
    cells = [range(2)] * (2 * trials * len(one))
    for outcome in product(*cells):
        blocks = np.array(outcome).reshape(len(one), 2, trials)
        if abs(int(blocks[:, 0].sum() - blocks[:, 1].sum())) < abs(sum(one) - sum(other)):
            continue
        chance = Fraction(1)
        for p, block in zip(pooled, blocks, strict=True):
            hits = int(block.sum())
            chance *= p**hits * (1 - p) ** (2 * trials - hits)
        total += chance
    return float(total)


def permuted(one, other, trials):
    """The probability of a larger difference, and half of that of the same, over all ways to exchange the trials."""
    trials_of = [[1] * (a + b) + [0] * (2 * trials - a - b) for a, b in zip(one, other, strict=True)]
    ways = [[sum(row[i] for i in chosen) for chosen in combinations(range(2 * trials), trials)] for row in trials_of]
    gap, total, count = abs(sum(one) - sum(other)), Fraction(0), 0
    for first in product(*ways):
        away = abs(2 * sum(first) - sum(one) - sum(other))
        total += Fraction(away > gap) + Fraction(away == gap, 2)
        count += 1
    return float(total / count)


@pytest.mark.parametrize(
    ("one", "other", "trials"),
    [([2, 1], [0, 1], 2), ([3, 2], [1, 0], 3), ([2, 2, 1], [0, 1, 1], 2), ([5], [1], 6), ([3, 3, 2], [1, 0, 2], 3)],
)
def test_the_least_p_value_of_several_trials_is_that_of_all_permutations(one, other, trials):
    few = FewTrials(np.array([one, other]), np.full((2, len(one)), trials))
    assert few.p_least(0, 1) == pytest.approx(permuted(one, other, trials), rel=1e-9)
    assert few.p_least(1, 0) == few.p_least(0, 1)


@pytest.mark.parametrize(("one", "other", "trials"), [([1, 1], [0, 0], 1), ([1, 1, 1], [0, 1, 0], 1)])
def test_the_least_p_value_is_that_of_all_outcomes_of_equal_models(one, other, trials):
    few = FewTrials(np.array([one, other]), np.full((2, len(one)), trials))
    assert few.p_least(0, 1) == pytest.approx(enumerated(one, other, trials), rel=1e-9)
    assert few.p_least(1, 0) == few.p_least(0, 1)


def test_two_questions_are_no_proof():
    """Two equal models with one trial per question differ so far in one of eight worlds."""
    board = Leaderboard("pass@1", {"a": [[1], [1]], "b": [[0], [0]]})
    assert board.posterior.best[0] < 1 - 1 / 16
    assert board.tied_with_top.all()
    found = compare("pass@1", [[1], [1]], [[0], [0]])
    assert found.p_value > 1 / 8
    assert found.winner is None
    assert found.lo < 0.0
    bounded = compare("pass@1", [[1], [1]], [[0], [0]], paired=False)
    assert (bounded.p_value, bounded.winner) == (pytest.approx(1 / 8), None)


def laws_of_equal_models(rates, trials):
    """The outcomes of two models with these rates, by difference and variance: the probability, and an example."""
    found = {(0, 0): (1.0, (), ())}
    for p in rates:
        own = binom.pmf(np.arange(trials + 1), trials, p)
        longer = {}
        for (gap, spread), (chance, one, other) in found.items():
            for a, b in product(range(trials + 1), repeat=2):
                key = gap + a - b, spread + (a + b) * (2 * trials - a - b)
                before = longer.get(key, (0.0, (*one, a), (*other, b)))
                longer[key] = (before[0] + chance * own[a] * own[b], *before[1:])
        found = longer
    chances, ones, others = zip(*found.values(), strict=True)
    successes = np.array(ones + others)
    return np.array(chances), FewTrials(successes, np.full(successes.shape, trials))


@pytest.mark.parametrize("trials", [2, 3, 4])
@pytest.mark.parametrize("questions", [3, 5, 7])
def test_equal_models_are_called_at_their_rate_by_the_law_of_all_outcomes(questions, trials):
    """The bound alone, which is all that keeps posteriors from more; the largest of all is .064."""
    called = []
    for rate, other in ((0.5, 0.5), (0.3, 0.3), (0.1, 0.1), (0.1, 0.5), (0.2, 0.9)):
        rates = [rate] * (questions - questions // 2) + [other] * (questions // 2)
        chances, few = laws_of_equal_models(rates, trials)
        pairs = len(chances)
        z = few.z_most(np.arange(pairs), np.arange(pairs, 2 * pairs))
        called.append(float(chances[np.isfinite(z) & (z > 1.96)].sum()))
    assert max(called) < 0.065
    assert np.mean(called) < 0.053


def test_the_bound_of_unequal_trials_is_that_of_all_permutations():
    one, other, n, m = np.array([2, 0]), np.array([0, 1]), np.array([3, 2]), np.array([2, 4])
    few = FewTrials(np.array([one, other]), np.array([n, m]))
    laws = []
    for both, ours, theirs in zip(one + other, n, m, strict=True):
        chosen = combinations([1] * both + [0] * (ours + theirs - both), ours)
        laws.append([Fraction(sum(row), int(ours)) - Fraction(int(both) - sum(row), int(theirs)) for row in chosen])
    gaps, seen = [abs(a + b) for a, b in product(*laws)], abs(Fraction(2, 3) - Fraction(1, 4))
    exact = sum(Fraction(gap > seen) + Fraction(gap == seen, 2) for gap in gaps) / len(gaps)
    assert few.p_least(0, 1) == pytest.approx(float(exact), rel=1e-12)
    three = FewTrials(np.array([[*one, 1], [*other, 0]]), np.array([[*n, 1], [*m, 1]]))
    variance = sum(np.var([float(value) for value in law]) for law in [*laws, [1, -1]])
    assert three.z_most(0, 1) == pytest.approx(float(seen + 1) / variance**0.5, rel=1e-12)


def test_a_lost_run_claims_no_more_than_the_others_allow():
    """Equal models on four questions with three trials, of which one is lost, are called in .07 without the bound."""
    rng, called = np.random.default_rng(5), 0
    for _ in range(2000):
        R = rng.integers(0, 2, (2, 4, 3)).tolist()
        R[0][2].pop()
        found = compare("pass@1", *map(OutcomeMatrix, R))
        called += found.lo > 0.0 or found.hi < 0.0
    assert called / 2000 < 0.06
