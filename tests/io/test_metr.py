"""METR's runs: one JSON line per run of a task, with the minutes that a person needs."""

import json

import numpy as np
import pytest

from helpers.written import refused
from scorio import read
from scorio.curves import horizon
from scorio.io import recognise

ROW = {"alias": "m", "model": "m-2025", "task_family": "f", "human_minutes": 4.0, "score_cont": 0.5, "tokens_count": 7}


def write(folder, *rows, name="runs.jsonl"):
    path = folder / name
    path.write_text("".join(json.dumps(ROW | row) + "\n" for row in rows))
    return path


def run(task, number, score, **more):
    return {"task_id": task, "run_id": f"{task}-{number}", "score_binarized": score} | more


def test_runs_by_model_task_and_family(tmp_path):
    rows = [run("a", 1, 1), run("a", 2, 0), run("b", 1, 0, human_minutes=30, task_family="g")]
    path = write(
        tmp_path, *rows, run("a", 3, 1, alias="n"), run("b", 4, 1, alias="n", human_minutes=30, task_family="g")
    )
    reading = recognise(path, keep=["human_minutes", "score_cont"])
    outcomes = reading.outcomes
    assert reading.sources[0].format == "metr-runs"
    assert (outcomes.models, outcomes.questions, outcomes.clusters) == (("m", "n"), ("a", "b"), ("f", "g"))
    assert (outcomes["m"].successes.tolist(), outcomes["m"].trials.tolist()) == ([1, 0], [2, 1])
    assert outcomes["n"].successes.tolist() == [1, 1]
    assert outcomes["m"].scores == ("human_minutes", "score_cont")
    assert outcomes.costs["m"]["tokens"] == 7
    assert read(path, score="score_cont")["m"].is_continuous or read(path, score="score_cont")["m"].levels


def test_a_run_is_not_counted_twice(tmp_path):
    write(tmp_path, run("a", 1, 1), run("b", 1, 0))
    write(tmp_path, run("a", 1, 1), name="more.jsonl")
    refused(tmp_path, "a-1")
    write(tmp_path, run("a", 2, 0), name="more.jsonl")
    assert read(tmp_path)["m"].trials.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([run("a", 1, 1), run("a", 2, 1, human_minutes=5.0)], "two different questions are called 'a'"),
        ([run("a", 1, 1), {"run_id": "2", "score_binarized": 0}], "line 2: task_id must be a name"),
        ([run("a", 1, 1, alias=None, model=None)], "line 1: alias must be a name"),
        ([run("a", 1, "maybe")], "line 1: .*'maybe'"),
        ([run("a", 1, 1), run("a", 2, 1, task_family="g")], "question 'a' is in two clusters"),
    ],
)
def test_faults_say_where_they_are(rows, message, tmp_path):
    refused(write(tmp_path, *rows), message)


def test_metrs_fit_is_a_ridge_on_runs(tmp_path):
    """The fit by run with METR's weights, minimised by scipy, is the one by task of ``fit="metr"``."""
    from scipy.optimize import minimize

    rng = np.random.default_rng(0)
    minutes = np.round(2.0 ** rng.uniform(0.0, 9.0, 40), 2)
    family, runs = rng.integers(0, 12, 40), rng.integers(1, 6, 40)
    rows, x, y, w = [], [], [], []
    for task in range(40):
        for number in range(runs[task]):
            score = int(rng.random() < 1 / (1 + minutes[task] / 20))
            about = {"human_minutes": float(minutes[task]), "task_family": f"f{family[task]}"}
            rows.append(run(f"t{task}", number, score, **about))
            x.append(np.log2(minutes[task]))
            y.append(score)
            w.append(1 / (runs[task] * np.sqrt((family == family[task]).sum())))
    x, y, w = np.array(x), np.array(y), np.array(w) / sum(w)

    def loss(b):
        eta = b[0] + b[1] * x
        return w @ (np.logaddexp(0.0, eta) - y * eta) + 0.05 * b[1] ** 2

    a, b = minimize(loss, np.zeros(2), tol=1e-13).x
    found = horizon("pass@1", read(write(tmp_path, *rows), keep="human_minutes"), "human_minutes", fit="metr")
    assert found.of("m", 0.5).extrapolated == pytest.approx(2 ** (-a / b), rel=1e-4)
    assert found.of("m", 0.8).extrapolated == pytest.approx(2 ** ((np.log(4) - a) / b), rel=1e-4)
