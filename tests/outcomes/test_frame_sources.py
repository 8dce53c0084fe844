"""Frames of counts, and Arrow's datasets and streams."""

import pytest

from helpers.frames import maker
from scorio import OutcomeError, OutcomeMatrix, OutcomeSet, ParameterError

pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("narwhals")

LONG = {"model": ["a"] * 5 + ["b"] * 5, "q": ["x", "x", "y", "y", "y"] * 2, "passed": [1, 0, 1, 1, 0, 0, 0, 1, 0, 0]}
COUNTED = {
    "model": ["a", "a", "a", "a", "b", "b", "b"],
    "q": ["x", "x", "y", "y", "x", "y", "y"],
    "passed": [1, 0, 1, 0, 0, 1, 0],
    "n": [1, 1, 2, 1, 2, 1, 2],
}
NAMES = {"question": "q", "outcome": "passed", "model": "model"}


@pytest.fixture(params=["pyarrow", "pandas", "polars", "duckdb"])
def frame_of(request):
    return maker(request.param)


def test_counts_are_trials(frame_of):
    expected = OutcomeSet.from_frame(frame_of(LONG), **NAMES)
    assert OutcomeSet.from_frame(frame_of(COUNTED), **NAMES, times="n") == expected
    one = {name: values[:4] for name, values in COUNTED.items()}
    assert OutcomeMatrix.from_frame(frame_of(one), question="q", outcome="passed", times="n") == expected["a"]


def test_a_table_of_counts_is_not_taken_for_trials(frame_of):
    with pytest.raises(OutcomeError, match="column 'n' counts trials: times=\"n\" counts each row"):
        OutcomeSet.from_frame(frame_of(COUNTED), **NAMES)
    successes = {"model": ["a", "a"], "q": ["x", "y"], "c": [400, 1000], "n": [1000, 1000]}
    with pytest.raises(OutcomeError, match=r"column 'n' counts trials.*from_counts"):
        OutcomeSet.from_frame(frame_of(successes), question="q", outcome="c", model="model")
    ones = {**LONG, "n": [1] * 10}
    assert OutcomeSet.from_frame(frame_of(ones), **NAMES) == OutcomeSet.from_frame(frame_of(LONG), **NAMES)


@pytest.mark.parametrize(
    ("times", "message"),
    [
        ([1, 1, 2, -1, 2, 1, 2], "a whole number from 0"),
        ([1, 1, 2, None, 2, 1, 2], "a whole number from 0"),
        ([1.0, 1.5, 2, 1, 2, 1, 2], "a whole number from 0"),
    ],
)
def test_times_are_whole_numbers(frame_of, times, message):
    with pytest.raises(OutcomeError, match=f"column 'n': {message}"):
        OutcomeSet.from_frame(frame_of(COUNTED | {"n": times}), **NAMES, times="n")


def test_a_row_that_counts_several_times_is_no_trial(frame_of):
    with pytest.raises(ParameterError, match="times cannot be combined with trial"):
        OutcomeSet.from_frame(frame_of(COUNTED), **NAMES, times="n", trial="q")


def test_a_row_that_counts_several_times_has_one_outcome(frame_of):
    frame = frame_of({"question": ["a", "b"], "trial_1": [1, 0], "trial_2": [1, 1], "n": [3, 4]})
    with pytest.raises(ParameterError, match="times cannot be combined with one column per trial, as 'trial_1', "):
        OutcomeSet.from_frame(frame, times="n")


@pytest.mark.parametrize("trial", [None, "try"])
def test_datasets_and_streams(tmp_path, monkeypatch, trial):
    parquet, dataset = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow.dataset")
    pytest.importorskip("duckdb")
    table = pyarrow.table(LONG | {"try": [0, 1, 0, 1, 2] * 2})
    parquet.write_table(table, tmp_path / "rows.parquet")
    expected = OutcomeSet.from_frame(table, **NAMES)
    assert OutcomeSet.from_frame(dataset.dataset(tmp_path), **NAMES, trial=trial) == expected
    stream = pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=3))
    assert OutcomeSet.from_frame(stream, **NAMES, trial=trial) == expected
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    assert OutcomeSet.from_frame(dataset.dataset(tmp_path), **NAMES, trial=trial) == expected
