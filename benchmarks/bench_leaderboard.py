"""pytest-benchmark: 200 models x 500 questions x 64 trials of int8, three metrics with intervals and ties."""

import numpy as np
import pytest

from scorio import AvgMetric, Leaderboard, PassAtK

METRICS = [PassAtK(1), PassAtK(8), AvgMetric()]


@pytest.fixture(scope="module")
def tensor():
    """Models of every strength on questions of every difficulty."""
    rng = np.random.default_rng(0)
    strength, difficulty = rng.normal(size=(200, 1, 1)), rng.normal(size=(1, 500, 1))
    chance = 1.0 / (1.0 + np.exp(difficulty - strength))
    return (rng.random((200, 500, 64), dtype=np.float32) < chance).astype(np.int8)


@pytest.mark.parametrize("tie", ["zscore_adjacent", "ci_overlap_adjacent", "difference"])
def test_leaderboard(benchmark, tensor, tie):
    board = benchmark(lambda: Leaderboard(METRICS, tensor, tie=tie))
    assert [ranking.ranks.min() for ranking in board.rankings] == [1, 1, 1]


@pytest.mark.parametrize("models", [20, 200])
def test_rank_posterior(benchmark, tensor, models):
    posterior = benchmark(lambda: Leaderboard(PassAtK(1), tensor[:models]).posterior)
    np.testing.assert_allclose(posterior.pmf.sum(axis=0), 1.0, rtol=1e-12)
