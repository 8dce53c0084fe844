"""The report of two runs: its numbers are those of compare, gate and diff_questions, whatever the shape of the data."""

import re

import numpy as np
import pytest

from helpers import browser
from helpers.pages import AWKWARD, rows_of
from scorio import OutcomeMatrix, OutcomeSet, Suite, compare, gate
from scorio.comparison import diff_questions
from scorio.errors import OutcomeError
from scorio.report import comparison_report


def suite(seed, drop=0.0, name="m"):
    rng = np.random.default_rng(seed)
    rates = np.linspace(0.2, 1.0, 30)
    tasks = {}
    for task in ("algebra", AWKWARD, "law"):
        solved = rng.binomial(8, np.clip(rates - drop * (task == AWKWARD), 0.0, 1.0))
        labels = [f"{task}-{i}" for i in range(30)]
        tasks[task] = OutcomeSet({name: OutcomeMatrix.from_counts(solved, 8, questions=labels)})
    return Suite(tasks)


NEW, OLD = suite(1, drop=0.7), suite(2)


@pytest.mark.parametrize("max_drop", [0.05, 0.9])
def test_the_verdict_is_that_of_the_gate(max_drop):
    page = comparison_report(NEW, OLD, max_drop=max_drop, mode="noninferior")
    result = gate(None, NEW, OLD, max_drop=max_drop, mode="noninferior")
    assert f"Gate {result.verdict}" in page
    rows = rows_of(page, f"gate {result.verdict}: the new model against the baseline")
    assert [row[-1] for row in rows] == [each.verdict for each in result.checks]


def test_changed_questions_are_those_of_the_diff():
    page = comparison_report(NEW, OLD)
    result = diff_questions(NEW, OLD)
    changed = result.of_kind("improved", "worse", "flipped")
    assert len(changed) > 3
    rows = rows_of(page, "Changed questions, clearest first")
    assert [row[1] for row in rows] == [row.change for row in changed]
    assert [row[3:5] for row in rows] == [[f"{row.old:.2f}", f"{row.new:.2f}"] for row in changed]
    assert f"{len(result.of_kind('flaky'))} flaky questions" in page
    assert "gate" not in page.casefold()


@pytest.mark.parametrize(
    ("new", "old"),
    [
        (OutcomeMatrix.from_counts([3, 1], 4), OutcomeMatrix.from_counts([3, 1], 4)),
        (OutcomeMatrix.from_counts([0], 1), OutcomeMatrix.from_counts([1], 1)),
        ({"new one": [[1, 1], [1, 0]]}, {AWKWARD: [[0, 1], [0, 0]]}),
        (
            {"a": OutcomeMatrix.from_rewards([[0.0, 0.5], [2.5, 0.5]])},
            {"a": OutcomeMatrix.from_rewards([[0.0, 2.5], [0.5, 0.0]])},
        ),
    ],
    ids=["equal", "one trial", "two names", "rewards"],
)
def test_any_shape_is_a_page_that_loads_nothing(new, old):
    page = comparison_report(new, old, max_drop=0.1, title=AWKWARD, source=AWKWARD, note=AWKWARD)
    assert not re.search(r"https?:|url\(|@import|\bnan\b", page)
    assert page.count("<script") == 1
    anchors = re.findall(r' id="([^"]*)"', page)
    assert len(set(anchors)) == len(anchors)
    assert set(re.findall(r'href="#([^"]*)"', page)) <= set(anchors)


def test_of_several_models_one_is_chosen():
    both = {"a": [[1, 1, 0], [1, 0, 1]], "b": [[0, 0, 0], [0, 1, 0]]}
    with pytest.raises(OutcomeError, match="2 models"):
        comparison_report(both, both)
    page = comparison_report(both, both, "pass@1", model=("a", "b"))
    result = compare("pass@1", both["a"], both["b"])
    assert f"{result.difference:+.3f}" in page
    changed = diff_questions(both, both, model=("a", "b"))
    assert str(changed)[1:] in page


@browser.needed
def test_a_browser_shows_it_on_every_screen_and_points_stand_where_they_should(tmp_path):
    path = tmp_path / "report.html"
    path.write_text(comparison_report(NEW, OLD, max_drop=0.05), encoding="utf-8")
    result = compare("pass@1", NEW, OLD)
    script = """
        const at = e => { const box = e.getBoundingClientRect(); return box.left + box.width / 2; };
        const points = [...document.querySelectorAll('.intervals .points')].filter(
            e => !e.classList.contains('inside'));
        return [...points, document.querySelector('.rule')].map(at);"""
    with browser.Browser() as page:
        for width in (320, 390, 1200):
            page.size(width, 800)
            page.open(path)
            assert page.run("return document.documentElement.scrollWidth") <= width
            places = np.array(page.run(script))
            values = np.array([result.difference, *(each.difference for each in result.tasks.values()), 0.0])
            slope, start = np.polyfit(values, places, 1)
            assert slope > 100.0
            assert np.abs(start + slope * values - places).max() < 1.0
