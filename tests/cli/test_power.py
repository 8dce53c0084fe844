"""``scorio power``: the library's answers, and a picture."""

import pytest

pytest.importorskip("click")

from helpers.command import LOGS, rows, run
from scorio import Design, read


@pytest.mark.slow
def test_the_answers_are_the_librarys():
    answer = rows("power", "--questions", 100, "--trials", 4, "-m", "pass@2", "--difference", 0.05, "--profile", "hard")
    assert [row["target"] for row in answer] == ["questions", "population"]
    for row in answer:
        design = Design(100, 4, "pass@2", "hard", target=row["target"])
        assert row["detectable"] == pytest.approx(design.detectable())
        assert row["power"] == pytest.approx(design.power(0.05))
        assert row["questions_needed"] == design.questions_for(0.05)


@pytest.mark.slow
def test_the_difficulties_of_logs():
    log = f"{LOGS}/aurora-70b.json"
    (row,) = rows("power", "--questions", 100, "--trials", 4, "--profile", log, "--target", "questions")
    assert row["detectable"] == pytest.approx(Design(100, 4, profile=read(log)["aurora-70b"]).detectable())
    assert row["profile"] == log


@pytest.mark.slow
def test_a_picture(tmp_path):
    pytest.importorskip("matplotlib")
    run("power", "--questions", 100, "--trials", 4, "--picture", tmp_path / "power.png")
    assert (tmp_path / "power.png").read_bytes().startswith(b"\x89PNG")


def test_wrong_profiles():
    options = ("power", "--questions", 100, "--trials", 4, "--profile")
    assert "neither typical, hard, two-sided nor a path" in run(*options, "odd", code=2).stderr
    assert "holds 4 models" in run(*options, LOGS, code=2).stderr
