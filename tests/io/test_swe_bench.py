"""SWE-bench: reports with lists of instances by outcome, one file per run."""

from helpers.shared_formats import submission, submission_details
from helpers.tool_files import swe_bench_report
from helpers.written import counts, refused, write_json, write_lines
from scorio import read
from scorio.io import recognise

REPORT = swe_bench_report(
    resolved=["a-1"], unresolved=["b-2"], error=["c-3"], empty_patch=["d-4"], incomplete=["e-5"], completed=["a-1"]
)


def test_runs_are_trials(tmp_path):
    write_json(tmp_path / "lab__m-4.1.run-1.json", REPORT)
    write_json(tmp_path / "lab__m-4.1.run-2.json", REPORT | {"unresolved_ids": [], "resolved_ids": ["a-1", "b-2"]})
    outcomes = read(tmp_path)
    assert counts(outcomes)["lab/m-4.1"] == {"a-1": [0, 2], "b-2": [1, 1], "c-3": [2, 0], "d-4": [2, 0], "e-5": [0, 0]}
    assert outcomes["lab/m-4.1"].planned_trials.tolist() == [2] * 5
    assert counts(read(tmp_path, missing="fail"))["lab/m-4.1"]["e-5"] == [2, 0]
    write_json(tmp_path / "copy" / "lab__m-4.1.run-1.json", REPORT)
    refused(tmp_path, "has trial 'run-1' of one run twice")


def test_failures_of_the_infrastructure_are_missing(tmp_path):
    report = REPORT | {"infra_failure_ids": ["c-3"]}
    assert counts(read(write_json(tmp_path / "m.run-1.json", report)))["m"]["c-3"] == [0, 0]
    report = REPORT | {"pending_ids": ["f-6"], "submitted_ids": ["a-1", "g-7"]}
    matrix = read(write_json(tmp_path / "m.run-1.json", report))["m"]
    assert counts({"m": matrix})["m"] == {
        "a-1": [0, 1],
        "b-2": [1, 0],
        "c-3": [1, 0],
        "d-4": [1, 0],
        "e-5": [0, 0],
        "f-6": [0, 0],
        "g-7": [0, 0],
    }
    assert matrix.planned_trials.tolist() == [1] * 7


def test_other_files_of_a_run_hold_no_report(tmp_path):
    write_json(tmp_path / "m.run-1.json", REPORT)
    instance = {"a-1": {"patch_is_None": False, "patch_exists": True, "resolved": True}}
    write_json(tmp_path / "logs" / "a-1" / "report.json", instance)
    patch = {"instance_id": "a-1", "model_patch": "", "model_name_or_path": "m"}
    write_lines(tmp_path / "preds.jsonl", [patch, patch | {"instance_id": "b-2"}])
    write_json(tmp_path / "list.json", [patch])
    write_json(tmp_path / "preds.json", {"a-1": patch})
    reading = recognise(tmp_path)
    assert reading.outcomes.models == ("m",)
    assert len(reading.skipped) == 4
    assert all("SWE-bench run" in reason for reason in reading.skipped.values())


def test_reports_of_the_first_version(tmp_path):
    """All instances are generated or not, and what was not resolved is wrong."""
    report = {"no_generation": ["c"], "generated": ["a", "b"], "no_apply": ["b"], "resolved": ["a"]}
    path = write_json(tmp_path / "20240402_agent" / "results" / "results.json", report)
    assert counts(read(path)) == {"20240402_agent": {"a": [0, 1], "b": [1, 0], "c": [1, 0]}}
    write_json(path, {"no_generation": ["c"], "no_logs": [], "resolved": ["a"]})
    refused(path, "it lists only the resolved instances")


def test_a_checkout_of_experiments_needs_the_list_of_all_instances(tmp_path):
    path = submission(tmp_path, "lite", "20240620_agent", ["a"], ["c"], ["d"])
    error = refused(tmp_path, "results.json: it lists only the resolved")
    assert str(path) in str(error)
    submission(tmp_path, "lite", "20240620_agent", ["a"], ["c"], ["d"], list("abde"))
    truth = {"20240620_agent": {"a": [0, 1], "b": [1, 0], "c": [1, 0], "d": [1, 0], "e": [1, 0]}}
    assert counts(read(tmp_path / "evaluation")) == truth


def test_submissions_with_details_have_all_instances(tmp_path):
    path = submission_details(tmp_path, "bash-only", "mini", ["a"], ["b"])
    submission(tmp_path, "bash-only", "agent", ["b"])
    refused(tmp_path, "it lists only the resolved")
    assert counts(read(path)) == {"mini": {"a": [0, 1], "b": [1, 0]}}
    assert read(path).costs["mini"] == {"dollars": 0.25}
    submission(tmp_path, "bash-only", "agent", ["b"], generated=["a", "b"])
    reading = recognise(tmp_path)
    assert counts(reading.outcomes) == {"mini": {"a": [0, 1], "b": [1, 0]}, "agent": {"a": [1, 0], "b": [0, 1]}}
    assert {source.run.task for source in reading.sources} == {"bash-only"}


def test_splits_of_a_checkout_are_tasks(tmp_path):
    submission(tmp_path, "lite", "agent", ["a"], generated=["a", "b"])
    submission(tmp_path, "test", "agent", ["x"], generated=["x", "y"])
    assert read(tmp_path).tasks == ("lite", "test")
