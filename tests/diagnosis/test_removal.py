"""``remove_questions``: scores, intervals and ranks without some questions, against those of the rest alone."""

import pytest

from scorio import Leaderboard, OutcomeMatrix, OutcomeSet
from scorio.diagnosis import remove_questions
from scorio.errors import OutcomeError, ParameterError

COUNTS = {"a": [0, 4, 3, 4, 2, 1], "b": [0, 4, 1, 4, 3, 4], "c": [0, 4, 0, 4, 1, 0]}
MODELS = OutcomeSet(
    {name: OutcomeMatrix.from_counts(each, 4, questions=list("uvwxyz")) for name, each in COUNTS.items()}
)


def test_saturated_questions_are_left_out_by_default():
    effect = remove_questions(MODELS)
    assert effect.removed == ("u", "v", "x")
    rest = OutcomeSet({name: each.select(list("wyz")) for name, each in MODELS.items()})
    board = Leaderboard("pass@1", rest).rankings[0]
    assert [row.score_without for row in effect.rows] == pytest.approx(list(board.scores))
    assert [row.lo_without for row in effect.rows] == pytest.approx([each.lo for each in board.intervals])
    ranks = {row.model: row.rank for row in board.rows}
    assert {row.model: row.rank_without for row in effect.rows} == ranks
    assert "biased" in effect.warning
    assert "biased" in str(effect)
    assert effect.rows[0].width_ratio > 1.0


def test_named_questions_need_no_warning():
    effect = remove_questions(MODELS, ["w"])
    assert (effect.removed, effect.flags, effect.warning) == (("w",), (), "")
    assert effect.rows[0].change == pytest.approx(11 / 20 - 14 / 24)


def test_errors():
    with pytest.raises(ParameterError, match="'q'"):
        remove_questions(MODELS, ["q"])
    with pytest.raises(OutcomeError, match="no question is left out"):
        remove_questions(MODELS, flags=["flaky"])
    with pytest.raises(OutcomeError, match="1 question would be left"):
        remove_questions(MODELS, list("uvwxy"))
    with pytest.raises(ParameterError, match="flag"):
        remove_questions(MODELS, flags=["fun"])
