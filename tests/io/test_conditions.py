"""Runs under different conditions stay apart, unless the user pools them."""

import hashlib
import json

import pytest

from helpers.command import run
from helpers.written import (
    inspect_eval,
    inspect_header,
    inspect_log,
    inspect_sample,
    lm_eval_file,
    lm_eval_row,
    refused,
    write_json,
    write_rows,
)
from scorio import ParameterError, read
from scorio.errors import PoolingWarning
from scorio.io import recognise


def hashed(text):
    return hashlib.sha256(json.dumps(text).encode()).hexdigest()[:8]


def inspect_run(path, run, value="C", **spec):
    return inspect_log(path, {"q1": value, "q2": value}, run=run, **spec)


def test_inspect_runs_at_two_temperatures(tmp_path):
    for i, (temperature, value) in enumerate([(0.0, "C"), (1.0, "I"), (1.0, "I")]):
        config = {"temperature": temperature, "seed": i, "max_connections": i}
        inspect_run(tmp_path / f"{i}.eval", f"run {i}", value, model_generate_config=config)
    outcomes = read(tmp_path)
    assert outcomes.models == ("lab/one [temperature=0.0]", "lab/one [temperature=1.0]")
    assert outcomes["lab/one [temperature=0.0]"].counts.tolist() == [[0, 1], [0, 1]]
    assert outcomes["lab/one [temperature=1.0]"].counts.tolist() == [[2, 0], [2, 0]]
    for pool in ("temperature", ["temperature"], True):
        assert read(tmp_path, pool=pool)["lab/one"].counts.tolist() == [[2, 1], [2, 1]]
    refused(tmp_path, "pool has an unknown condition 'temp'. Choose from: temperature", by=ParameterError, pool="temp")
    refused(tmp_path, "pool must be True, False, or names", by=ParameterError, pool=[1])


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
    assert all("unset" in name for name in read(tmp_path).models[:1])


@pytest.mark.parametrize("step", [{"solver": "chain_of_thought"}, {"solver": "generate", "params": {"depth": 2}}])
def test_inspect_plans_keep_runs_apart(step, tmp_path):
    """The address of an object in the text of a parameter is no setting."""
    for i, solver in enumerate([step, {"solver": "generate"}, {"solver": "generate"}]):
        params = solver.get("params", {}) | {"scorer": f"<function f at 0x{i}a>"}
        header = inspect_header(run=f"run {i}", plan={"name": "plan", "steps": [solver | {"params": params}]})
        inspect_eval(tmp_path / f"{i}.eval", [inspect_sample("q1", 1)], header)
    assert sorted(recognise(tmp_path).runs.values()) == [1, 2]


def lm_eval_run(folder, day, value, config, shots=0, **row):
    """Write a run of two documents with the task's configuration in its results file."""
    date = f"2026-01-0{day}T00-00-00.000001"
    lm_eval_file(folder, [lm_eval_row(doc, value, **row) for doc in range(2)], date=date, model="m")
    log = json.loads((folder / f"results_{date}.json").read_text())
    write_json(folder / f"results_{date}.json", log | {"configs": {"sums": config}, "n-shot": {"sums": shots}})


METRIC = {"metric": "acc", "aggregation": "mean", "higher_is_better": True}
REGEX = {"function": "regex", "regex_pattern": "is (.*)"}


@pytest.mark.parametrize(
    ("change", "setting"),
    [
        ({"doc_to_text": "Answer: {{q}}"}, "task_hash="),
        ({"description": "Think."}, "task_hash="),
        ({"metric_list": [METRIC | {"ignore_case": True}]}, "ignore_case=true"),
        ({"filter_list": [{"name": "none", "filter": [REGEX]}]}, "filter_hash="),
        ({"generation_kwargs": {"temperature": 1}}, "temperature=1"),
    ],
    ids=str,
)
def test_lm_eval_runs_of_an_edited_task(change, setting, tmp_path):
    config = {"doc_to_text": "{{q}}", "metric_list": [METRIC], "filter_list": None}
    for day, edit in enumerate([{}, change, change, {"higher_is_better": {"acc": True}}], 1):
        lm_eval_run(tmp_path, day, float(day in (2, 3)), config | edit)
    outcomes = read(tmp_path)
    assert sorted(matrix.counts.tolist() for matrix in outcomes.values()) == [[[0, 2]] * 2, [[2, 0]] * 2]
    assert any(setting in name for name in outcomes)


def test_lm_eval_runs_with_other_prompts_of_one_template(tmp_path):
    """Prompts with examples may differ by chance, prompts without them do not."""
    for day, prompt in ((1, "one"), (2, "another")):
        lm_eval_run(tmp_path / "none", day, 1.0, {"doc_to_text": "t"}, prompt_hash=prompt)
        lm_eval_run(tmp_path / "five", day, 1.0, {"doc_to_text": "t"}, shots=5, prompt_hash=prompt)
    assert read(tmp_path / "none").models == ("m [prompt_hash=one]", "m [prompt_hash=another]")
    assert read(tmp_path / "five").models == ("m",)


