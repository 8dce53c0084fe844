"""Models with equal scores are named together: none of them alone has the highest score."""

from scorio import Leaderboard
from scorio.report._text import verdict


def test_equal_scores():
    board = Leaderboard("pass^3", {"a": [[1, 0, 1], [1, 1, 0]], "b": [[0, 0, 0], [1, 0, 0]]})
    assert board.only.leaders == ("a", "b")
    assert board.verdicts()[0].startswith("a and b have the highest score, and either may be the best")
    assert verdict(board.only).startswith("a and b have the highest passhat@3, 0.000.")


def test_equal_scores_and_others():
    R = [[1, 1, 0], [1, 0, 0]]
    board = Leaderboard("pass@1", {"a": R, "b": R, "c": R, "d": [[1, 0, 0], [1, 0, 0]]})
    assert board.verdicts()[0].startswith("a, b and c have the highest score, and 1 model may be as good")
    board = Leaderboard("pass@1", {"a": R, "b": [[1, 0, 0], [1, 0, 0]]})
    assert board.only.leaders == ("a",)
