"""Tau-b of many rankings against scipy, equality with gold against ranks, ties within a tolerance."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import kendalltau, rankdata

from scorio.curves._convergence import tau_b
from scorio.rank import competition_ranks_from_scores

scores = st.integers(2, 9).flatmap(
    lambda models: st.lists(st.lists(st.integers(-3, 3), min_size=models, max_size=models), min_size=2, max_size=6)
)


def compared(gold, rankings, tol=1e-12, free_ties=False):
    """Tau-b and equality of each ranking with gold, given in any order of the models."""
    rankings = np.asarray(rankings, float)
    better = rankdata([-score for score in gold], method="min").astype(np.intp) - 1
    order = np.argsort(better, kind="stable")
    return tau_b(rankings[:, order].T, better[order], tol, free_ties)


@given(scores)
def test_tau_is_scipy_s(found):
    gold, *rankings = found
    tau, _ = compared(gold, rankings)
    expected = [kendalltau(gold, ranking).statistic for ranking in rankings]
    np.testing.assert_allclose(tau, expected, rtol=1e-14, atol=1e-15)


@given(scores)
def test_same_is_equal_ranks(found):
    gold, *rankings = found
    _, same = compared(gold, rankings)
    expected = [(rankdata(gold, method="min") == rankdata(ranking, method="min")).all() for ranking in rankings]
    assert same.tolist() == expected


@given(scores)
def test_with_free_ties_the_order_of_those_tied_in_gold_is_open(found):
    gold, *rankings = found
    _, same = compared(gold, rankings, free_ties=True)
    pairs = [(i, j) for i in range(len(gold)) for j in range(len(gold)) if gold[i] > gold[j]]
    assert same.tolist() == [all(ranking[i] > ranking[j] for i, j in pairs) for ranking in rankings]


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12), st.sampled_from([0.0, 1e-12, 0.05, 0.3]))
def test_ties_within_a_tolerance_are_those_of_ranks(values, tol):
    gold = list(range(len(values)))
    ranks = competition_ranks_from_scores(values, tol)
    tau, same = compared(gold, [values], tol)
    np.testing.assert_allclose(tau, [kendalltau(gold, -ranks).statistic], rtol=1e-14, atol=1e-15)
    assert same[0] == (ranks == np.arange(len(values), 0, -1)).all()


def test_a_thousand_models():
    random = np.random.default_rng(3)
    gold, rankings = random.integers(0, 300, 1000), random.integers(0, 500, (3, 1000))
    tau, _ = compared(gold, rankings)
    np.testing.assert_allclose(tau, [kendalltau(gold, ranking).statistic for ranking in rankings], rtol=1e-13)


def test_a_score_that_is_no_number_leaves_the_ranking_out():
    tau, same = compared([1, 2], [[1, 2], [np.nan, 2], [2, 1]])
    np.testing.assert_array_equal(tau, [1.0, np.nan, -1.0])
    assert same.tolist() == [True, False, False]


@pytest.mark.parametrize("free_ties", [False, True])
def test_one_model_has_one_ranking(free_ties):
    tau, same = compared([0.3], [[0.1], [0.9]], free_ties=free_ties)
    assert np.isnan(tau).all()
    assert same.all()
