"""The built site: formulas and pages need no network, classes list what they have, code fits the page."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from helpers import browser
from scorio.metrics import METRICS

for needed in ("sphinx", "furo", "myst_parser", "sphinx_copybutton", "latex2mathml"):
    pytest.importorskip(needed)

DOCS = Path(__file__).parents[2] / "docs"
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]  # the first test waits for the site to be built


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    options = ["-q", "--fail-on-warning", "-d", str(folder / "trees")]
    subprocess.run([sys.executable, "-m", "sphinx", *options, str(DOCS), str(folder / "html")], check=True)
    return folder / "html"


def pages(site):
    return [page for page in site.rglob("*.html") if "_modules" not in page.parts]


def test_pages_load_nothing_from_the_network(site):
    for page in pages(site):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r'<(script|img|iframe)[^>]+src="(https?:)?//', text), page
        assert not re.search(r'<link[^>]+rel="stylesheet"[^>]+href="(https?:)?//', text), page


def test_formulas_are_mathml(site):
    text = (site / "derivation.html").read_text(encoding="utf-8")
    assert text.count("<math") > 50
    assert not re.search(r"<script[^>]+mathjax", text.lower())
    assert not re.search(r"\\\(|\\\[|\\frac", re.sub(r"<pre>.*?</pre>", "", text, flags=re.DOTALL))


def test_the_methods_of_metrics_are_listed_with_parameters_and_types(site):
    text = (site / "api.html").read_text(encoding="utf-8")
    for method in ("score", "interval", "moments", "posterior", "per_question", "curve", "cov"):
        assert f'id="scorio.Metric.{method}"' in text, method
    assert "Parameters" in text
    assert "Return type" in text


def test_every_listed_parameter_has_words(site):
    listed = 0
    for page in (site / "api.html", site / "metrics.html"):
        text = page.read_text(encoding="utf-8")
        entries = re.findall(r"<(?:li|dd [^>]*)>\s*<p><strong>(\w+)</strong>(.*?)</p>", text, flags=re.DOTALL)
        assert [name for name, rest in entries if "\N{EN DASH}" not in rest] == [], page
        listed += len(entries)
    assert listed > 500


def test_every_metric_has_an_entry(site):
    text = (site / "metrics.html").read_text(encoding="utf-8")
    for metric in METRICS.values():
        assert re.search(rf'id="scorio\.(\w+\.)*{metric.__name__}"', text), metric


def test_the_home_page_links_to_tasks(site):
    text = (site / "index.html").read_text(encoding="utf-8")
    for task in ("error-bars", "compare", "leaderboard"):
        assert f'href="{task}.html"' in text
    assert "<img" in text
    assert ".[cli,plot]" in text


@browser.needed
@pytest.mark.parametrize("width", [1200, 390])
def test_pages_fit_the_screen(site, width):
    """No page scrolls sideways. Blocks of code do on phones, and output of commands anywhere: rows stay whole."""
    script = """return [...document.querySelectorAll('article .highlight-python pre, article .highlight-sh pre')]
        .filter(e => e.scrollWidth > e.clientWidth + 1).length"""
    broken = """return [...document.querySelectorAll('article pre')]
        .filter(e => getComputedStyle(e).whiteSpace != 'pre' || getComputedStyle(e).overflowX != 'auto').length"""
    with browser.Browser() as page:
        page.size(width, 900)
        for path in pages(site):
            page.open(path)
            assert page.run("return document.documentElement.scrollWidth") <= width, path
            assert page.run(script if width == 1200 else broken) == 0, path


@browser.needed
def test_pictures_and_formulas_can_be_read(site):
    """On a phone, pictures are whole and as wide as the text; the brackets of binomials hold both lines."""
    ends = "return [...document.querySelectorAll('article img')].map(e => e.getBoundingClientRect().right)"
    widths = ends.replace("right", "width")
    heights = """return [...document.querySelectorAll('math mo.tall')].map(e => e.getBoundingClientRect().height
        / e.parentElement.querySelector('mfrac').getBoundingClientRect().height)"""
    with browser.Browser() as page:
        page.size(390, 900)
        for name in ("index", "pictures"):
            page.open(site / f"{name}.html")
            assert max(page.run(ends)) <= 390
            assert min(page.run(widths)) >= 320
        page.open(site / "metrics.html")
        found = page.run(heights)
        assert len(found) >= 20
        assert min(found) > 0.8
