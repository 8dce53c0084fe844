"""Exports of tools as tables, nested columns, and lists of trials."""

from helpers.written import counts, refused, write_json, write_lines
from scorio import read


def verl(path, step, rewards, **more):
    rows = [{"input": "1+1?", "output": "x", "score": reward, "step": step, **more} for reward in rewards]
    return write_lines(path, rows)


def test_a_column_of_errors_in_other_tables_means_nothing(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("question,error,correct\nq1,wrong sign,0\nq1,,1\n")
    assert counts(read(path)) == {"m": {"q1": [1, 1]}}


def test_steps_of_a_training_are_models(tmp_path):
    for step in (0, 100):
        verl(tmp_path / "one" / f"{step}.jsonl", step, [-1.0, 1.0], acc=bool(step))
    assert counts(read(tmp_path)) == {"step 0": {"1+1?": [2, 0]}, "step 100": {"1+1?": [0, 2]}}
    verl(tmp_path / "two" / "100.jsonl", 100, [-1.0, 1.0], acc=False)
    assert set(read(tmp_path)) == {"step 0", "step 100 [folder=one]", "step 100 [folder=two]"}
    outcomes = read(tmp_path, model={"*one*": "A", "*two*": "B"})
    assert set(outcomes) == {"A [step=0]", "A [step=100]", "B"}


def test_a_training_with_rewards_of_other_names(tmp_path):
    row = {"step": 3, "prompt": "1+1?", "completion": "2"}
    path = write_lines(tmp_path / "a.jsonl", [row | {"reward_exact": i} for i in (0, 1)])
    assert counts(read(path)) == {"step 3": {"1+1?": [1, 1]}}
    path = write_lines(tmp_path / "b.jsonl", [row | {"exact": i} for i in (0, 1)])
    refused(path, r"no column of outcomes was found; .* score=\"...\" names it")
    assert counts(read(path, score="exact")) == {"step 3": {"1+1?": [1, 1]}}


def test_columns_of_nested_objects_have_names_with_dots(tmp_path):
    rows = [{"task": {"id": f"q{i}"}, "eval": {"by": {"judge": i % 2}}} for i in range(2)]
    path = write_lines(tmp_path / "m.jsonl", rows)
    fields = {"question": "task.id", "task": None}
    assert counts(read(path, score="eval.by.judge", fields=fields)) == {"m": {"q0": [1, 0], "q1": [0, 1]}}
    refused(path, r"unknown column 'eval.by.jugde'. Did you mean 'eval.by.judge'", score="eval.by.jugde", fields=fields)
    broken = write_lines(tmp_path / "b.jsonl", [*rows, {"task": {"id": "q3"}, "eval": 3}])
    absent = write_lines(tmp_path / "a.jsonl", [*rows, {"task": {"id": "q1"}, "eval": {"by": {}}}])
    assert read(absent, score="eval.by.judge", fields=fields)["a"].planned_trials.tolist() == [1, 2]
    refused(broken, r"line 3: the row has no 'eval.by.judge'", score="eval.by.judge", fields=fields)


def test_lists_of_numbers_and_missing_trials(tmp_path):
    rows = [{"question": name, "correct": own} for name, own in (("a", [1, 0, None]), ("b", None), ("c", []))]
    matrix = read(write_json(tmp_path / "m.json", rows))["m"]
    assert (matrix.counts.tolist(), matrix.planned_trials.tolist()) == ([[1, 1], [0, 0], [0, 0]], [3, 1, 1])
    for value in (1, {"x": 1}, [[1]]):
        path = write_json(tmp_path / "b.json", [*rows[:1], {"question": "b", "correct": value}])
        refused(path, r"record 1: ('correct' must be a list|an outcome in a list must be)")
