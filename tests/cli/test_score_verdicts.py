"""The sentences below the table of ``scorio score``: the method, the error rate, and a verdict on a model alone."""

import numpy as np
import pytest

from helpers.command import run
from scorio import Leaderboard, OutcomeSet, PassAtK, Suite, plan_questions, plan_trials, read
from scorio.io._outcome_table import write_table

TASKS = {"algebra": 12, "chess": 20}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rng = np.random.default_rng(3)
    path = tmp_path_factory.mktemp("logs")
    outcomes = {task: OutcomeSet({"big": rng.binomial(1, 0.6, (count, 5))}) for task, count in TASKS.items()}
    write_table(Suite(outcomes), path / "outcomes.csv")
    return path


@pytest.mark.parametrize(
    ("target", "planner", "words"),
    [("questions", plan_trials, "on these questions"), ("population", plan_questions, "on questions like these")],
)
def test_a_model_alone_has_a_verdict_by_each_metric(folder, target, planner, words):
    outcomes = read(folder, task="algebra")["big"]
    text = run("score", folder, "--task", "algebra", "-m", "pass@1", "-m", "pass@2", "--target", target).stdout
    for k in (1, 2):
        metric = PassAtK(k)
        interval = metric.interval(outcomes, prior="learned", target=target)
        plan = planner(metric, outcomes, (interval.hi - interval.lo) / 4.0)
        value = f"big: pass@{k} is between {interval.lo:.3f} and {interval.hi:.3f} {words}"
        assert f"{value}; {plan.more:,} more {plan.unit} would halve the interval" in text


def test_the_verdict_on_several_tasks_is_overall(folder):
    lines = run("score", folder, "-m", "pass@1").stdout.splitlines()
    assert any("1 model on 2 tasks" in line for line in lines)
    interval = Leaderboard("pass@1", read(folder)).only.intervals[0]
    plan = plan_trials("pass@1", read(folder), (interval.hi - interval.lo) / 4.0)
    value = f"big: overall pass@1 is between {interval.lo:.3f} and {interval.hi:.3f} on these questions"
    assert lines[0] == f"{value}; {plan.more} more trials per question would halve the interval"
