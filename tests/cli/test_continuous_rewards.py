"""The command line on logs of continuous rewards."""

import json

import numpy as np
import pytest

pytest.importorskip("click")

from helpers.command import rows, run
from scorio import AvgMetric, RewardMatrix, read

SCORES = np.random.default_rng(0).normal(size=(20, 4)).round(6)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "judge.csv"
    cells = [f"q{a:02},{t},{score}\n" for a, row in enumerate(SCORES.tolist()) for t, score in enumerate(row)]
    path.write_text("question,trial,score\n" + "".join(cells))
    return path


def test_score_and_rank(table):
    found = read(table)["judge"]
    assert found == RewardMatrix(SCORES, questions=[f"q{a:02}" for a in range(20)])
    interval = AvgMetric().interval(found, prior="learned", shape="quantile")
    [row] = rows("score", table, "-m", "avg", "-q")
    assert (row["score"], row["lo"], row["hi"]) == pytest.approx((SCORES.mean(), interval.lo, interval.hi))
    assert "from the mean and spread of continuous rewards" in run("score", table, "-m", "avg").output
    assert "continuous rewards" in run("rank", table, "-m", "max@2").output


def test_missing_rewards_fail_at_zero_or_the_lowest(table):
    text = table.read_text() + "q00,9,\n"
    table.write_text(text)
    assert read(table)["judge"].completeness == 80 / 81
    failed = read(table, missing="fail")["judge"]
    assert failed.means[0] == pytest.approx((SCORES[0].sum() + SCORES.min()) / 5)


def test_convert_and_read_back(table, tmp_path):
    target = tmp_path / "plain.csv"
    run("convert", table, "-o", target)
    assert read(target)["judge"] == read(table)["judge"]
    lines = run("convert", table, "-q", "--format", "jsonl").stdout.splitlines()
    assert sorted(json.loads(line)["outcome"] for line in lines[:4]) == sorted(SCORES[0].tolist())


def test_metrics_that_count_say_what_to_do(table):
    message = run("score", table, "-m", "pass@2", code=2).stderr
    assert "continuous rewards: use avg, bayes or max@k" in message
