"""Convergence of overall rankings: against all orders of the trials, and the task alone."""

import itertools

import numpy as np
import pytest

from scorio import Suite
from scorio.errors import OutcomeError, ParameterError
from scorio.resampling import analyze_convergence

TRIALS = {
    "x": {"a": [[1, 0, 1], [1, 1, 0]], "b": [[0, 1, 0], [0, 0, 1]]},
    "y": {"a": [[0, 1, 0]], "b": [[1, 0, 0]]},
}


def test_the_share_that_agrees_at_n_is_that_of_all_orders():
    weights = {"x": 0.6, "y": 0.4}
    replicates = 20_000
    result = analyze_convergence(
        "avg", Suite(TRIALS), task_weights=weights, replace=False, replicates=replicates, rng=0
    )["avg"]
    share = _share_of_orders(weights)
    agree = float((result.tau[:, 1] == 1.0).mean())
    error = np.sqrt(share * (1.0 - share) / replicates)
    assert abs(agree - share) < 4.0 * error
    assert result.gold == (1, 2)
    assert (result.tau[:, -1] == 1.0).all()


def _share_of_orders(weights):
    """The probability that a is ahead of b after two trials of each question, by enumeration."""
    laws = {}
    for name in "ab":
        law = {0.0: 1.0}
        for task, models in TRIALS.items():
            for row in models[name]:
                pairs = [sum(each) / 2 for each in itertools.combinations(row, 2)]
                step = {}
                for (value, chance), mean in itertools.product(law.items(), pairs):
                    key = round(value + weights[task] * mean / len(models[name]), 12)
                    step[key] = step.get(key, 0.0) + chance / len(pairs)
                law = step
        laws[name] = law
    pairs = itertools.product(laws["a"].items(), laws["b"].items())
    return sum(p * q for (a, p), (b, q) in pairs if a > b + 1e-9)


def test_one_task_converges_as_alone():
    suite = Suite({"x": TRIALS["x"]})
    for gold in ("full", ["b", "a"], [0.1, 0.2]):
        whole, alone = (
            analyze_convergence("avg", each, rng=3, replicates=64, gold=gold) for each in (suite, TRIALS["x"])
        )
        assert whole.to_dict() == alone.to_dict()


def test_tasks_may_have_models_in_any_order_and_metrics_of_their_own():
    turned = Suite({"x": TRIALS["x"], "y": dict(reversed(TRIALS["y"].items()))})
    options = {"rng": 1, "replicates": 32}
    one, other = (analyze_convergence({"x": "pass@2", "y": "avg"}, each, **options) for each in (Suite(TRIALS), turned))
    assert list(one) == ["overall"]
    assert one["overall"].models == other["overall"].models == ("a", "b")
    assert one["overall"].gold == other["overall"].gold


def test_errors_say_the_way_out():
    with pytest.raises(ParameterError, match="weights can only be given for a suite of tasks"):
        analyze_convergence("avg", TRIALS["x"], task_weights="questions")
    with pytest.raises(OutcomeError, match="model 'b' has no outcomes of 1 task"):
        analyze_convergence("avg", Suite({"x": TRIALS["x"], "y": {"a": [[1, 0]]}}))
