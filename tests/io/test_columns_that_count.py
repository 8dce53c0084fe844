"""A column beside the outcome that counts trials, or failures: the row is no single trial, along every path."""

import pytest

from helpers.written import counts, refused
from scorio import OutcomeError, OutcomeMatrix, OutcomeSet, read

TRIALS = ["total", "attempts", "samples", "num_samples", "runs", "Count"]


def write(folder, columns):
    rows = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    path = folder / "m.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize("column", TRIALS)
def test_numbers_of_trials(tmp_path, column):
    table = {"question": ["q1", "q2"], "correct": [1, 0], column: [5, 4]}
    problem = f"'correct' is read as the outcome of one trial, but column '{column}' counts trials"
    error = refused(write(tmp_path, table), problem)
    first, second = error.remedies
    assert counts(read(tmp_path / "m.csv", fields=first.value)) == {"m": {"q1": [4, 1], "q2": [4, 0]}}
    assert counts(read(tmp_path / "m.csv", **{second.argument: second.value})) == {"m": {"q1": [0, 1], "q2": [1, 0]}}


@pytest.mark.parametrize(("outcome", "column"), [("passed", "failed"), ("correct", "incorrect"), ("acc", "n_wrong")])
def test_numbers_of_failures(tmp_path, outcome, column):
    with pytest.raises(OutcomeError, match=f"but column '{column}' counts failures"):
        read(write(tmp_path, {"question": ["q1", "q2"], outcome: [1, 0], column: [4, 5]}))
    single = {"question": ["q1", "q2"], outcome: [1, 0], column: [0, 1]}
    assert counts(read(write(tmp_path, single))) == {"m": {"q1": [0, 1], "q2": [1, 0]}}


def test_a_mean_of_so_many_trials(tmp_path):
    with pytest.raises(OutcomeError, match="'score' is read .* column 'n' counts trials: .*pass numbers of successes"):
        read(write(tmp_path, {"question": ["q1", "q2"], "score": [0.6, 0.2], "n": [5, 5]}))


def test_a_column_that_does_not_count(tmp_path):
    several = {"question": ["q1", "q1"], "correct": [1, 0], "total": [5, 5]}
    assert counts(read(write(tmp_path, several))) == {"m": {"q1": [1, 1]}}
    words = {"question": ["q1", "q2"], "correct": [1, 0], "runs": ["x5", "x6"]}
    assert counts(read(write(tmp_path, words))) == {"m": {"q1": [0, 1], "q2": [1, 0]}}


@pytest.mark.parametrize("column", ["total", "failed"])
def test_records_and_frames_say_the_same(column):
    table = {"question": ["q1", "q2"], "correct": [1, 0], column: [5, 4]}
    records = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(table)
    calls = [
        lambda: OutcomeMatrix(records),
        lambda: OutcomeMatrix(frame),
        lambda: OutcomeSet.from_frame(frame.assign(model="m"), question="question", outcome="correct", model="model"),
    ]
    for call in calls:
        with pytest.raises(OutcomeError, match=f"'correct' is read as the outcome of one trial, but column '{column}'"):
            call()


@pytest.mark.parametrize("name", ["sum-12", "What is the sum of the digits of this?", "the lot"])
def test_names_that_are_questions(tmp_path, name):
    table = {"question": ["q1", "q2", name], "reward": [0.2, 0.6, 0.4]}
    assert name in read(write(tmp_path, table))["m"].questions
