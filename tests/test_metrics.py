"""The metric objects: construction, identity, names, short rows, priors, covariances, curves, subclasses."""

import copy
import dataclasses
import pickle
from fractions import Fraction

import numpy as np
import pytest

import scorio
from oracles import posterior as exact
from scorio import (
    METRICS,
    AucAtK,
    AvgMetric,
    BayesMetric,
    CountMetric,
    GeomAtK,
    GeomDsAtK,
    GeoSpectrum,
    GPassTau,
    Interval,
    MajAtK,
    MaxAtK,
    Metric,
    MGPass,
    Moments,
    OutcomeMatrix,
    PassAtK,
    PassHatK,
    Rubric,
    ThresholdSpectrum,
)

A = OutcomeMatrix([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]])
B = OutcomeMatrix([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]])
RAGGED = OutcomeMatrix([[0, 1, 1, 0, 1], [1, 1], [0, 0, 1]], questions=["x", "y", "z"])
ALL = [
    BayesMetric(),
    BayesMetric(weights=(0.0, 0.5)),
    AvgMetric(),
    PassAtK(k=2),
    PassHatK(k=2),
    GPassTau(k=2, tau=0.5),
    MGPass(k=2),
    MajAtK(k=2),
    AucAtK(k=2),
    MaxAtK(k=2),
    MaxAtK(k=2, weights=(1.0, 0.0)),
    ThresholdSpectrum(k=2, weights=(0.25, 0.5)),
    GeomAtK(k=2),
    GeomDsAtK(k=2, pass_power=0.25),
    GeoSpectrum(k=2),
    GeoSpectrum(k=2, lam=0.25, weights=(0.25, 0.5)),
]
each_metric = pytest.mark.parametrize("metric", ALL, ids=str)


@each_metric
def test_identity(metric):
    assert eval(repr(metric), vars(scorio)) == metric
    assert Metric.from_string(str(metric)) == metric
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert copy.deepcopy(metric) == metric
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
    ("make", "words"),
    [
        (lambda: PassAtK(0), "k must be an integer, at least 1; got 0"),
        (lambda: PassAtK(1.0), "k must be"),
        (lambda: PassAtK(True), "k must be"),
        (lambda: PassAtK("2"), "k must be"),
        (lambda: GPassTau(2, -0.1), "tau must be a number in"),
        (lambda: GPassTau(2, float("nan")), "tau"),
        (lambda: ThresholdSpectrum(2, (0.5, 0.6)), "weights must be"),
        (lambda: ThresholdSpectrum(2, (0.5,)), "k = 2"),
        (lambda: GeoSpectrum(3, 0.5, (0.5,)), "k = 3"),
        (lambda: GeomAtK(2, -1), "pass_power"),
        (lambda: BayesMetric((1.0,)), "weights must be"),
        (lambda: BayesMetric("01"), "weights must be"),
        (lambda: MaxAtK(2, (0, float("inf"))), "weights must be"),
    ],
)
def test_parameters_are_checked_at_construction(make, words):
    with pytest.raises(scorio.ParameterError, match=words):
        make()


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
    ],
)
def test_names(text, metric):
    assert Metric.from_string(text) == metric


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nothing@3", "names no metric"),
        ("pass", "needs k"),
        ("gpass@3", "needs tau"),
        ("bayes@3", "no k"),
        ("pass@3:k=4", "k once"),
        ("pass@3:tau=1", "not one of"),
        ("gpass@3:tau=high", "not a number"),
        ("pass@-3", "not of the form"),
        ("pass@3:", "not one of"),
        (3, "must be text"),
    ],
)
def test_names_that_are_none(text, words):
    with pytest.raises(scorio.ParameterError, match=words):
        Metric.from_string(text)


def test_registry_names_are_the_classes_own():
    assert {name: metric.name for name, metric in METRICS.items()} == {name: name for name in METRICS}


# Scores of short rows, of each question, and of ragged banks.


