"""Every code block of the README and the docs runs, and every doctest of the package holds."""

import doctest
import importlib
import pkgutil
import re
import sys
import tempfile
from pathlib import Path
from types import ModuleType

import pytest

import scorio
from scorio._base.choices import FROM_PAPERS

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(scorio.__path__, "scorio.")
    if not module.name.startswith("scorio._kernels")
)
NEEDS = {
    "convergence.md": ["joblib"],
    "integrations.md": ["inspect_ai"],
    "scorio.integrations.inspect_ai": ["inspect_ai"],
    "pictures.md": ["matplotlib"],
    "how-many-trials.md": ["matplotlib"],
    "costs.md": ["matplotlib"],
    "winner.md": ["matplotlib"],
    "factors.md": ["matplotlib"],
    "horizon.md": ["matplotlib"],
    "forecast.md": ["matplotlib"],
    "scorio.plot": ["matplotlib"],
    "scorio.cli": ["click"],
    "scorio.cli._commands": ["click"],
    "scorio.outcomes._outcome_set": ["narwhals", "pyarrow"],
    "scorio.rank._leaderboard": ["narwhals", "pyarrow"],
    "scaling.md": ["narwhals", "pandas"],
    "error-bars.md": ["narwhals", "pandas"],
    "export.md": ["narwhals", "pandas"],
}


def demand_tools(*names):
    """Skip what needs a tool that is not installed."""
    for name in names:
        for module in NEEDS.get(name, []):
            pytest.importorskip(module)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
@pytest.mark.usefixtures("own_names")
def test_code_blocks_run_in_order(page, monkeypatch):
    demand_tools(page.name)
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)
    module = ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", module)
    names = vars(module)
    for block in blocks:
        if ">>>" in block:
            test = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), 0)
            runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
            assert runner.run(test, clear_globs=False).failed == 0
            names.update(test.globs)
        else:
            exec(compile(block, str(page), "exec"), names)


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """What examples write into a temporary folder stays in that of the test."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.mark.parametrize("name", MODULES)
def test_doctests(name):
    demand_tools(name.rpartition(".")[0], name)
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_every_metric_has_an_example_and_a_place_in_the_docs():
    page = (ROOT / "docs" / "metrics.md").read_text()
    usual, papers = page.split("Five more were proposed in papers")
    for name, metric in scorio.metrics.METRICS.items():
        assert ">>>" in metric.__doc__
        table = papers if name in FROM_PAPERS else usual
        assert re.search(rf"^\| \[`{name}`\]\(#[\w-]+\) \| `{metric.__name__}\(", table, re.MULTILINE), name
        assert re.search(rf"^\.\. autoclass:: scorio\.(metrics\.)?{metric.__name__}$", papers, re.MULTILINE), name


GUIDES = ["install", "five-minutes", "which-number", "faq", "how-many-trials", "error-bars", "compare", "export"]


@pytest.mark.parametrize("page", GUIDES)
def test_guides_are_short(page):
    """What a newcomer meets on the way to a first answer; the rest is reference."""
    assert len((ROOT / "docs" / f"{page}.md").read_text().split()) <= 1200


def test_readme_figures():
    readme = (ROOT / "README.md").read_text()
    assert scorio.PassAtK(k=2).score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]) == 0.95
    assert "PassAtK(k=2).score(A)  # 0.95" in readme


def test_nothing_installs_the_other_package_of_this_name():
    """PyPI has another package as scorio; only docs/install.md says what a release is called, once there is one."""
    places = [
        *PAGES,
        *(ROOT / "examples").rglob("*.*"),
        *(ROOT / "scorio").rglob("*.py"),
        ROOT / "CONTRIBUTING.md",
        ROOT / "SKILL.md",
        ROOT / "setup.py",
    ]
    by_name = re.compile(r"pip3? install (?:[^`\n]*[\"' ])?scorio\b(?!/)")
    assert by_name.search('pip install -U "scorio[cli]"')
    found = [
        place
        for place in places
        if place.suffix in {".md", ".py", ".ipynb"} and place.is_file() and by_name.search(place.read_text())
    ]
    assert [place for place in found if place != ROOT / "docs" / "install.md"] == []
    for page in ("README.md", "docs/index.md", "docs/install.md"):
        first = (ROOT / page).read_text().partition("```sh\n")[2].partition("```")[0]
        assert re.search(r'pip install (-q )?"\.\[[a-z,]+\]"', first), page


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_fences_of_boxes_stand_on_lines_of_their_own(page):
    """A box whose fence is joined to a paragraph is shown as text."""
    joined = [line for line in page.read_text().splitlines() if ":::" in line and not line.startswith(":::")]
    assert not joined
