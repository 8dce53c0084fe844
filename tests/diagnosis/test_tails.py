"""The chances of copies are bounds for every success rate: checked by enumeration of all outcomes."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import binom

from scorio.diagnosis._copies import _chances_to_differ
from scorio.diagnosis._tails import differences, disagreement, events, shared_successes

LEVELS = (0.01, 0.03, 0.1, 0.3)


def shares_below(chances, probabilities):
    """The probabilities of a chance at each level."""
    return [float(np.sum(np.where(chances <= level, probabilities, 0.0))) for level in LEVELS]


def test_few_of_independent_events_are_bounded_and_none_is_exact():
    chances = np.array([0.2, 0.5, 0.5, 0.9])
    every = list(product((0, 1), repeat=4))
    each = [np.prod(np.where(happened, chances, 1 - chances)) for happened in every]
    for count in range(5):
        exact = sum(p for happened, p in zip(every, each, strict=True) if sum(happened) <= count)
        assert exact * (1 - 1e-9) <= events(chances, count) <= 1.0
    assert events(chances, 0) == pytest.approx(each[0], rel=1e-9)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_models_of_any_success_rates_are_rarely_so_close(n):
    questions = 3 if n < 4 else 2
    outcomes = list(product(range(n + 1), repeat=2 * questions))
    trials = np.full(questions, n)
    known = {}
    for c in outcomes:
        pairs = tuple(sorted(zip(c[:questions], c[questions:], strict=True)))
        if pairs not in known:
            one, two = np.array(pairs).T
            known[pairs] = differences(trials, one, two)
    chances = np.array([known[tuple(sorted(zip(c[:questions], c[questions:], strict=True)))] for c in outcomes])
    rng = np.random.default_rng(n)
    for spread in (0.1, 1.0, 10.0):
        rates = rng.beta(spread, spread, questions)
        for others in (rates, rng.beta(spread, spread, questions), np.full(questions, 0.5)):
            table = binom.pmf(np.arange(n + 1), n, np.concatenate([rates, others])[:, None])
            probabilities = np.prod([table[i, [c[i] for c in outcomes]] for i in range(2 * questions)], axis=0)
            below = shares_below(chances, probabilities)
            assert all(share <= level + 1e-12 for share, level in zip(below, LEVELS, strict=True))


def test_many_trials_are_compared_given_their_successes():
    n, s = 60, 61
    weights = [float(binom.pmf(c, n, 0.5) * binom.pmf(s - c, n, 0.5)) for c in range(1, n + 1)]
    exact = (weights[29] + weights[30]) / sum(weights)  # 30 and 31
    assert differences(np.array([n]), np.array([30]), np.array([31])) >= exact
    assert differences(np.full(30, n), np.full(30, 30), np.full(30, 31)) < 1e-9


def test_questions_that_all_or_no_trials_solve_say_nothing():
    trials, solved = np.full(100, 4), np.repeat([0, 4], 50)
    assert differences(trials, solved, solved) == 1.0
    assert shared_successes(trials, solved, solved, 0) == pytest.approx(1.0)


def test_trials_in_their_order_are_compared_given_all_successes():
    n, one, two = 4, 2, 1
    first = [set(each) for each in combinations(range(n), one)]
    exact = np.mean([len(each ^ {0}) <= 1 for each in first])
    bound = shared_successes(np.array([n]), np.array([one]), np.array([two]), 1)
    assert bound == pytest.approx(exact, rel=1e-6)
    assert shared_successes(np.array([4, 4]), np.array([2, 2]), np.array([1, 1]), 2) == pytest.approx(
        exact**2, rel=1e-6
    )


@pytest.mark.parametrize("n", [2, 3, 5])
def test_trials_that_vary_so_much_are_rarely_so_alike(n):
    questions = 3
    outcomes = np.array(list(product(range(n + 1), repeat=questions)))
    rng = np.random.default_rng(n)
    for shape in (0.2, 1.0, 20.0):
        for rates in rng.beta(shape, shape, (4, questions)):
            mean = float((rates * (1 - rates)).mean())
            chances = np.array([disagreement(c, np.full(questions, n), mean) for c in outcomes])
            table = binom.pmf(np.arange(n + 1), n, rates[:, None])
            probabilities = np.prod([table[q, outcomes[:, q]] for q in range(questions)], axis=0)
            below = shares_below(chances, probabilities)
            assert all(share <= level * 1.02 for share, level in zip(below, LEVELS, strict=True))


def test_the_worst_rates_for_trials_that_are_alike():
    mean, n, questions = 0.05, 4, 20
    rate = 0.5 - 0.5 * np.sqrt(1 - 4 * mean)
    exact = (rate**n + (1 - rate) ** n) ** questions  # equal rates are the worst
    bound = disagreement(np.zeros(questions, int), np.full(questions, n), mean)
    assert bound == pytest.approx(exact, rel=0.05)
    assert bound >= exact


def test_the_share_of_pairs_of_trials_that_differ():
    values = np.array([[0, 1, 1, 0], [1, 1, 1, np.nan], [0.5, 0.2, np.nan, np.nan], [np.nan] * 4, [1, 0, 0, 0]])
    expected = []
    for row in values:
        pairs = list(combinations(row[~np.isnan(row)], 2))
        expected.append(np.mean([a != b for a, b in pairs]) if pairs else 0.0)
    assert _chances_to_differ(values) == pytest.approx(expected)
