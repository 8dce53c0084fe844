"""Plans about runs like these: how many more runs, and whether more trials in the same runs would be enough."""

import math

import numpy as np
import pytest

from scorio import (
    OutcomeError,
    OutcomeMatrix,
    OutcomeSet,
    ParameterError,
    Suite,
    next_trials,
    plan_questions,
    plan_separation,
    plan_trials,
)
from scorio.errors import RunsWarning
from scorio.inference import Level
from scorio.metrics import Metric, noise_of_models, run_sums


def drawn(s, seed=1, runs=5, trials=2, shift=0.0):
    """Return outcomes whose runs shift the log odds of success by ``s x``."""
    rng = np.random.default_rng(seed)
    names = np.repeat([f"job {i}" for i in range(runs)], trials)
    logits = rng.normal(0, 1.7, (100, 1)) + np.repeat(s * rng.standard_normal(runs), trials) + shift
    return OutcomeMatrix((rng.random(logits.shape) < 1 / (1 + np.exp(-logits))).astype(int), runs=names.tolist())


def test_more_trials_of_runs_that_differ_are_not_enough():
    outcomes = drawn(0.5)
    plan = plan_trials("pass@1", outcomes, 0.05, runs="random")
    noise = noise_of_models([run_sums(Metric.from_string("pass@1"), outcomes)])[0]
    assert noise.reach(0.0, Level(0.95)) > 0.05  # the runs alone
    assert plan.unit == "runs"
    assert plan.more > 0
    assert plan.expected <= 0.05
    assert plan.same_runs.more is None
    assert plan.same_runs.expected == pytest.approx(noise.reach(0.0, Level(0.95)))
    assert "no number of more trials per question in the same 5 runs would be enough" in str(plan)
    assert plan.to_dict()["same_runs"] == {"more": None, "expected": plan.same_runs.expected, "runs": 5}
    assert plan_trials("pass@1", outcomes, 0.05, runs="independent").more == 0


def test_more_trials_of_runs_that_do_not_differ_may_be_enough():
    plan = plan_trials("pass@1", drawn(0.0), 0.03, runs="random")
    assert plan.more >= 1
    assert plan.same_runs.more >= 1
    assert "more trials per question in the same 5 runs would be enough too" in str(plan)


def test_a_plan_that_needs_nothing_is_the_interval_of_now():
    outcomes, metric = drawn(0.5), Metric.from_string("pass@1")
    interval = metric.interval(outcomes, runs="random")
    half = max(interval.hi - interval.mu, interval.mu - interval.lo)
    plan = plan_trials(metric, outcomes, 1.05 * half, runs="random")
    assert plan.more == 0
    assert plan.expected == pytest.approx(half, rel=0.05)


@pytest.mark.simulation
def test_so_many_runs_reach_the_width():
    """With the planned number of runs, intervals are about as wide as planned: within a quarter at the median."""
    widths, metric = [], Metric.from_string("pass@1")
    for seed in range(40):
        plan = plan_trials(metric, drawn(0.3, seed), 0.04, runs="random")
        if plan.more is None or plan.more > 60:
            continue
        interval = metric.interval(drawn(0.3, seed + 1000, runs=5 + plan.more), runs="random")
        widths.append((interval.hi - interval.lo) / 2.0 / plan.expected)
    assert len(widths) > 20
    assert 0.75 < np.median(widths) < 1.25


def test_questions_do_not_average_runs_out():
    plan = plan_questions("pass@1", drawn(0.5), 0.05, runs="random")
    assert plan.more is None
    assert "the 5 runs alone leave a half width of" in plan.reason
    wide = plan_questions("pass@1", drawn(0.0), 0.04, runs="random")
    assert wide.more > plan_questions("pass@1", drawn(0.0), 0.04, runs="independent").more
    assert wide.expected <= 0.04


def test_models_are_told_apart_by_more_runs():
    A, B = drawn(0.3, 1, shift=0.35), drawn(0.3, 2)
    plan = plan_separation("pass@1", A, B, runs="random")
    assert plan.unit == "runs"
    assert plan.more > 0
    assert plan.expected >= 0.8
    assert plan.separation == f"{plan.more} more runs would tell them apart with power 0.8"
    alone = plan_separation("pass@1", A, B, runs="independent")
    assert alone.unit == "trials per question"
    assert alone.same_runs is None


def test_runs_do_not_replace_questions():
    """The difference varies more between questions than runs can make up for."""
    plan = plan_separation("pass@1", drawn(0.3, 1, shift=0.35), drawn(0.3, 2), target="population", runs="random")
    assert plan.more is None
    assert plan.unit == "runs"
    assert "questions are needed, not 100" in plan.separation


def test_suites_have_plans_of_runs():
    suite = Suite({"a": {"m": drawn(0.5, 1)}, "b": {"m": drawn(0.5, 2)}})
    plan = plan_trials("pass@1", suite, 0.05, runs="random")
    assert plan.unit == "runs"
    assert plan.more > 0
    assert math.isfinite(plan.same_runs.expected)


@pytest.mark.parametrize("plan", [plan_trials, plan_questions], ids=["trials", "questions"])
def test_plans_warn_where_runs_differ(plan):
    outcomes = drawn(0.5)
    with pytest.warns(RunsWarning, match="takes trials as independent"):
        found = plan("pass@1", outcomes, 0.05)
    assert found == plan("pass@1", outcomes, 0.05, runs="independent")


def test_what_says_nothing_about_runs_is_refused():
    with pytest.raises(OutcomeError, match="not known which run"):
        plan_trials("pass@1", [[1, 0, 1], [0, 1, 1]], 0.1, runs="random")
    with pytest.raises(ParameterError, match="trials that outcomes choose are no fair sample of a run"):
        next_trials("pass@1", drawn(0.5), 10, runs="random")
    models = OutcomeSet({"a": drawn(0.8, 1), "b": drawn(0.8, 2)})
    with pytest.warns(RunsWarning, match="differ by more than their trials explain"):
        chosen = next_trials("pass@1", models, 10)
    assert chosen.total == next_trials("pass@1", models, 10, runs="independent").total
