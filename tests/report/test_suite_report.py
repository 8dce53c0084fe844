"""The report of a suite: the numbers of its leaderboard, and what a browser shows of it."""

import numpy as np
import pytest

from helpers import browser
from helpers.pages import AWKWARD
from scorio import Leaderboard, Suite, compare
from scorio._display.table import plain
from scorio.report import html_report


@pytest.fixture(scope="module")
def board():
    rng = np.random.default_rng(1)
    tasks = {
        task: {f"model-{i}": rng.binomial(1, 0.4 + 0.15 * i, (15 + 5 * place, 4)) for i in range(3)}
        for place, task in enumerate(("algebra", "chess", AWKWARD, "poetry"))
    }
    return Leaderboard("pass@1", Suite(tasks), task_weights="questions")


def test_a_page_has_tasks_and_comparisons(board):
    page = html_report(board)
    assert page.count("<details>") == 6
    assert "pass@1, overall" in page
    assert ">Tasks<" in page
    for ranking in board.tasks.values():
        for row in ranking.rows:
            assert f"{row.score:.3f} ±" in page


def test_comparisons_are_those_of_compare(board):
    suite = board.outcomes
    leader, *others = (row.model for row in board.only.rows)
    page = html_report(board)
    for other in others:
        pair = (suite.select(models=[name]) for name in (leader, other))
        result = compare("pass@1", *pair, task_weights="questions")
        assert f"{result.lo:+.3f} to {result.hi:+.3f}" in page
        better = sum(each.winner == "A" for each in result.tasks.values())
        assert f"{better} of 4" in page


def test_one_model_and_metrics_by_task(board):
    suite = board.outcomes.select(models=["model-0"])
    metrics = {task: f"pass@{1 + i % 2}" for i, task in enumerate(suite)}
    page = html_report(Leaderboard(metrics, suite, target="population"))
    assert "There is no other model." in page
    assert "By task" in page


@browser.needed
def test_a_browser_unfolds_tasks_without_a_script(board, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(html_report(board), encoding="utf-8")
    with browser.Browser() as page:
        page.open(path)
        shown = "return [...document.querySelectorAll('details:not(.section)')].map(e => e.open)"
        assert page.run(shown) == [False] * 6
        page.run("document.querySelector('details:not(.section) summary').click()")
        assert page.run(shown) == [True, *[False] * 5]
        lines = page.run("return [...document.querySelectorAll('details:not(.section) summary')].map(e => e.innerText)")
        for line, (task, ranking) in zip(lines, board.tasks.items(), strict=False):
            assert line.split() == f"{plain(task)}: {ranking.rows[0].model} {ranking.rows[0].score:.3f}".split() + (
                f"(pass@1, {ranking.extent})".split()
            )
        wide = "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        assert page.run(wide)
