"""pytest-benchmark: every score and interval on raw arrays, named by (M, N, k), leaderboards and convergence."""

import numpy as np
import pytest
from cases import SHAPES, metrics, outcomes

import scorio
from scorio import Leaderboard, simulate
from scorio.curves import analyze_convergence

NAMES = list(metrics(2))


@pytest.fixture(scope="module", params=SHAPES)
def case(request):
    questions, trials, k = SHAPES[request.param]
    return outcomes(questions, trials), metrics(k)


@pytest.mark.parametrize("name", NAMES)
def test_score(benchmark, case, name):
    R, of_k = case
    metric, _ = of_k[name]
    assert 0.0 <= benchmark(metric.score, R) <= 1.0


@pytest.mark.filterwarnings("ignore::scorio.errors.BiasWarning")  # what geom says of a prior that is given
@pytest.mark.parametrize("name", NAMES)
def test_interval(benchmark, case, name):
    R, of_k = case
    metric, _ = of_k[name]
    assert benchmark(metric.interval, R, prior="uniform").sigma > 0.0


@pytest.mark.parametrize("dtype", ["int64", "int8", "bool"])
@pytest.mark.parametrize("shape", SHAPES)
def test_counting(benchmark, shape, dtype):
    questions, trials, _ = SHAPES[shape]
    R = outcomes(questions, trials, dtype)
    assert benchmark(lambda: scorio.OutcomeMatrix(R).states).n_questions == questions


@pytest.fixture(scope="module")
def tensor():
    """Models of every strength on questions of every difficulty."""
    rng = np.random.default_rng(0)
    strength, difficulty = rng.normal(size=(200, 1, 1)), rng.normal(size=(1, 500, 1))
    chance = 1.0 / (1.0 + np.exp(difficulty - strength))
    return (rng.random((200, 500, 64), dtype=np.float32) < chance).astype(np.int8)


def test_leaderboard(benchmark, tensor):
    board = benchmark(lambda: Leaderboard(["pass@1", "pass@8", "avg"], tensor))
    assert [ranking.ranks.min() for ranking in board.rankings] == [1, 1, 1]


@pytest.mark.parametrize("models", [20, 200])
def test_rank_posterior(benchmark, tensor, models):
    best = benchmark(lambda: Leaderboard("pass@1", tensor[:models]).posterior.best)
    assert best.sum() == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_convergence(benchmark, n_jobs):
    trials = simulate.coins(simulate.rates(20, 120, rng=0), 80, rng=1).trials
    found = benchmark(lambda: analyze_convergence(("avg", "pass@2"), trials, replicates=320, rng=0, n_jobs=n_jobs))
    assert [each.tau.shape for each in found.values()] == [(320, 80)] * 2
