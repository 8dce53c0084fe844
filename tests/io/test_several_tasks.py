"""Folders of several tasks: a suite, the tasks that are chosen, and a bad task beside good ones."""

from pathlib import Path

import numpy as np
import pytest

from helpers.written import counts, inspect_eval, inspect_header, inspect_sample, refused
from scorio import Leaderboard, OutcomeSet, Suite, read
from scorio.io import recognise
from scorio.io._outcome_table import write_table

RATES = {"algebra": (0.8, 0.3), "chess": (0.2, 0.6), "law": (0.5, 0.5)}


def written_suite():
    """Two models with known rates, one of them at two temperatures, on tasks of unequal size."""
    rng = np.random.default_rng(7)
    tasks = {}
    for size, (task, (first, second)) in enumerate(RATES.items(), start=2):
        tables = {
            "lab/one": rng.binomial(1, first, (10 * size, 3)),
            "lab/two": rng.binomial(1, second, (10 * size, 3)),
            "lab/three": rng.binomial(1, second, (10 * size, 3)),
        }
        conditions = {"lab/one": {"temperature": "0.7"}, "lab/two": {"temperature": "0.0"}}
        questions = [f"q{i}" for i in range(10 * size)]
        tasks[task] = OutcomeSet(tables, questions=questions, conditions=conditions)
    return Suite(tasks)


def test_a_suite_survives_a_table(tmp_path):
    suite = written_suite()
    write_table(suite, tmp_path / "outcomes.csv")
    again = read(tmp_path)
    assert set(again) == set(suite)
    for task, models in suite.items():
        assert counts(again[task]) == counts(models)
    board, truth = Leaderboard("pass@1", again.select(models=suite.models)), Leaderboard("pass@1", suite)
    assert dict(zip(board.models, board.scores, strict=True)) == pytest.approx(
        dict(zip(truth.models, truth.scores, strict=True))
    )


def test_one_model_under_two_conditions_is_two_models_of_every_task(tmp_path):
    for task in ("sums", "words"):
        for i, temperature in enumerate((0.0, 1.0)):
            header = inspect_header(task=task, run=f"{task} {i}", ids=["q1"], epochs=1)
            header["eval"]["model_generate_config"] = {"temperature": temperature}
            inspect_eval(tmp_path / f"{task}{i}.eval", [inspect_sample("q1", 1, "CI"[i])], header)
    suite = read(tmp_path)
    assert suite.models == ("lab/one [temperature=0.0]", "lab/one [temperature=1.0]")
    assert suite.missing == {}
    assert dict(suite["sums"].conditions["lab/one [temperature=1.0]"])["temperature"] == "1.0"
    pooled = read(tmp_path, pool="temperature")
    assert pooled.models == ("lab/one",)
    assert "temperature" not in pooled["sums"].conditions["lab/one"]


def bad_folder(folder: Path):
    """A task whose two files disagree about the score, beside a good one."""
    for task, scorers in (("good", ("match", "match")), ("bad", ("match", "judge"))):
        for i, scorer in enumerate(scorers):
            header = inspect_header(f"lab/{i}", task=task, run=f"{task} {i}", ids=["q1"], epochs=1)
            inspect_eval(folder / f"{task}{i}.eval", [inspect_sample("q1", 1, "CI"[i], scorer=scorer)], header)


def test_one_bad_task_does_not_hide_the_others(tmp_path):
    bad_folder(tmp_path)
    refused(tmp_path, r"^task bad: .*scored by 'match'.*skip_bad=True leaves the task out")
    reading = recognise(tmp_path, skip_bad=True)
    assert reading.outcomes.tasks == ("good",)
    assert "scored by 'match'" in reading.bad_tasks["bad"]
    assert "task 'bad': left out" in str(reading)
    assert read(tmp_path, task="good").models == ("lab/0", "lab/1")


def test_if_every_task_is_bad_the_first_error_is_raised(tmp_path):
    bad_folder(tmp_path)
    for path in tmp_path.glob("good*"):
        path.unlink()
    header = inspect_header(task="empty", run="e", ids=["q1"], epochs=1)
    inspect_eval(tmp_path / "e.eval", [inspect_sample("q1", 1, None, scores={})], header)
    refused(tmp_path, "^task bad: ", skip_bad=True)


def test_a_single_file_without_a_task_is_named_by_the_file(tmp_path):
    (tmp_path / "math.csv").write_text("task,model,question,correct\nalgebra,a,q1,1\n")
    (tmp_path / "chess.csv").write_text("model,question,correct\na,q1,0\n")
    assert read(tmp_path).tasks == ("chess", "algebra")
    assert read(tmp_path, task="chess", suite=False)["a"].successes.tolist() == [0]
    (tmp_path / "chess.csv").rename(tmp_path / "algebra.csv")
    assert read(tmp_path).tasks == ("algebra.csv", "algebra")
    (tmp_path / "b.csv").write_text("model,question,correct\nb,q1,0\n")
    assert set(read(tmp_path).tasks) == {"no task", "algebra"}
