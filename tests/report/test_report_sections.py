"""The sections of a report on questions, tasks and a history: their numbers, and what is left out."""

import re

import numpy as np
import pytest

from helpers import browser
from helpers.pages import AWKWARD, rows_of, world
from scorio import Leaderboard, OutcomeMatrix, OutcomeSet, Suite, analyze_history, describe_questions, diagnose
from scorio.comparison import PastRun
from scorio.errors import ParameterError
from scorio.report import html_report

DATES = [f"2026-0{i}-01" for i in range(1, 9)]


def test_flagged_questions_stand_with_their_reasons():
    models = OutcomeSet({name: [[0, 0], [1, 1], [1, 0]] for name in "ab"}, questions=["hard", "easy", AWKWARD])
    page = html_report(Leaderboard("pass@1", models))
    assert rows_of(page, "Flagged questions") == [
        ["hard", "never solved: no success in 4 trials of 2 models", "1.00", "[0.53, 1.00]", "-", "-", "0.00"],
        ["easy", "always solved: no failure in 4 trials of 2 models", "0.00", "[0.00, 0.47]", "-", "-", "0.00"],
    ]
    hardest = rows_of(page, "All questions, hardest first")
    assert [row[1] for row in hardest] == ["1.00", "0.50", "0.00"]
    assert "scorio questions" not in page


def test_of_many_questions_the_hardest_and_the_flagged_are_listed():
    models = world(models=6, questions=700, trials=8, rng=3)
    board = Leaderboard("pass@1", models)
    page = html_report(board)
    table = describe_questions(models).sorted()
    assert [row[0] for row in rows_of(page, "The 50 hardest questions")] == [
        str(row.question) for row in table.rows[:50]
    ]
    flagged = rows_of(page, "Flagged questions")
    assert {row[0] for row in flagged} <= {str(row.question) for row in table.flagged().rows}
    assert ".. and 650 more." in page
    assert "<code>scorio questions</code> lists all questions." in page


def past(models=("a", "b")):
    runs = {}
    for i, date in enumerate(DATES):
        solved = {name: 8 if i < 4 or name == "b" else 3 for name in models}
        outcomes = {name: OutcomeMatrix.from_counts([count] * 20, 10) for name, count in solved.items()}
        runs[date] = PastRun(OutcomeSet(outcomes), {"judge": "two" if i == 6 else "one"})
    return analyze_history(None, runs)


def test_a_history_has_its_changes_picture_and_numbers():
    result = past()
    page = html_report(Leaderboard("pass@1", world()), {"History": result})
    point = result.changes[0]
    assert "worse at 2026-05-01 (a)" in page
    rows = rows_of(page, result.tables()[0].title)
    assert rows[4][6:8] == [f"{point.difference:+.3f}", f"[{point.difference_lo:+.3f}, {point.difference_hi:+.3f}]"]
    assert [row[0] for row in rows] == DATES * 2
    assert [row[4] for row in rows[:8]] == ["0.800"] * 4 + ["0.300"] * 4
    assert [row[8] for row in rows] == [""] * 4 + ["worse"] + [""] * 11
    assert rows[6][9] == "judge: two, before one"
    (rules,) = re.findall(r'<path d="([^"]*100[^"]*)" class="rule dotted gray"/>', page)
    assert rules.count("V100") == 2
    assert page.count(">▼</text>") == 2  # at the run, and in the key
    assert "2 runs under other circumstances" in page


@browser.needed
def test_points_of_a_history_stand_where_the_numbers_say(tmp_path):
    path, result = tmp_path / "report.html", past()
    path.write_text(html_report(Leaderboard("pass@1", world()), {"History": result}), encoding="utf-8")
    script = """
        const points = [...document.querySelectorAll('#result-1')].map(e => e.closest('section'))[0];
        return [...points.querySelectorAll('.points')].map(e => e.getAttribute('d'));"""
    with browser.Browser() as page:
        for width in (320, 1200):
            page.size(width, 800)
            page.open(path)
            drawn = re.findall(r"M([\d.]+),([\d.]+)h0", "".join(page.run(script)))
            places = np.array(drawn, float)
            scores = np.array([point.score for point in result.rows])
            slope, start = np.polyfit(scores, places[:, 1], 1)
            assert slope < -50.0
            assert np.abs(start + slope * scores - places[:, 1]).max() < 0.01
            assert (np.diff(places[:8, 0]) > 5.0).all()
            assert page.run("return document.documentElement.scrollWidth") <= width
            shown = page.run("return [...document.querySelectorAll('#result-1')].length")
            assert shown == 1


def test_any_result_is_a_section_of_its_own():
    board = Leaderboard("pass@1", world())
    page = html_report(board, {"Doubt": diagnose(board.outcomes)})
    assert '<h2 id="result-1">Doubt</h2>' in page
    assert "What the data support" in page
    with pytest.raises(ParameterError, match="'Doubt', which is no result"):
        html_report(board, {"Doubt": 3})


@pytest.fixture(scope="module")
def suite_board():
    rng = np.random.default_rng(1)
    tasks = {
        task: {f"model-{i}": rng.binomial(1, 0.4 + 0.15 * i, (15 + 5 * place, 4)) for i in range(3)}
        for place, task in enumerate(("algebra", "chess", AWKWARD, "poetry"))
    }
    return Leaderboard("pass@1", Suite(tasks), task_weights="questions")


def test_a_page_has_tasks(suite_board):
    page = html_report(suite_board)
    assert page.count("<details>") == 6
    assert "overall pass@1" in page
    assert ">Tasks<" in page
    for ranking in suite_board.tasks.values():
        for row in ranking.rows:
            assert f"{row.score:.3f} ±" in page


def test_pairs_are_those_of_the_leaderboard(suite_board):
    page = html_report(suite_board)
    for pair in suite_board.only.pairs("simultaneous"):
        assert f"[{pair.lo:+.3f}, {pair.hi:+.3f}]" in page
    assert "family-wise error 5%." in page
