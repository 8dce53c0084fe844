"""Clusters of questions that differ in size: the variance of their mean, its degrees of freedom, coverage and calls."""

import warnings

import numpy as np
import pytest

from scorio import OutcomeMatrix, PassAtK, compare
from scorio.errors import QuestionsWarning
from scorio.metrics._shared_prior import degrees_of_mean, shifts_of_mean

SIZES = {
    "alike": [5] * 6,
    "a few large": [30, 10, 5, 5, 2, 2, 1, 1, 1, 1],
    "halves": [64, 32, 16, 8, 4, 2, 1, 1],
    "one of forty": [1] * 40 + [40],
    "two": [3, 1],
}


def groups_of(name):
    return np.repeat(np.arange(len(SIZES[name])), SIZES[name])


def quadratic_form(group):
    """The matrix of the estimated variance in the means of clusters, from the function itself."""
    count = int(group.max()) + 1
    rows = np.array([shifts_of_mean(np.eye(count)[each][group], group) for each in range(count)])
    return rows @ rows.T


@pytest.mark.parametrize("name", SIZES)
def test_the_variance_is_unbiased_where_means_of_clusters_vary_alike(name):
    share = np.bincount(groups_of(name)) / len(groups_of(name))
    assert np.trace(quadratic_form(groups_of(name))) == pytest.approx(share @ share, rel=1e-12)


@pytest.mark.parametrize("name", SIZES)
def test_degrees_are_those_of_satterthwaite(name):
    form = quadratic_form(groups_of(name))
    assert degrees_of_mean(groups_of(name)) == pytest.approx(np.trace(form) ** 2 / np.sum(form**2), rel=1e-10)


def test_clusters_of_one_size_keep_their_degrees():
    assert degrees_of_mean(groups_of("alike")) == pytest.approx(5.0)
    assert degrees_of_mean(np.arange(30)) == pytest.approx(29.0)


def bank(rng, sizes):
    p = np.repeat(rng.beta(2.0, 0.7, len(sizes)), sizes)
    labels = np.repeat(np.arange(len(sizes)), sizes).tolist()
    return OutcomeMatrix.from_counts(rng.binomial(2, p), trials=2, clusters=labels)


@pytest.mark.parametrize("name", ["alike", "a few large", "one of forty"])
def test_the_population_is_covered_and_equal_models_are_rarely_called(name):
    rng, sizes, covered, called = np.random.default_rng(1), np.array(SIZES[name]), 0, 0
    for _ in range(60):
        one, other = bank(rng, sizes), bank(rng, sizes)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", QuestionsWarning)
            found = PassAtK(1).interval(one, prior="learned", target="population")
            called += compare(PassAtK(1), one, other, prior="learned", target="population").winner is not None
        covered += found.lo <= 2.0 / 2.7 <= found.hi
    assert covered >= 51  # .95 of 60 is 57; fewer than 51 have a chance of .005
    assert called <= 9  # .05 of 60 is 3; more than 9 have a chance of .001


def test_a_cluster_that_decides_is_named():
    rng = np.random.default_rng(2)
    with pytest.warns(QuestionsWarning, match="rests on about 2.04 clusters"):
        PassAtK(1).interval(bank(rng, np.array(SIZES["one of forty"])), prior="learned", target="population")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PassAtK(1).interval(bank(rng, np.array([3] * 12)), prior="learned", target="population")


def test_clusters_of_single_questions_are_questions():
    rng = np.random.default_rng(3)
    outcomes = bank(rng, np.ones(30, dtype=int))
    plain = OutcomeMatrix.from_counts(outcomes.successes, trials=2)
    one, other = (PassAtK(1).interval(each, prior="learned", target="population") for each in (outcomes, plain))
    assert tuple(one) == pytest.approx(tuple(other), rel=1e-9)
