"""Exports of tools as tables, nested columns, and lists of trials."""

import json

import pytest

from helpers.written import counts, write_json, write_lines
from scorio import OutcomeError, read
from scorio.io import recognise


def langsmith(path, rows):
    lines = [f'{example},"{error}",{exact},{grade}' for example, error, exact, grade in rows]
    path.write_text("\n".join(["example_id,error,feedback.exact,feedback.grade", *lines]) + "\n")
    return path


def verl(path, step, rewards, **more):
    rows = [{"input": "1+1?", "output": "x", "score": reward, "step": step, **more} for reward in rewards]
    return write_lines(path, rows)


def test_errored_runs_of_langsmith_are_missing(tmp_path):
    rows = [("a", "", True, 0.5), ("a", "", False, 0.5), ("a", "boom", False, 0.5), ("a", "bang\nbang", False, 0.5)]
    path = langsmith(tmp_path / "m.csv", rows)
    matrix = read(path, score="exact")["m"]
    assert (matrix.counts.tolist(), matrix.planned_trials.tolist()) == ([[1, 1]], [4])
    assert read(path, score="exact", missing="fail")["m"].counts.tolist() == [[3, 1]]
    with pytest.raises(OutcomeError, match=r"several columns may be the outcome, 'feedback.exact', 'feedback.grade'"):
        read(path)
    with pytest.raises(OutcomeError, match="unknown column 'exakt'"):
        read(path, score="exakt")


