"""What lies beyond the trials is a forecast: an interval without a score, said to be one everywhere."""

import json
import math

import pytest

from scorio import Leaderboard, OutcomeError, PassAtK

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
