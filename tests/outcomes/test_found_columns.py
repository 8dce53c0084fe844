"""Data frames whose columns are found by their names, or hold one model each."""

import warnings

import pytest

from scorio import Leaderboard, OutcomeError, OutcomeMatrix, OutcomeSet
from scorio.errors import PoolingWarning

pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("narwhals")

ONE_EACH = {"question": ["q1", "q2", "q2"], "gpt": [1, 1, 0], "claude": [0, 1, 1]}


@pytest.mark.parametrize("make", [lambda columns: pytest.importorskip("pandas").DataFrame(columns), pyarrow.table])
def test_one_column_per_model(make):
    outcomes = OutcomeSet(make(ONE_EACH), models=["gpt", "claude"])
    assert outcomes.questions == ("q1", "q2")
    assert {name: outcomes[name].successes.tolist() for name in outcomes} == {"gpt": [1, 1], "claude": [0, 2]}
    assert outcomes["gpt"].trials.tolist() == [1, 2]
    unlabeled = OutcomeSet(make({"gpt": [1, 0], "claude": [0, 1]}), models=["claude", "gpt"])
    assert {name: unlabeled[name].successes.tolist() for name in unlabeled} == {"claude": [0, 1], "gpt": [1, 0]}
    with pytest.raises(OutcomeError, match=r"OutcomeSet\(frame, models=\[..\]\)"):
        Leaderboard("pass@1", make(ONE_EACH))
    with pytest.raises(OutcomeError, match="unknown column 'gbt'. Did you mean 'gpt'"):
        OutcomeSet(make(ONE_EACH), models=["gbt"])


@pytest.mark.parametrize("column", ["version", "agent"])
def test_levels_that_every_question_has_as_often_are_no_repeated_trials_without_a_word(column):
    cells = [(question, level, trial) for question in "pqr" for level in ("old", "new") for trial in range(2)]
    questions, levels, trials = map(list, zip(*cells, strict=True))
    frame = pyarrow.table({"question": questions, column: levels, "correct": [trial % 2 for trial in trials]})
    with pytest.warns(PoolingWarning, match=f"differ in '{column}' and are counted as repeated trials"):
        OutcomeMatrix(frame)
    alone = pyarrow.table({"question": questions, "note": list(map(str, range(12))), "correct": trials})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OutcomeMatrix(alone)


def test_names_of_questions_that_differ_in_capitals_are_no_missing_trials():
    frame = pyarrow.table({"model": ["a", "b"], "question": ["q1", "Q1"], "correct": [1, 1]})
    with pytest.raises(OutcomeError, match="differ in capitals only: write one question in one way"):
        OutcomeSet(frame)


def test_a_frame_without_usual_names_names_from_frame():
    with pytest.raises(OutcomeError, match=r'from_frame\(frame, model="..", question="..", outcome=".."\)'):
        OutcomeSet(pyarrow.table({"engine": ["a"], "prompt_no": [1], "verdict": [1]}))


def test_from_frame_finds_the_columns_that_are_left_out():
    rows = {"model": ["a", "a", "b", "b"], "item": [1, 1, 1, 1], "run": [1, 2, 1, 2], "passed": [1, 0, 1, 1]}
    frame = pyarrow.table(rows)
    assert OutcomeSet.from_frame(frame) == OutcomeSet(frame)
    assert OutcomeSet.from_frame(frame, question="item")["b"].successes.tolist() == [2]
    with pytest.raises(OutcomeError, match="trial 1 of question 1, model 'a' is there twice"):
        OutcomeSet.from_frame(pyarrow.table(rows | {"run": [1, 1, 1, 2]}))
    with pytest.raises(OutcomeError, match='no column of outcomes was found.*outcome="..." names it'):
        OutcomeSet.from_frame(frame.drop_columns("passed"))
    with pytest.raises(OutcomeError, match="several columns may be the outcome"):
        OutcomeSet.from_frame(frame.append_column("correct", [[1, 0, 1, 1]]))


@pytest.mark.parametrize("make", [OutcomeSet, OutcomeSet.from_frame])
def test_a_frame_of_several_tasks_names_suite(make):
    frame = pyarrow.table({"task": ["x", "y"], "model": ["a", "a"], "question": [1, 2], "correct": [1, 0]})
    with pytest.raises(OutcomeError, match=r'Suite.from_frame\(frame, task="task"'):
        make(frame)


def test_a_dataset_of_hugging_face_is_a_frame(monkeypatch):
    class Dataset:  # the parts of datasets.Dataset that are used; its indices select rows of the table
        column_names = ("model", "question", "correct")

        def __init__(self, table, rows):
            self.table, self.rows = table, rows

        def with_format(self, kind):
            assert kind == "arrow"
            return self

        def __getitem__(self, key):
            assert key == slice(None)
            return self.table.take(self.rows)

    Dataset.__module__ = "datasets.arrow_dataset"
    table = pyarrow.table({"model": ["a", "a", "b"], "question": [1, 1, 1], "correct": [1, 0, 1]})
    data = Dataset(table, [0, 2])
    assert OutcomeSet(data)["a"].successes.tolist() == [1]
    assert OutcomeSet.from_frame(data) == OutcomeSet(data)


@pytest.mark.parametrize("row", [["question", "correct", "model"], ["id", "score", "model"]])
def test_a_row_of_other_usual_names_is_a_header_too(row):
    columns = {"question": ["q1", row[0], "q2"], "correct": ["1", row[1], "0"], "model": ["a", row[2], "a"]}
    with pytest.raises(OutcomeError, match="repeats the header: several tables"):
        OutcomeSet.from_frame(pyarrow.table(columns), model="model", question="question", outcome="correct")


@pytest.mark.parametrize("stated", [{"outcome": "rihgt"}, {"trial": "tryal"}, {"cluster": "cluster 2"}])
def test_a_column_that_is_not_there_is_never_passed_over(stated):
    """Also where a lone column beside the questions would be read as the outcome."""
    frame = pyarrow.table({"question": ["q1", "q2"], "is_right": [1, 0]})
    assert OutcomeSet.from_frame(frame)["model-0"].successes.tolist() == [1, 0]
    with pytest.raises(OutcomeError, match=f"column '{next(iter(stated.values()))}'"):
        OutcomeSet.from_frame(frame, **stated)


def test_frames_with_a_column_per_trial_and_records_are_read_by_from_frame():
    wide = pyarrow.table({"question": ["q1", "q2"], "trial_1": [1, 0], "trial_2": [1, 1], "cost": [0.1, 0.2]})
    assert OutcomeSet.from_frame(wide)["model-0"].successes.tolist() == [2, 1]
    records = [{"item": "q1", "passed": True}, {"item": "q1", "passed": False}, {"item": "q2", "passed": True}]
    assert OutcomeSet.from_frame(records)["model-0"].counts.tolist() == [[1, 1], [0, 1]]


def test_counts_are_read_as_in_files():
    counted = OutcomeMatrix.from_counts([3, 0], [5, 4], questions=["q1", "q2"])
    assert OutcomeMatrix(pyarrow.table({"question": ["q1", "q2"], "n": [5, 4], "c": [3, 0]})) == counted
    with pytest.raises(OutcomeError, match="record 0: there are 3 successes of 2 trials"):
        OutcomeMatrix([{"question": "q1", "n": 2, "c": 3}])
