"""A suite of one task gives what the task gives: the same numbers, to the last bit, from every function."""

import json
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("click")

import scorio.io
from helpers.command import run
from scorio import (
    Leaderboard,
    OutcomeMatrix,
    OutcomeSet,
    Suite,
    compare,
    next_trials,
    plan_questions,
    plan_separation,
    plan_trials,
)

TASK = "algebra"
KINDS = {"binary": "pass@1", "levels": "bayes", "continuous": "bayes"}
TARGETS = ("questions", "population")


def outcomes_of(kind, clustered, trials=3, ragged=False):
    """Three models on twelve questions, by the kind of their outcomes."""
    rng = np.random.default_rng([trials, clustered])
    rates = rng.beta(0.8, 0.8, 12)
    about = {"questions": [f"q{i}" for i in range(12)]}
    if clustered:
        about["clusters"] = [f"c{i // 2}" for i in range(12)]
    models = {}
    for i, name in enumerate("abc"):
        chance = np.clip(rates + 0.12 * i, 0.0, 1.0)[:, None]
        if kind == "binary":
            rows = rng.binomial(1, chance, (12, trials))
        elif kind == "levels":
            rows = rng.binomial(2, chance, (12, trials)) / 2.0
        else:
            rows = chance + rng.normal(0.0, 0.2 + 0.1 * i, (12, trials))
        rows = [row[: trials - (ragged and at % 3 == i)] for at, row in enumerate(rows.tolist())]
        make = OutcomeMatrix if kind == "binary" else OutcomeMatrix.from_rewards
        models[name] = make(rows, **about)
    return OutcomeSet(models)


def contents(value):
    """Return the content of a result without what tells a suite: its tasks, their weights, and the name of the task."""
    if isinstance(value, dict):
        return {key: contents(part) for key, part in value.items() if key not in ("tasks", "weights", "task")}
    return [contents(part) for part in value] if isinstance(value, list) else value


def same(whole, alone):
    whole, alone = (json.loads(json.dumps(each, default=str)) for each in (whole, alone))
    assert contents(whole) == contents(alone)


worlds = pytest.mark.parametrize(
    ("kind", "clustered", "trials", "ragged"),
    [(kind, clustered, 3, False) for kind in KINDS for clustered in (False, True)]
    + [
        ("binary", False, 1, False),
        ("binary", False, 4, True),
        ("continuous", True, 4, True),
        ("levels", False, 1, False),
    ],
)
targets = pytest.mark.parametrize("target", TARGETS)


def both(*world):
    models = outcomes_of(*world)
    return models, Suite({TASK: models}), KINDS[world[0]]


@worlds
@targets
def test_compare(kind, clustered, trials, ragged, target):
    models, suite, metric = both(kind, clustered, trials, ragged)
    sides = [suite.select(models=[name]) for name in "ab"]
    for about in ({}, {"prior": "uniform", "shape": "normal"}, {"rule": "published"}, {"paired": False}):
        whole, alone = (compare(metric, *pair, target=target, **about) for pair in (sides, [models["a"], models["b"]]))
        same(whole.to_dict(), alone.to_dict())
        assert contents(whole.tasks[TASK].to_dict()) == contents(alone.to_dict())


@worlds
@targets
def test_leaderboard_and_pairs(kind, clustered, trials, ragged, target):
    models, suite, metric = both(kind, clustered, trials, ragged)
    for about in ({}, {"shape": "normal"}):
        boards = [Leaderboard(metric, each, target=target, **about) for each in (suite, models)]
        same(*(board.to_dict() for board in boards))
        assert boards[0].draws(5, 0).tolist() == boards[1].draws(5, 0).tolist()
        assert boards[0].verdicts() == boards[1].verdicts()
    for family in ("each", "holm", "fdr", "simultaneous"):
        same(*(board.pairs(family).to_dict() for board in boards))


@worlds
def test_plans(kind, clustered, trials, ragged):
    models, suite, metric = both(kind, clustered, trials, ragged)
    sides = [suite.select(models=[name]) for name in "ab"]
    if trials > 1:
        same(*(plan_trials(metric, each, 0.05).to_dict() for each in (sides[0], models["a"])))
        if kind == "binary":
            same(*(next_trials(metric, each, 20).to_dict() for each in (suite, models)))
        for target in TARGETS:
            pairs = (sides, [models["a"], models["b"]])
            same(*(plan_separation(metric, *pair, target=target).to_dict() for pair in pairs))
    same(*(plan_questions(metric, each, 0.05).to_dict() for each in (sides[0], models["a"])))


COMMANDS = {
    "score": "score",
    "rank": "rank --family holm",
    "compare": "compare --between b a",
    "gate": "gate --between b a --max-drop 0.1",
    "plan to separate": "plan",
    "plan of trials": "plan --half-width 0.05",
    "plan of questions": "plan --half-width 0.05 --unit questions",
    "history": "history",
    "looks": "watch --trials 16",
    "costs": "costs --cost a=1 --cost b=2",
    "curve": "curve",
    "changed questions": "questions --between b a",
    "questions": "questions",
    "doctor": "doctor",
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_the_command_line(tmp_path, monkeypatch, command):
    """Logs that name their only task give what logs without a name give, also where they are read as a suite."""
    rng = np.random.default_rng(1)
    rows = [
        {"model": name, "question": f"q{q}", "trial": n, "passed": int(rng.random() < 0.4 + 0.2 * (name == "b"))}
        for name in "ab"
        for q in range(8)
        for n in range(3)
    ]
    name, *options = command.split()
    (tmp_path / "logs").mkdir()
    file = tmp_path / "logs" / "counts-2026-01-31.csv"  # the same path each time: some answers name it

    def written(**more):
        lines = [[*rows[0], *more], *([*row.values(), *more.values()] for row in rows)]
        file.write_text("\n".join(",".join(map(str, line)) for line in lines))
        done = run(name, file.parent, "-q", *options, "--format", "json", code=int(name == "watch"))  # 1: go on
        answer = json.loads(done.stdout)
        answer["settings"].pop("inputs", None)  # the digests of files that differ
        return contents(answer), done.stderr

    alone = written()
    assert written(task=TASK) == alone
    if name in {"score", "rank", "compare"}:
        return  # of a suite they list the tasks too; a single task never comes to them as a suite
    recognise = scorio.io.recognise

    def as_suite(*args, **about):
        reading = recognise(*args, **about)
        return replace(reading, outcomes=Suite({TASK: reading.outcomes}))

    monkeypatch.setattr(scorio.io, "recognise", as_suite)
    assert written(task=TASK) == alone
