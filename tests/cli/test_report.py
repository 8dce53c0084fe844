"""``scorio report``: with a history of earlier runs."""

import pytest

from helpers.command import run
from helpers.written import dated_log as log


@pytest.fixture
def runs(tmp_path):
    log(tmp_path / "old", "2026-01-05", 5)
    log(tmp_path / "old", "2026-02-03", 5)
    log(tmp_path / "new", "2026-03-04", 1)
    return tmp_path


@pytest.mark.parametrize("earlier", ["old", "."], ids=["other folder", "folder that holds the logs"])
def test_a_history_ends_with_the_runs_of_the_report(runs, earlier, tmp_path_factory):
    page = tmp_path_factory.mktemp("pages") / "report.html"
    run("report", runs / "new", "-q", "--history", runs / earlier, "-o", page)
    text = page.read_text(encoding="utf-8")
    assert "3 runs, 1 series" in text
    assert "worse at 2026-03-04 (lab/m, sums)" in text
    run("report", runs / "new", "-q", "-o", page)
    assert "1 series" not in page.read_text(encoding="utf-8")


def test_a_comparison_has_a_gate_where_a_drop_is_limited(runs):
    page = runs / "report.html"
    for number, solved in (("1", 5), ("2", 2)):
        log(runs / f"pair{number}", "2026-05-05", solved)
    pair = (runs / "pair2", "-q", "--baseline", runs / "pair1")
    run("report", *pair, "-m", "pass@1", "-m", "pass@2", "--max-drop", "0.1", "-o", page)
    text = page.read_text(encoding="utf-8")
    assert "Gate failed: the new model against the baseline" in text
    assert "<h1>Comparison</h1>" in text
    run("report", *pair, "--max-drop", "sums=0.9", "-o", page)
    assert "Gate passed: the new model against the baseline" in page.read_text(encoding="utf-8")
    run("report", *pair, "--title", "May", "-o", page)
    text = page.read_text(encoding="utf-8")
    assert "Gate" not in text
    assert "<h1>May</h1>" in text
