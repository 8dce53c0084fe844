"""The readers of code benchmarks: human-eval, evalplus, and what bigcode writes."""

import pytest

from helpers.written import counts, refused, write_lines
from scorio import read


def rows(*passed, task="T/0"):
    return [{"task_id": task, "completion": "pass", "result": "passed", "passed": one} for one in passed]


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
    first = write_lines(tmp_path / "1" / "m_results.jsonl", rows(True))
    second = write_lines(tmp_path / "2" / "m_results.jsonl", rows(False))
    refused([first, second], "do not say whether they are of one model")
    assert counts(read([first, second], model="m")) == {"m": {"T/0": [1, 1]}}
    refused(
        [first, write_lines(tmp_path / "3" / "m_results.jsonl", rows(True))], "has trial 0 of one run twice", model="m"
    )
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


def test_faults_of_results_are_named(tmp_path):
    path = write_lines(tmp_path / "m_results.jsonl", [*rows(True), {"task_id": "T/0", "passed": "perhaps"}])
    refused(path, "m_results.jsonl: line 2: passed: 'perhaps' is not an outcome")
    for row, message in (
        ({}, "it has no 'passed'"),
        ({"passed": 2}, "passed must be true or false; got 2"),
    ):
        path = write_lines(tmp_path / "m_results.jsonl", [*rows(True), {"task_id": "T/0"} | row])
        refused(path, f"line 2: {message}")
    path = write_lines(tmp_path / "m_results.jsonl", [*rows(True), {"passed": True}])
    refused(path, "line 2: task_id must be a name or a whole number; got None")
