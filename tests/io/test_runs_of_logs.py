"""The runs of trials that logs and tables tell: files, and columns of runs."""

import json

import numpy as np
import pytest

from scorio import PassAtK, compare, read
from scorio.errors import RunsWarning

QUESTIONS = [f"q{i:02}" for i in range(40)]


def outcomes(seed, shift):
    """Return pass/fail outcomes of five runs, whose log odds differ by ``shift``."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(0, 1.7, (40, 1)) + shift * np.array([-2, -1, 0, 1, 2])
    return (rng.random((40, 5)) < 1 / (1 + np.exp(-logits))).astype(int)


@pytest.fixture
def table(tmp_path):
    """A function that writes a table with one row per trial, and returns its path."""

    def write(name, R, column="seed", runs=range(5)):
        rows = [f"m,{q},{t},{R[i, t]}" for i, q in enumerate(QUESTIONS) for t in runs]
        path = tmp_path / name
        path.write_text("\n".join([f"model,question,{column},correct", *rows]) + "\n")
        return path

    return write


@pytest.mark.parametrize("column", ["seed", "run", "Run ID", "job_id"])
def test_a_column_of_runs(table, column):
    R = outcomes(0, 0.1)
    found = read(table("a.csv", R, column))["m"]
    assert found.runs == ("0", "1", "2", "3", "4")
    assert np.array_equal(found.counts_by_run[:, :, 1], R.T)


@pytest.mark.parametrize("files", [1, 2])
@pytest.mark.parametrize("column", ["seed", "run_id"])
def test_tables_that_duckdb_counts_keep_their_runs(tmp_path, column, files):
    """Many tables are counted by one query, which must not take the number of a row for its run."""
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pytest.importorskip("duckdb")
    R = [outcomes(seed, 0.1) for seed in range(files)]
    for i, table in enumerate(R):
        question, run_of = (each.ravel() for each in np.indices(table.shape))
        names = {"model": [f"m{i}"] * table.size, "question": [QUESTIONS[q] for q in question], column: run_of}
        parquet.write_table(pyarrow.table(names | {"correct": table.ravel()}), tmp_path / f"{i}.parquet")
    found = read(tmp_path)
    for i, table in enumerate(R):
        assert found[f"m{i}"].runs == ("0", "1", "2", "3", "4")
        assert np.array_equal(found[f"m{i}"].counts_by_run[:, :, 1], table.T)


def test_runs_are_not_taken_in_silence(table):
    from scorio.io import recognise

    assert "column 'seed' names the run of each trial" in str(recognise(table("a.csv", outcomes(0, 0.1))))
    assert "names the run" not in str(recognise(table("b.csv", outcomes(0, 0.1), "trial")))


def test_files_are_runs(tmp_path):
    R = outcomes(0, 0.1)
    for night in range(5):
        rows = [{"model": "m", "question": q, "correct": int(R[i, night])} for i, q in enumerate(QUESTIONS)]
        (tmp_path / f"night {night}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = read(tmp_path)["m"]
    assert found.runs == tuple(f"night {night}.jsonl" for night in range(5))
    assert np.array_equal(found.counts_by_run[:, :, 1], R.T)
    assert read(tmp_path / "night 0.jsonl")["m"].runs is None


def test_runs_of_logs_are_warned_of_and_taken(table):
    found, other = (read(table(f"{name}.csv", outcomes(seed, 1.0)))["m"] for name, seed in (("a", 0), ("b", 1)))
    with pytest.warns(RunsWarning):
        PassAtK(1).interval(found)
    assert compare("pass@1", found, other, runs="random").runs == "random"
