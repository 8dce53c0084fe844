"""``scorio report`` of two runs."""

from helpers.command import LOGS, run
from helpers.written import dated_log as log


def test_a_comparison_has_a_gate_where_a_drop_is_limited(tmp_path):
    page = tmp_path / "report.html"
    for number, solved in (("1", 5), ("2", 2)):
        log(tmp_path / f"pair{number}", "2026-05-05", solved)
    pair = (tmp_path / "pair2", "-q", "--baseline", tmp_path / "pair1")
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
    run("report", LOGS, "-q", "--between", "cirrus-7b", "aurora-70b", "--max-drop", "0.1", "-o", page)
    text = page.read_text(encoding="utf-8")
    assert "Gate failed: cirrus-7b against aurora-70b" in text
