"""What ``scorio convert`` writes keeps the run of each trial, or a warning says that it does not."""

import numpy as np
import pytest

from helpers.command import run
from scorio import OutcomeMatrix, OutcomeSet, read
from scorio.outcomes import SavedCounts

LOST = "the run of each trial is known, and is not in what is written"
RUNS = ["mon", "tue", "wed", "thu"]
QUESTIONS = [f"q{i}" for i in range(30)]


def saved(folder, *, missing):
    """Save a model with a trial of every question in each of four runs, which differ, and return its outcomes."""
    rng = np.random.default_rng(5)
    table = (rng.random((30, 4)) < [0.2, 0.4, 0.6, 0.9]).astype(float)
    if missing:
        table[rng.random(table.shape) < 0.2] = np.nan
    outcomes = OutcomeSet({"m": OutcomeMatrix(table, runs=RUNS, missing="omit", questions=QUESTIONS)})
    SavedCounts(outcomes).save(folder / "saved.npz")
    return outcomes["m"]


@pytest.mark.parametrize("missing", [False, True], ids=["whole", "some missing"])
@pytest.mark.parametrize("kind", ["csv", "jsonl", "npz"])
def test_runs_come_back(kind, missing, tmp_path):
    matrix, target = saved(tmp_path, missing=missing), tmp_path / f"out.{kind}"
    done = run("convert", tmp_path / "saved.npz", "-o", target)
    assert LOST not in done.output
    found = read(target)["m"]
    place = [found.questions.index(question) for question in QUESTIONS]
    assert found.counts_by_run[:, place].tolist() == matrix.counts_by_run.tolist()
    assert found.runs == matrix.runs


@pytest.mark.filterwarnings("default::scorio.errors.RunsWarning")
def test_lost_runs_are_said(tmp_path):
    saved(tmp_path, missing=False)
    assert LOST in run("convert", tmp_path / "saved.npz", "-o", tmp_path / "logs", "--to", "eee").output
