"""Scores beside costs: the frontier and values at equal cost, against enumeration and the parts they are made of."""

import json
import math

import numpy as np
import pytest

from scorio import Leaderboard, OutcomeMatrix, OutcomeSet, PassAtK, Suite, compare, cost_table, next_trials
from scorio.errors import OutcomeError, ParameterError

RNG = np.random.default_rng(4)
MODELS = {name: RNG.binomial(1, rate, (30, 6)) for name, rate in (("big", 0.6), ("mid", 0.57), ("small", 0.4))}
DOLLARS = {"big": 0.09, "mid": 0.03, "small": 0.01}


def priced(models=MODELS, prices=DOLLARS):
    return OutcomeSet(models, costs={name: {"dollars": price} for name, price in prices.items()})


def test_the_frontier_is_that_of_independent_posteriors():
    table = cost_table("pass@1", priced())
    assert [row.model for row in table.rows] == ["small", "mid", "big"]
    board = Leaderboard("pass@1", priced())
    mu, sigma = np.array([(each.mu, each.sigma) for each in board.intervals]).T
    draws = np.random.default_rng(1).normal(mu, sigma, (200_000, 3))
    truth = [1.0, (draws[:, 1] > draws[:, 2]).mean(), (draws[:, 0] > draws[:, 1:].max(axis=1)).mean()]
    assert [row.on_frontier for row in table.rows] == pytest.approx(truth, abs=0.015)
    two = cost_table("pass@1", priced({n: MODELS[n] for n in ("big", "mid")}, {"big": 0.09, "mid": 0.03}))
    better = compare("pass@1", MODELS["big"], MODELS["mid"]).p_better
    assert two.rows[1].on_frontier == pytest.approx(better, abs=0.015)


def test_of_models_that_cost_the_same_only_the_best_is_on_the_frontier():
    table = cost_table("pass@1", MODELS, dict.fromkeys(MODELS, 2.0))
    assert sum(row.on_frontier for row in table.rows) == pytest.approx(1.0, abs=1e-3)


def test_values_at_equal_cost_are_those_of_as_many_trials():
    table = cost_table("pass@1", priced(), limit=0.105, prior="uniform")
    for row in table.rows:
        k = 0.105 / DOLLARS[row.model]
        assert row.k == pytest.approx(k)
        matrix = OutcomeMatrix(MODELS[row.model])
        ends = [PassAtK(each).interval(matrix, prior="uniform", shape="quantile") for each in (int(k), int(k) + 1)]
        share = k - int(k)
        assert row.equal_mu == pytest.approx((1 - share) * ends[0].mu + share * ends[1].mu)
        assert row.equal_lo == pytest.approx((1 - share) * ends[0].lo + share * ends[1].lo, abs=2e-3)


def test_mixed_trials_have_the_value_and_the_cost_that_are_said():
    """Running one or two trials at random, so that the mean is 1.5, solves as often as the mix says."""
    counts = OutcomeMatrix.from_counts([7000, 2000], 10_000)
    table = cost_table("pass@1", {"m": counts}, {"m": 2.0}, limit=3.0)
    rates = np.array([0.7, 0.2])
    rng = np.random.default_rng(0)
    k = rng.integers(1, 3, (200_000, 1))
    solved = rng.random((200_000, 2)) < 1.0 - (1.0 - rates) ** k
    error = 4.0 * 0.5 / math.sqrt(2 * 200_000)
    assert abs(table.rows[0].equal_mu - solved.mean()) < error + 0.002
    assert 2.0 * k.mean() == pytest.approx(3.0, abs=0.02)


def test_a_model_that_the_budget_does_not_buy_has_no_value():
    table = cost_table("pass@1", priced(), limit=0.05)
    assert table.rows[-1].k is None
    assert str(table).splitlines()[4].split()[-1] == "-"
    assert json.loads(table.to_json())["rows"][2]["k"] is None
    assert cost_table("avg", priced()).limit is None


def test_costs_of_suites_are_means_over_all_trials():
    suite = Suite(
        {
            "x": OutcomeSet({"a": [[1, 0]], "b": [[0, 1]]}, costs={"a": {"s": 1.0, "t": 5}, "b": {"s": 2.0}}),
            "y": OutcomeSet({"b": [[1, 1], [0, 1]], "a": [[1, 0], [0, 0]]}, costs={"a": {"s": 4.0}, "b": {"s": 2.0}}),
        }
    )
    assert suite.costs == {"a": {"s": 3.0}, "b": {"s": 2.0}}
    table = cost_table("pass@1", suite)
    assert [(row.model, row.cost) for row in table.rows] == [("b", 2.0), ("a", 3.0)]
    plan = next_trials("pass@1", suite, 30, cost="s")
    assert plan.unit == "s"
    assert {(row.model, row.task): row.cost for row in plan.rows} == {
        ("a", "x"): 1.0,
        ("a", "y"): 4.0,
        ("b", "x"): 2.0,
        ("b", "y"): 2.0,
    }
    assert 26.0 < plan.spent <= 30.0
    with pytest.raises(ParameterError, match="unknown cost 't'"):
        next_trials("pass@1", suite, 30, cost="t")


def test_money_buys_more_than_trials_where_models_differ_in_price():
    dear = next_trials("pass@1", priced(), 3.0, cost="dollars")
    assert dear.spent <= 3.0
    assert dear.half_width <= dear.half_width_even
    same = next_trials("pass@1", priced(), 3.0, cost=DOLLARS)
    assert dear.trials.tolist() == same.trials.tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "must be chosen among s, t"),
        ({"cost": "u"}, "unknown cost 'u'"),
        ({"cost": {"a": 1.0}}, "no cost per trial of model 'b'"),
        ({"cost": {"a": 1.0, "b": -1.0}}, "cost per trial of 'b' must be"),
        ({"cost": "s", "metric": "avg", "limit": 2.0}, "needs a metric with a budget k"),
    ],
)
def test_errors_say_what_to_choose(options, message):
    models = OutcomeSet({"a": [[1, 0]], "b": [[0, 1]]}, costs={"a": {"s": 1, "t": 2}, "b": {"s": 1, "t": 3}})
    options = {"metric": "pass@1"} | options
    with pytest.raises(ParameterError, match=message):
        cost_table(options.pop("metric"), models, **options)


def test_outcomes_without_costs_say_the_way_out():
    with pytest.raises(OutcomeError, match=r"nothing is known of 'b': cost=.* gives the cost of a trial"):
        cost_table("pass@1", OutcomeSet({"a": [[1, 0]], "b": [[0, 1]]}, costs={"a": {"s": 1}}))
