"""Benchmarks of code: human-eval, LiveCodeBench and BigCodeBench, whose names hold models and settings."""

import pytest

from helpers.tool_files import bigcodebench_results, livecodebench_row
from helpers.written import counts, refused, write_json, write_lines
from scorio import read
from scorio.io import recognise


def rows(*passed):
    return [{"task_id": "T/0", "completion": "pass", "result": "passed", "passed": one} for one in passed]


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("samples.jsonl_results.jsonl", "folder"),
        ("gpt-4_results.jsonl", "gpt-4"),
        ("m.v2-samples_results.jsonl", "m.v2"),
    ],
)
def test_the_path_names_the_model(tmp_path, name, model):
    assert read(write_lines(tmp_path / "folder" / name, rows(True))).models == (model,)


def test_files_of_one_model_add_up_and_copies_are_refused(tmp_path):
    first, second, copy = (
        write_lines(tmp_path / str(i) / "m_results.jsonl", rows(right)) for i, right in enumerate((True, False, True))
    )
    refused([first, second], "do not say whether they are of one model")
    assert counts(read([first, second], model="m")) == {"m": {"T/0": [1, 1]}}
    refused([first, copy], "has trial 0 of one run twice", model="m")
    assert counts(read([first, first])) == {"m": {"T/0": [0, 1]}}


def test_unscored_completions_and_problems_are_refused_by_name_and_skipped_in_folders(tmp_path):
    write_lines(tmp_path / "m_results.jsonl", rows(True))
    for row in ({"task_id": "T/0", "completion": "pass"}, {"task_id": "T/0", "prompt": "def", "test": "assert"}):
        path = write_lines(tmp_path / "other.jsonl", [row, row])
        refused(path, r"read their \*_results.jsonl")
        assert counts(read(tmp_path)) == {"m": {"T/0": [0, 1]}}


def test_a_table_that_knows_its_models_is_a_table(tmp_path):
    both = [row | {"model": name} for name in "ab" for row in rows(True, name == "b")]
    path = write_lines(tmp_path / "m_results.jsonl", both)
    assert counts(read(path, score="passed")) == {"a": {"T/0": [1, 1]}, "b": {"T/0": [0, 2]}}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"task_id": "T/0", "passed": "perhaps"}, "passed: 'perhaps' is not an outcome"),
        ({"task_id": "T/0"}, "it has no 'passed'"),
        ({"task_id": "T/0", "passed": 2}, "passed must be true or false; got 2"),
        ({"passed": True}, "task_id must be a name or a whole number; got None"),
    ],
)
def test_faults_of_results_are_named(row, message, tmp_path):
    path = write_lines(tmp_path / "m_results.jsonl", [*rows(True), row])
    refused(path, f"m_results.jsonl: line 2: {message}")


def test_questions_about_one_problem(tmp_path):
    tests = [livecodebench_row("7", [i > 0], test_id=i) for i in range(2)]
    path = write_json(tmp_path / "m" / "testoutputprediction_1_0.2_eval_all.json", tests)
    assert read(path).questions == ("7/0", "7/1")
    programs = [livecodebench_row("7", [i > 0], id=f"sample_{i}") for i in range(2)]
    path = write_json(tmp_path / "m" / "codeexecution_1_0.2_eval_all.json", programs)
    assert read(path).questions == ("sample_0", "sample_1")
    assert "task 'codeexecution'" in str(recognise(path))


def test_halves_of_bigcodebench_are_tasks_and_statuses_are_checked(tmp_path):
    name = "lab--m--main--bigcodebench-hard-{}--vllm-0.8-3-sanitized_calibrated_eval_results.json"
    results = bigcodebench_results({"B/0": ["pass", "fail", "timeout"], "B/1": ["pass", None, "pass"]})
    for half in ("complete", "instruct"):
        write_json(tmp_path / name.format(half), results)
    assert read(tmp_path).tasks == ("bigcodebench-hard-complete", "bigcodebench-hard-instruct")
    assert counts(read(tmp_path, task="*-complete")) == {"lab/m": {"B/0": [2, 1], "B/1": [0, 2]}}
    assert read(write_json(tmp_path / "m_eval_results.json", results)).models == ("m",)
    path = write_json(tmp_path / name.format("x"), bigcodebench_results({"B/0": ["pass", "maybe"]}))
    refused(path, "B/0: record 1: status must be one of pass, fail, timeout; got 'maybe'")
