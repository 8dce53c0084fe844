"""Runs of trials that tables and logs tell: files, a lone column, one that the user names, one that is pointed to."""

import numpy as np
import pytest

from helpers.written import quietly, refused, write_rows
from scorio import OutcomeError, OutcomeMatrix, PassAtK, compare, read
from scorio.errors import PoolingWarning, RunsWarning
from scorio.io import recognise

QUESTIONS = [f"q{i:02}" for i in range(40)]
KINDS = ["csv", "jsonl", "parquet"]


def outcomes(seed, shift=0.1):
    """Pass/fail outcomes of five runs, whose log odds differ by ``shift``."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(0, 1.7, (40, 1)) + shift * np.array([-2, -1, 0, 1, 2])
    return (rng.random((40, 5)) < 1 / (1 + np.exp(-logits))).astype(int)


def rows_of(table, column="seed", model="m"):
    """A row per trial, of which one column names the run."""
    cells = [(i, run) for i in range(40) for run in range(5)]
    return [{"model": model, "question": QUESTIONS[i], column: run, "correct": int(table[i, run])} for i, run in cells]


def demand_runs(matrix, table):
    assert matrix.runs == ("0", "1", "2", "3", "4")
    assert np.array_equal(matrix.counts_by_run[:, :, 1], table.T)


@pytest.mark.parametrize("column", ["seed", "run", "Run ID", "job_id"])
def test_a_lone_column_of_runs(tmp_path, column):
    path = write_rows(tmp_path / "a.csv", rows_of(outcomes(0), column))
    reading = recognise(path)
    demand_runs(reading.outcomes["m"], outcomes(0))
    assert f"column {column!r} names the run of each trial" in str(reading)
    assert "names the run" not in str(recognise(write_rows(tmp_path / "b.csv", rows_of(outcomes(0), "trial"))))


@pytest.mark.parametrize("files", [1, 2])
@pytest.mark.parametrize("column", ["seed", "run_id"])
def test_tables_that_duckdb_counts_keep_their_runs(tmp_path, column, files):
    """Many tables are counted by one query, which must not take the number of a row for its run."""
    for seed in range(files):
        write_rows(tmp_path / f"{seed}.parquet", rows_of(outcomes(seed), column, f"m{seed}"))
    models = read(tmp_path)
    for seed in range(files):
        demand_runs(models[f"m{seed}"], outcomes(seed))


def test_files_are_runs(tmp_path):
    for night in range(5):
        rows = [{"model": "m", "question": q, "correct": int(outcomes(0)[i, night])} for i, q in enumerate(QUESTIONS)]
        write_rows(tmp_path / f"night {night}.jsonl", rows)
    matrix = read(tmp_path)["m"]
    assert matrix.runs == tuple(f"night {night}.jsonl" for night in range(5))
    assert np.array_equal(matrix.counts_by_run[:, :, 1], outcomes(0).T)
    assert read(tmp_path / "night 0.jsonl")["m"].runs is None


def test_runs_of_logs_are_warned_of_and_taken(tmp_path):
    one, other = (read(write_rows(tmp_path / f"{i}.csv", rows_of(outcomes(i, 1.0))))["m"] for i in (0, 1))
    with pytest.warns(RunsWarning):
        PassAtK(1).interval(one)
    assert compare("pass@1", one, other, runs="random").runs == "random"


R = np.random.default_rng(5).integers(0, 2, (6, 4))
SEEDS = ["11", "11", "12", "13"]  # of the trials
ROWS = [
    {"model": "m", "question": f"q{row}", "trial": trial, "seed": SEEDS[trial], "correct": int(R[row, trial])}
    for row in range(6)
    for trial in range(4)
]
TRUTH = OutcomeMatrix(R, questions=[f"q{row}" for row in range(6)], runs=SEEDS)
BY_SEED = {"fields": {"run": "seed"}}


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_of_runs_beside_one_of_trials(tmp_path, kind):
    path = write_rows(tmp_path / f"m.{kind}", ROWS)
    matrix = read(path, **BY_SEED)["m"]
    assert matrix == TRUTH
    assert matrix.runs == ("11", "12", "13")
    assert PassAtK(2).interval(matrix, runs="random") == PassAtK(2).interval(TRUTH, runs="random")
    with pytest.warns(PoolingWarning, match=r"column 'seed' may name runs.*fields={'run': 'seed'} reads runs"):
        without = read(path)["m"]
    assert without.runs is None
    with pytest.raises(OutcomeError, match=r"another column that fields=\{'run': \.\.\.\} names"):
        PassAtK(1).interval(without, runs="random")


@pytest.mark.parametrize("kind", KINDS)
def test_runs_of_several_trials_without_a_number(tmp_path, kind):
    rows = [{key: value for key, value in row.items() if key != "trial"} for row in ROWS]
    path = write_rows(tmp_path / f"m.{kind}", rows)
    assert read(path, **BY_SEED)["m"] == TRUTH
    refused(path, 'is there twice: fields={"run": "seed"} if it names runs of')


def test_the_number_of_a_trial_may_start_again_in_every_run(tmp_path):
    rows = [{**row, "trial": SEEDS[: row["trial"]].count(row["seed"])} for row in ROWS]
    assert read(write_rows(tmp_path / "m.csv", rows), **BY_SEED)["m"] == TRUTH


def test_runs_and_factors_are_kept_apart(tmp_path):
    rows = [{**row, "prompt": prompt} for row in ROWS for prompt in ("x", "y")]
    models = read(write_rows(tmp_path / "m.csv", rows), factors=["prompt"], **BY_SEED)
    assert models.conditions["m [prompt=x]"] == {"model": "m", "prompt": "x"}
    assert models["m [prompt=x]"] == models["m [prompt=y]"] == TRUTH


@pytest.mark.parametrize(
    "seeds",
    [["7"] * 24, [str(i) for i in range(24)], [f"shard {i // 12}" for i in range(24)]],
    ids=["one", "all different", "parts of the questions"],
)
def test_labels_that_do_not_cross_questions_are_no_runs(tmp_path, seeds):
    rows = [{**row, "seed": seed} for row, seed in zip(ROWS, seeds, strict=True)]
    assert quietly(write_rows(tmp_path / "m.csv", rows))["m"].runs is None


def test_unknown_and_empty_runs(tmp_path):
    path = write_rows(tmp_path / "m.csv", [*ROWS[:5], {**ROWS[5], "seed": ""}, *ROWS[6:]])
    refused(path, "unknown column 'sed'", fields={"run": "sed"})
    refused(path, "line 7: .*seed is empty", **BY_SEED)
    refused(path, "no column of outcomes", by=ValueError, fields={"run": "correct"})
