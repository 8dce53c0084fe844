"""Simulated worlds: the truth by definition and by enumeration, rates by hand, what trials have in common, errors."""

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import logit
from scipy.stats import binom

from helpers.samples import ALL
from scorio import (
    AvgMetric,
    BayesMetric,
    GeoSpectrum,
    GPassTau,
    MajAtK,
    MaxAtK,
    Metric,
    MGPass,
    OutcomeError,
    ParameterError,
    PassAtK,
    PassHatK,
    simulate,
)
from scorio.metrics import AucAtK, GeomAtK, GeomDsAtK, MinAtK, ThresholdSpectrum

P = np.array([[0.0, 0.2, 0.9, 1.0], [0.5, 0.3, 0.7, 1e-3]])


def by_definition(p):
    """Each metric of questions with rate ``p``, in words of probability."""
    q = 1.0 - p
    two_of_three = 3 * p**2 * q + p**3
    reach = [1 - q**k for k in (1, 2, 3)]
    return {
        AvgMetric(): p,
        BayesMetric(): p,
        BayesMetric(weights=(1.0, 0.5)): q + 0.5 * p,
        PassAtK(3): 1 - q**3,
        PassHatK(3): p**3,
        GPassTau(3, tau=0.5): two_of_three,
        MajAtK(3): two_of_three,
        MGPass(3): 2 / 3 * p**3,
        AucAtK(3): (reach[0] + 2 * reach[1] + reach[2]) / 4,
        MaxAtK(3): 1 - q**3,
        MaxAtK(3, weights=(1.0, 0.0)): 1 - p**3,
        MinAtK(3): p**3,
        MinAtK(3, weights=(1.0, 0.25)): 0.25 + 0.75 * q**3,
        ThresholdSpectrum(2, weights=(0.25, 0.5)): 0.25 * 2 * p * q + 0.75 * p**2,
        GeomAtK(3): np.sqrt((1 - q**3) * p**3),
    }


@pytest.mark.parametrize("metric", by_definition(P), ids=str)
def test_the_truth_of_a_metric_is_its_definition(metric):
    found = simulate.coins(P, 3, rng=0).truth(metric)
    np.testing.assert_allclose(found, by_definition(P)[metric].mean(axis=1), rtol=1e-13)


def test_the_truth_of_a_blend_of_means():
    world, known = simulate.coins(P, 3, rng=0), by_definition(P)
    reach, unanimous, star = (known[metric].mean(axis=1) for metric in (PassAtK(3), PassHatK(3), MGPass(3)))
    np.testing.assert_allclose(world.truth(GeomDsAtK(3, pass_power=0.25)), reach**0.25 * unanimous**0.5, rtol=1e-13)
    np.testing.assert_allclose(world.truth(GeoSpectrum(3, lam=0.25)), reach**0.25 * star**0.75, rtol=1e-13)


@pytest.mark.parametrize(
    "metric", [metric for metric in ALL if metric.is_mean_over_questions and not isinstance(metric, GeomAtK)]
)
def test_scores_have_the_truth_for_their_mean(metric):
    """Bayes has its own prior in it, and is not unbiased; all the others are, whatever the number of trials."""
    from scorio import OutcomeMatrix

    if isinstance(metric, BayesMetric):
        metric = AvgMetric(weights=metric.weights)
    states = metric.per_question(OutcomeMatrix.from_counts(np.arange(6), 5))
    expected = [sum(binom.pmf(c, 5, p) * states[c] for c in range(6)) for p in P[1]]
    np.testing.assert_allclose(simulate.coins(P[1], 2, rng=0).truth(metric), [np.mean(expected)], rtol=1e-12)


