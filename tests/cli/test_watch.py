"""``scorio watch``: what is settled at a look, exit codes, and logs that grow."""

import csv
import json

import numpy as np
import pytest
from click.testing import CliRunner

from scorio import Leaderboard, Looks, OutcomeMatrix, PassAtK
from scorio.cli._program import program

QUESTIONS = 30
RATES = {"weak": 0.3, "strong": 0.8}


def outcomes(model, trials, rate=None):
    """The same trials in every test: later ones are added to earlier ones."""
    rng = np.random.default_rng(sum(map(ord, model)))
    rates = np.clip(rng.normal(RATES.get(model, 0.5) if rate is None else rate, 0.1, QUESTIONS), 0, 1)
    return (rng.random((64, QUESTIONS)) < rates)[:trials].astype(int)


def write(folder, model, trials, rate=None):
    folder.mkdir(exist_ok=True)
    with (folder / f"{model}.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["model", "question", "trial", "outcome"])
        for trial, row in enumerate(outcomes(model, trials, rate)):
            writer.writerows([model, f"q{a}", trial, value] for a, value in enumerate(row))


def watch(folder, *arguments):
    return CliRunner().invoke(program, ["watch", str(folder), "-q", *arguments])


@pytest.fixture
def logs(tmp_path):
    return tmp_path / "logs"


def test_go_on_then_settled(logs):
    write(logs, "a", 4)
    first = watch(logs, "--trials", "64", "--half-width", "0.08")
    assert first.exit_code == 1, first.output
    assert "not settled at 4 of 64 trials per question: run more trials of a" in first.stderr
    write(logs, "a", 40)
    second = watch(logs, "--trials", "64", "--half-width", "0.08", "--format", "json")
    assert second.exit_code == 0, second.output
    [row] = json.loads(second.stdout)["rows"]
    R = OutcomeMatrix(outcomes("a", 40).T)
    expected = PassAtK(1).interval(R, prior="learned", shape="quantile", looks=Looks(trials=64))
    assert (row["lo"], row["hi"]) == (expected.lo, expected.hi)
    assert row["looks"] == "valid at every look, at most 64 trials per question"


def test_a_budget_that_is_used_up_or_passed(logs):
    write(logs, "a", 8)
    found = watch(logs, "--trials", "8", "--half-width", "0.001")
    assert found.exit_code == 3
    assert "all 8 trials per question are used up" in found.stderr
    write(logs, "a", 9)
    passed = watch(logs, "--trials", "8", "--half-width", "0.001")
    assert passed.exit_code == 2
    assert "9 trials per question, but these looks were declared for at most 8" in passed.stderr


def test_the_best_model_settles_a_metric(logs):
    write(logs, "weak", 6)
    write(logs, "strong", 6)
    found = watch(logs, "--trials", "64", "--format", "json")
    assert found.exit_code == 0, found.output
    assert {row["model"]: row["tied_with_top"] for row in json.loads(found.stdout)["rows"]} == {
        "strong": True,
        "weak": False,
    }
    board = Leaderboard("pass@1", {name: outcomes(name, 6).T for name in RATES}, looks=Looks(trials=64))
    shown = watch(logs, "--trials", "64").stdout
    assert "pass@1 settled: strong is best" in shown
    assert str(board).partition("\n")[2].partition("\n95%")[0] in shown
