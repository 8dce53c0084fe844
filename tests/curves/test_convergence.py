"""Convergence: every replicate enumerated with its exact chance, closed forms, and what must hold of all results."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import binom

from oracles import finite_scores
from oracles.replicates import convergence_at, order, tau_b, worlds
from scorio import AvgMetric, OutcomeMatrix, OutcomeSet, PassAtK, simulate
from scorio.curves import analyze_convergence

REPLICATES = 20_000
TWO = [[[1, 1, 0], [0, 1, 1]], [[1, 0, 0], [0, 1, 0]]]
TIED = [[[1, 1, 0]], [[1, 0, 0]], [[0, 0, 1]]]
CREDITS = {"avg": (0, 1), "pass@2": (0, 1, 1)}
tensors = arrays(
    np.int8, st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(1, 5)), elements=st.integers(0, 1)
)


def exact_score(metric, questions, n):
    """The mean over questions of the metric of the first n trials."""
    return sum(finite_scores.score(CREDITS[metric], n, sum(path[:n])) for path in questions) / len(questions)


def exact(metric, models, free_ties, **drawn):
    """The chance of each convergence@n (None for never), and the mean of tau-b where there is one, for each n."""
    trials = len(models[0][0])
    gold = order([exact_score(metric, model, trials) for model in models])
    grid = range(len(CREDITS[metric]) - 1, trials + 1)
    arrival, taus = Counter(), {n: [0.0, Fraction(0)] for n in grid}
    for world, chance in worlds(models, trials, **drawn):
        orders = [order([exact_score(metric, model, n) for model in world]) for n in grid]
        for n, each in zip(grid, orders, strict=True):
            tau = tau_b(each, gold)
            if tau is not None:
                taus[n][0] += tau * chance
                taus[n][1] += chance
        seen = [tuple(o * abs(g) for o, g in zip(each, gold, strict=True)) if free_ties else each for each in orders]
        first = convergence_at(seen, gold)
        arrival[None if first is None else grid[first - 1]] += chance
    return arrival, {n: total / chance for n, (total, chance) in taus.items()}


@pytest.mark.slow
@pytest.mark.parametrize("replace", [False, True], ids=["orders", "bootstrap"])
@pytest.mark.parametrize("models", [TWO, TIED], ids=["two", "tied"])
@pytest.mark.parametrize("free_ties", [False, True])
def test_every_replicate_by_enumeration(models, replace, free_ties):
    found = analyze_convergence(
        ["avg", "pass@2"], models, replicates=REPLICATES, replace=replace, free_ties=free_ties, rng=1
    )
    for metric in CREDITS:
        arrival, taus = exact(metric, models, free_ties, replace=replace)
        assert sum(arrival.values()) == 1
        expected = np.array([float(arrival[n]) for n in [*found[metric].n, None]])
        seen = np.append(found[metric].pmf, found[metric].never)
        assert (np.abs(seen - expected) <= 5 * np.sqrt(expected * (1 - expected) / REPLICATES)).all()
        known = [n - 1 for n in taus]
        np.testing.assert_allclose(found[metric].mean_tau[known], list(taus.values()), atol=5 / np.sqrt(REPLICATES))
        assert np.isnan(found[metric].tau[:, : known[0]]).all()


def test_two_coins_in_closed_form():
    world = simulate.coins([[0.6], [0.3]], 1, rng=0)
    found = analyze_convergence("avg", world.population(), gold=world.truth("avg"), n=30, replicates=REPLICATES, rng=2)[
        "avg"
    ]
    for n in (1, 4, 30):
        better, worse = binom(n, 0.6), binom(n, 0.3)
        ahead = sum(better.pmf(c) * worse.cdf(c - 1) for c in range(n + 1))
        error = np.sqrt(ahead * (1 - ahead) / REPLICATES)
        assert abs((found.tau[:, n - 1] == 1.0).mean() - ahead) < 5 * error
    assert found.never == pytest.approx((found.tau[:, -1] != 1.0).mean())


@given(tensors.filter(lambda tensor: tensor.shape[2] > 2), st.booleans())
@settings(max_examples=60)
def test_distributions_add_up(tensor, replace):
    found = analyze_convergence(["avg", PassAtK(3)], tensor, n=tensor.shape[2], replicates=40, replace=replace, rng=3)
    for metric, each in found.items():
        assert each.pmf.sum() + each.never == pytest.approx(1.0)
        np.testing.assert_allclose(each.cdf, np.cumsum(each.pmf))
        assert ((each.tau >= -1.0) & (each.tau <= 1.0) | np.isnan(each.tau)).all()
        if metric == "pass@3":
            assert np.isnan(each.tau[:, :2]).all()
            assert (each.pmf[:2] == 0.0).all()
        low, high = each.band(0.5)
        assert ((low <= high) | np.isnan(low)).all()
        assert (np.isnan(low) == np.isnan(each.mean_tau)).all()


@given(tensors)
@settings(max_examples=60)
def test_an_order_of_all_trials_ends_at_their_own_ranking(tensor):
    found = analyze_convergence("avg", tensor, replicates=10, replace=False, rng=4)["avg"]
    assert found.never == 0.0
    assert (np.isnan(found.tau[:, -1]) | (found.tau[:, -1] == 1.0)).all()
    assert (found.converged >= 1).all()


def test_the_order_of_the_models_does_not_matter():
    world = simulate.coins(simulate.rates([-1.0, 0.0, 0.0, 1.0], 10, rng=0), 20, models="abcd", rng=1)
    turned = OutcomeSet({name: world.outcomes[name] for name in "dbca"})
    one, other = (analyze_convergence("avg", each, replicates=4000, rng=5)["avg"] for each in (world.outcomes, turned))
    np.testing.assert_allclose(other.mean_tau, one.mean_tau, atol=5 * np.sqrt(2 / 4000))
    np.testing.assert_allclose(other.cdf, one.cdf, atol=5 * np.sqrt(2 * 0.25 / 4000))


def test_models_that_are_the_same_never_differ():
    found = analyze_convergence("avg", [[[1, 1], [0, 0]]] * 3, replicates=20, rng=0)["avg"]
    assert found.gold == (1, 1, 1)
    assert np.isnan(found.mean_tau).all()
    assert (found.converged == 1).all()


def test_what_never_converges_is_counted_and_has_no_mean():
    found = analyze_convergence("avg", {"a": [[0, 0]], "b": [[1, 1]]}, gold=[2, 1], replicates=30, rng=0)["avg"]
    assert found.never == 1.0
    assert (found.pmf == 0.0).all()
    assert np.isnan([found.mean, found.median]).all()
    assert (found.tau == -1.0).all()
    assert str(found) == "avg: mean convergence@n nan, median nan, never 100.0%; mean tau-b -1.000 at n = 2"


def test_mean_and_median_are_of_those_that_converge():
    found = analyze_convergence("avg", TWO, replicates=500, rng=0)["avg"]
    arrived = found.converged[found.converged > 0]
    assert 0 < len(arrived) < 500
    assert found.mean == pytest.approx((found.n * found.pmf).sum() / (1 - found.never))
    assert found.median == sorted(arrived)[len(arrived) // 2]


def test_gold_is_a_ranking_in_any_form():
    models = dict(zip("abc", TIED, strict=True))
    forms = ["full", [0.67, 0.33, 0.33], {"c": 2, "b": 2, "a": 3}]
    found = [analyze_convergence("avg", models, gold=gold, replicates=50, rng=6)["avg"] for gold in forms]
    assert {each.gold for each in found} == {(1, 2, 2)}
    assert len({each.tau.tobytes() + each.converged.tobytes() for each in found}) == 1


def test_each_metric_has_its_own_full_gold():
    models = [[[1, 1, 1, 1], [0, 0, 0, 0]], [[1, 0, 0, 1], [0, 1, 0, 0]]]
    found = analyze_convergence(["avg", "pass@2"], models, replicates=5, rng=0)
    assert (found["avg"].gold, found["pass@2"].gold) == ((1, 2), (2, 1))
    assert {each.gold for each in analyze_convergence(list(found), models, gold="full", replicates=1).values()} == {
        (1, 2),
        (2, 1),
    }


def test_some_of_the_numbers_of_trials():
    every = analyze_convergence("avg", TWO, n=8, replicates=50, rng=7)["avg"]
    some = analyze_convergence("avg", TWO, n=[8, 2, 5, 2], replicates=50, rng=7)["avg"]
    assert some.n.tolist() == [2, 5, 8]
    np.testing.assert_array_equal(some.tau, every.tau[:, [1, 4, 7]])
    assert set(some.converged) <= {0, 2, 5, 8}
    assert (some.converged <= np.where(every.converged > 0, 8, 0)).all()


@pytest.mark.parametrize(
    "outcomes",
    [
        [[[1]]],
        [[[0, 0], [0, 0]]] * 3,
        [[[1, 1]]] * 2,
        {f"a model with a long name, number {i}": [[i % 2, 1]] for i in range(40)},
        np.array([[[0], [1], [1]], [[1], [1], [1]]]),
    ],
    ids=["one trial", "all 0", "all 1", "40 models", "one trial a question"],
)
def test_odd_shapes(outcomes):
    found = analyze_convergence("avg", outcomes, replicates=33, rng=0)["avg"]
    assert found.replicates == len(found.converged) == 33
    assert (found.replace, found.free_ties, found.seed) == (True, False, 0)
    assert len(found.gold) == len(found.models) == len(OutcomeSet(outcomes))


def test_ragged_questions_give_as_many_trials_as_the_fewest():
    outcomes = {"a": [[1, 0, 1], [1, 1]], "b": [[0, 0, 1, 0], [1, 0, 1]]}
    found = analyze_convergence("avg", outcomes, replicates=40, replace=False, rng=0)["avg"]
    assert found.n.tolist() == [1, 2]
    assert analyze_convergence("avg", outcomes, n=9, replicates=40, rng=0)["avg"].n[-1] == 9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": []}, "metrics must be a Metric, its name or several of them"),
        ({"metrics": ["avg", AvgMetric()]}, "metrics must differ; avg comes twice"),
        ({"gold": "best"}, "unknown gold 'best'"),
        ({"gold": [1, 2, 3]}, "gold has 3 scores for 2 models"),
        ({"gold": {"x": 1, "model-1": 2}}, "not of the same models"),
        ({"n": 0}, "n must be an integer, at least 1; got 0"),
        ({"n": []}, "n must be a number of trials or a list of them; got none"),
        ({"n": [1, 2.5]}, "n must be an integer"),
        ({"n": 4, "replace": False}, "n = 4 trials cannot be drawn without replacement from 3"),
        ({"n": 2**31 - 1}, "2147483647 values of n up to 2147483647 are too many: give a list"),
        ({"outcomes": simulate.coins([[0.5]], 1, rng=0).population()}, "1000000 values of n .* are too many"),
        ({"replicates": 0}, "replicates must be an integer"),
        ({"rng": -1}, "rng must be None, an integer >= 0 or a numpy Generator; got -1"),
        ({"outcomes": []}, "a flat list"),
        ({"outcomes": {"a": OutcomeMatrix([[1, 0], [None, None]], missing="omit")}}, "a: every question needs"),
    ],
)
def test_errors(options, message):
    arguments = {"metrics": "avg", "outcomes": TWO, "replicates": 2} | options
    with pytest.raises(ValueError, match=message):
        analyze_convergence(arguments.pop("metrics"), arguments.pop("outcomes"), **arguments)
