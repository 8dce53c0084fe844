"""Agreement of rankings: against scipy, by hand, in names and scores, errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, rankdata, spearmanr, weightedtau

from scorio.rank import rank_agreement

pairs = st.integers(2, 9).flatmap(
    lambda models: st.lists(
        st.lists(st.integers(0, 4), min_size=models, max_size=models).filter(lambda scores: len(set(scores)) > 1),
        min_size=2,
        max_size=2,
    )
)


@given(pairs)
@settings(deadline=None)
def test_correlations_are_scipy_s(found):
    a, b = found
    agreement = rank_agreement(a, b)
    expected = [law(a, b).statistic for law in (kendalltau, spearmanr, weightedtau)]
    np.testing.assert_allclose(
        [agreement.kendall, agreement.spearman, agreement.weighted], expected, rtol=1e-12, atol=1e-15
    )


@given(pairs)
@settings(deadline=None)
def test_ranks_and_displacement(found):
    ranks = [rankdata([-score for score in scores], method="min") for scores in found]
    places = [rankdata([-score for score in scores]) for scores in found]
    agreement = rank_agreement(*found)
    assert [list(agreement.first), list(agreement.second)] == [list(each) for each in ranks]
    moved = np.abs(places[0] - places[1])
    assert agreement.displacement == moved.max() == moved[agreement.displaced]


@given(pairs, st.integers(1, 9))
@settings(deadline=None)
def test_the_best_that_both_have(found, k):
    best = [{i for i in range(len(scores)) if sum(other > scores[i] for other in scores) < k} for scores in found]
    assert rank_agreement(*found).top(k) == len(best[0] & best[1]) / max(map(len, best))


@given(pairs, st.randoms())
@settings(deadline=None)
def test_the_order_of_the_models_does_not_matter(found, random):
    order = list(range(len(found[0])))
    random.shuffle(order)
    one, other = rank_agreement(*found), rank_agreement(*([scores[i] for i in order] for scores in found))
    assert (other.kendall, other.displacement) == (one.kendall, one.displacement)
    np.testing.assert_allclose([other.spearman, other.weighted], [one.spearman, one.weighted], rtol=1e-12, atol=1e-15)
    assert other.first == tuple(one.first[i] for i in order)


def test_names_and_scores_are_matched():
    by_score = rank_agreement({"a": 3, "b": 2, "c": 2, "d": 1}, {"d": 0.1, "c": 0.2, "b": 0.2, "a": 0.3})
    by_place = rank_agreement(["a", ("b", "c"), "d"], [["a"], ["c", "b"], "d"])
    assert by_score == by_place
    assert (by_score.kendall, by_score.spearman, by_score.displacement) == (1.0, 1.0, 0.0)
    assert by_score.first == by_score.second == (1, 2, 2, 4)


def test_reversal_by_hand():
    found = rank_agreement(["a", "b", "c", "d"], ["d", "c", "b", "a"])
    assert (found.kendall, found.spearman, found.displacement, found.displaced) == (-1.0, pytest.approx(-1.0), 3.0, "a")
    assert [found.top(k) for k in (1, 2, 3, 4, 9)] == [0.0, 0.0, 2 / 3, 1.0, 1.0]
    assert str(found) == "tau-b -1.000, Spearman -1.000, weighted tau -1.000; largest move: 'a' by 3 places"


def test_scores_closer_than_rounding_tie():
    assert rank_agreement([0.1 + 0.2, 0.3, 0.1], [1, 1, 0]).kendall == pytest.approx(1.0, rel=1e-15)


@pytest.mark.parametrize("a", [[1], [1, 1, 1]])
def test_no_correlation_where_all_tie(a):
    found = rank_agreement(a, range(len(a)))
    assert np.isnan([found.kendall, found.spearman, found.weighted]).all()
    assert found.top(1) == 1 / len(a)
