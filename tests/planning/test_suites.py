"""Plans on suites: against enumeration, closed forms and simulated futures."""

import itertools
import math

import numpy as np
import pytest

from scorio import OutcomeSet, PassAtK, Suite, next_trials, plan_questions, plan_separation, plan_trials
from scorio.errors import OutcomeError

RNG = np.random.default_rng(5)
RATES = {"even": RNG.uniform(0.3, 0.7, 8), "hard": np.full(14, 0.03)}


def suite_of(trials=6, models=("a",), seed=0, rates=RATES):
    rng = np.random.default_rng(seed)
    return Suite(
        {
            task: {name: rng.binomial(1, each[:, None], (len(each), trials)) for name in models}
            for task, each in rates.items()
        }
    )


def test_trials_are_the_fewest_by_the_variance_of_beta_posteriors():
    suite, weights = suite_of(), {"even": 0.7, "hard": 0.3}

    def variance(n):  # the expected variance of a Beta falls as (a + b) / (a + b + n)
        total = 0.0
        for task, outcomes in suite.items():
            a = 1.0 + outcomes["a"].successes
            b = 1.0 + outcomes["a"].trials - outcomes["a"].successes
            now = a * b / (a + b) ** 2 / (a + b + 1.0)
            total += weights[task] ** 2 * np.sum(now * (a + b) / (a + b + n)) / len(a) ** 2
        return total

    plan = plan_trials(PassAtK(1), suite, 0.05, task_weights=weights, prior="uniform")
    z = 1.959963984540054
    assert plan.expected == pytest.approx(z * math.sqrt(variance(plan.more)), rel=1e-9)
    assert z * math.sqrt(variance(plan.more)) <= 0.05 < z * math.sqrt(variance(plan.more - 1))


def test_questions_are_the_fewest_of_all_allocations():
    suite, target = suite_of(), 0.04
    z = 1.959963984540054
    plan = plan_questions("pass@1", suite, target, task_weights={"even": 0.6, "hard": 0.4})
    parts = []
    for weight, outcomes in zip((0.6, 0.4), suite.values(), strict=True):
        sigma = PassAtK(1).interval(outcomes["a"], prior="learned", target="population").sigma
        parts.append(((weight * sigma) ** 2 * outcomes.n_questions, outcomes.n_questions))
    (first, m), (second, n) = parts
    enough = [
        i + j
        for i, j in itertools.product(range(plan.more + 2), repeat=2)
        if z * math.sqrt(first / (m + i) + second / (n + j)) <= target
    ]
    assert plan.more == min(enough) > 0
    assert sum(plan.by_task.values()) == plan.more
    reached = z * math.sqrt(first / (m + plan.by_task["even"]) + second / (n + plan.by_task["hard"]))
    assert plan.expected == pytest.approx(reached)
    assert plan.to_dict()["by_task"] == plan.by_task
    assert f"even {plan.by_task['even']}" in str(plan)


def test_separation_has_the_power_that_is_planned():
    rates = {"x": np.linspace(0.3, 0.8, 12), "y": np.linspace(0.2, 0.6, 9)}
    rng = np.random.default_rng(0)
    pilot = {
        name: Suite({t: {name: rng.binomial(1, np.clip(r + d, 0, 1)[:, None], (len(r), 12))} for t, r in rates.items()})
        for name, d in (("a", 0.12), ("b", 0.0))
    }
    plan = plan_separation("pass@1", pilot["a"], pilot["b"], prior="uniform")
    gap = {t: np.subtract(*(pilot[name][t][name].successes.mean() / 12 for name in "ab")) for t in rates}
    variance = 0.0
    for name in "ab":
        for task, r in rates.items():
            successes = pilot[name][task][name].successes
            a, b = 1.0 + successes, 13.0 - successes
            now = a * b / (a + b) ** 2 / (a + b + 1.0)
            variance += 0.25 * np.sum(now * 14.0 / (14.0 + plan.more)) / len(r) ** 2
    shrunk = sum(each * 12 / 14 for each in gap.values()) / 2  # posterior means under the uniform prior
    power = 0.5 * math.erfc((1.959963984540054 - shrunk / math.sqrt(variance)) / math.sqrt(2.0))
    assert plan.expected == pytest.approx(power, rel=1e-6)
    assert 0.8 <= plan.expected < 0.83


def test_tasks_without_weight_get_nothing_and_costs_count():
    suite = suite_of(models=("a", "b"))
    plan = next_trials("pass@1", suite, 40, task_weights={"even": 1, "hard": 0})
    assert {row.task for row in plan.rows if row.trials} == {"even"}
    prices = {"even": {"a": 1.0, "b": 2.0}, "hard": {"a": 5.0, "b": 2.0}}
    told = Suite(
        {
            task: OutcomeSet(dict(models), costs={name: {"usd": price} for name, price in prices[task].items()})
            for task, models in suite.items()
        }
    )
    costly = next_trials("pass@1", told, 200, cost="usd")
    assert {(row.task, row.model): row.cost for row in costly.rows} == {
        (task, model): cost for task, costs in prices.items() for model, cost in costs.items()
    }
    assert 195.0 <= costly.spent <= 200.0


def test_what_cannot_be_planned_says_the_way_out():
    suite = suite_of(models=("a", "b"))
    for plan in (plan_trials, plan_questions):
        with pytest.raises(OutcomeError, match=r"select\(models=\['a'\]\)"):
            plan("pass@1", suite, 0.05)
    gap = Suite({"x": {"a": [[1, 0]], "b": [[0, 1]]}, "y": {"a": [[1, 1]]}})
    with pytest.raises(OutcomeError, match="model 'b' has no known outcomes of task 'y'"):
        next_trials("pass@1", gap, 10)
    assert next_trials("pass@1", gap.select(models=["a"]), 10).total == 10
