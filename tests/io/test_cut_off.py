"""Logs that end early at the end of a line, which only a number beside them tells."""

import json
import warnings

import pytest

from helpers.written import counts, lm_eval_file, lm_eval_row, quietly, write_json, write_lines
from scorio import read
from scorio.errors import FilesWarning


def cut(path, lines):
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:lines]))


def test_samples_of_lm_eval(tmp_path):
    path = lm_eval_file(tmp_path, [lm_eval_row(doc) for doc in range(3)], model="org/m")
    results = next(tmp_path.glob("results_*.json"))
    results.write_text(json.dumps(json.loads(results.read_text()) | {"n-samples": {"sums": {"effective": 3}}}))
    assert counts(quietly(tmp_path)) == {"org/m": {str(doc): [0, 1] for doc in range(3)}}
    cut(path, 2)
    with pytest.warns(FilesWarning, match=r"samples_sums.* has 2 of the 3 samples that the results file beside it"):
        read(tmp_path)


def test_rollouts_of_verifiers(tmp_path):
    rows = [
        {"example_id": i, "prompt": [{"role": "user", "content": f"{i}"}], "completion": [], "task": "sums"}
        for i in (0, 1, 2)
    ]
    path = write_lines(tmp_path / "results.jsonl", [row | {"reward": 1.0, "answer": "1", "info": {}} for row in rows])
    about = {"env_id": "sums", "model": "m", "num_examples": 3, "rollouts_per_example": 1}
    write_json(tmp_path / "metadata.json", about)
    assert quietly(tmp_path)["m"].n_questions == 3
    cut(path, 1)
    with pytest.warns(FilesWarning, match="results.jsonl has 1 of the 3 examples that metadata.json beside it counts"):
        read(tmp_path)
    write_json(tmp_path / "metadata.json", about | {"num_examples": -1})  # all
    assert quietly(tmp_path)["m"].n_questions == 1


def test_events_of_openai_evals(tmp_path):
    spec = {"completion_fns": ["m"], "eval_name": "sums", "run_id": "r", "run_config": {}}
    events = [{"sample_id": f"q{i}", "type": "match", "data": {"correct": True}} for i in range(3)]
    path = write_lines(tmp_path / "m.jsonl", [{"spec": spec}, *events, {"final_report": {"accuracy": 1.0}}])
    assert quietly(path)["m"].n_questions == 3
    cut(path, 3)
    with pytest.warns(FilesWarning, match="m.jsonl has no final_report, so that samples may be missing at its end"):
        read(path)


def test_a_warning_that_the_caller_makes_an_error_is_no_failure_of_the_reader(tmp_path):
    path = write_lines(tmp_path / "m.jsonl", [{"spec": {"completion_fns": ["m"], "eval_name": "sums", "run_id": "r"}}])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(FilesWarning, match="has no final_report"):
            read(path)