@each_metric
def test_short_rows(metric):
    if metric.needs < 2:
        return
    longer = type(metric)(**metric.get_params() | {"k": 3}) if not getattr(metric, "weights", None) else None
    if longer is None:
        return
    with pytest.raises(ValueError, match=r"N=2.*'y'"):
        longer.score(RAGGED)
    assert np.isnan(longer.score(RAGGED, short="nan"))
    assert longer.score(RAGGED, short="omit") == longer.score(RAGGED.select(["x", "z"]))
    of_each = longer.per_question(RAGGED, short="nan")
    assert np.isnan(of_each).tolist() == [False, True, False]
    assert of_each[0] == pytest.approx(longer.score(RAGGED.select(["x"])), rel=1e-14)
    with pytest.raises(ValueError, match="short"):
        longer.score(RAGGED, short="drop")
    with pytest.raises(ValueError, match="no question"):
        type(metric)(**metric.get_params() | {"k": 9}).score(RAGGED, short="omit")
    assert np.isfinite(longer.interval(RAGGED)).all()


@each_metric
def test_each_question_alone_and_their_mean(metric):
    alone = [metric.score(RAGGED.select([name])) for name in "xyz"]
    np.testing.assert_allclose(metric.per_question(RAGGED), alone, rtol=1e-14)
    mean, variance = metric.moments(RAGGED)
    assert isinstance(metric.moments(RAGGED), Moments)
    found = [metric.interval(RAGGED.select([name])) for name in "xyz"]
    np.testing.assert_allclose(mean, [each.mu for each in found], rtol=1e-13)
    np.testing.assert_allclose(variance, [each.sigma**2 for each in found], rtol=1e-12)
    if metric.additive:
        assert metric.score(RAGGED) == pytest.approx(np.mean(alone), rel=1e-14)
        assert metric.interval(RAGGED).mu == pytest.approx(mean.mean(), rel=1e-14)
        assert metric.interval(RAGGED).sigma == pytest.approx(np.sqrt(variance.sum()) / 3, rel=1e-13)


def test_a_question_without_trials():
    R = OutcomeMatrix([[np.nan, np.nan], [0, 1]], missing="omit")
    with pytest.raises(ValueError, match="question 0"):
        PassAtK(1).score(R)
    with pytest.raises(ValueError, match="question 0"):
        AvgMetric().interval(R)
    assert PassAtK(1).score(R, short="omit") == 0.5
    assert PassAtK(1).interval(R).mu == 0.5
    assert R.coverage == PassAtK(1).interval(R).coverage == 0.5
    assert BayesMetric().score(R) == 0.5


# Intervals.


@each_metric
def test_any_budget_has_an_interval(metric):
    if hasattr(metric, "k") and getattr(metric, "weights", None) is None:
        found = dataclasses.replace(metric, k=50).interval(A)
        assert isinstance(found, Interval)
        assert 0 <= found.lo <= found.mu <= found.hi <= 1


def test_the_interval_says_how_it_was_made():
    found = PassAtK(2).interval(A, 0.9, prior=(0.5, 2.0), bounds=None)
    assert (found.confidence, found.prior, found.coverage) == (0.9, (0.5, 2.0), 1.0)
    assert pickle.loads(pickle.dumps(found)) == found
    assert pickle.loads(pickle.dumps(found)).prior == (0.5, 2.0)
    assert eval(repr(found), {"Interval": Interval}) == found
    assert found[:2] == (found.mu, found.sigma)
    with pytest.raises(AttributeError, match="immutable"):
        found.mu = 3
    with pytest.raises(AttributeError, match="immutable"):
        found.confidence = 3


def test_priors_by_name():
    assert PassAtK(3).interval(A, prior="jeffreys")[:] == PassAtK(3).interval(A, prior=(0.5, 0.5))[:]
    assert MaxAtK(3, (0, 0.5, 1)).interval(B, prior="uniform")[:] == MaxAtK(3, (0, 0.5, 1)).interval(B)[:]
    dirichlet = BayesMetric((0, 0.5, 1)).interval(B, prior=(0.5, 0.5, 0.5))
    assert dirichlet[:] == BayesMetric((0, 0.5, 1)).interval(B, prior="jeffreys")[:]
    pair = BayesMetric().interval(A, prior=(2.0, 0.5))
    assert pair[:] == pytest.approx(PassAtK(1).interval(A, prior=(2.0, 0.5))[:], rel=1e-13)
    for bad in ((1.0,), (1.0, 2.0, 3.0), (0.0, 1.0), "flat", (True, 1.0), 3, (1.0, float("nan"))):
        with pytest.raises(ValueError, match="prior|alpha0|beta0"):
            PassAtK(2).interval(A, prior=bad)
    with pytest.raises(ValueError, match="3 categories"):
        BayesMetric((0, 0.5, 1)).interval(B, prior=(0.5, 0.5))