@pytest.mark.parametrize(("kind", "extreme"), [(MaxAtK, max), (MinAtK, min)])
@pytest.mark.parametrize("weights", [(0.0, 0.5, 1.0), (0.3, -1.0, 0.2), (1.0, 1.0, 0.0)])
def test_the_best_and_the_worst_reward_by_enumeration(weights, kind, extreme):
    rates = [[[0.2, 0.3, 0.5], [0.0, 0.9, 0.1]], [[0.6, 0.4, 0.0], [1.0, 0.0, 0.0]]]
    expected = [
        np.mean(
            [
                sum(
                    extreme(weights[j] for j in draw) * prod(of_question[j] for j in draw)
                    for draw in product(range(3), repeat=3)
                )
                for of_question in of_model
            ]
        )
        for of_model in rates
    ]
    world = simulate.categorical(rates, 4, rng=0)
    np.testing.assert_allclose(world.truth(kind(3, weights=weights)), expected, rtol=1e-13)
    np.testing.assert_allclose(world.truth(AvgMetric(weights=weights)), np.mean(np.array(rates) @ weights, axis=1))


def test_a_metric_of_one_s_own():
    class Half(AvgMetric):
        pass

    world = simulate.coins(P, 2, rng=0)
    np.testing.assert_array_equal(world.truth(Half()), world.truth(AvgMetric()))
    simulate.question_truth.register(Half, lambda metric, rates, like: rates[..., 1] / 2)
    np.testing.assert_allclose(world.truth(Half()), world.truth(AvgMetric()) / 2)

    class Unknown(Metric):
        def per_question(self, R, *, too_few="raise"):
            raise NotImplementedError

        moments = per_question

    with pytest.raises(TypeError, match="add it with simulate.question_truth.register"):
        world.truth(Unknown())


def test_rates_are_logistic_and_equal_models_tie_exactly():
    found = simulate.rates([0.5, -1.0, 0.5], [0.0, 2.0, -3.0])
    np.testing.assert_allclose(logit(found), [[0.5, -1.5, 3.5], [-1.0, -3.0, 2.0], [0.5, -1.5, 3.5]], rtol=1e-12)
    world = simulate.coins(found, 2, rng=0)
    for metric in ALL:
        assert world.truth(metric)[0] == world.truth(metric)[2]


def test_drawn_abilities_and_difficulties():
    found = logit(simulate.rates(400, 300, rng=1))
    gaps = found - found[0]
    np.testing.assert_allclose(gaps, np.broadcast_to(gaps[:, :1], gaps.shape), atol=1e-9)
    assert found.mean(axis=1).std() == pytest.approx(1.0, abs=5 / np.sqrt(800))
    assert found.mean(axis=0).std() == pytest.approx(2.0, abs=2 * 5 / np.sqrt(600))
    assert (simulate.rates(3, 4, rng=1) == simulate.rates(3, 4, rng=np.random.default_rng(1))).all()


@given(st.lists(st.floats(-8, 8), min_size=1, max_size=4), st.lists(st.floats(-8, 8), min_size=1, max_size=4))
@settings(deadline=None)
def test_rates_of_categories_sum_to_one_and_rise_with_ability(abilities, difficulties):
    found = simulate.category_rates(sorted(abilities), difficulties, steps=(-1.5, 0.0, 2.0))
    assert (found >= 0.0).all()
    np.testing.assert_allclose(found.sum(axis=2), 1.0, rtol=1e-15)
    assert (np.diff(found @ np.arange(4), axis=0) >= -1e-12).all()


@pytest.mark.parametrize("options", [{}, {"repeat": 0.5}, {"shared": 0.5}, {"repeat": 0.3, "shared": 0.4}], ids=str)
def test_trials_come_at_their_rates(options):
    rates = [[[0.2, 0.3, 0.5], [0.0, 0.9, 0.1]], [[0.6, 0.4, 0.0], [1.0, 0.0, 0.0]]]
    world = simulate.categorical(rates, 40_000, rng=1, **options)
    seen = np.stack([(world.trials == j).mean(axis=2) for j in range(3)], axis=2)
    np.testing.assert_allclose(seen, rates, atol=5 * 0.5 * np.sqrt(3 / 40_000))
    assert (seen[np.array(rates) == 0.0] == 0.0).all()


