"""``scorio compare`` and ``scorio gate`` on runs with and without a skill."""

import json

import pytest

from helpers.command import LOGS, ROOT, run
from helpers.skill_files import graded_run, vally_run, vally_trial

SKILL = ROOT / "examples" / "skill"


def test_a_folder_of_runs_with_and_without_a_skill_has_a_verdict():
    answer = json.loads(run("compare", "-q", SKILL, "--format", "json").stdout)
    assert answer["settings"] | {"inputs": 0} == {
        "schema": "scorio-compare-arms/1", "margin": 0.05, "confidence": 0.95, "inputs": 0
    }  # fmt: skip
    [row] = answer["rows"]
    assert (row["arm"], row["verdict"], row["verdict_like_these"]) == ("with_skill", "helps", "cannot tell")
    assert row["score"] == pytest.approx(11 / 12)


def test_other_options_ask_for_the_comparison_of_two_models():
    assert "P(with_skill better)" in run("compare", "-q", SKILL, "--target", "population").stdout


def test_a_margin_asks_for_verdicts_of_any_models():
    text = run("compare", "-q", LOGS, "--between", "aurora-70b", "borealis-70b", "--margin", "0.1").stdout
    assert "aurora-70b and borealis-70b are practically equal on these 40 tasks" in text


def test_the_comment_is_markdown():
    text = run("compare", "-q", SKILL, "--format", "md").stdout
    assert text.startswith("with\\_skill helps on these 4 tasks")
    assert "| with\\_skill | helps |" in text


def test_three_arms_and_two_skills(tmp_path):
    for arm, met in (("with_skill", True), ("placebo", False), ("without_skill", False)):
        for run_number in (1, 2, 3):
            graded_run(tmp_path / "one" / "eval-1" / arm / f"run-{run_number}", [met])
    assert "placebo" in run("compare", "-q", tmp_path / "one").stdout
    for variant in ("baseline", "plugin"):
        rows = [vally_trial("s", i, variant == "plugin", variant, skill) for skill in ("pdf", "xls") for i in range(3)]
        vally_run(tmp_path / "two" / variant, rows)
    text = run("compare", "-q", tmp_path / "two").stdout
    assert "pdf: plugin helps on this task" in text
    assert "xls: plugin helps on this task" in text


def test_a_gate_takes_the_arm_without_as_the_baseline(tmp_path):
    assert "with_skill against without_skill" in run("gate", "-q", SKILL).stdout
    for variant, passed in (("baseline", True), ("plugin", False)):
        vally_run(tmp_path / variant, [vally_trial("s", i, passed, variant) for i in range(8)])
    assert "plugin against baseline" in run("gate", "-q", tmp_path, code=1).stdout
