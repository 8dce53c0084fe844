"""Runs under different conditions stay apart, unless the user pools them."""

import json
import sys
from pathlib import Path

import pytest

from helpers.written import inspect_eval, inspect_header, inspect_sample, lm_eval_file, lm_eval_row, write_json
from scorio import ParameterError, read
from scorio.io import recognise

LOGS = Path(__file__).parents[3] / "shared" / "logs" / "tools"


def inspect_run(path, run, value="C", task="sums", **spec):
    header = inspect_header(epochs=1, run=run, task=task)
    header["eval"] |= spec
    return inspect_eval(path, [inspect_sample(name, 1, value) for name in ("q1", "q2")], header)


def test_inspect_runs_at_two_temperatures(tmp_path):
    for i, (temperature, value) in enumerate([(0.0, "C"), (1.0, "I"), (1.0, "I")]):
        config = {"temperature": temperature, "seed": i, "max_connections": i}
        inspect_run(tmp_path / f"{i}.eval", f"run {i}", value, model_generate_config=config)
    outcomes = read(tmp_path)
    assert outcomes.names == ("lab/one [temperature=0.0]", "lab/one [temperature=1.0]")
    assert outcomes["lab/one [temperature=0.0]"].counts.tolist() == [[0, 1], [0, 1]]
    assert outcomes["lab/one [temperature=1.0]"].counts.tolist() == [[2, 0], [2, 0]]
    split = outcomes.split("temperature")
    assert {task: each.names for task, each in split.items()} == {
        "temperature=0.0": ("lab/one",),
        "temperature=1.0": ("lab/one",),
    }
    assert split["temperature=1.0"]["lab/one"] == outcomes["lab/one [temperature=1.0]"]
    for pool in ("temperature", ["temperature"], True):
        assert read(tmp_path, pool=pool)["lab/one"].counts.tolist() == [[2, 1], [2, 1]]
    with pytest.raises(ParameterError, match="pool has an unknown condition 'temp'. Choose from: temperature"):
        read(tmp_path, pool="temp")
    with pytest.raises(ParameterError, match="pool must be True, False, or names"):
        read(tmp_path, pool=[1])


@pytest.mark.parametrize(
    "spec",
    [
        {"task_args": {"depth": 2}},
        {"task_version": 2},
        {"solver": "depth", "solver_args": {"depth": 2}},
        {"model_args": {"depth": 2}},
        {"config": {"epochs": 1, "token_limit": 100}},
        {"model_roles": {"grader": {"model": "lab/judge"}}},
        {"dataset": {"name": "hard", "sample_ids": ["q1", "q2"]}},
    ],
    ids=str,
)
def test_inspect_settings_that_keep_runs_apart(spec, tmp_path):
    inspect_run(tmp_path / "1.eval", "one")
    inspect_run(tmp_path / "2.eval", "two", **spec)
    assert len(read(tmp_path)) == 2
    assert all("unset" in name for name in read(tmp_path).names[:1])


@pytest.mark.parametrize("step", [{"solver": "chain_of_thought"}, {"solver": "generate", "params": {"depth": 2}}])
def test_inspect_plans_keep_runs_apart(step, tmp_path):
    """The address of an object in the text of a parameter is no setting."""
    for i, solver in enumerate([step, {"solver": "generate"}, {"solver": "generate"}]):
        params = solver.get("params", {}) | {"scorer": f"<function f at 0x{i}a>"}
        header = inspect_header(run=f"run {i}", plan={"name": "plan", "steps": [solver | {"params": params}]})
        inspect_eval(tmp_path / f"{i}.eval", [inspect_sample("q1", 1)], header)
    assert sorted(recognise(tmp_path).runs.values()) == [1, 2]


def test_two_tasks_may_have_their_own_settings(tmp_path):
    inspect_run(tmp_path / "1.eval", "one", task="sums", task_args={"digits": 3})
    inspect_run(tmp_path / "2.eval", "two", task="words", task_args={"letters": 3})
    assert read(tmp_path, task="*").models == ("lab/one",)


def test_lm_eval_runs_with_other_examples(tmp_path):
    for i, shots in enumerate((0, 5)):
        date = f"2026-01-0{i + 1}T00-00-00.000001"
        lm_eval_file(tmp_path / "m", [lm_eval_row(0, float(i))], date=date, model="m")
        results = tmp_path / "m" / f"results_{date}.json"
        config = {"model_args": "pretrained=m,dtype=auto", "gen_kwargs": None}
        write_json(results, json.loads(results.read_text()) | {"n-shot": {"sums": shots}, "config": config})
    assert read(tmp_path).names == ("m [num_fewshot=0]", "m [num_fewshot=5]")
    assert read(tmp_path, pool="num_fewshot")["m"].counts.tolist() == [[1, 1]]


def test_lm_eval_runs_without_a_results_file_differ_by_their_prompts(tmp_path):
    for i, prompt in enumerate(("0123456789", "abcdefghij")):
        rows = [lm_eval_row(doc, 1.0, prompt_hash=f"{prompt}{doc}") for doc in range(2)]
        lm_eval_file(tmp_path / "m", rows, date=f"2026-01-0{i + 1}T00-00-00.000001")
    assert read(tmp_path).names == ("m [prompt=01234567]", "m [prompt=abcdefgh]")


@pytest.mark.skipif(not LOGS.exists(), reason="the real logs are not there")
@pytest.mark.parametrize("folder", ["inspect-args", "inspect-temps", "lm_eval-shots"])
def test_runs_of_real_tools(folder):
    if folder.startswith("inspect") and sys.version_info < (3, 14):
        pytest.importorskip("backports.zstd")
    truth = json.loads((LOGS / "truth.json").read_text())[folder]
    outcomes = read(LOGS / folder)
    assert set(outcomes) == set(truth)
    for model, questions in truth.items():
        matrix = outcomes[model]
        counts = dict(zip(matrix.questions, matrix.counts.tolist(), strict=True))
        assert counts == {name: [trials.count(0), trials.count(1)] for name, trials in questions.items()}
