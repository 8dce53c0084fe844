"""``scorio plan`` before any trial: the library's answers, and a picture."""

import pytest

pytest.importorskip("click")

from helpers.command import LOGS, rows, run
from scorio import Design, read


@pytest.mark.slow
def test_the_difficulties_of_logs():
    log = f"{LOGS}/aurora-70b.json"
    row, _ = rows("plan", "--questions", 100, "--trials", 4, "--profile", log)
    assert row["detectable"] == pytest.approx(Design(100, 4, profile=read(log)["aurora-70b"]).detectable())
    assert row["profile"] == log


def test_wrong_profiles():
    options = ("plan", "--questions", 100, "--trials", 4, "--profile")
    assert "neither typical, hard, two-sided nor a path" in run(*options, "odd", code=2).stderr
    assert "holds 4 models" in run(*options, LOGS, code=2).stderr


def test_what_is_for_plans_with_logs_and_without():
    assert "plan needs logs of results so far; before any trial, --questions N" in run("plan", code=2).stderr
    design = ("plan", "--questions", 100, "--trials", 4)
    assert "--questions cannot be combined with --unit" in run(*design, "--unit", "trials", code=2).stderr
    assert "--profile is for plans before any trial" in run("plan", LOGS, "--profile", "hard", code=2).stderr
