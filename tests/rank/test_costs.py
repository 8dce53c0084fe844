"""Scores beside costs: the frontier, against enumeration."""

import numpy as np
import pytest

from scorio import Leaderboard, OutcomeSet, Suite, compare, cost_table, next_trials
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
    ],
)
def test_errors_say_what_to_choose(options, message):
    models = OutcomeSet({"a": [[1, 0]], "b": [[0, 1]]}, costs={"a": {"s": 1, "t": 2}, "b": {"s": 1, "t": 3}})
    with pytest.raises(ParameterError, match=message):
        cost_table("pass@1", models, **options)


def test_outcomes_without_costs_say_the_way_out():
    with pytest.raises(OutcomeError, match=r"nothing is known of 'b': cost=.* gives the cost of a trial"):
        cost_table("pass@1", OutcomeSet({"a": [[1, 0]], "b": [[0, 1]]}, costs={"a": {"s": 1}}))
