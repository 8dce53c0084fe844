"""Differences for the population of few tasks: one more task that could be anything."""

import warnings

import numpy as np
import pytest

from helpers.few import one_more
from scorio import Leaderboard, OutcomeMatrix, PassAtK, Suite, compare, gate
from scorio.errors import QuestionsWarning

RUNS = 3


def pair_of(wins, losses=0):
    """Two models on tasks that the first always solves and the second never, and the other way round."""
    won = np.r_[np.full(wins, RUNS), np.zeros(losses, int)]
    return OutcomeMatrix.from_counts(won, RUNS), OutcomeMatrix.from_counts(RUNS - won, RUNS)


def test_four_tasks_all_won_do_not_show_that_a_model_is_better():
    found = compare("pass@1", *pair_of(4), target="population")
    assert found.difference == pytest.approx(0.8)
    assert found.p_value == pytest.approx(0.125)
    assert found.lo < 0.0 < found.hi == 1.0


@pytest.mark.parametrize("tasks", range(2, 13))
def test_no_p_value_is_below_that_of_as_many_signs(tasks):
    found = compare("pass@1", *pair_of(tasks), target="population")
    assert found.p_value >= 2.0 ** (1 - tasks) * (1.0 - 1e-9)
    assert found.p_value == pytest.approx(one_more(np.ones(tasks)).p_value)
    assert (found.lo > 0.0) == (found.p_value < 0.05)


def test_clusters_count_and_not_their_questions():
    tasks = pair_of(4)
    repeated = [
        OutcomeMatrix.from_counts(np.repeat(each.counts[:, 1], 5), RUNS, clusters=np.repeat(np.arange(4), 5))
        for each in tasks
    ]
    few, many = (compare("pass@1", *pair, target="population") for pair in (tasks, repeated))
    assert (many.difference, many.lo, many.p_value) == pytest.approx((few.difference, few.lo, few.p_value))


def test_with_many_tasks_it_is_the_paired_t_test():
    rng = np.random.default_rng(0)
    one, other = rng.binomial(RUNS, 0.6, 2000), rng.binomial(RUNS, 0.5, 2000)
    found = compare("pass@1", *(OutcomeMatrix.from_counts(each, RUNS) for each in (one, other)), target="population")
    gaps = (one - other) / RUNS
    half = 1.9612 * gaps.std(ddof=1) / np.sqrt(2000)
    assert (found.lo, found.hi) == pytest.approx((gaps.mean() - half, gaps.mean() + half), abs=0.01 * half)


def test_many_small_tasks_of_a_suite_share_one_more():
    """A sum of 40 tasks of three questions is not moved by 40 of them."""
    one, other = (Suite({f"task {i}": {"m": model} for i in range(40)}) for model in pair_of(3))
    found = compare("pass@1", one, other, target="population")
    assert found.difference == pytest.approx(1.0, abs=1 / 100)
    assert found.lo > 0.9


def test_too_few_tasks_are_said_once_for_compare_and_boards():
    said = "4 questions can hardly tell models apart for the population: .* below 0.125. 8 questions would do"
    models = dict(zip("ab", pair_of(4), strict=True))
    with pytest.warns(QuestionsWarning, match=said) as caught:
        compare("pass@1", *pair_of(4), target="population")
    assert len(caught) == 1
    with pytest.warns(QuestionsWarning, match=said) as caught:
        Leaderboard("pass@1", models, target="population")
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare("pass@1", *pair_of(8), target="population")
        compare("pass@1", *pair_of(4))


@pytest.mark.simulation
@pytest.mark.parametrize("kind", ["lifted", "up and down", "smooth"])
@pytest.mark.parametrize(("tasks", "runs"), [(3, 1), (3, 10), (5, 5), (10, 3), (20, 1)])
def test_intervals_cover_and_equal_models_are_not_called(kind, tasks, runs):
    """At least .92 of 1,000 intervals cover (standard error .009), and equal models are called in at most .06."""
    rng = np.random.default_rng(tasks * 100 + runs)
    covered, called, worlds = 0, 0, 1000
    for _ in range(worlds):
        old, new, truth = rates_of(kind, tasks, rng)
        pair = [OutcomeMatrix.from_counts(rng.binomial(runs, rates), runs) for rates in (new, old)]
        found = compare(PassAtK(1), *pair, target="population")
        covered += found.lo <= truth <= found.hi
        called += found.winner is not None
    assert covered / worlds > 0.92 - 3 * 0.009
    assert truth != 0.0 or called / worlds < 0.06 + 3 * 0.0075


def rates_of(kind, tasks, rng):
    """Success rates of an old and a new model on tasks of a population, and the mean difference there."""
    if kind == "lifted":
        lifted = rng.random(tasks) < 0.7
        same = rng.choice([0.02, 0.98], tasks)
        return np.where(lifted, 0.02, same), np.where(lifted, 0.98, same), 0.7 * 0.96
    if kind == "up and down":
        sign = rng.choice([-0.45, 0.45], tasks)
        return 0.5 - sign, 0.5 + sign, 0.0
    old = rng.beta(2, 2, tasks)
    return old, old + 0.4 * np.minimum(old, 1 - old) * rng.choice([-1, 1], tasks), 0.0


def test_a_drop_that_few_tasks_cannot_show_does_not_pass_a_gate():
    won, lost = pair_of(4)
    with pytest.warns(QuestionsWarning, match="can hardly tell models apart"):
        result = gate("pass@1", lost, won, target="population")
    assert result.verdict == "undecided"
    assert "too few to show any drop" in str(result)
    with pytest.warns(QuestionsWarning, match="can hardly tell models apart"):
        assert gate("pass@1", won, won, target="population").verdict == "passed"
    assert gate("pass@1", *pair_of(0, 8), target="population").verdict == "failed"
