"""Horizons on the command line and in reports."""

from pathlib import Path

import pytest

from helpers.command import run

ROOT = Path(__file__).parents[2]
RUNS = ROOT / "examples" / "data" / "horizons.jsonl"


def test_a_report_has_a_section(tmp_path):
    page = tmp_path / "report.html"
    run("report", "-q", RUNS, "--over", "human_minutes", "-o", page)
    text = page.read_text()
    assert ">Horizons</h2>" in text
    assert "nothing is said beyond the values of the questions" in text
    run("report", "-q", RUNS, "-o", page)
    assert ">Horizons</h2>" not in page.read_text()


@pytest.mark.parametrize("command", [["horizon"], ["report", "-o", "r.html", "--over", "human_minutes"]])
def test_the_column_that_is_lacking_is_named_by_the_option_that_asked_for_it(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.csv").write_text("question,correct\nq1,1\nq2,0\n")
    error = run(command[0], "m.csv", *command[1:], code=2).stderr
    assert "--over names an unknown column 'human_minutes'. Choose from: question, correct" in error
