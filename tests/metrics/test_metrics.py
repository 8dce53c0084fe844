"""The metric objects: construction, identity, names, short rows, priors, curves."""

import dataclasses
import pickle

import numpy as np
import pytest

import scorio
from helpers.samples import ALL, RAGGED, A, B, each_metric
from scorio import (
    AvgMetric,
    BayesMetric,
    GeoSpectrum,
    GPassTau,
    Interval,
    MaxAtK,
    Metric,
    MGPass,
    OutcomeMatrix,
    ParameterError,
    PassAtK,
    PassHatK,
    VoteAtK,
)
from scorio.metrics import METRICS, BestOfK, GeomAtK, MinAtK, ThresholdSpectrum, WeightedVoteAtK


@each_metric
def test_identity(metric):
    assert eval(repr(metric), vars(scorio) | vars(scorio.metrics)) == metric
    assert Metric.from_string(str(metric)) == metric
    assert len({metric, dataclasses.replace(metric)}) == 1
    assert metric != MaxAtK(k=99)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(metric, dataclasses.fields(metric)[0].name, 3)


@each_metric
def test_scikit_learn_clones_it(metric):
    clone = pytest.importorskip("sklearn.base").clone
    assert clone(metric) == metric
    assert clone(type(metric)(**metric.get_params())) == metric


def test_positional_and_keyword_are_one():
    assert PassAtK(8) == PassAtK(k=8)
    assert BayesMetric(np.array([0, 0.5, 1])) == BayesMetric([0, 0.5, 1]) == BayesMetric((0.0, 0.5, 1.0))
    assert PassAtK(np.int64(3)).k == 3
    assert type(PassAtK(np.int64(3)).k) is int


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        ("pass@8", PassAtK(8)),
        ("pass^8", PassHatK(8)),
        (" GPass@8:tau=.5 ", GPassTau(8, 0.5)),
        ("bayes:w=0,.5,1", BayesMetric((0, 0.5, 1))),
        ("max@3:w=0,1,2", MaxAtK(3, (0, 1, 2))),
        ("geospectrum@4:lambda=.3", GeoSpectrum(4, 0.3)),
        ("geom@4:pass_power=.3:unanimous_power=.7", GeomAtK(4, 0.3, 0.7)),
        ("spectrum@1:w=1", ThresholdSpectrum(1, (1.0,))),
        ("pass_at_8", PassAtK(8)),
        ("pass_hat@8", PassHatK(8)),
        ("accuracy", AvgMetric()),
        ("mean:w=0,2", AvgMetric((0, 2))),
        ("vote@8", VoteAtK(8)),
        ("cons@8", VoteAtK(8)),
        ("vote@8:ties=none", VoteAtK(8, "none")),
        ("best@8:by=reward", BestOfK(8, "reward")),
        ("weighted_vote@4:by=p", WeightedVoteAtK(4, "p")),
        ("worst@3", MinAtK(3)),
        ("min@3", MinAtK(3)),
    ],
)
def test_names(text, metric):
    assert Metric.from_string(text) == metric
    assert Metric.from_string(str(metric)) == metric


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("pas@4", "unknown metric 'pas@4'. Did you mean 'pass@4'"),
        ("nothing@3", "unknown metric 'nothing@3'. Choose from: bayes, avg, max@3, worst@3, pass@3, passhat@3, "),
        ("pass", "needs k"),
        ("gpass@3", "needs tau"),
        ("bayes@3", "no k"),
        ("pass@3:k=4", "pass takes k once"),
        ("gpass@8:tau=.5:tau=.6", "gpass takes tau once"),
        ("bayes:w=0,1:weights=0,2", "bayes takes weights once"),
        ("pass@" + "9" * 5000, "is not a number"),
        ("pass@3:tau=1", "unknown parameter 'tau'"),
        ("gpass@3:tau=high", "not a number"),
        ("pass@-3", "not of the form"),
        ("pass@3:", "not of the form parameter=value"),
        (3, "must be text"),
    ],
)
def test_names_that_are_none(text, words):
    with pytest.raises(scorio.ParameterError, match=words):
        Metric.from_string(text)


def test_registry_names_are_the_classes_own():
    assert {name: metric.name for name, metric in METRICS.items()} == {name: name for name in METRICS}


# Scores of short rows, of each question, and of ragged outcomes.


def test_short_rows_are_named():
    with pytest.raises(ValueError, match="question 'y' has fewer than 3 trials"):
        PassAtK(3).score(RAGGED)
    assert np.isnan(PassAtK(3).per_question(RAGGED, too_few="nan")).tolist() == [False, True, False]
    with pytest.raises(ValueError, match="no question"):
        PassAtK(9).score(RAGGED, too_few="omit")


