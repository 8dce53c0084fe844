"""Rewards other than 0 and 1: for metrics of rewards, refused by metrics of right or wrong."""

import numpy as np
import pytest

from scorio import AvgMetric, BayesMetric, MaxAtK, MGPass, OutcomeError, OutcomeMatrix, ParameterError, PassAtK
from scorio.metrics import GeomAtK, GeomDsAtK


@pytest.mark.parametrize("rewards", [[[0.5, 0.5]], [[0, 0.5]], [[-1, 1]], [[0, 0.5, 1]]], ids=str)
@pytest.mark.parametrize("metric", [PassAtK(1), MGPass(1), GeomAtK(1), GeomDsAtK(1)], ids=str)
def test_rewards_other_than_0_and_1_are_neither_right_nor_wrong(rewards, metric):
    R = OutcomeMatrix.from_rewards(rewards)
    assert not R.is_pass_fail
    assert "binary" not in repr(R)
    for ask in (metric.score, metric.interval, metric.per_question, metric.moments, metric.curve):
        with pytest.raises(OutcomeError, match="right or wrong is needed here, and these are rewards of"):
            ask(R)
    for own in (BayesMetric(), AvgMetric(), MaxAtK(1)):
        assert own.interval(R, prior="learned", shape="quantile").mu == pytest.approx(
            own.interval(R, prior="learned").mu
        )


def test_rewards_whose_squares_overflow_are_refused():
    for make in (BayesMetric, lambda weights: MaxAtK(2, weights)):
        with pytest.raises(ParameterError, match=r"the largest between 1e-100 and 1e\+100"):
            make((0, 1e308))
    with pytest.raises(OutcomeError, match=r"values has a reward of -1e\+308; the largest there may be is 1e\+100"):
        OutcomeMatrix.from_rewards([[-1e308, 1.0]])
    with pytest.raises(OutcomeError, match=r"levels has a reward of 1e\+101"):
        OutcomeMatrix.from_counts([[1, 2]], levels=(0, 1e101))


@pytest.mark.parametrize("size", [1e100, 1e-100])
@pytest.mark.parametrize("shape", ["normal", "quantile"])
@pytest.mark.parametrize("prior", [(1, 1), "learned"], ids=str)
def test_intervals_scale_with_the_rewards(size, shape, prior):
    plain, scaled = (
        BayesMetric((0, 0.5 * each, each)).interval([[0, 1, 2], [2, 2, 1]], shape=shape, prior=prior)
        for each in (1.0, size)
    )
    assert np.array(scaled) / size == pytest.approx(np.array(plain), rel=1e-9)


def test_quantiles_of_tiny_weights_are_those_of_the_unit():
    tiny, unit = (BayesMetric((0, width)).interval([[0, 1]], shape="quantile") for width in (1e-100, 1.0))
    assert np.array(tiny) / 1e-100 == pytest.approx(np.array(unit), rel=1e-9)
