"""pytest-benchmark: every score and interval on raw arrays, named by (M, N, k)."""

import pytest
from cases import SHAPES, metrics, outcomes

import scorio

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
    assert benchmark(lambda: scorio.OutcomeMatrix(R)._states).n_questions == questions
