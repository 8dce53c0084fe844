"""The deepeval reader, on files by hand."""

from helpers.written import write_json
from scorio import read
from scorio.io import recognise


def case(name, success=True, score=1.0, text="1+1", metric="Exact", **more):
    return {"name": name, "input": text, "metricsData": [{"name": metric, "success": success, "score": score, **more}]}


def log(path, cases, **settings):
    return write_json(path, {"testCases": cases, "hyperparameters": {"model": "m", **settings}})


def test_numbered_names_and_names_of_several_inputs_give_way_to_the_input(tmp_path):
    cases = [case("test_case_0"), case("test_case_1"), case("sum", text="2+2"), case("sum", text="3+3")]
    assert read(log(tmp_path / "run.json", cases)).questions == ("1+1", "2+2", "3+3")


def test_hyperparameters_are_conditions(tmp_path):
    for i in (0, 1):
        log(tmp_path / f"{i}.json", [case("q1")], temperature=i)
    assert read(tmp_path).models == ("m [temperature=0]", "m [temperature=1]")


def test_the_cache_of_the_tool_and_a_run_without_a_model(tmp_path):
    path = write_json(tmp_path / "m7.json", {"testRunData": {"testCases": [case("q1")], "runDuration": 1.5}})
    [source] = recognise(path).sources
    assert (source.run.model, source.run.model_from) == ("m7", "file name")
    assert source.run.origin == {"seconds": 1.5}
