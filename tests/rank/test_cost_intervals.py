"""Mean costs per trial and their intervals: against the continuous rewards that they are, and in simulated worlds."""

import numpy as np
import pytest

from scorio import BayesMetric, OutcomeMatrix, OutcomeSet, Suite, cost_table
from scorio.comparison._costs import ModelCosts
from scorio.errors import OutcomeError
from scorio.inference._terms import Terms

RNG = np.random.default_rng(7)
R = {name: RNG.binomial(1, 0.5, (30, 6)) for name in ("a", "b")}
SPENT = {
    name: RNG.lognormal(mean, 0.5, (30, 1)) * RNG.lognormal(0, 0.4, (30, 6)) for name, mean in (("a", 0), ("b", 1))
}
PRICED = OutcomeSet(R, costs={name: {"dollars": each} for name, each in SPENT.items()})


def cost_of(models, name, cost, **terms):
    return ModelCosts(models, cost).interval(name, Terms(**terms))


@pytest.mark.parametrize("target", ["questions", "population"])
def test_the_interval_of_a_cost_is_that_of_its_trials_as_continuous_rewards(target):
    for name, spent in SPENT.items():
        truth = BayesMetric().interval(OutcomeMatrix.from_rewards(spent), prior="learned", target=target)
        cost = cost_of(PRICED, name, "dollars", target=target)
        assert cost.mean == pytest.approx(spent.mean())
        scale = spent.mean() / truth.mu
        assert (cost.sigma, cost.lo, cost.hi) == pytest.approx(
            (truth.sigma * scale, truth.lo * scale, truth.hi * scale)
        )
    rows = cost_table("pass@1", PRICED, target=target).rows
    costs = [cost_of(PRICED, row.model, "dollars", target=target) for row in rows]
    assert [(row.cost_lo, row.cost_hi) for row in rows] == [cost[2:] for cost in costs]


def test_costs_of_a_suite_add_up_by_the_trials_of_the_tasks():
    suite = Suite({"x": PRICED.select(range(20)), "y": PRICED.select(range(20, 30))})
    cost, *parts = (cost_of(each, "a", "dollars") for each in (suite, *suite.values()))
    assert cost.mean == pytest.approx(SPENT["a"].mean())
    assert cost.sigma == pytest.approx(np.hypot(parts[0].sigma * 2 / 3, parts[1].sigma / 3))
    assert cost.lo < cost.mean < cost.hi


def test_without_costs_of_trials_there_is_a_mean_and_no_interval():
    known = OutcomeSet(R, costs={"a": {"dollars": 0.5}})
    one = OutcomeSet({"a": [[1]]}, costs={"a": {"dollars": [[0.5]]}})
    free = OutcomeSet({"a": [[1, 0], [1, 1]]}, costs={"a": {"dollars": np.zeros((2, 2))}})
    for models, mean in ((known, 0.5), (one, 0.5), (free, 0.0)):
        assert cost_of(models, "a", "dollars") == (mean, None, None, None)


def test_trials_without_an_outcome_raise_the_mean_of_the_others():
    spent = [[2.0, 4.0, 6.0], [1.0, 3.0, 2.0]]
    outcomes = OutcomeMatrix([[1, 0, None], [0, 1, 1]], missing="omit")
    models = OutcomeSet({"a": outcomes}, costs={"a": {"seconds": spent}})
    cost = cost_of(models, "a", "seconds")
    full = OutcomeSet({"a": np.ones((2, 3), int)}, costs={"a": {"seconds": spent}})
    assert cost.mean == pytest.approx(18.0 / 5)
    assert np.array(cost) == pytest.approx(np.array(cost_of(full, "a", "seconds")) * 6 / 5)


def test_uncertain_costs_make_the_frontier_uncertain():
    """Two models with costs that cannot be told apart: each may be the cheaper one, and then it is on the frontier."""
    solved, wide = np.tile([1, 0, 1, 1], (12, 1)), np.random.default_rng(1).lognormal(0, 1, (12, 4))
    better = np.tile([1, 1, 1, 1], (12, 1))
    known = OutcomeSet({"a": solved, "b": better}, costs={"a": {"s": wide.mean() * 0.99}, "b": {"s": wide.mean()}})
    told = OutcomeSet({"a": solved, "b": better}, costs={"a": {"s": wide * 0.99}, "b": {"s": wide}})
    sure, unsure = (cost_table("pass@1", each).rows[0].on_frontier for each in (known, told))
    sigma = cost_of(told, "b", "s").sigma
    assert sure == 1.0
    assert unsure == pytest.approx(0.5, abs=0.01 + 0.01 * wide.mean() / sigma)


@pytest.mark.parametrize("costs", [[[0.1, -0.2]], [[0.1, 0.2], [0.1, 0.2]], [["x", "y"]], "cheap"])
def test_costs_of_trials_that_are_none_are_errors(costs):
    with pytest.raises(OutcomeError, match="costs"):
        OutcomeSet({"a": [[1, 0]]}, costs={"a": {"dollars": costs}})


@pytest.mark.simulation
@pytest.mark.filterwarnings("ignore:trials that follow one another")  # one world of a thousand, and here are 400
@pytest.mark.parametrize("target", ["questions", "population"])
def test_intervals_of_costs_contain_the_true_mean(target):
    """400 worlds with skewed costs: 95% within three standard errors (.033)."""
    rng, hits, worlds = np.random.default_rng(3), 0, 400
    for _ in range(worlds):
        long = rng.lognormal(1.0, 0.6, 40)
        spent = long[:, None] * rng.lognormal(-0.125, 0.5, (40, 4))
        models = OutcomeSet({"a": rng.binomial(1, 0.5, (40, 4))}, costs={"a": {"seconds": spent}})
        truth = long.mean() if target == "questions" else np.exp(1.0 + 0.18)
        cost = cost_of(models, "a", "seconds", target=target)
        hits += cost.lo <= truth <= cost.hi
    assert hits / worlds == pytest.approx(0.95, abs=0.033)
