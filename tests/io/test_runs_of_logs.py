"""The runs of trials that logs and tables tell: files, and columns of runs."""

import json

import numpy as np
import pytest

from helpers.command import run, shell
from scorio import PassAtK, RunsWarning, compare, read

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


def test_plans_and_histories_on_the_command_line(table, tmp_path):
    pytest.importorskip("click")
    path = table("a.csv", outcomes(0, 0.6))
    plan = ("plan", path, "-m", "pass@1", "--half-width", "0.05", "--format", "json")
    [found] = json.loads(shell(*plan, "--runs", "random").stdout)["rows"]
    assert found["unit"] == "runs"
    assert found["more"] > 0
    assert found["same_runs"]["more"] is None
    [found] = json.loads(shell(*plan, "--runs", "independent").stdout)["rows"]
    assert found["unit"] == "trials per question"
    dated = [table(f"counts-2026-01-0{i}.csv", outcomes(i, 0.6)) for i in (1, 2)]
    command = ("history", *dated, "-m", "pass@1", "--format", "json", "--runs")
    random, plain = (json.loads(shell(*command, runs).stdout) for runs in ("random", "independent"))
    wide, narrow = ([row["hi"] - row["lo"] for row in each["rows"]] for each in (random, plain))
    assert min(wide) > 1.3 * max(narrow)
    page = tmp_path / "page.html"
    shell("report", path, "-m", "pass@1", "--runs", "random", "-o", page)
    assert "runs like these" in page.read_text(encoding="utf-8")


def test_a_column_of_trials_is_of_one_run(table):
    assert read(table("a.csv", outcomes(0, 0.1), "trial"))["m"].runs is None


def test_files_are_runs(tmp_path):
    R = outcomes(0, 0.1)
    for night in range(5):
        rows = [{"model": "m", "question": q, "correct": int(R[i, night])} for i, q in enumerate(QUESTIONS)]
        (tmp_path / f"night {night}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = read(tmp_path)["m"]
    assert found.runs == tuple(f"night {night}.jsonl" for night in range(5))
    assert np.array_equal(found.counts_by_run[:, :, 1], R.T)
    assert read(tmp_path / "night 0.jsonl")["m"].runs is None


def test_the_command_line(table):
    pytest.importorskip("click")
    path = table("a.csv", outcomes(0, 1.0))
    plain = shell("score", path, "-m", "pass@1", "--format", "json")
    wide = run("score", path, "-m", "pass@1", "--runs", "random", "--format", "json")
    assert "the scores of runs differ by more than their trials explain" in plain.stderr
    assert "differ by more" not in wide.stderr
    [one], [other] = (json.loads(each.stdout)["rows"] for each in (plain, wide))
    assert other["lo"] < one["lo"] < one["hi"] < other["hi"]


def test_the_doctor_says_by_how_much_runs_differ(table):
    pytest.importorskip("click")
    rng = np.random.default_rng(3)
    R = np.where(np.arange(40)[:, None] < 20, rng.random((40, 5)) < [0.1, 0.1, 0.1, 0.1, 0.9], 1)  # half are easy
    assert "a standard deviation of" in shell("doctor", table("a.csv", R.astype(int))).stdout


def test_converted_tables_keep_runs(table, tmp_path):
    R = outcomes(0, 0.1)
    run("convert", table("a.csv", R), "-o", tmp_path / "b.csv", "--quiet")
    found = read(tmp_path / "b.csv")["m"]
    assert np.array_equal(found.counts_by_run[:, :, 1], R.T)


def test_runs_of_logs_are_warned_of_and_taken(table):
    found, other = (read(table(f"{name}.csv", outcomes(seed, 1.0)))["m"] for name, seed in (("a", 0), ("b", 1)))
    with pytest.warns(RunsWarning):
        PassAtK(1).interval(found)
    assert compare("pass@1", found, other, runs="random").runs == "random"
