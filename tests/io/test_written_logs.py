"""Outcomes written as logs of other tools: what was read reads back the same."""

import numpy as np

from scorio import OutcomeMatrix, OutcomeSet, read
from scorio.io import write_inspect

NAMES = ["q1", "007", "7", "NA", "a/b", "é\n", "1e3"]


def model(rows, names=NAMES, clusters=None):
    return OutcomeMatrix.from_rewards(rows, questions=names[: len(rows)], clusters=clusters, missing="omit")


def test_continuous_rewards(tmp_path):
    rewards = np.random.default_rng(0).normal(size=(4, 30)).tolist()
    outcomes = OutcomeSet({"m": model(rewards), "other": model([row[:7] for row in rewards])})
    write_inspect(tmp_path, outcomes)
    assert read(tmp_path) == outcomes
