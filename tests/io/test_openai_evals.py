"""The reader of OpenAI evals, on files by hand."""

import pytest

from helpers.written import counts, write_lines
from scorio import OutcomeError, read
from scorio.io import recognise


def log(path, events, run="r1", **more):
    spec = {"completion_fns": ["gpt"], "eval_name": "sums.dev", "split": "dev", "run_id": run, "run_config": {}} | more
    rows = [{"sample_id": sample, "type": kind, "data": data, "run_id": run} for sample, kind, data in events]
    return write_lines(path, [{"spec": spec}, *rows, {"final_report": {"accuracy": 0.5}}])


def test_match_events_are_trials_and_a_sample_without_one_is_missing(tmp_path):
    events = [("a", "sampling", {}), ("a", "match", {"correct": True}), ("b", "sampling", {})]
    reading = recognise(log(tmp_path / "log.jsonl", events))
    assert counts(reading.outcomes) == {"gpt": {"a": [0, 1], "b": [0, 0]}}
    assert reading.outcomes["gpt"].planned_trials.tolist() == [1, 1]
    assert reading.sources[0].run.task == "sums.dev"


def test_metrics_of_model_graded_evals(tmp_path):
    events = [("a", "metrics", {"choice": "Y", "score": 1.0}), ("b", "metrics", {"choice": "N", "score": 0.0})]
    assert counts(read(log(tmp_path / "log.jsonl", events))) == {"gpt": {"a": [0, 1], "b": [1, 0]}}
    several = [("a", "metrics", {"score": 1.0, "style": 0.5})]
    with pytest.raises(OutcomeError, match="several metrics, 'score', 'style'"):
        read(log(tmp_path / "several.jsonl", several))


def test_two_runs_add_up_and_a_copy_does_not(tmp_path):
    for name, run in (("one", "r1"), ("two", "r2")):
        log(tmp_path / f"{name}.jsonl", [("a", "match", {"correct": run == "r1"})], run)
    reading = recognise(tmp_path)
    assert counts(reading.outcomes) == {"gpt": {"a": [1, 1]}}
    assert reading.runs == {"gpt": 2}
    assert "2 runs of 'gpt' added up" in str(reading)
    log(tmp_path / "copy.jsonl", [("a", "match", {"correct": True})], "r1")
    with pytest.raises(OutcomeError, match="question 'a' of 'gpt' has trial 0 of one run twice"):
        read(tmp_path)


def test_arguments_of_the_eval_are_conditions(tmp_path):
    for shots in (0, 3):
        config = {"eval_spec": {"args": {"num_few_shot": shots}}, "seed": shots}
        log(tmp_path / f"{shots}.jsonl", [("a", "match", {"correct": True})], f"r{shots}", run_config=config)
    assert read(tmp_path).models == ("gpt [num_few_shot=0]", "gpt [num_few_shot=3]")