def test_prior_outcomes_are_counted_in_wherever_a_posterior_is():
    R = OutcomeMatrix([[0, 1, 1], [1, 1, 1]], prior=[[1, 0], [1, 1]])
    both = OutcomeMatrix([[0, 1, 1, 1, 0], [1, 1, 1, 1, 1]])
    for metric in (PassAtK(2), MGPass(4), GeomAtK(2), GeoSpectrum(2), MaxAtK(3), BayesMetric()):
        assert metric.interval(R)[:] == metric.interval(both)[:]
    assert PassAtK(2).score(R) == PassAtK(2).score([[0, 1, 1], [1, 1, 1]])
    assert AvgMetric().interval(R)[:] == AvgMetric().interval([[0, 1, 1], [1, 1, 1]])[:]


def test_rewards_are_the_default_weights():
    R = OutcomeMatrix.from_rewards([[0.2, 1.0, 0.2], [0.75, 1.0, 1.0]])
    assert AvgMetric().score(R) == pytest.approx(np.mean([[0.2, 1.0, 0.2], [0.75, 1.0, 1.0]]), rel=1e-15)
    assert MaxAtK(3).score(R) == 1.0
    assert MaxAtK(1).range(R) == (0.2, 1.0)


# Covariances.

COUNT = [PassAtK(1), PassAtK(3), PassHatK(3), PassHatK(5), MajAtK(4), MGPass(3), AucAtK(6), GPassTau(7, 0.3)]


@each_metric
def test_covariance_with_itself(metric):
    for R in (A, RAGGED):
        assert metric.cov(metric, R) == pytest.approx(metric.interval(R).sigma ** 2, rel=1e-12)


@pytest.mark.parametrize("y", COUNT, ids=str)
@pytest.mark.parametrize("x", COUNT, ids=str)
def test_covariances_of_different_budgets(x, y):
    k = max(x.k, y.k)

    def lifted(metric):
        worth = [Fraction(value).limit_denominator(10**6) for value in metric.credit()]
        from oracles.bank import score

        return tuple(score(worth, k, j) for j in range(k + 1))

    truth = sum(exact.covariance(lifted(x), lifted(y), 1 + c, 1 + 5 - c) for c in (3, 4)) / 4
    assert x.cov(y, A) == pytest.approx(float(truth), rel=1e-12)
    assert y.cov(x, A) == pytest.approx(float(truth), rel=1e-12)


@pytest.mark.parametrize("x", ALL, ids=str)
@pytest.mark.parametrize("y", ALL, ids=str)
def test_covariances_make_a_joint_law(x, y):
    bound = x.interval(A).sigma * y.interval(A).sigma
    assert abs(x.cov(y, A)) <= bound * (1 + 1e-9)
    assert x.cov(y, A) == pytest.approx(y.cov(x, A), rel=1e-9, abs=1e-15)


def test_covariance_is_bilinear_where_metrics_are_linear():
    assert BayesMetric((1, 3)).cov(PassAtK(4), A) == pytest.approx(2 * PassAtK(1).cov(PassAtK(4), A), rel=1e-12)
    assert MaxAtK(3, (1, 0)).cov(PassAtK(1), A) == pytest.approx(-PassHatK(3).cov(PassAtK(1), A), rel=1e-12)
    stretched = AvgMetric().cov(PassAtK(2), A)
    assert stretched == pytest.approx(7 / 5 * BayesMetric().cov(PassAtK(2), A), rel=1e-12)


