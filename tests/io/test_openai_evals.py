"""The reader of OpenAI evals, on files by hand."""

from helpers.written import counts, refused, write_lines
from scorio import read
from scorio.io import recognise


def log(path, events, run="r1", **more):
    spec = {"completion_fns": ["gpt"], "eval_name": "sums.dev", "split": "dev", "run_id": run, "run_config": {}} | more
    rows = [{"sample_id": sample, "type": kind, "data": data, "run_id": run} for sample, kind, data in events]
    return write_lines(path, [{"spec": spec}, *rows, {"final_report": {"accuracy": 0.5}}])


def test_two_runs_add_up_and_a_copy_does_not(tmp_path):
    for name, run in (("one", "r1"), ("two", "r2")):
        log(tmp_path / f"{name}.jsonl", [("a", "match", {"correct": run == "r1"})], run)
    reading = recognise(tmp_path)
    assert counts(reading.outcomes) == {"gpt": {"a": [1, 1]}}
    assert reading.runs == {"gpt": 2}
    assert "2 runs of 'gpt' added up" in str(reading)
    log(tmp_path / "copy.jsonl", [("a", "match", {"correct": True})], "r1")
    refused(tmp_path, "question 'a' of 'gpt' has trial 0 of one run twice")


def test_arguments_of_the_eval_are_conditions(tmp_path):
    for shots in (0, 3):
        config = {"eval_spec": {"args": {"num_few_shot": shots}}, "seed": shots}
        log(tmp_path / f"{shots}.jsonl", [("a", "match", {"correct": True})], f"r{shots}", run_config=config)
    assert read(tmp_path).models == ("gpt [num_few_shot=0]", "gpt [num_few_shot=3]")
