"""``scorio compare`` and ``scorio gate`` on runs with and without a skill, which the tests write."""

from helpers.command import run
from helpers.tool_files import graded_run, harbor_trial, validator_arm, validator_results, vally_run, vally_trial


def test_three_arms_two_skills_and_the_baseline_of_a_gate(tmp_path):
    for arm, met in (("with_skill", True), ("placebo", False), ("without_skill", False)):
        for run_number in (1, 2, 3):
            graded_run(tmp_path / "one" / "eval-1" / arm / f"run-{run_number}", [met])
    assert "what 'placebo', 'with_skill' change\n" in run("compare", "-q", tmp_path / "one").stdout
    assert "with_skill against without_skill" in run("gate", "-q", tmp_path / "one").stdout
    for variant in ("baseline", "plugin"):
        rows = [vally_trial("s", i, variant == "plugin", variant, skill) for skill in ("pdf", "xls") for i in range(3)]
        vally_run(tmp_path / "two" / variant, rows)
        vally_run(tmp_path / "three" / variant, [vally_trial("s", i, variant == "baseline", variant) for i in range(8)])
    text = run("compare", "-q", tmp_path / "two").stdout
    assert "pdf: plugin helps on this task" in text
    assert "xls: plugin helps on this task" in text
    assert "plugin against baseline" in run("gate", "-q", tmp_path / "three", code=1).stdout
    validator_results(tmp_path / "two" / "results.json", [{"scenarioName": "s", "baseline": validator_arm([True])}])
    said = run("compare", tmp_path / "two")
    assert said.stdout == text
    assert "skipped 1 file: its runs are those of results.jsonl" in said.stderr


def test_jobs_of_harbor_need_no_option_and_it_is_said_what_is_passed_over(tmp_path):
    for arm, reward in (("with", 1.0), ("without", 0.0)):
        for i in range(4):
            config = {"task": {"path": f"/tasks/codex/{arm}/case"}}
            harbor_trial(tmp_path / "jobs" / f"pdf-codex-{arm}", f"t{i}", "case", reward, config=config, id=f"{arm}{i}")
            graded_run(tmp_path / "skill" / f"iteration-{i}" / "case" / f"{arm}_skill", [reward > 0])
    assert "[skills=with] helps on this task" in run("compare", "-q", tmp_path / "jobs").stdout
    said = run("compare", tmp_path / "skill")
    assert "this task cannot tell whether with_skill helps" in said.stdout
    assert "skipped 6 files: of an older iteration than iteration-3" in said.stderr
    assert "skipped 16 files: a file of a run, whose outcome is in grading.json" in said.stderr
