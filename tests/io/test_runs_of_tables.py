"""Runs in tables: a column that the user names, or one that a warning points to."""

import csv
import json

import numpy as np
import pytest

from helpers.written import quietly, refused
from scorio import OutcomeError, OutcomeMatrix, ParameterError, PassAtK, read
from scorio.errors import PoolingWarning

R = np.random.default_rng(5).integers(0, 2, (6, 4))
SEEDS = ["11", "11", "12", "13"]  # of the trials
ROWS = [
    {"model": "m", "question": f"q{row}", "trial": trial, "seed": SEEDS[trial], "correct": int(R[row, trial])}
    for row in range(6)
    for trial in range(4)
]
TRUTH = OutcomeMatrix(R, questions=[f"q{row}" for row in range(6)], runs=SEEDS)


def written(path, rows):
    if path.suffix == ".csv":
        with path.open("w", newline="") as file:
            table = csv.DictWriter(file, rows[0])
            table.writeheader()
            table.writerows(rows)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pytest.importorskip("pyarrow").Table.from_pylist(rows), path)
    return path


def without(*names):
    return [{key: value for key, value in row.items() if key not in names} for row in ROWS]


@pytest.mark.parametrize("name", ["m.csv", "m.jsonl", "m.parquet"])
def test_a_column_of_runs_beside_one_of_trials(tmp_path, name):
    path = written(tmp_path / name, ROWS)
    outcomes = read(path, fields={"run": "seed"})["m"]
    assert outcomes == TRUTH
    assert outcomes.runs == ("11", "12", "13")
    ask = PassAtK(2).interval
    assert ask(outcomes, runs="random") == ask(TRUTH, runs="random")


@pytest.mark.parametrize("name", ["m.csv", "m.jsonl", "m.parquet"])
def test_runs_of_several_trials_without_a_number(tmp_path, name):
    path = written(tmp_path / name, without("trial"))
    assert read(path, fields={"run": "seed"})["m"] == TRUTH
    refused(path, 'is there twice: fields={"run": "seed"} if it names runs of')


def test_the_number_of_a_trial_may_start_again_in_every_run(tmp_path):
    rows = [{**row, "trial": SEEDS[: row["trial"]].count(row["seed"])} for row in ROWS]
    assert read(written(tmp_path / "m.csv", rows), fields={"run": "seed"})["m"] == TRUTH


def test_runs_and_factors_are_kept_apart(tmp_path):
    rows = [{**row, "prompt": prompt} for row in ROWS for prompt in ("x", "y")]
    outcomes = read(written(tmp_path / "m.csv", rows), factors=["prompt"], fields={"run": "seed"})
    assert outcomes.conditions["m [prompt=x]"] == {"model": "m", "prompt": "x"}
    assert outcomes["m [prompt=x]"] == outcomes["m [prompt=y]"] == TRUTH


@pytest.mark.parametrize("name", ["m.csv", "m.jsonl", "m.parquet"])
def test_a_usual_name_is_pointed_to_and_not_taken(tmp_path, name):
    path = written(tmp_path / name, ROWS)
    with pytest.warns(PoolingWarning, match=r"column 'seed' may name runs.*fields={'run': 'seed'} reads runs"):
        outcomes = read(path)
    assert outcomes["m"].runs is None
    with pytest.raises(OutcomeError, match=r"another column that fields=\{'run': \.\.\.\} names"):
        PassAtK(1).interval(outcomes["m"], runs="random")


@pytest.mark.parametrize(
    "seeds",
    [
        ["7"] * 24,
        [str(i) for i in range(24)],
        [f"shard {i // 12}" for i in range(24)],
    ],
    ids=["one", "all different", "parts of the questions"],
)
def test_labels_that_do_not_cross_questions_are_no_runs(tmp_path, seeds):
    rows = [{**row, "seed": seed} for row, seed in zip(ROWS, seeds, strict=True)]
    assert quietly(written(tmp_path / "m.csv", rows))["m"].runs is None


def test_unknown_and_empty_runs(tmp_path):
    path = written(tmp_path / "m.csv", [*ROWS[:5], {**ROWS[5], "seed": ""}, *ROWS[6:]])
    refused(path, "unknown column 'sed'", fields={"run": "sed"})
    refused(path, "line 7: .*seed is empty", fields={"run": "seed"})
    with pytest.raises((OutcomeError, ParameterError), match="no column of outcomes"):
        read(path, fields={"run": "correct"})