def test_only_the_state_error_of_mlflow_is_missing(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("trace_id,request,state,exact/value\n1,q,OK,True\n2,q,ERROR,False\n3,q,IN_PROGRESS,False\n")
    matrix = read(path)["m"]
    assert (matrix.counts.tolist(), matrix.planned_trials.tolist()) == ([[1, 1]], [3])
    assert recognise(path).sources[0].notes["tool"] == "mlflow"


def test_expectations_of_mlflow_are_no_outcomes(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("trace_id,request,state,exact/value,expected_response/value\n1,q,OK,True,4\n2,q,OK,False,4\n")
    assert counts(read(path)) == {"m": {"q": [1, 1]}}


def test_a_column_of_errors_in_other_tables_means_nothing(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("question,error,correct\nq1,wrong sign,0\nq1,,1\n")
    assert counts(read(path)) == {"m": {"q1": [1, 1]}}


def test_scores_of_braintrust_are_nested(tmp_path):
    rows = [{"input": {"q": i // 2}, "scores": {"exact": i % 2}, "error": None} for i in range(4)]
    rows.append({"input": {"q": 0}, "scores": {}, "error": "boom"})
    matrix = read(write_json(tmp_path / "m.json", rows))["m"]
    assert counts({"m": matrix}) == {"m": {'{"q": 0}': [1, 1], '{"q": 1}': [1, 1]}}
    assert matrix.planned_trials.tolist() == [3, 2]


def test_steps_of_a_training_are_models(tmp_path):
    for step in (0, 100):
        verl(tmp_path / "one" / f"{step}.jsonl", step, [-1.0, 1.0], acc=bool(step))
    assert counts(read(tmp_path)) == {"step 0": {"1+1?": [2, 0]}, "step 100": {"1+1?": [0, 2]}}
    verl(tmp_path / "two" / "100.jsonl", 100, [-1.0, 1.0], acc=False)
    assert set(read(tmp_path)) == {"step 0", "step 100 [folder=one]", "step 100 [folder=two]"}
    outcomes = read(tmp_path, model={"*one*": "A", "*two*": "B"})
    assert set(outcomes) == {"A [step=0]", "A [step=100]", "B"}


def test_rewards_of_verl_without_accuracy(tmp_path):
    assert read(verl(tmp_path / "5.jsonl", 5, [-1.0, 1.0]))["step 5"].levels == (-1.0, 1.0)


@pytest.mark.parametrize("nested", [False, True])
def test_prompts_of_trl_are_questions(tmp_path, nested):
    duckdb = pytest.importorskip("duckdb")
    prompt = "[{'role': 'user', 'content': '1+1?'}]" if nested else "'1+1?'"
    path = tmp_path / "run" / "completions" / "completions_00010.parquet"
    path.parent.mkdir(parents=True)
    rows = f"SELECT 10 AS step, {prompt} AS prompt, 'x' AS completion, i % 2.0 AS accuracy_reward, 1.0 AS format_reward"
    duckdb.sql(f"COPY ({rows} FROM range(4) AS t(i)) TO '{path}' (FORMAT parquet)")
    question = json.dumps([{"role": "user", "content": "1+1?"}]) if nested else "1+1?"
    assert counts(read(path, score="accuracy_reward")) == {"step 10": {question: [2, 2]}}
    with pytest.raises(OutcomeError, match="several columns may be the outcome"):
        read(path)


def test_a_training_with_rewards_of_other_names(tmp_path):
    row = {"step": 3, "prompt": "1+1?", "completion": "2"}
    path = write_lines(tmp_path / "a.jsonl", [row | {"reward_exact": i} for i in (0, 1)])
    assert counts(read(path)) == {"step 3": {"1+1?": [1, 1]}}
    path = write_lines(tmp_path / "b.jsonl", [row | {"exact": i} for i in (0, 1)])
    with pytest.raises(OutcomeError, match=r"no column of outcomes was found; .* score=\"...\" names it"):
        read(path)
    assert counts(read(path, score="exact")) == {"step 3": {"1+1?": [1, 1]}}


def test_columns_of_nested_objects_have_names_with_dots(tmp_path):
    rows = [{"task": {"id": f"q{i}"}, "eval": {"by": {"judge": i % 2}}} for i in range(2)]
    path = write_lines(tmp_path / "m.jsonl", rows)
    fields = {"question": "task.id", "task": None}
    assert counts(read(path, score="eval.by.judge", fields=fields)) == {"m": {"q0": [1, 0], "q1": [0, 1]}}
    with pytest.raises(OutcomeError, match=r"unknown column 'eval.by.jugde'. Did you mean 'eval.by.judge'"):
        read(path, score="eval.by.jugde", fields=fields)
    broken = write_lines(tmp_path / "b.jsonl", [*rows, {"task": {"id": "q3"}, "eval": 3}])
    absent = write_lines(tmp_path / "a.jsonl", [*rows, {"task": {"id": "q1"}, "eval": {"by": {}}}])
    assert read(absent, score="eval.by.judge", fields=fields)["a"].planned_trials.tolist() == [1, 2]
    with pytest.raises(OutcomeError, match=r"line 3: the row has no 'eval.by.judge'"):
        read(broken, score="eval.by.judge", fields=fields)


def test_structs_of_parquet_have_names_with_dots(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "m.parquet"
    select = "SELECT {'id': 'q'} AS question, {'judge': i % 2} AS eval, 'x' AS \"a.b\" FROM range(3) AS t(i)"
    duckdb.sql(f"COPY ({select}) TO '{path}' (FORMAT parquet)")
    assert counts(read(path, score="eval.judge")) == {"m": {"q": [2, 1]}}
    fields = {"question": "a.b"}
    assert counts(read(path, score="eval.judge", fields=fields)) == {"m": {"x": [2, 1]}}


@pytest.mark.parametrize("metric", [None, "graded_list"])
def test_a_list_of_flags_holds_trials(tmp_path, metric):
    rows = [{"item": 1, "graded_list": [True, False], "pass@1": 0.5}, {"item": 2, "graded_list": [True]}]
    path = write_json(tmp_path / "m.json", rows)
    assert counts(read(path, score=metric)) == {"m": {"1": [1, 1], "2": [0, 1]}}
    assert recognise(path).sources[0].notes["form"] == "lists"


def test_lists_of_numbers_and_missing_trials(tmp_path):
    rows = [{"question": "a", "correct": [1, 0, None]}, {"question": "b", "correct": None}]
    matrix = read(write_json(tmp_path / "m.json", rows))["m"]
    assert (matrix.counts.tolist(), matrix.planned_trials.tolist()) == ([[1, 1], [0, 0]], [3, 1])
    for value in (1, {"x": 1}, [[1]]):
        path = write_json(tmp_path / "b.json", [*rows[:1], {"question": "b", "correct": value}])
        with pytest.raises(OutcomeError, match=r"record 1: ('correct' must be a list|an outcome in a list must be)"):
            read(path)


def test_lists_of_parquet(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "m.parquet"
    duckdb.sql(f"COPY (SELECT 'q' AS question, [true, NULL, false] AS graded) TO '{path}' (FORMAT parquet)")
    matrix = read(path)["m"]
    assert (matrix.counts.tolist(), matrix.planned_trials.tolist()) == ([[1, 1]], [3])
