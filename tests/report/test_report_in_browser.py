"""The report in a real browser: values, places, small screens, light and dark, keyboard and screen reader."""

import numpy as np
import pytest

from helpers import browser
from helpers.pages import AWKWARD, world
from scorio import Leaderboard, OutcomeSet, PassAtK
from scorio._base.table import plain
from scorio.report import html_report


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """A page in a real browser, and the leaderboard that it shows."""
    models = dict(world(models=5).items())
    awkward = OutcomeSet({(AWKWARD if name == "model-2" else name): outcomes for name, outcomes in models.items()})
    board = Leaderboard([PassAtK(1), PassAtK(4)], awkward, prior="learned", shape="quantile")
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(html_report(board), encoding="utf-8")
    with browser.Browser() as page:
        page.open(path)
        yield page, board, path


ROWS = """
    const cells = row => [...row.cells].map(cell => cell.innerText);
    return [...document.querySelectorAll('.board')].map(table => [...table.tBodies[0].rows].map(cells));"""


@browser.needed
def test_a_browser_shows_the_values(shown):
    page, board, _ = shown
    tables = page.run(ROWS)
    for ranking, table in zip(board.rankings, tables, strict=True):
        for row, cells in zip(ranking.rows, table, strict=True):
            assert cells[0].split() == plain(row.model).split()
            assert cells[1:4] == [f"{row.rank:g}", f"{row.score:.3f}", f"[{row.lo:.3f}, {row.hi:.3f}]"]
    assert page.run("return document.title") == "Leaderboard"


@browser.needed
def test_points_and_lines_stand_where_the_numbers_say(shown):
    page, board, _ = shown
    script = """
        const figure = document.querySelector('figure'), at = e => e.getBoundingClientRect();
        return [...figure.querySelectorAll('.intervals li > svg')].map(s => {
            const line = at(s.querySelector('.level')), point = at(s.querySelector('.points'));
            return [line.left, point.left + point.width / 2, line.right];
        });"""
    places = np.array(page.run(script))
    expected = np.array([[row.lo, row.score, row.hi] for row in board.rankings[0].rows])
    slope, start = np.polyfit(expected.ravel(), places.ravel(), 1)
    assert slope > 100.0
    assert np.abs(start + slope * expected - places).max() < 1.0


@browser.needed
@pytest.mark.parametrize("width", [320, 360, 1100])
def test_the_page_fits_the_screen(shown, width):
    page, _, _ = shown
    page.size(width, 800)
    assert page.run("return document.documentElement.scrollWidth") <= width
    text = page.run("return getComputedStyle(document.querySelector('.curves text')).fontSize")
    assert float(text.removesuffix("px")) >= 12.0


CONTRAST = """
    const parse = c => c.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255);
    const light = c => { const [r, g, b] = parse(c).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
                         return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const ground = light(getComputedStyle(document.body).backgroundColor);
    return [...document.querySelectorAll('p, th, td, a, figcaption, .number, summary')].map(e => {
        const own = light(getComputedStyle(e).color);
        return (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05); });"""


@browser.needed
def test_text_is_readable_in_light_and_in_dark(shown):
    page, _, _ = shown
    grounds = set()
    for scheme in ("light", "dark"):
        page.scheme(scheme)
        grounds.add(page.run("return getComputedStyle(document.body).backgroundColor"))
        assert min(page.run(CONTRAST)) >= 4.5
    assert len(grounds) == 2


@browser.needed
def test_the_keyboard_reaches_everything(shown):
    page, _, path = shown
    page.open(path)
    reached = []
    for _ in range(80):
        page.press("Tab")
        where = page.run("const e = document.activeElement; return [e.tagName, e.innerText.trim(), e.className]")
        if where[0] == "BODY":
            break
        reached.append(where)
    assert reached[0][1] == "Skip to the leaderboard"
    assert sum(tag == "A" for tag, *_ in reached) == 7
    scrolled = sum(name == "scroll" for *_, name in reached)
    assert scrolled == 4  # two boards, completeness and the flagged questions; the others are folded away
    assert "SUMMARY" in {tag for tag, *_ in reached}


@browser.needed
def test_a_screen_reader_is_told_tables_headings_and_what_pictures_show(shown):
    page, _, _ = shown
    spoken = page.spoken()
    assert [name for role, name in spoken if role == "heading"][:3] == ["Leaderboard", "pass@1", "pass@4"]
    heads = {name for role, name in spoken if role == "rowheader"}
    assert {"model-0", "model-1", "model-3", "model-4"} <= heads
    (curves,) = [name for role, name in spoken if role == "image"]
    assert curves.startswith("pass@k against k")
    assert {"main", "navigation", "banner", "contentinfo"} <= {role for role, _ in spoken}
