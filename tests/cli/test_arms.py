"""``scorio compare`` and ``scorio gate`` on runs with and without a skill, which the tests write."""

from helpers.command import run
from helpers.tool_files import graded_run, vally_run, vally_trial


def test_three_arms_two_skills_and_the_baseline_of_a_gate(tmp_path):
    for arm, met in (("with_skill", True), ("placebo", False), ("without_skill", False)):
        for run_number in (1, 2, 3):
            graded_run(tmp_path / "one" / "eval-1" / arm / f"run-{run_number}", [met])
    assert "placebo" in run("compare", "-q", tmp_path / "one").stdout
    for variant in ("baseline", "plugin"):
        rows = [vally_trial("s", i, variant == "plugin", variant, skill) for skill in ("pdf", "xls") for i in range(3)]
        vally_run(tmp_path / "two" / variant, rows)
        vally_run(tmp_path / "three" / variant, [vally_trial("s", i, variant == "baseline", variant) for i in range(8)])
    text = run("compare", "-q", tmp_path / "two").stdout
    assert "pdf: plugin helps on this task" in text
    assert "xls: plugin helps on this task" in text
    assert "plugin against baseline" in run("gate", "-q", tmp_path / "three", code=1).stdout
