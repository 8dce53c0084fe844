"""Rewards other than 0 and 1: for metrics of rewards, refused by metrics of right or wrong."""

import pytest

from scorio import (
    AvgMetric,
    BayesMetric,
    GeomAtK,
    GeomDsAtK,
    MaxAtK,
    MGPass,
    OutcomeError,
    OutcomeMatrix,
    PassAtK,
)


@pytest.mark.parametrize("rewards", [[[0.5, 0.5]], [[0, 0.5]], [[-1, 1]], [[0, 0.5, 1]]], ids=str)
@pytest.mark.parametrize("metric", [PassAtK(1), MGPass(1), GeomAtK(1), GeomDsAtK(1)], ids=str)
def test_rewards_other_than_0_and_1_are_neither_right_nor_wrong(rewards, metric):
    R = OutcomeMatrix.from_rewards(rewards)
    assert not R.is_right_or_wrong
    assert "binary" not in repr(R)
    for ask in (metric.score, metric.interval, metric.per_question, metric.moments, metric.curve):
        with pytest.raises(OutcomeError, match="right or wrong is needed here, and these are rewards of"):
            ask(R)
    for own in (BayesMetric(), AvgMetric(), MaxAtK(1)):
        assert own.interval(R, prior="eb", method="quantile").mu == pytest.approx(own.interval(R, prior="eb").mu)


def test_rewards_of_0_and_1_are_right_or_wrong():
    assert PassAtK(1).score(OutcomeMatrix.from_rewards([[0.0, 1.0]])) == 0.5