def test_what_has_no_joint_law_says_so():
    @dataclasses.dataclass(frozen=True)
    class Own(Metric):
        def per_question(self, R, *, short="raise"):
            return PassAtK(1).per_question(R)

        def moments(self, R, *, prior=(1.0, 1.0)):
            return PassAtK(1).moments(R, prior=prior)

    with pytest.raises(TypeError, match="no joint posterior"):
        PassAtK(2).cov(Own(), A)
    with pytest.raises(TypeError, match="no joint posterior"):
        Own().cov(PassAtK(2), A)
    with pytest.raises(TypeError, match="order the categories differently"):
        MaxAtK(2, (0, 0.5, 1)).cov(MaxAtK(2, (0.5, 0, 1)), B)


# Curves.


@each_metric
def test_curves(metric):
    if not hasattr(metric, "k"):
        with pytest.raises(TypeError, match="no budget"):
            metric.curve(A)
    elif not isinstance(metric, ThresholdSpectrum) and getattr(metric, "weights", None) is None:
        truth = [dataclasses.replace(metric, k=k).score(A) for k in range(1, 6)]
        np.testing.assert_allclose(metric.curve(A), truth, rtol=1e-13)
        np.testing.assert_allclose(metric.curve(A, [5, 2, 2]), [truth[4], truth[1], truth[1]], rtol=1e-13)
        with pytest.raises(ValueError, match="1 <= k <= N"):
            metric.curve(A, [6])
        with pytest.raises(ValueError, match="k must be"):
            metric.curve(A, [0])


# Subclasses.


@dataclasses.dataclass(frozen=True)
class AtLeast(CountMetric):
    hits: int = scorio.param(scorio.params.positive, default=2)

    def credit(self):
        return np.arange(self.k + 1) >= self.hits


def test_a_count_metric_needs_only_its_credit():
    metric = AtLeast(k=3)
    built_in = GPassTau(k=3, tau=0.5)
    assert metric.score(A) == pytest.approx(built_in.score(A), rel=1e-14)
    assert metric.interval(A)[:] == pytest.approx(built_in.interval(A)[:], rel=1e-13)
    assert metric.cov(PassAtK(5), A) == pytest.approx(built_in.cov(PassAtK(5), A), rel=1e-12)
    assert repr(metric) == "AtLeast(k=3, hits=2)"
    assert metric.curve(A)[0] == 0.0
    with pytest.raises(scorio.ParameterError, match="hits must be a positive number; got -1"):
        AtLeast(k=3, hits=-1)


@pytest.mark.parametrize("credit", [[0, 1], [0, 1, float("nan"), 1], "no", [[0, 1, 1, 1]]])
def test_a_credit_that_is_none(credit):
    class Wrong(CountMetric):
        def credit(self):
            return credit

    with pytest.raises(ValueError):
        Wrong(3).score(A)


class Efficient(Rubric):
    levels = {"wrong, long": 0.0, "wrong": 0.2, "correct, long": 0.75, "correct": 1.0}

    def classify(self, correct, token_ratio):
        return ("correct" if correct else "wrong") + (", long" if token_ratio > 1 else "")


class Vectorized(Efficient):
    vectorized = True

    def classify(self, correct, token_ratio):
        return np.char.add(np.where(correct, "correct", "wrong"), np.where(token_ratio > 1, ", long", ""))


@pytest.mark.parametrize("rubric", [Efficient(), Vectorized()], ids=repr)
def test_rubrics(rubric):
    correct, ratio = np.array([[1, 1, 0], [0, 1, 1]]), np.array([[0.5, 1.5, 2.0], [0.5, 1.0, 1.1]])
    R = rubric.outcomes(correct=correct, token_ratio=ratio)
    assert R == rubric.outcomes(correct, ratio)
    assert R.counts.tolist() == [[1, 0, 1, 1], [0, 1, 1, 1]]
    assert BayesMetric(rubric).interval(R)[:] == BayesMetric((0, 0.2, 0.75, 1)).interval(R)[:]
    assert MaxAtK(2, rubric).score(R) == MaxAtK(2, (0, 0.2, 0.75, 1)).score(R)
    assert BayesMetric(rubric) == BayesMetric(type(rubric)())
    assert eval(repr(BayesMetric(rubric)), {**vars(scorio), **globals()}) == BayesMetric(rubric)
    with pytest.raises(ValueError, match="'maybe' at"):
        rubric.encode([["correct", "maybe"]])


def test_a_rubric_needs_levels():
    with pytest.raises(ValueError, match="levels"):
        Rubric()
