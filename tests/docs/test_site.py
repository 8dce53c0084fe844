"""The built site: formulas and pages need no network, classes list what they have, code fits the page."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from helpers import browser

for needed in ("sphinx", "furo", "myst_parser", "sphinx_copybutton", "latex2mathml"):
    pytest.importorskip(needed)

DOCS = Path(__file__).parents[2] / "docs"
pytestmark = pytest.mark.slow


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


@pytest.mark.parametrize("name", ["pass", "avg", "bayes", "geospectrum"])
def test_metric_pages_list_methods_with_parameters_and_types(site, name):
    text = (site / "metrics" / f"{name}.html").read_text(encoding="utf-8")
    for method in ("score", "interval", "moments", "posterior", "per_question"):
        assert re.search(rf'id="scorio\.\w+\.{method}"', text), method
    assert "Parameters" in text
    assert "Return type" in text


def test_the_home_page_links_to_tasks(site):
    text = (site / "index.html").read_text(encoding="utf-8")
    for task in ("error-bars", "compare", "logs"):
        assert f'href="tasks/{task}.html"' in text
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
