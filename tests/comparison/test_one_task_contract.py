"""A suite of one task gives what the task gives: the same numbers, to the last bit, from every function."""

import json

import numpy as np
import pytest

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
    for options in ({}, {"prior": "uniform", "shape": "normal"}, {"rule": "published"}, {"paired": False}):
        about = options | {"target": target, "names": ("A", "B")}
        whole, alone = (compare(metric, *pair, **about) for pair in (sides, [models["a"], models["b"]]))
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
