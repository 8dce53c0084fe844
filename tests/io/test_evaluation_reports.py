"""Reports of pydantic-evals, pytest-json-report and mlflow."""

import csv
import json

import pytest

from helpers.written import counts, mlflow_trace, refused, write_json, write_lines
from scorio import read
from scorio.io import recognise


def case(name, assertions=(), scores=(), source=None, **more):
    results = {"assertions": dict(assertions), "scores": dict(scores), "labels": {}}
    shown = {
        kind: {key: {"name": key, "value": value} for key, value in each.items()} for kind, each in results.items()
    }
    return {"name": name, "inputs": name, "source_case_name": source, "task_duration": 0.5} | shown | more


def report(path, cases, failures=(), **more):
    return write_json(path, {"name": "answer", "cases": list(cases), "failures": list(failures)} | more)


def test_a_report_of_pydantic_evals(tmp_path):
    failed = {"name": "q1 [3/3]", "inputs": "q1", "error_message": "503", "source_case_name": "q1"}
    cases = [
        case("q1 [1/3]", {"exact": True}, {"closeness": 0.5}, "q1"),
        case("q1 [2/3]", {"exact": False}, {"closeness": 0.25}, "q1"),
        case("q2", {"exact": True}, {"closeness": 1}),
    ]
    path = report(tmp_path / "gull.json", cases, [failed], dataset_name="quiz")
    refused(path, "several evaluators, 'exact', 'closeness'")
    reading = recognise(path, score="exact")
    assert counts(reading.outcomes) == {"gull": {"q1": [1, 1], "q2": [0, 1]}}
    assert reading.outcomes["gull"].planned_trials.tolist() == [3, 1]
    assert reading.sources[0].run.task == "quiz"
    told = reading.sources[0].run.trials.costs["seconds"]
    assert sum(each for each in told if each is not None) == 1.5
    assert read(path, score="closeness")["gull"].levels == (0.25, 0.5, 1.0)


def test_the_model_may_be_in_the_metadata(tmp_path):
    for i, model in enumerate(("tern", "gull")):
        about = {"model": model, "prompt": "short"}
        report(tmp_path / f"{i}.json", [case("q1", {"exact": bool(i)})], experiment_metadata=about)
    assert counts(read(tmp_path)) == {"tern": {"q1": [1, 0]}, "gull": {"q1": [0, 1]}}
    assert read(tmp_path, factors="prompt").conditions["tern"]["prompt"] == "short"


def test_the_name_of_an_evaluator_that_failed_may_be_taken_by_another(tmp_path):
    """Of two evaluators of one name, the second gets a number, but its results move up where the first fails."""
    lost = [{"name": "Judge", "error_message": "quota"}]
    cases = [
        case("q1", {"Judge": True, "Judge_2": False}),
        case("q2", {"Judge": False}, evaluator_failures=lost),
    ]
    path = report(tmp_path / "m.json", cases)
    assert counts(read(path, score="Judge")) == {"m": {"q1": [0, 1], "q2": [0, 0]}}
    assert counts(read(path, score="Judge_2")) == {"m": {"q1": [1, 0], "q2": [0, 0]}}
    alone = report(tmp_path / "alone.json", [case("q1", {"Judge": True}), case("q2", evaluator_failures=lost)])
    assert counts(read(alone)) == {"alone": {"q1": [0, 1], "q2": [0, 0]}}


def pytest_report(path, *tests):
    return write_json(path, {"exitcode": 1, "root": "/", "summary": {}, "tests": list(tests)})


@pytest.mark.parametrize(
    ("test", "message"),
    [
        ({"nodeid": "a", "outcome": "maybe"}, "tests 0: outcome must be one of passed, failed, .*; got 'maybe'"),
        ({"nodeid": "a", "outcome": ["passed"]}, "tests 0: outcome must be one of"),
        ({"nodeid": "", "outcome": "passed"}, "tests 0: nodeid must be a name"),
        ("a", "tests 0: it must be an object"),
    ],
)
def test_faults_of_reports(test, message, tmp_path):
    refused(pytest_report(tmp_path / "m.json", test), message)


TRACES = [
    mlflow_trace("t1", "1+1", {"exact": True, "style": 0.5}),
    mlflow_trace("t2", "1+1", {"exact": False, "style": 0.25}),
    mlflow_trace("t3", "1+2", {"exact": False}, state="ERROR"),
    mlflow_trace("t4", "1+1", {"exact": "yes", "style": 0.5}, run="r2"),
    mlflow_trace("t5", "1+2", {"exact": "no", "style": 0.25}, run="r2"),
]
OF_TRACES = {"r1": {"1+1": [1, 1], "1+2": [0, 0]}, "r2": {"1+1": [0, 1], "1+2": [1, 0]}}


def written_traces(path, traces, *, whole=True):
    """Write traces as a table does that is saved as CSV: lists and objects as Python shows them, the trace as JSON."""
    names = ["trace_id", *(["trace"] if whole else []), "state", "request", "trace_metadata", "assessments"]
    with path.open("w", newline="") as stream:
        table = csv.DictWriter(stream, names)
        table.writeheader()
        for row in traces:
            table.writerow(row | ({"trace": json.dumps({"info": row, "data": {"spans": []}})} if whole else {}))
    return path


def test_exported_traces_of_mlflow(tmp_path):
    paths = [
        write_json(tmp_path / "a.json", TRACES),
        write_lines(tmp_path / "b.jsonl", TRACES),
        written_traces(tmp_path / "c.csv", TRACES),
    ]
    for path in paths:
        refused(path, "several scorers, 'exact', 'style'")
        assert counts(read(path, score="exact")) == OF_TRACES
        assert read(path, score="exact")["r1"].planned_trials.tolist() == [2, 1]
        assert list(read(path, score="style")["r1"].levels) == [0.25, 0.5]
    refused(paths, "'1[+]1' of 'r1' has trial 't1' of one run twice", score="exact")


def test_feedback_on_a_trace_may_be_overridden_repeated_or_lost(tmp_path):
    def given(value, **more):
        return {"assessment_name": "a", "feedback": {"value": value}, "valid": True} | more

    lost = {"assessment_name": "a", "feedback": {"value": None, "error": {"error_code": "quota"}}}
    every = [[given(False, valid=False), given(True)], [given(0), given(False)], [lost], [lost, given(1)]]
    traces = [mlflow_trace(f"t{i}", "q", {}, assessments=each) for i, each in enumerate(every)]
    outcomes = read(write_lines(tmp_path / "m.jsonl", traces))
    assert counts(outcomes) == {"r1": {"q": [1, 2]}}
    assert outcomes["r1"].planned_trials.tolist() == [4]
    twice = [mlflow_trace("t", "q", {}, assessments=[given(True), given(False)])] * 2
    refused(write_lines(tmp_path / "m.jsonl", twice), r"line 1: it has different values of 'a'")


def test_traces_without_their_json(tmp_path):
    path = written_traces(tmp_path / "m.csv", TRACES, whole=False)
    refused(path, r"line 2: trace_metadata must be JSON; .*keep the column trace")
