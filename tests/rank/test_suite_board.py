"""Leaderboards of suites: overall scores and intervals against independent truth, tasks, weights, exports."""

import math
from fractions import Fraction

import numpy as np
import pytest

from scorio import Leaderboard, OutcomeMatrix, Suite
from scorio.errors import OutcomeError, ParameterError

SIZES = {"algebra": 12, "chess": 30, "law": 7}


def simulated(seed=0, trials=4, sizes=SIZES, models=3):
    rng = np.random.default_rng(seed)
    return Suite(
        {
            task: {
                f"model-{i}": rng.binomial(1, np.clip(rates[:, None] + 0.05 * i, 0, 1), (count, trials))
                for i in range(models)
            }
            for task, count in sizes.items()
            for rates in [rng.beta(0.5, 0.7, count)]
        }
    )


@pytest.fixture(scope="module")
def suite():
    return simulated()


@pytest.mark.parametrize(
    ("weights", "shares"),
    [
        (None, [Fraction(1, 3)] * 3),
        ("questions", [Fraction(12, 49), Fraction(30, 49), Fraction(7, 49)]),
        ({"law": 1, "chess": 2, "algebra": 5}, [Fraction(5, 8), Fraction(2, 8), Fraction(1, 8)]),
        ({"law": 0, "chess": 0, "algebra": 5}, [Fraction(1), Fraction(0), Fraction(0)]),
    ],
)
def test_scores_are_weighted_means_of_the_scores_by_task(suite, weights, shares):
    board = Leaderboard("pass@1", suite, task_weights=weights)
    assert list(board.weights.values()) == pytest.approx(list(map(float, shares)))
    for i, model in enumerate(suite.models):
        exact = sum(
            share * Fraction(int(models[model].successes.sum()), 4 * models.n_questions)
            for share, models in zip(shares, suite.values(), strict=True)
        )
        assert board.scores[i] == pytest.approx(float(exact), rel=1e-13)


def test_each_task_has_the_leaderboard_that_it_has_alone(suite):
    board = Leaderboard("pass@1", suite)
    for task, models in suite.items():
        assert board.tasks[task].rows == Leaderboard("pass@1", models).only.rows


def test_means_and_variances_add_up_where_nothing_is_pulled(suite):
    board = Leaderboard("pass@1", suite, prior="uniform", shape="normal", task_weights="questions")
    weights = np.array(list(board.weights.values()))
    parts = np.array([ranking.intervals for ranking in board.tasks.values()])
    for i, interval in enumerate(board.intervals):
        sigma = math.sqrt(sum((w * part[1]) ** 2 for w, part in zip(weights, parts[:, i], strict=True)))
        assert interval.mu == pytest.approx(weights @ parts[:, i, 0])
        assert interval.sigma == pytest.approx(sigma)
        assert interval.hi - interval.lo == pytest.approx(2 * 1.959963984540054 * sigma)


@pytest.mark.parametrize("target", ["questions", "population"])
def test_draws_agree_with_the_posterior_behind_the_ranks(suite, target):
    board = Leaderboard("pass@1", suite, target=target)
    draws = board.draws(40_000, rng=1)
    assert np.allclose(draws.mean(axis=0), board.only.joint.mu, atol=0.003)
    best = np.bincount(draws.argmax(axis=1), minlength=3) / len(draws)
    assert np.allclose(best, board.posterior.best, atol=0.02)
    beats = (draws[:, 0] > draws[:, 1]).mean()
    assert board.posterior.beats[0, 1] == pytest.approx(beats, abs=0.02)


@pytest.mark.simulation
def test_small_biases_of_many_tasks_do_not_add_up():
    """On 30 hard tasks with one trial per question, biases too small to see in a task would be seen in their sum."""
    rng = np.random.default_rng(5)
    hits = 0
    for _ in range(40):
        tasks, truth = {}, 0.0
        for task in range(30):
            rates = rng.beta(0.15, 1.5, int(rng.integers(5, 60)))
            truth += rates.mean() / 30
            tasks[str(task)] = {"m": OutcomeMatrix.from_counts(rng.binomial(1, rates).tolist(), 1)}
        board = Leaderboard("pass@1", Suite(tasks))
        [interval] = board.intervals
        hits += interval.lo <= truth <= interval.hi
    assert hits >= 35  # of 40, with 38 expected


def test_a_model_that_lacks_a_task_is_an_error_with_both_ways_out():
    suite = Suite({"x": {"a": [[1, 0]], "b": [[0, 0]]}, "y": {"a": [[1, 1]]}})
    with pytest.raises(OutcomeError) as error:
        Leaderboard("pass@1", suite)
    assert "suite.select(models=['a']) or suite.select(tasks=['x'])" in str(error.value)
    assert Leaderboard("pass@1", suite.select(models=["a"])).models == ("a",)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"task_weights": {"algebra": 1}}, "lacks the tasks 'chess', 'law'"),
        ({"task_weights": {"algebra": 1, "chess": 1, "law": 1, "go": 1}}, "unknown task 'go'"),
        ({"task_weights": dict.fromkeys(SIZES, 0)}, "not all 0"),
        ({"task_weights": dict.fromkeys(SIZES, -1)}, "at least 0"),
        ({"task_weights": dict.fromkeys(SIZES, "x")}, "must be numbers"),
        ({"task_weights": "sizes"}, "task_weights must be None"),
        ({"metrics": {"algebra": "pass@1"}}, "lacks the tasks"),
        ({"metrics": "pass@9"}, "task algebra: model-0: "),
        ({"outcomes": {"a": [[1, 0]]}, "task_weights": "questions"}, "weights can only be given for a suite of tasks"),
        ({"outcomes": Suite({"overall": {"a": [[1, 0]]}})}, "named 'overall'"),
        ({"outcomes": Suite({"x": {"a": [[1, 0]]}}), "target": "population"}, "task x: .*at least two questions"),
    ],
)
def test_wrong_weights_and_metrics(suite, arguments, problem):
    with pytest.raises((OutcomeError, ParameterError), match=problem):
        Leaderboard(**{"metrics": "pass@1", "outcomes": suite, **arguments})


def test_tasks_may_have_their_models_in_different_orders():
    strong, weak = [[1, 1, 1], [1, 1, 0]], [[0, 1, 0], [0, 0, 0]]
    board = Leaderboard("pass@1", Suite({"x": {"a": strong, "b": weak}, "y": {"b": weak, "a": strong}}))
    same = Leaderboard("pass@1", Suite({"x": {"a": strong, "b": weak}, "y": {"a": strong, "b": weak}}))
    assert board.scores.tolist() == pytest.approx([5 / 6, 1 / 6])
    assert board.rows == same.rows
    assert board.tasks["y"].models == ("a", "b")
    assert board.tasks["y"].rows == same.tasks["y"].rows
