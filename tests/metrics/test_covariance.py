"""Covariances of metrics: exact for different budgets, a joint law, refused where there is none."""

import dataclasses
from fractions import Fraction

import pytest

from helpers.samples import ALL, A, B
from oracles import posterior as exact
from oracles.finite_scores import score
from scorio import AvgMetric, BayesMetric, GPassTau, MajAtK, MaxAtK, Metric, MGPass, PassAtK, PassHatK
from scorio.metrics import AucAtK

COUNT = [PassAtK(1), PassAtK(3), PassHatK(3), PassHatK(5), MajAtK(4), MGPass(3), AucAtK(6), GPassTau(7, 0.3)]


@pytest.mark.parametrize("y", COUNT, ids=str)
@pytest.mark.parametrize("x", COUNT, ids=str)
def test_covariances_of_different_budgets(x, y):
    k = max(x.k, y.k)

    def to_budget(metric):
        worth = [Fraction(value).limit_denominator(10**6) for value in metric.credit()]
        return tuple(score(worth, k, j) for j in range(k + 1))

    truth = sum(exact.covariance(to_budget(x), to_budget(y), 1 + c, 1 + 5 - c) for c in (3, 4)) / 4
    assert x.cov(y, A) == pytest.approx(float(truth), rel=1e-12)
    assert y.cov(x, A) == pytest.approx(float(truth), rel=1e-12)


@pytest.mark.parametrize("x", ALL, ids=str)
@pytest.mark.parametrize("y", ALL, ids=str)
def test_covariances_make_a_joint_law(x, y):
    bound = x.interval(A, prior="uniform").sigma * y.interval(A, prior="uniform").sigma
    assert abs(x.cov(y, A)) <= bound * (1 + 1e-9)
    assert x.cov(y, A) == pytest.approx(y.cov(x, A), rel=1e-9, abs=1e-15)


def test_covariance_is_bilinear_where_metrics_are_linear():
    assert BayesMetric((1, 3)).cov(PassAtK(4), A) == pytest.approx(2 * PassAtK(1).cov(PassAtK(4), A), rel=1e-12)
    assert MaxAtK(3, (1, 0)).cov(PassAtK(1), A) == pytest.approx(-PassHatK(3).cov(PassAtK(1), A), rel=1e-12)
    stretched = AvgMetric().cov(PassAtK(2), A)
    assert stretched == pytest.approx(7 / 5 * BayesMetric().cov(PassAtK(2), A), rel=1e-12)


def test_unknown_covariances_raise():
    @dataclasses.dataclass(frozen=True)
    class Own(Metric):
        def per_question(self, R, *, too_few="raise"):
            return PassAtK(1).per_question(R)

        def moments(self, R, *, prior=(1.0, 1.0)):
            return PassAtK(1).moments(R, prior=prior)

    with pytest.raises(TypeError, match="the covariance of .* is not known"):
        PassAtK(2).cov(Own(), A)
    with pytest.raises(TypeError, match="the covariance of .* is not known"):
        Own().cov(PassAtK(2), A)
    with pytest.raises(TypeError, match="not known where rewards are not binary"):
        MaxAtK(2, (0, 0.5, 1)).cov(BayesMetric((0, 0.5, 1)), B)
