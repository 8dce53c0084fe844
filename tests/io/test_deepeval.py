"""The deepeval reader, on files by hand."""

import pytest

from helpers.written import counts, write_json
from scorio import OutcomeError, read
from scorio.io import recognise


def case(name, success=True, score=1.0, text="1+1", metric="Exact", **more):
    return {"name": name, "input": text, "metricsData": [{"name": metric, "success": success, "score": score, **more}]}


def log(path, cases, **settings):
    return write_json(path, {"testCases": cases, "hyperparameters": {"model": "m", **settings}})


def test_test_cases_of_one_name_are_trials(tmp_path):
    path = log(tmp_path / "run.json", [case("q1"), case("q1", success=False, score=0.25), case("q2", text="2+2")])
    assert counts(read(path)) == {"m": {"q1": [1, 1], "q2": [0, 1]}}
    assert read(path, score="Exact/score")["m"].levels == (0.25, 1.0)


def test_numbered_names_and_names_of_several_inputs_give_way_to_the_input(tmp_path):
    cases = [case("test_case_0"), case("test_case_1"), case("sum", text="2+2"), case("sum", text="3+3")]
    assert read(log(tmp_path / "run.json", cases)).questions == ("1+1", "2+2", "3+3")


def test_errors_of_a_metric_are_missing(tmp_path):
    cases = [case("q1"), case("q1", success=False, error="no answer"), case("q1", success=None)]
    matrix = read(log(tmp_path / "run.json", cases))["m"]
    assert (matrix.trials.tolist(), matrix.planned_trials.tolist()) == ([1], [3])


def test_several_metrics_need_a_choice(tmp_path):
    both = case("q1") | {"metricsData": [{"name": "A", "success": True}, {"name": "B", "success": False}]}
    path = log(tmp_path / "run.json", [both])
    with pytest.raises(OutcomeError, match="several metrics, 'A', 'B'"):
        read(path)
    assert counts(read(path, score="B")) == {"m": {"q1": [1, 0]}}


def test_hyperparameters_are_conditions(tmp_path):
    for i in (0, 1):
        log(tmp_path / f"{i}.json", [case("q1")], temperature=i)
    assert read(tmp_path).models == ("m [temperature=0]", "m [temperature=1]")


def test_the_cache_of_the_tool_and_a_run_without_a_model(tmp_path):
    path = write_json(tmp_path / "m7.json", {"testRunData": {"testCases": [case("q1")], "runDuration": 1.5}})
    [source] = recognise(path).sources
    assert (source.run.model, source.run.model_from) == ("m7", "file name")
    assert source.run.origin == {"seconds": 1.5}


def test_a_success_is_true_or_false(tmp_path):
    with pytest.raises(OutcomeError, match="testCases 0: success must be true or false; got 'yes'"):
        read(log(tmp_path / "run.json", [case("q1", success="yes")]))


def test_skipped_metrics_are_missing(tmp_path):
    path = log(tmp_path / "run.json", [case("q1"), case("q1", success=False, skipped=True)])
    assert counts(read(path)) == {"m": {"q1": [0, 1]}}
