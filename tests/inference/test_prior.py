"""Priors: objects, their shorthand, and a kind of one's own."""

import json
import pickle
from dataclasses import dataclass

import numpy as np
import pytest

from helpers.samples import A, B
from scorio import BayesMetric, Beta, Leaderboard, ParameterError, PassAtK, Prior, compare
from scorio.inference import Dirichlet, Jeffreys, Learned
from scorio.inference._prior import as_prior

PAIRS = [
    (Beta(1, 1), "uniform", "uniform"),
    (Beta(1, 1), (1, 1), "uniform"),
    (Beta(2, 0.5), (2, 0.5), "Beta(2, 0.5)"),
    (Jeffreys(), "jeffreys", "Jeffreys"),
    (Learned(), "learned", "learned"),
    (Learned(), "eb", "learned"),
]


@pytest.mark.parametrize(("prior", "shorthand", "words"), PAIRS, ids=lambda value: str(value))
def test_objects_and_their_shorthand(prior, shorthand, words):
    assert as_prior(shorthand) == prior == pickle.loads(pickle.dumps(prior))
    assert as_prior(prior) is prior
    assert eval(repr(prior)) == prior
    assert str(prior) == words
    assert as_prior(shorthand).is_learned == prior.is_learned == (words == "learned")
    for metric in (PassAtK(2), BayesMetric()):
        by_object, by_name = (metric.interval(A, prior=each, shape="quantile") for each in (prior, shorthand))
        assert tuple(by_object) == tuple(by_name)
        assert (by_object.prior, by_name.prior) == (prior, shorthand)
        assert str(by_object) == str(by_name)
    models = {"a": A, "b": [[0, 1, 0, 0, 1], [1, 0, 0, 1, 1]]}
    boards = [Leaderboard(PassAtK(2), models, prior=each) for each in (prior, shorthand)]
    assert str(boards[0]) == str(boards[1])
    by_object, by_name = (compare(PassAtK(2), *models.values(), prior=each) for each in (prior, shorthand))
    assert (by_object.difference, by_object.sigma) == (by_name.difference, by_name.sigma)


def test_a_dirichlet_is_in_category_order():
    w = (0, 0.5, 1)
    assert BayesMetric(w).interval(B, prior=Dirichlet((1, 2, 3))) == BayesMetric(w).interval(B, prior=(1, 2, 3))
    assert PassAtK(2).interval(A, prior=Dirichlet((2, 3)))[:] == PassAtK(2).interval(A, prior=Beta(3, 2))[:]
    for prior in (Dirichlet((1, 2)), Beta(2, 1)):
        with pytest.raises(ParameterError, match="prior must have one pseudo-count for each of 3 categories; got"):
            BayesMetric(w).interval(B, prior=prior)


@dataclass(frozen=True)
class Perks(Prior):
    """One pseudo-count in all."""

    def per_category(self, n_categories):
        return np.full(n_categories, 1 / n_categories)

    def __str__(self):
        return "Perks"


def test_a_kind_of_prior_is_one_class():
    for metric, outcomes, counts in ((PassAtK(3), A, (1 / 2,) * 2), (BayesMetric((0, 1, 3)), B, (1 / 3,) * 3)):
        for shape in ("normal", "quantile"):
            own, known = (metric.interval(outcomes, prior=prior, shape=shape) for prior in (Perks(), counts))
            assert tuple(own) == tuple(known)
    assert "difficulties taken as Perks" in str(PassAtK(1).interval(A, prior=Perks()))


def test_an_interval_is_saved_as_numbers():
    interval = PassAtK(2).interval(A, prior=Jeffreys())
    assert json.loads(json.dumps(list(interval))) == [interval.mu, interval.sigma, interval.lo, interval.hi]
