"""Tables of the report in a real browser: sorting, filtering, folding, printing, and all of it without JavaScript."""

from html import escape

import numpy as np
import pytest

from helpers import browser
from scorio import Leaderboard
from scorio.report import html_report

NAMES = [f"{i}b-model" for i in range(20)]
COLUMN = """
    const rows = [...document.querySelector('.board').tBodies[0].rows].filter(row => row.offsetHeight > 0);
    return rows.map(row => row.cells[%d].innerText);"""
CLICK = "document.querySelectorAll('.board thead button')[%d].click()"
SORTS = "return [...document.querySelectorAll('.board thead th')].map(e => e.getAttribute('aria-sort'))"
TYPE = """
    const box = document.querySelector('.filter input');
    box.value = '%s';
    box.dispatchEvent(new Event('input'));
    return document.querySelector('.filter output').innerText;"""


@pytest.fixture(scope="module")
def board():
    rng = np.random.default_rng(4)
    return Leaderboard("pass@1", {name: rng.binomial(1, i / 19, (12, 4)) for i, name in enumerate(NAMES)})


@pytest.fixture
def path(board, tmp_path):
    page = tmp_path / "report.html"
    page.write_text(html_report(board), encoding="utf-8")
    return page


@pytest.fixture(scope="module")
def opened():
    with browser.Browser() as page:
        yield page


@pytest.fixture
def page(opened, path):
    opened.medium("")
    opened.open(path)
    return opened


@browser.needed
def test_a_click_on_a_heading_sorts_up_then_down_then_as_it_was(board, page):
    shown = [row.model for row in board.rows]
    assert page.run(COLUMN % 0) == shown
    for direction, expected in (("ascending", NAMES), ("descending", NAMES[::-1]), (None, shown)):
        page.run(CLICK % 0)
        assert page.run(COLUMN % 0) == expected
        assert page.run(SORTS) == [direction] + [None] * 6
    page.run(CLICK % 2)
    assert page.run(SORTS)[2] == "ascending"
    assert page.run(COLUMN % 2) == sorted(f"{row.score:.3f}" for row in board.rows)
    page.run(CLICK % 5)
    sizes = {"<.001": 0.0, ">.999": 1.0}
    chances = [sizes.get(text) if text in sizes else float(text) for text in page.run(COLUMN % 5)]
    assert chances == sorted(chances)
    assert len(set(chances)) > 2


@browser.needed
def test_a_long_table_can_be_filtered_and_a_short_one_cannot(page):
    assert page.run(TYPE % "1B-M  0.") == "2 of 20"
    assert set(page.run(COLUMN % 0)) == {"1b-model", "11b-model"}
    page.medium("print")
    assert len(page.run(COLUMN % 0)) == 20
    page.medium("")
    assert page.run(TYPE % "nothing like it") == "0 of 20"
    assert page.run(TYPE % "") == ""
    assert len(page.run(COLUMN % 0)) == 20
    names = [name for role, name in page.spoken() if role == "searchbox"]
    assert names
    assert all(name.startswith("Filter the rows") for name in names)
    tables = page.run("return [...document.querySelectorAll('tbody')].filter(e => e.rows.length > 15).length")
    assert page.run("return document.querySelectorAll('.filter').length") == tables


@browser.needed
def test_a_folded_section_is_printed(page):
    page.run("document.querySelector('#board-1').closest('summary').click()")
    height = "return document.querySelector('.board').getBoundingClientRect().height"
    assert not page.run("return document.querySelector('.board').checkVisibility()")
    page.medium("print")
    assert page.run(height) > 100
    assert page.run("return getComputedStyle(document.querySelector('.filter')).display") == "none"


@browser.needed
def test_without_javascript_the_page_reads_the_same(board, path):
    """In a frame that may not run scripts."""
    frame = path.with_name("frame.html")
    frame.write_text(
        f'<iframe sandbox="allow-same-origin" srcdoc="{escape(path.read_text(encoding="utf-8"))}"></iframe>'
    )
    with browser.Browser() as page:
        page.open(frame)
        inside = "document.querySelector('iframe').contentDocument"
        assert page.run(f"return {inside}.querySelectorAll('button, input').length") == 0
        assert page.run((COLUMN % 0).replace("document", inside)) == [row.model for row in board.rows]


@browser.needed
def test_only_the_pages_own_script_runs(opened, path):
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("<h1>", '<script>document.title = "changed"</script><h1 onclick="alert(1)">'))
    opened.open(path)
    assert opened.run("return document.title") == "Leaderboard"
    assert opened.run("return document.querySelectorAll('thead button').length") > 0
