"""The command line on logs of continuous rewards."""

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
