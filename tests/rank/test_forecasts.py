"""What lies beyond the trials is a forecast: an interval without a score, said to be one everywhere."""

import json
import math

import pytest

from scorio import Leaderboard, OutcomeError, OutcomeSet, PassAtK, Suite, cost_table

MODELS = {"a": [[1, 0, 0], [0, 0, 0], [1, 0, 1]], "b": [[1, 1, 0], [1, 1, 1], [0, 0, 1]]}


def test_a_board_without_scores_is_in_the_order_of_means():
    with pytest.raises(OutcomeError, match='a: N is 3; pass@5 has an interval but no score: too_few="nan" goes on'):
        Leaderboard("pass@5", MODELS)
    board = Leaderboard("pass@5", MODELS, too_few="nan")
    assert [row.model for row in board.rows] == ["b", "a"]
    for row in board.rows:
        assert math.isnan(row.score)
        assert row.forecast
        assert tuple(PassAtK(5).interval(MODELS[row.model])) == (row.mu, row.sigma, row.lo, row.hi)
    assert str(board).count("forecast") == 3
    assert "forecast: the metric takes more trials than questions have" in str(board)
    assert board.verdicts()[0].startswith("b has the highest forecast")
    rows = json.loads(board.to_json())["metrics"]["pass@5"]["rows"]
    assert [(row["score"], row["forecast"]) for row in rows] == [(None, True)] * 2


def test_scores_of_enough_trials_are_as_without_the_option():
    board = Leaderboard("pass@3", MODELS, too_few="nan")
    assert [tuple(row) for row in board.rows] == [tuple(row) for row in Leaderboard("pass@3", MODELS).rows]
    assert not any(row.forecast for row in board.rows)
    assert "forecast" not in str(board)


def test_one_model_without_a_score():
    models = {"a": [[1, 0, 0, 1]] * 3, "b": [[1, 1, 0]] * 3}
    board = Leaderboard("pass@4", models, too_few="nan")
    assert {row.model: row.forecast for row in board.rows} == {"a": False, "b": True}
    assert [row.mu for row in board.rows] == sorted((row.mu for row in board.rows), reverse=True)


def test_a_suite_and_its_tasks():
    board = Leaderboard("pass@4", Suite({"x": MODELS, "y": {name: [[1, 0, 1, 0]] for name in MODELS}}), too_few="nan")
    assert all(row.forecast for row in board.rows)
    assert [row.forecast for row in board.tasks["y"].rows] == [False, False]


def test_values_at_equal_cost_beyond_the_trials():
    models = OutcomeSet(MODELS, costs={"a": {"dollars": 1.0}, "b": {"dollars": 3.0}})
    table = cost_table("pass@2", models)
    assert {row.model: (row.equal.k, row.equal.forecast) for row in table.rows} == {"a": (6.0, True), "b": (2.0, False)}
    assert "(forecast)" in str(table)
    assert [record["equal_forecast"] for record in table.to_dict()["rows"]] == [True, False]
    assert "forecast" not in str(cost_table("pass@1", models))
    assert "forecast" in str(cost_table("pass@5", models))
