"""What ``scorio convert`` writes is read again with the same names and runs, or it is refused, or a warning says it."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from helpers.command import run
from helpers.truthful import ODD, counted
from scorio import OutcomeMatrix, OutcomeSet, Suite, read
from scorio.outcomes import SavedCounts

HOSTILE = [*ODD, "", " ", "\t", "\r", "\n", "\u2028", "\ufeff", '"', "'", ",", "''", "true", "question", "model"]
HOSTILE += ["-1", "+1", "\ufeff\ufeffx", "a\r", "\rb", '"a"', "C:\\x", "con", "a\u200b", "\U000e0041", "🙂" * 60, "1_0"]
KINDS = ["csv", "npz"]
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4)
NAMES = st.lists(st.one_of(st.sampled_from(HOSTILE), TEXT), min_size=2, max_size=4, unique=True)


def converted(outcomes, kind, folder):
    """Return the outcomes after they were saved, converted and read; None if it was refused in words."""
    SavedCounts(outcomes).save(folder / "saved.npz")
    target = folder / f"out.{kind}"
    done = run("convert", "-q", folder / "saved.npz", "-o", target, code=None)
    if done.exit_code:
        assert done.exit_code == 2, done.output
        assert "Traceback" not in done.output
        assert "--debug" not in done.output  # a fault that nobody foresaw
        return None
    return read(target)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=12)
@given(questions=NAMES, models=NAMES)
def test_names_come_back(kind, questions, models):
    rows = [[i % 2, 1, 0][: 1 + i % 3] for i in range(len(questions))]
    outcomes = OutcomeSet({name: OutcomeMatrix(rows, questions=questions) for name in models})
    with tempfile.TemporaryDirectory() as folder:
        found = converted(outcomes, kind, Path(folder))
        if found is None:
            assert not all(name.strip() for name in [*questions, *models])
        else:
            assert [*counted(found).values()] == [*counted(outcomes).values()]


@pytest.mark.filterwarnings("ignore::UserWarning")
@settings(max_examples=12)
@given(tasks=NAMES.filter(all))
def test_tasks_come_back(tasks):
    outcomes = Suite({task: {"a": OutcomeMatrix([[0, 1], [1, 1]], questions=["x", "y"])} for task in tasks})
    with tempfile.TemporaryDirectory() as folder:
        found = converted(outcomes, "csv", Path(folder))
        if found is None:
            assert not all(task.strip() for task in tasks)
        else:
            assert counted(found) == counted(outcomes)


@pytest.mark.parametrize("name", HOSTILE)
def test_clusters_come_back(name, tmp_path):
    outcomes = OutcomeSet({"a": OutcomeMatrix([[0, 1], [1, 1]], questions=["x", "y"], clusters=[name, "other"])})
    found = converted(outcomes, "csv", tmp_path)
    assert not name.strip() if found is None else found["a"].clusters == (name, "other")


def test_questions_of_one_text_are_refused(tmp_path):
    outcomes = OutcomeSet({"a": OutcomeMatrix([[0, 1], [1, 1]], questions=[1, "1"])})
    assert converted(outcomes, "csv", tmp_path) is None
    assert converted(outcomes, "npz", tmp_path)["a"].questions == (1, "1")


@pytest.mark.parametrize("name", ["counts.npz", "trials.csv"])
def test_missing_trials_are_kept(name, tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("model,question,trial,correct\nm,q1,1,1\nm,q1,2,\nm,q2,1,0\nm,q2,2,1\n")
    assert run("convert", path, "-q", "-o", tmp_path / name).stderr == ""
    assert read(tmp_path / name)["m"].completeness == 0.75


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
@pytest.mark.parametrize("kind", KINDS)
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
    twice = OutcomeMatrix([[1, 0, None], [1, 1, 0]], runs=["mon", "mon", "tue"], missing="omit")
    SavedCounts(OutcomeSet({"m": twice})).save(tmp_path / "saved.npz")
    assert LOST in run("convert", tmp_path / "saved.npz").output


@pytest.mark.filterwarnings("default::scorio.errors.FilesWarning")
def test_lost_costs_are_said(tmp_path):
    (tmp_path / "runs.csv").write_text("model,question,correct,tokens\na,q1,1,5\n")
    assert "costs are known, 'tokens', and are not in what is written" in run("convert", tmp_path / "runs.csv").stderr
    assert "not in what is written" not in run("convert", tmp_path / "runs.csv", "-o", tmp_path / "saved.npz").stderr