@pytest.mark.parametrize(
    ("one", "other", "names"),
    [
        ({"strict": True}, {"strict": False}, ["strict=true", "strict=false"]),
        ({"model": {"model": "lab/a", "args": {}}}, {"model": {"model": "lab/b"}}, ["model=lab/a", "model=lab/b"]),
        ({"template": "a" * 99}, {"template": "b" * 99}, [f"template={hashed(letter * 99)}" for letter in "ab"]),
    ],
)
def test_inspect_scorer_options_keep_runs_apart(one, other, names, tmp_path):
    unused = {"name": "other", "options": {"depth": 1}}
    for i, options in enumerate((one, other, one)):
        scorers = [{"name": "lab/match", "options": options}, unused | {"options": {"depth": i}}]
        inspect_run(tmp_path / f"{i}.eval", f"run {i}", "CIC"[i], scorers=scorers)
    outcomes = read(tmp_path)
    assert [name.partition("[")[2].rstrip("]") for name in outcomes] == names
    assert [matrix.counts.tolist() for matrix in outcomes.values()] == [[[0, 2]] * 2, [[1, 0]] * 2]


def test_inspect_questions_of_one_name_with_other_inputs(tmp_path):
    for i, text in enumerate(("What is 1 + 1?", "What is 2 + 2?")):
        header = inspect_header(run=f"run {i}", ids=["q1"])
        inspect_eval(tmp_path / f"{i}.eval", [inspect_sample("q1", 1, input=text)], header)
    refused(tmp_path, r"question 'q1' is another document .*'id' whatever the input")
    assert read(tmp_path, fields={"question": "id"})["lab/one"].counts.tolist() == [[0, 2]]


def test_other_settings_of_runs_that_are_added_up_are_named(tmp_path):
    for i in range(3):
        inspect_run(tmp_path / f"{i}.eval", f"run {i}", "CIC"[i], tags=["x"], metadata={"draft": i % 2, "by": "me"})
    with pytest.warns(PoolingWarning, match=r"3 runs of 'lab/one' are added up, which differ in 'draft'\. factors="):
        assert read(tmp_path)["lab/one"].counts.tolist() == [[1, 2], [1, 2]]
    assert "the runs of 'lab/one' differ in 'draft'" in str(recognise(tmp_path))
    assert read(tmp_path, pool=True).models == ("lab/one",)
    apart = read(tmp_path, factors="draft")
    assert apart["lab/one [draft=0]"].counts.tolist() == [[0, 2], [0, 2]]
    assert apart["lab/one [draft=1]"].counts.tolist() == [[1, 0], [1, 0]]
    refused(tmp_path, "unknown condition 'drft'. Did you mean 'draft'", by=ParameterError, factors="drft")
    assert "added up: 3 runs of lab/one, which differ in 'draft'" in run("score", tmp_path).stderr


@pytest.mark.parametrize(("one", "other"), [("temperature=0.5", "temperature=1.0"), ("top_p_0.9", "top_p_1")])
def test_folders_named_by_settings_are_not_added_up_without_a_word(one, other, tmp_path):
    for folder, value in ((one, "C"), (other, "I")):
        inspect_run(tmp_path / folder / "seed=1" / "a.eval", f"run {folder}", value)
    name = one[: max(one.rfind("="), one.rfind("_"))]
    with pytest.warns(PoolingWarning, match=rf"2 runs of 'lab/one' are added up, which differ in '{name}'\. factors="):
        assert read(tmp_path)["lab/one"].counts.tolist() == [[1, 1], [1, 1]]
    apart = read(tmp_path, factors=name)
    assert [matrix.counts.tolist() for matrix in apart.values()] == [[[0, 1], [0, 1]], [[1, 0], [1, 0]]]
    assert list(read(tmp_path, pool=True)) == ["lab/one"]
    assert f"which differ in '{name}'" in run("score", tmp_path).stderr


def test_tables_in_folders_named_by_settings_are_not_added_up_without_a_word(tmp_path):
    for level, value in (("low", 0), ("high", 1)):
        rows = [{"model": "a", "question": q, "correct": right} for q, right in (("q1", 1), ("q2", value))]
        write_rows(tmp_path / f"effort={level}" / "a.csv", rows)
    with pytest.warns(PoolingWarning, match=r"2 runs of 'a' are added up, which differ in 'effort'\. factors="):
        assert read(tmp_path)["a"].counts.tolist() == [[0, 2], [1, 1]]
    assert read(tmp_path, factors="effort").models == ("a [effort=high]", "a [effort=low]")


@pytest.mark.parametrize("name", ["seed=", "run_", "run=", "epoch=", "2026-01-0", "date=2026-01-0", "worker=", "part-"])
@pytest.mark.filterwarnings("error")
def test_folders_that_number_or_date_runs_are_added_up(name, tmp_path):
    for i in (1, 2):
        inspect_run(tmp_path / f"{name}{i}" / "a.eval", f"run {i}")
    assert read(tmp_path)["lab/one"].counts.tolist() == [[0, 2], [0, 2]]


@pytest.mark.filterwarnings("error")
def test_folders_with_other_questions_are_no_doubt(tmp_path):
    for level in ("low", "high"):
        inspect_log(tmp_path / f"level={level}" / "a.eval", {level: "C"}, run=level)
    assert read(tmp_path)["lab/one"].n_questions == 2
