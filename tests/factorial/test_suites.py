"""Factors on several tasks: the overall analysis from those of the tasks, gaps, exports, and coverage."""

import math

import numpy as np
import pytest

from helpers.crossed import crossed, world
from scorio import OutcomeSet, Suite, analyze_factors
from scorio.errors import OutcomeError, ParameterError

RNG = np.random.default_rng(5)
SD = {(0,): 1.0, (1,): 0.7, (2,): 0.5}
SETS = {task: crossed(world(RNG, (n, 2, 3), 3, SD)[1]) for task, n in {"algebra": 20, "chess": 35}.items()}
SUITE = Suite(SETS)
TARGETS = ("questions", "population")


@pytest.mark.parametrize("target", TARGETS)
def test_one_task_is_itself(target):
    alone, suite = (
        analyze_factors("pass@1", each, target=target) for each in (SETS["chess"], Suite({"chess": SETS["chess"]}))
    )
    assert suite.tasks["chess"] == alone
    own = suite.to_dict()
    assert (own.pop("weights"), own.pop("tasks")) == ({"chess": 1.0}, {"chess": alone.to_dict()})
    assert own == alone.to_dict()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("weights", [None, "questions", {"algebra": 3, "chess": 1}])
def test_scores_and_errors_of_tasks_add(target, weights):
    suite = analyze_factors("pass@1", SUITE, task_weights=weights, target=target)
    share = suite.weights
    assert sum(share.values()) == pytest.approx(1.0)
    for i, pair in enumerate(suite.pairs):
        parts = {task: each.pairs[i].these for task, each in suite.tasks.items()}
        assert pair.these.mu == pytest.approx(sum(share[task] * each.mu for task, each in parts.items()))
        reach = math.sqrt(sum((share[task] * (each.mu - each.lo)) ** 2 for task, each in parts.items()))
        if target == "questions":
            assert pair.these.mu - pair.these.lo == pytest.approx(reach, rel=0.1)  # skewed sides of many tasks even out
        else:  # the tasks share one more question, of which each alone has its own
            assert 0.5 * reach < pair.these.mu - pair.these.lo < reach


def test_prompts_like_these_are_the_same_prompts_on_all_tasks():
    """The overall interval is Student's from the means of each prompt over the tasks."""
    suite = analyze_factors("pass@1", SUITE)
    values = {task: each.cells for task, each in suite.tasks.items()}
    by_prompt = np.mean([[c.score.mu for c in cells if c.levels[0] == "m0"] for cells in values.values()], axis=0)
    half = 4.302653 * by_prompt.std(ddof=1) / math.sqrt(3)
    margin = suite.margins[0]
    assert margin.like.mu == pytest.approx(by_prompt.mean())
    expected = max(half, margin.these.hi - margin.these.mu)
    assert margin.like.hi - margin.like.mu == pytest.approx(min(expected, 1 - margin.like.mu), rel=1e-6)


def test_tasks_need_the_same_models_and_levels():
    fewer = {row: SETS["chess"][row] for row in SETS["chess"] if "p2" not in row}
    conditions = {row: SETS["chess"].conditions[row] for row in fewer}
    gaps = Suite({"algebra": SETS["algebra"], "chess": OutcomeSet(fewer, conditions=conditions)})
    with pytest.raises(OutcomeError, match=r"task 'chess' lacks prompt 'p2'"):
        analyze_factors("pass@1", gaps)
    with pytest.raises(ParameterError, match="weights can only be given for a suite of tasks"):
        analyze_factors("pass@1", SETS["chess"], task_weights="questions")
    with pytest.raises(OutcomeError, match="task algebra"):
        analyze_factors("pass@1", Suite({"algebra": OutcomeSet({"a": [[1, 0]]})}))


@pytest.mark.simulation
@pytest.mark.parametrize("target", TARGETS)
def test_overall_intervals_cover(target):
    """Of 200 worlds with prompts in common, the truth is in the intervals of nearly 95%."""
    rng = np.random.default_rng(11)
    hits = {"these": [], "like": []}
    for _ in range(200):
        prompt = rng.normal(0.0, 0.6, 300)
        tasks, truth = {}, []
        for task, count in (("x", 20), ("y", 40)):
            every = 2000 if target == "population" else count
            eta = rng.normal(0.0, 1.2, (every, 1, 1)) + np.array([0.4, 0.0])[:, None] + prompt
            rates = 1.0 / (1.0 + np.exp(-eta))
            trials = rng.random((count, 2, 5, 3)) < rates[:count, :, :5, None]
            tasks[task] = crossed(trials.astype(int))
            truth.append((rates[:, 0, :5].mean(), rates[:, 0].mean()))
        margin = analyze_factors("pass@1", Suite(tasks), target=target).margins[0]
        these, like = np.mean(truth, axis=0)
        hits["these"].append(margin.these.lo <= these <= margin.these.hi)
        hits["like"].append(margin.like.lo <= like <= margin.like.hi)
    assert min(map(np.mean, hits.values())) > 0.95 - 3 * 0.0154
