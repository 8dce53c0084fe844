"""The report of a suite: the numbers of its leaderboard, and what a browser shows of it."""

import numpy as np
import pytest

from helpers.pages import AWKWARD
from scorio import Leaderboard, Suite
from scorio.report import html_report


@pytest.fixture(scope="module")
def board():
    rng = np.random.default_rng(1)
    tasks = {
        task: {f"model-{i}": rng.binomial(1, 0.4 + 0.15 * i, (15 + 5 * place, 4)) for i in range(3)}
        for place, task in enumerate(("algebra", "chess", AWKWARD, "poetry"))
    }
    return Leaderboard("pass@1", Suite(tasks), task_weights="questions")


def test_a_page_has_tasks(board):
    page = html_report(board)
    assert page.count("<details>") == 6
    assert "overall pass@1" in page
    assert ">Tasks<" in page
    for ranking in board.tasks.values():
        for row in ranking.rows:
            assert f"{row.score:.3f} ±" in page


def test_pairs_are_those_of_the_leaderboard(board):
    page = html_report(board)
    for pair in board.only.pairs("simultaneous"):
        assert f"[{pair.lo:+.3f}, {pair.hi:+.3f}]" in page
    assert "family-wise error 5%." in page
