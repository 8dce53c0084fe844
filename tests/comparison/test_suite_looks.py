"""Looks at suites: the boundary of the overall score, against that of one task, and how often they are wrong."""

import numpy as np
import pytest

from scorio import Leaderboard, Looks, OutcomeMatrix, ParameterError, Suite, compare

BUDGET, AROUND = Looks(trials=64), Looks(around=8)
SIZES = (30, 20, 12)


def suite_of(trials, shifts=(0.0, -0.05, -0.4), sizes=SIZES, seed=0):
    rng = np.random.default_rng(seed)
    tasks = {}
    for at, (count, n) in enumerate(zip(sizes, trials, strict=True)):
        rates = rng.beta(0.8, 0.5, count)
        models = zip("abc", shifts, strict=False)
        tasks[f"task {at}"] = {
            name: OutcomeMatrix.from_counts(rng.binomial(n, np.clip(rates + shift, 0.02, 0.98)), n)
            for name, shift in models
        }
    return Suite(tasks)


def compared(suite, looks, **options):
    first, second = (suite.select(models=[name]) for name in "ab")
    return compare("pass@1", first, second, looks=looks, **options)


@pytest.mark.parametrize("looks", [BUDGET, AROUND], ids=["budget", "around"])
def test_tasks_with_as_many_trials_have_the_boundary_of_one_task(looks):
    found = compared(suite_of([8, 8, 8]), looks, shape="normal")
    assert found.needed == pytest.approx(looks.z(8), rel=1e-9)
    assert found.looks == looks
    assert found.p_value is None
    assert "valid at every look" in str(found)
    for task in found.tasks.values():
        assert task.needed == pytest.approx(looks.z(8), rel=1e-9)


@pytest.mark.parametrize(
    ("looks", "widest"), [(BUDGET, 4), (AROUND, 60), (Looks(around=32), 4)], ids=["budget", "around 8", "around 32"]
)
def test_unequal_tasks_have_the_wider_boundary_of_the_fewest_and_the_most_trials(looks, widest):
    trials = (4, 60, 16)
    assert max(trials, key=looks.z) == widest
    assert compared(suite_of(trials), looks, shape="normal").needed == pytest.approx(looks.z(widest), rel=1e-9)


def test_trials_beyond_the_budget_of_any_task_are_an_error():
    with pytest.raises(ParameterError, match="70 trials per question, but these looks were declared for at most 64"):
        compared(suite_of([4, 70, 4]), BUDGET)
    with pytest.raises(ParameterError, match="declared for at most 64"):
        Leaderboard("pass@1", suite_of([4, 70, 4]), looks=BUDGET)


def test_the_leaderboard_of_a_suite_at_a_look():
    suite = suite_of([8, 4, 16])
    board = Leaderboard(["pass@1", "pass@2"], suite, shape="normal", looks=BUDGET)
    ranking = board["pass@1"]
    assert ranking.settings.looks == BUDGET.shared(2)
    low, high = (getattr(ranking.intervals[0], end) for end in ("lo", "hi"))
    assert (high - low) / 2 / ranking.intervals[0].sigma == pytest.approx(BUDGET.shared(6).z(4), rel=1e-6)
    needed = BUDGET.z(4, 2 * 0.05 / 2 / 2)  # two metrics, two comparisons, one direction; the fewest trials
    values = [(each.mu, each.sigma) for each in ranking.intervals]
    z = [(values[0][0] - mu) / np.hypot(values[0][1], sigma) for mu, sigma in values]
    assert ranking.tied_with_top.tolist() == [each < needed for each in z] == [True, True, False]
    assert ranking.tasks["task 1"].settings.looks == BUDGET.shared(2 * 3)
    assert "shared by the tasks" in str(board)
    assert {each["looks"] for each in board.as_records() if each["task"] == "overall"} == {str(BUDGET.shared(6))}