def test_a_question_without_trials():
    R = OutcomeMatrix([[np.nan, np.nan], [0, 1]], missing="omit")
    with pytest.raises(ValueError, match="question 0"):
        PassAtK(1).score(R)
    with pytest.raises(ValueError, match="question 0"):
        AvgMetric().interval(R, prior="uniform")
    assert PassAtK(1).score(R, too_few="omit") == 0.5
    assert PassAtK(1).interval(R, prior="uniform").mu == 0.5
    assert AvgMetric().interval(R)[:4] == PassAtK(1).interval(R)[:4]
    assert R.completeness == PassAtK(1).interval(R).completeness == 0.5
    assert BayesMetric().score(R) == 0.5


# Intervals.


def test_the_interval_says_how_it_was_made():
    found = PassAtK(2).interval(A, 0.9, prior=(0.5, 2.0), bounds=None)
    assert (found.confidence, found.prior, found.completeness) == (0.9, (0.5, 2.0), 1.0)
    assert pickle.loads(pickle.dumps(found)) == found
    assert pickle.loads(pickle.dumps(found)).prior == (0.5, 2.0)
    assert eval(repr(found), {"Interval": Interval}) == found
    assert found[:2] == (found.mu, found.sigma)
    with pytest.raises(AttributeError, match="cannot assign"):
        found.mu = 3
    with pytest.raises(AttributeError, match="cannot assign"):
        found.confidence = 3


def test_priors_by_name():
    assert PassAtK(3).interval(A, prior="jeffreys")[:] == PassAtK(3).interval(A, prior=(0.5, 0.5))[:]
    assert MaxAtK(3, (0, 0.5, 1)).interval(B, prior="uniform")[:] == MaxAtK(3, (0, 0.5, 1)).interval(B, prior=(1, 1))[:]
    dirichlet = BayesMetric((0, 0.5, 1)).interval(B, prior=(0.5, 0.5, 0.5))
    assert dirichlet[:] == BayesMetric((0, 0.5, 1)).interval(B, prior="jeffreys")[:]
    pair = BayesMetric().interval(A, prior=(2.0, 0.5))
    assert pair[:] == pytest.approx(PassAtK(1).interval(A, prior=(2.0, 0.5))[:], rel=1e-13)


def test_prior_outcomes_are_counted_in_wherever_a_posterior_is():
    R = OutcomeMatrix([[0, 1, 1], [1, 1, 1]], prior=[[1, 0], [1, 1]])
    both = OutcomeMatrix([[0, 1, 1, 1, 0], [1, 1, 1, 1, 1]])
    for metric in (PassAtK(2), MGPass(4), GeomAtK(2), GeoSpectrum(2), MaxAtK(3), BayesMetric()):
        assert metric.interval(R)[:] == metric.interval(both)[:]
    assert PassAtK(2).score(R) == PassAtK(2).score([[0, 1, 1], [1, 1, 1]])
    for prior in ("uniform", "learned"):
        plain = AvgMetric().interval([[0, 1, 1], [1, 1, 1]], prior=prior)
        assert AvgMetric().interval(R, prior=prior)[:] == plain[:]


def test_rewards_are_the_default_weights():
    R = OutcomeMatrix.from_rewards([[0.2, 1.0, 0.2], [0.75, 1.0, 1.0]])
    assert AvgMetric().score(R) == pytest.approx(np.mean([[0.2, 1.0, 0.2], [0.75, 1.0, 1.0]]), rel=1e-15)
    assert MaxAtK(3).score(R) == 1.0
    assert MaxAtK(1).support(R) == (0.0, 1.0)  # no reward below .2 was seen, but there may be some
    assert MaxAtK(1, weights=R.levels).support(R) == (0.2, 1.0)


# Curves.


@each_metric
def test_curves(metric):
    if metric.draw_size is None:
        with pytest.raises(TypeError, match="no budget"):
            metric.curve(A)
    elif not isinstance(metric, ThresholdSpectrum) and getattr(metric, "weights", None) is None:
        truth = [dataclasses.replace(metric, k=k).score(A) for k in range(1, 6)]
        np.testing.assert_allclose(metric.curve(A), truth, rtol=1e-13)
        np.testing.assert_allclose(metric.curve(A, [5, 2, 2]), [truth[4], truth[1], truth[1]], rtol=1e-13)
        with pytest.raises(ValueError, match="N is 5; .* has an interval but no score"):
            metric.curve(A, [6])
        with pytest.raises(ValueError, match="k must be"):
            metric.curve(A, [0])


@pytest.mark.parametrize("metric", [PassAtK(1), PassHatK(1)], ids=str)
def test_a_curve_checks_what_it_is_asked(metric):
    with pytest.raises(ParameterError, match="ks must be a list of budgets k; got 3"):
        metric.curve(A, 3)
    with pytest.raises(ParameterError, match="unknown too_few 'drop'"):
        metric.curve(A, [1, 2], too_few="drop")


# Covariances.


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
