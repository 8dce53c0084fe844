"""Ranking: the four conventions against scipy, ties by uncertainty by hand, the functional face."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import norm, rankdata

from scorio import ParameterError, eval as face, rank
from scorio.rank import competition_ranks_from_scores, rank_scores

RANKDATA = {"competition": "min", "competition_max": "max", "dense": "dense", "avg": "average"}
rng = np.random.default_rng(7)
TENSOR = rng.integers(0, 2, (5, 12, 6))


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=12))
def test_every_method_agrees_with_rankdata(scores):
    found = rank_scores(np.array(scores, float))
    for method, name in RANKDATA.items():
        assert found[method].tolist() == rankdata([-s for s in scores], method=name).tolist()


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=8, unique=True), st.randoms())
def test_ranks_follow_their_models(scores, random):
    order = list(range(len(scores)))
    random.shuffle(order)
    ranks = competition_ranks_from_scores(scores, tol=0.0)
    assert competition_ranks_from_scores([scores[i] for i in order], tol=0.0).tolist() == ranks[order].tolist()


def test_the_specification_s_example():
    assert competition_ranks_from_scores([0.95, 0.87, 0.87, 0.72, 0.65]).tolist() == [1, 2, 2, 4, 5]


def test_tolerance_ties_neighbours_in_a_chain():
    assert competition_ranks_from_scores([0.3, 0.2, 0.1], tol=0.11).tolist() == [1, 1, 1]
    assert competition_ranks_from_scores([0.3, 0.2, 0.1], tol=0.01).tolist() == [1, 2, 3]


@pytest.mark.parametrize("confidence", [0.6, 0.9, 0.95, 0.99])
def test_adjacent_models_tie_below_the_critical_z(confidence):
    sigma = np.array([0.03, 0.04])
    critical = norm.ppf(confidence) * 0.05
    for gap, tied in ((critical * 0.999, True), (critical * 1.001, False)):
        found = rank_scores([0.5, 0.5 - gap], sigmas=sigma, confidence=confidence)["competition"]
        assert bool(found[1] == 1) is tied


@pytest.mark.parametrize("confidence", [0.6, 0.9, 0.95, 0.99])
def test_adjacent_models_tie_where_intervals_overlap(confidence):
    sigma = np.array([0.03, 0.04])
    reach = norm.ppf((1 + confidence) / 2) * 0.07
    for gap, tied in ((reach * 0.999, True), (reach * 1.001, False)):
        found = rank_scores([0.5, 0.5 - gap], sigmas=sigma, confidence=confidence, tie="ci_overlap_adjacent")
        assert bool(found["competition"][1] == 1) is tied


CALLS = [
    ("pass_at_k", (2,)),
    ("pass_hat_k", (2,)),
    ("g_pass_at_k_tau", (3, 0.5)),
    ("mg_pass_at_k", (4,)),
    ("maj_at_k", (3,)),
    ("auc_at_k", (3,)),
    ("max_at_k", (2,)),
    ("geom_at_k", (2,)),
    ("geo_spectrum_at_k", (3,)),
]


@pytest.mark.parametrize(("name", "arguments"), CALLS, ids=[name for name, _ in CALLS])
def test_the_face_ranks_by_the_scores_of_eval(name, arguments):
    scores = [getattr(face, name)(model, *arguments) for model in TENSOR]
    for method, rule in RANKDATA.items():
        ranks, found = getattr(rank, name)(TENSOR, *arguments, method=method, return_scores=True)
        np.testing.assert_allclose(found, scores, rtol=1e-15)
        assert ranks.tolist() == rankdata(-np.round(scores, 12), method=rule).tolist()


def test_avg_and_bayes():
    means = TENSOR.mean(axis=(1, 2))
    assert rank.avg(TENSOR).tolist() == rankdata(-np.round(means, 12), method="min").tolist()
    found = [face.bayes(model) for model in TENSOR]
    ranks, scores = rank.bayes(TENSOR, quantile=0.05, return_scores=True)
    np.testing.assert_allclose(scores, [mu + norm.ppf(0.05) * sigma for mu, sigma in found], rtol=1e-12)
    assert ranks.tolist() == rankdata(-scores, method="min").tolist()
    np.testing.assert_allclose(rank.bayes(TENSOR, return_scores=True)[1], [mu for mu, _ in found], rtol=1e-15)


def test_scores_without_an_error_are_compared_as_they_are():
    ranks = rank_scores([0.9, 0.5, 0.5, 0.1], sigmas=[0.0, 0.0, 0.1, 0.0])
    assert ranks["competition"].tolist() == [1, 2, 2, 4]
    with pytest.raises(ParameterError, match="at least 0"):
        rank_scores([0.9, 0.5], sigmas=[0.1, -0.1])
