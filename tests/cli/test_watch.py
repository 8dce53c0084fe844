"""``scorio watch``: what is settled at a look, exit codes, and logs that grow."""

import json

import numpy as np

from helpers.command import run
from helpers.written import write_table
from scorio import Leaderboard, Looks, OutcomeMatrix, PassAtK

QUESTIONS = 30
RATES = {"weak": 0.3, "strong": 0.8}


def outcomes(model, trials):
    """The same trials in every test: later ones are added to earlier ones."""
    rng = np.random.default_rng(sum(map(ord, model)))
    rates = np.clip(rng.normal(RATES.get(model, 0.5), 0.1, QUESTIONS), 0, 1)
    return (rng.random((64, QUESTIONS)) < rates)[:trials].astype(int)


def write(folder, model, trials):
    rows = [(model, f"q{a}", n, value) for n, row in enumerate(outcomes(model, trials)) for a, value in enumerate(row)]
    write_table(folder / f"{model}.csv", ["model", "question", "trial", "outcome"], rows)


def watch(folder, *arguments, code=0):
    return run("watch", folder, "-q", "--trials", *arguments, code=code)


def test_go_on_then_settled(tmp_path):
    write(tmp_path, "a", 4)
    first = watch(tmp_path, "64", "--half-width", "0.08", code=1)
    assert "not settled at 4 of 64 trials per question: run more trials of a" in first.stderr
    write(tmp_path, "a", 40)
    second = watch(tmp_path, "64", "--half-width", "0.08", "--format", "json")
    [row] = json.loads(second.stdout)["rows"]
    R = OutcomeMatrix(outcomes("a", 40).T)
    expected = PassAtK(1).interval(R, prior="learned", shape="quantile", looks=Looks(trials=64))
    assert (row["lo"], row["hi"]) == (expected.lo, expected.hi)
    assert row["looks"] == "valid at every look, at most 64 trials per question"


def test_a_budget_that_is_used_up_or_passed(tmp_path):
    write(tmp_path, "a", 8)
    found = watch(tmp_path, "8", "--half-width", "0.001", code=3)
    assert "all 8 trials per question are used up" in found.stderr
    write(tmp_path, "a", 9)
    passed = watch(tmp_path, "8", "--half-width", "0.001", code=2)
    assert "9 trials per question, but these looks were declared for at most 8" in passed.stderr


def test_the_best_model_settles_a_metric(tmp_path):
    write(tmp_path, "weak", 6)
    write(tmp_path, "strong", 6)
    found = watch(tmp_path, "64", "--format", "json")
    assert {row["model"]: row["tied_with_top"] for row in json.loads(found.stdout)["rows"]} == {
        "strong": True,
        "weak": False,
    }
    board = Leaderboard("pass@1", {name: outcomes(name, 6).T for name in RATES}, looks=Looks(trials=64))
    shown = watch(tmp_path, "64").stdout
    assert "pass@1 settled: strong is best" in shown
    assert str(board).partition("\n")[2].partition("\n95%")[0] in shown
