"""``scorio plan`` before any trial: the library's answers, and a picture."""

import pytest

pytest.importorskip("click")

from helpers.command import LOGS, rows, run
from scorio import Design, read


@pytest.mark.slow
def test_the_answers_are_the_librarys():
    answer = rows("plan", "--questions", 100, "--trials", 4, "-m", "pass@2", "--difference", 0.05, "--profile", "hard")
    assert [row["target"] for row in answer] == ["questions", "population"]
    for row in answer:
        design = Design(100, 4, "pass@2", "hard", target=row["target"])
        assert row["detectable"] == pytest.approx(design.detectable())
        assert row["power"] == pytest.approx(design.power(0.05))
        assert row["questions_needed"] == design.questions_for(0.05)


@pytest.mark.slow
def test_the_difficulties_of_logs():
    log = f"{LOGS}/aurora-70b.json"
    row, _ = rows("plan", "--questions", 100, "--trials", 4, "--profile", log)
    assert row["detectable"] == pytest.approx(Design(100, 4, profile=read(log)["aurora-70b"]).detectable())
    assert row["profile"] == log


@pytest.mark.slow
def test_a_picture(tmp_path):
    pytest.importorskip("matplotlib")
    run("plan", "--questions", 100, "--trials", 4, "--picture", tmp_path / "power.png")
    assert (tmp_path / "power.png").read_bytes().startswith(b"\x89PNG")


def test_wrong_profiles():
    options = ("plan", "--questions", 100, "--trials", 4, "--profile")
    assert "neither typical, hard, two-sided nor a path" in run(*options, "odd", code=2).stderr
    assert "holds 4 models" in run(*options, LOGS, code=2).stderr


def test_what_is_for_plans_with_logs_and_without():
    assert "plan needs logs of results so far; before any trial, --questions N" in run("plan", code=2).stderr
    design = ("plan", "--questions", 100, "--trials", 4)
    assert "--questions cannot be combined with --unit" in run(*design, "--unit", "trials", code=2).stderr
    assert "--profile is for plans before any trial" in run("plan", LOGS, "--profile", "hard", code=2).stderr