@pytest.mark.parametrize("repeat", [0.0, 0.25, 0.8, 1.0])
def test_neighbours_are_correlated_as_asked(repeat):
    trials = simulate.coins([[0.3, 0.5]], 40_000, repeat=repeat, rng=2).trials[0]
    if repeat == 1.0:
        assert (trials == trials[:, :1]).all()
        return
    for of_question in trials:
        for lag in (1, 2):
            seen = np.corrcoef(of_question[:-lag], of_question[lag:])[0, 1]
            assert seen == pytest.approx(repeat**lag, abs=5 * np.sqrt(9 / 40_000))


@pytest.mark.parametrize("shared", [0.0, 0.5, 1.0])
def test_runs_have_luck_in_common(shared):
    trials = simulate.coins([[0.4, 0.4], [0.4, 0.4]], 40_000, shared=shared, rng=3).trials
    together = np.corrcoef(trials[0])[0, 1]
    assert together == pytest.approx(shared**2, abs=5 / np.sqrt(40_000))
    assert np.corrcoef(trials[:, 0])[0, 1] == pytest.approx(0.0, abs=5 / np.sqrt(40_000))


@given(arrays(float, st.tuples(st.integers(1, 3), st.integers(1, 3)), elements=st.floats(0, 1)), st.integers(1, 5))
@settings(max_examples=50, deadline=None)
def test_outcomes_count_the_trials(rates, trials):
    world = simulate.coins(rates, trials, rng=4)
    assert world.trials.shape == (*rates.shape, trials)
    for of_model, matrix in zip(world.trials, world.outcomes.values(), strict=True):
        assert matrix.successes.tolist() == of_model.sum(axis=1).tolist()
        assert matrix.trials.tolist() == [trials] * rates.shape[1]
    np.testing.assert_array_equal(world.rates[..., 1], rates)
    again = simulate.coins(rates, trials, rng=4)
    np.testing.assert_array_equal(again.trials, world.trials)


def test_a_category_that_never_comes_is_still_one():
    world = simulate.categorical([[[1.0, 0.0, 0.0]]], 3, models=["a"], rng=0)
    assert world.outcomes["a"].n_categories == 3
    assert world.truth(AvgMetric(weights=(0.5, 0.0, 1.0))).tolist() == [0.5]


@given(arrays(float, st.tuples(st.integers(1, 3), st.integers(1, 3)), elements=st.floats(0, 1)), st.integers(1, 2000))
@settings(deadline=None)
def test_a_population_has_the_rates(rates, trials):
    world = simulate.coins(rates, 1, rng=0)
    for of_model, matrix in zip(rates, world.population(trials).values(), strict=True):
        assert (matrix.trials == trials).all()
        np.testing.assert_allclose(matrix.successes / trials, of_model, atol=0.5 / trials + 1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simulate.coins([], 3), "rates must be numbers from 0 to 1"),
        (lambda: simulate.coins([["a"]], 3), "rates must be an array of numbers"),
        (lambda: simulate.coins(np.zeros((2, 2, 2)), 3), r"got shape \(2, 2, 2\)"),
        (lambda: simulate.coins(0.5, 3), r"got shape \(\)"),
        (lambda: simulate.categorical([[0.5, 0.5]], 3), "and sum to 1"),
        (lambda: simulate.categorical([[[0.5, 0.4]]], 3), "and sum to 1"),
        (lambda: simulate.categorical([[[1.0]]], 3), "at least two categories"),
        (lambda: simulate.rates(0, 5), "abilities must be an integer, at least 1; got 0"),
        (lambda: simulate.category_rates([0.0], [0.0], steps=(1.0, 1.0)), "steps must ascend"),
        (lambda: simulate.coins([0.5], 1).population(0), "trials must be an integer, at least 1"),
    ],
)
def test_errors(call, message):
    with pytest.raises((ParameterError, OutcomeError), match=message):
        call()


def test_truth_needs_weights_that_fit():
    world = simulate.categorical([[[0.2, 0.3, 0.5]]], 2, rng=0)
    with pytest.raises(OutcomeError, match="binary outcomes"):
        world.truth(PassAtK(2))
    with pytest.raises(OutcomeError, match="weights"):
        world.truth(AvgMetric(weights=(0, 0.2, 0.5, 1)))
    with pytest.raises(OutcomeError, match="weights"):
        world.truth(AvgMetric(weights=(0, 1)))
