"""Every metric, whatever components the learned prior keeps: nodes only, the grid density only, one state only."""

import warnings
from dataclasses import MISSING
from itertools import product

import numpy as np
import pytest

from scorio import OutcomeMatrix, PassAtK, compare
from scorio.metrics import METRICS, GeomDsAtK, learned_prior
from scorio.metrics._shared_prior import learned_prior_of_population

BANKS = {
    "only the grid density": ([1] * 200 + [7] * 200, 8),
    "only the grid density, many trials": ([20] * 300 + [180] * 300, 200),
    "one state": ([3] * 40, 8),
    "one question": ([3], 8),
    "one trial of one question": ([1], 1),
    "never solved": ([0] * 12, 8),
    "always solved": ([8] * 12, 8),
}


def bank(name):
    successes, trials = BANKS[name]
    return OutcomeMatrix.from_counts(successes, trials=trials)


def metrics():
    """Every kind of metric, with budgets below and above those that the kernels of small budgets take."""
    for kind in {each for each in METRICS.values() if not each.is_of_samples}:
        if "k" not in kind.__dataclass_fields__:
            yield kind()
            continue
        for k in (2, 100):
            more = {"tau": 0.5, "weights": np.full(k, 1.0 / k)}
            yield kind(k, **{name: value for name, value in more.items() if needs(kind, name)})


def needs(kind, name):
    field = kind.__dataclass_fields__.get(name)
    return field is not None and field.default is MISSING


@pytest.mark.parametrize("name", BANKS)
def test_every_metric_has_an_interval_around_its_mean(name):
    outcomes = bank(name)
    targets = ("questions", "population")[: outcomes.n_questions]  # one question says nothing of a population
    for metric, target, shape in product(metrics(), targets, ("quantile", "normal")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mu, sigma, lo, hi = metric.interval(outcomes, prior="learned", target=target, shape=shape)
        low, high = metric.support(outcomes)
        assert sigma >= 0.0
        assert low <= lo <= mu <= hi <= high, (metric, target, shape)
    for metric in metrics():
        moments = metric.moments(outcomes, prior="learned")
        assert np.isfinite(moments.mean).all()
        assert (moments.variance >= 0.0).all()


def test_the_grid_density_can_be_all_that_is_left():
    for name in ("only the grid density", "only the grid density, many trials"):
        prior = learned_prior(bank(name))
        assert prior.has_grid
        assert prior.size == 0


def test_pass_at_100_of_programming_questions_has_an_interval():
    prior = learned_prior(bank("only the grid density, many trials"))
    (x, density), rates = (
        prior.grid_density,
        PassAtK(100).interval(bank("only the grid density, many trials"), prior="learned"),
    )
    assert rates.mu == pytest.approx(density @ (1.0 - (1.0 - x) ** 100), abs=2e-3)


def test_budgets_beyond_the_small_kernels_continue_those_below():
    outcomes = bank("only the grid density, many trials")
    found = [PassAtK(k).interval(outcomes, prior="learned").mu for k in (32, 33, 40, 50, 64, 100)]
    assert np.all(np.diff(found) > 0.0)
    assert np.diff(found).max() < 0.02


def test_models_with_one_component_are_compared():
    one, other = bank("only the grid density"), bank("one state")
    pair = [OutcomeMatrix.from_counts(each.successes[-40:], trials=8) for each in (one, other)]
    for metric, target in product((PassAtK(64), PassAtK(4)), ("questions", "population")):
        found = compare(metric, *pair, prior="learned", target=target)
        assert np.isfinite(found.p_better)


def test_means_of_whole_sets_leave_the_grid_out_with_clusters_too():
    successes = [1] * 20 + [7] * 20
    outcomes = OutcomeMatrix.from_counts(successes, trials=8, clusters=list(range(40)))
    plain = OutcomeMatrix.from_counts(successes, trials=8)
    assert learned_prior_of_population(plain).has_grid
    one, other = (GeomDsAtK(2).interval(each, prior="learned", target="population") for each in (outcomes, plain))
    assert tuple(one) == pytest.approx(tuple(other))
