"""Votes and the best of k against all subsets, and against exact fractions for more trials."""

from functools import partial

import numpy as np
import pytest

from oracles.selection import best_by_ranks, best_by_subsets, vote_by_subsets, vote_by_ties, weighted_vote_by_subsets
from scorio import OutcomeMatrix, VoteAtK
from scorio.metrics import BestOfK, WeightedVoteAtK
from scorio.metrics._selectors import trial_values


def question(rng, most, answers):
    """Answers of which some are right in part of the trials, outcomes and scores that tie."""
    n = int(rng.integers(2, most + 1))
    given = [None if rng.random() < 0.2 else int(each) for each in rng.integers(0, answers, n)]
    right = [int(rng.random() < 0.5) if rng.random() < 0.2 else int(each is not None and each % 2) for each in given]
    return given, right, rng.integers(0, 4, n).astype(float).tolist()


def matrix(given, right, scores):
    return OutcomeMatrix([right], answers=[given], scores={"s": [scores]})


RULES = {  # the worth of a draw of k of the trials by all subsets, from their answers, outcomes and scores
    VoteAtK: lambda answers, right, _, k: vote_by_subsets(answers, right, k),
    partial(VoteAtK, ties="none"): lambda answers, right, _, k: vote_by_subsets(answers, right, k, shared=False),
    BestOfK: lambda _, right, scores, k: best_by_subsets(scores, right, k),
    WeightedVoteAtK: lambda answers, right, scores, k: weighted_vote_by_subsets(answers, scores, right, k),
}


@pytest.mark.parametrize("seed", range(60))
def test_values_and_those_without_a_trial_are_means_over_all_subsets(seed):
    rng = np.random.default_rng(seed)
    given, right, scores = question(rng, 9, int(rng.integers(1, 5)))
    k, R, n = int(rng.integers(1, len(right) + 1)), matrix(given, right, scores), len(right)
    order = sorted(range(n), key=lambda i: right[i])  # in which the matrix keeps trials
    without = [[i for i in order if i != left_out] for left_out in order]
    for rule, truth in RULES.items():
        values = trial_values(rule(k), R)
        worth = [
            float(truth(*([each[i] for i in kept] for each in (given, right, scores)), min(k, len(kept))))
            for kept in (order, *without)
        ]
        assert [*values.value, *values.without] == pytest.approx(worth, abs=1e-13)


@pytest.mark.parametrize("part", range(10))
def test_500_questions_of_up_to_64_trials_equal_exact_fractions(part):
    rng = np.random.default_rng(1000 + part)
    for _ in range(50):
        given, right, scores = question(rng, 64, int(rng.integers(1, 25)))
        k, R = int(rng.integers(1, len(right) + 1)), matrix(given, right, scores)
        assert VoteAtK(k).score(R) == pytest.approx(float(vote_by_ties(given, right, k)), abs=1e-13)
        assert BestOfK(k).score(R) == pytest.approx(float(best_by_ranks(scores, right, k)), abs=1e-13)


def test_the_slow_ways_agree_with_all_subsets():
    rng = np.random.default_rng(5)
    for _ in range(40):
        given, right, scores = question(rng, 9, 4)
        k = int(rng.integers(1, len(right) + 1))
        for shared in (True, False):
            assert vote_by_ties(given, right, k, shared=shared) == vote_by_subsets(given, right, k, shared=shared)
        assert best_by_ranks(scores, right, k) == best_by_subsets(scores, right, k)


@pytest.mark.parametrize(("n", "k"), [(300, 150), (800, 400), (1500, 20), (997, 996)])
def test_chances_of_many_trials_add_up(n, k):
    rng = np.random.default_rng(n)
    given = rng.choice(40, n, p=rng.dirichlet(np.full(40, 0.5)))
    R = OutcomeMatrix(np.ones((1, n), int), answers=given[None])
    assert VoteAtK(k).score(R) == pytest.approx(1.0, abs=1e-12)


def test_abstentions_alone_are_worth_nothing():
    R = OutcomeMatrix([[1, 0, 0]], answers=[["7", None, None]])
    assert VoteAtK(2).score(R) == pytest.approx(2 / 3)  # one of three pairs has no answer
    assert VoteAtK(3).score(R) == 1.0
    assert VoteAtK(1).score(OutcomeMatrix([[0, 0]], answers=[[None, None]])) == 0.0
