"""Columns with other names than the usual ones are asked about, in Python as on the command line."""

import csv

import pytest

from helpers.command import run
from helpers.written import write_workbook
from scorio import Leaderboard, OutcomeError, OutcomeMatrix, OutcomeSet, read
from scorio.errors import TrialsWarning

RIGHT = dict(zip("abcd", [1, 0, 1, 1], strict=True))  # a score of .75


def table(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.mark.parametrize("number", ["trial", "seed", "epoch", "run", "attempt"])
@pytest.mark.parametrize("times", [1, 2])
def test_a_column_that_numbers_trials_is_no_outcome(number, times, tmp_path):
    """A column of trials beside an outcome of another name is not counted as outcomes, in either face (number 7)."""
    rows = [
        {"model": "m", "question": name, number: trial, "label_ok": value}
        for trial in range(times)
        for name, value in RIGHT.items()
    ]
    asked = "no column of outcomes was found; the columns are"
    with pytest.raises(OutcomeError, match=asked):
        Leaderboard("pass@1", rows)
    with pytest.raises(OutcomeError, match=asked):
        OutcomeMatrix([{name: value for name, value in row.items() if name != "model"} for row in rows])
    assert asked in run("score", table(tmp_path / "t.csv", rows), code=2).stderr


def test_a_column_beside_the_outcome_is_no_second_trial():
    """Of two columns that are not numbered, nobody can say which is the outcome (number 7)."""
    rows = [{"question": name, "difficulty": 1, "is_right": value} for name, value in RIGHT.items()]
    with pytest.raises(OutcomeError, match="no column of outcomes was found"):
        OutcomeMatrix(rows)


def test_numbers_of_rows_are_no_outcomes():
    """A frame whose column only numbers the rows is asked for its questions (number 7)."""
    frame = pytest.importorskip("pandas").DataFrame({"index": range(4), "label_ok": [1, 0, 1, 1]})
    with pytest.raises(OutcomeError, match="no column of questions was found"):
        OutcomeMatrix(frame)
    pivot = frame.drop(columns="index").rename(index=dict(enumerate("abcd"))).assign(again=[1, 1, 0, 0])
    with pytest.warns(TrialsWarning, match="'label_ok', 'again' are read as trials, and their names do not say so"):
        assert OutcomeMatrix(pivot).successes.tolist() == [2, 1, 1, 1]


MISSPELT = [
    {"modell": model, "question": name, "correct": int(model == "b")}
    for model in "ab"
    for name in ("q1", "q2")
    for _ in range(2)
]


@pytest.mark.filterwarnings("default::scorio.errors.PoolingWarning")
def test_a_misspelt_column_of_models_is_said(tmp_path):
    """The models of a column with a misspelt name are not pooled in silence (number 7)."""
    with pytest.warns(UserWarning, match="the rows of one question differ in 'modell', which may name models"):
        OutcomeMatrix(MISSPELT)
    path = table(tmp_path / "t.csv", MISSPELT)
    assert "--field model=modell" in run("score", path).stderr
    assert "'modell'" not in run("score", path, "--field", "model=modell").stderr.replace("model 'modell'", "")


@pytest.mark.filterwarnings("default::scorio.errors.PoolingWarning")
def test_a_misspelt_column_of_a_frame_is_said():
    """The same of data frames whose columns are found by their names (number 7)."""
    frame = pytest.importorskip("pandas").DataFrame(MISSPELT)
    with pytest.warns(UserWarning, match="'modell', which may name models"):
        OutcomeSet.from_frame(frame)
    assert OutcomeSet.from_frame(frame, question="question", outcome="correct", model="modell").models == ("a", "b")


def test_a_text_that_separates_repeated_trials_is_named_as_models(tmp_path):
    """Where a trial is there twice, a text that tells the two apart is named as the models, not as a factor (7)."""
    rows = [row | {"trial": i % 2} for i, row in enumerate(MISSPELT)]
    said = run("score", table(tmp_path / "t.csv", rows), code=2).stderr
    assert "--field model=modell" in said
    assert "--factor" not in said
    with pytest.raises(OutcomeError, match=r"OutcomeSet.from_frame\(frame, model='modell', ..\) reads the models"):
        OutcomeMatrix(rows)
    other = [{"engine" if name == "modell" else name: value for name, value in row.items()} for row in rows]
    said = run("score", table(tmp_path / "t.csv", other), code=2).stderr
    assert "--field model=engine" in said
    assert "--factor engine" in said


def test_a_repeated_trial_of_a_frame_names_the_models():
    """The same of data frames (number 7)."""
    frame = pytest.importorskip("pandas").DataFrame([row | {"trial": i % 2} for i, row in enumerate(MISSPELT)])
    with pytest.raises(OutcomeError, match='model="modell" reads the models'):
        OutcomeSet.from_frame(frame)


SCORES = [{"id": f"s{i}", "traceName": f"q{i % 3}", "value": int(i % 2 == 0)} for i in range(9)]


def test_an_export_with_an_id_per_row_is_asked_for_its_questions(tmp_path):
    """Each row of an export of scores has an id, which is no question where traces repeat (number 7)."""
    path = table(tmp_path / "scores.csv", SCORES)
    said = run("score", path, "--score", "value", code=2).stderr
    assert "--field question=traceName takes 'traceName'; --field question=id takes 'id'" in said
    assert read(path, score="value", fields={"question": "traceName"})["scores"].trials.tolist() == [3, 3, 3]
    assert read(path, score="value", fields={"question": "id"})["scores"].trials.tolist() == [1] * 9
    with pytest.raises(OutcomeError, match="column 'id' or 'traceName' may name the questions"):
        OutcomeMatrix([{"id": row["id"], "traceName": row["traceName"], "correct": row["value"]} for row in SCORES])


def test_a_frame_with_an_id_per_row_is_asked_for_its_questions():
    """The same of data frames (number 7)."""
    frame = pytest.importorskip("pandas").DataFrame(SCORES)
    with pytest.raises(OutcomeError, match='question="traceName" takes'):
        OutcomeSet.from_frame(frame, outcome="value")
    assert OutcomeSet.from_frame(frame, outcome="value", question="traceName").n_questions == 3


def test_a_sheet_with_an_index_and_one_prompt_is_asked_for_its_questions(tmp_path):
    """Rows with one prompt and an index of their own are no trials of one question (number 7)."""
    rows = [["index", "prompt", "hit"], *([i, "solve it", i % 2] for i in range(6))]
    path = write_workbook(tmp_path / "m.xlsx", {"S": rows})
    assert "--field question=index takes 'index'" in run("score", path, "--score", "hit", code=2).stderr
    assert read(path, score="hit", fields={"question": "index"})["m"].n_questions == 6
    with pytest.raises(OutcomeError, match="column 'prompt' or 'index' may name the questions"):
        OutcomeMatrix([{"index": i, "prompt": "solve it", "correct": i % 2} for i in range(6)])
    without = write_workbook(tmp_path / "n.xlsx", {"S": [[row[0], row[2]] for row in rows]})
    assert "no column of questions was found" in run("score", without, "--score", "hit", code=2).stderr


def test_ids_without_traces_and_questions_with_trials_are_read():
    """Usual tables are not asked about: ids of questions, and rows that an index numbers (number 7)."""
    ids = [{"id": name, "topic": "x", "correct": value} for name, value in RIGHT.items()]
    assert OutcomeMatrix(ids).successes.tolist() == [1, 0, 1, 1]
    rows = [{"index": i, "question": f"q{i % 2}", "correct": 1} for i in range(6)]
    assert OutcomeMatrix(rows).trials.tolist() == [3, 3]
