"""The contract suite passes the package's own metrics and catches broken ones."""

from dataclasses import dataclass

import numpy as np
import pytest

from helpers.samples import ALL
from scorio import (
    AvgMetric,
    BayesMetric,
    CountMetric,
    GeoSpectrum,
    GPassTau,
    MajAtK,
    MaxAtK,
    Metric,
    MGPass,
    PassAtK,
    PassHatK,
    Rubric,
    VoteAtK,
)
from scorio.metrics import (
    METRICS,
    AgreementAtK,
    AucAtK,
    BestOfK,
    GeomAtK,
    GeomDsAtK,
    MinAtK,
    Moments,
    ThresholdSpectrum,
    WeightedVoteAtK,
)
from scorio.outcomes import as_outcomes
from scorio.params import open_unit
from scorio.testing import check_metric

OWN = [
    *ALL,
    BayesMetric((1.0, -2.0, 0.5, 0.5)),
    AvgMetric((0, 0.2, 1.5)),
    *(metric(k) for metric in (PassAtK, MGPass, AucAtK, MaxAtK, GeoSpectrum, MinAtK, VoteAtK, BestOfK) for k in (1, 4)),
    *(PassHatK(4), GPassTau(5, 0.5), MajAtK(3), AgreementAtK(3), WeightedVoteAtK(3)),
    *(kind(*of) for kind in (MaxAtK, MinAtK) for of in ((3, (0, 0.5, 1)), (2, (1.0, -1.0, 0.5)))),
    ThresholdSpectrum(3, (0.2, 0.3, 0.5)),
    GeomAtK(3, 0.0, 2.0),
    GeomDsAtK(2, 0.3, 0.7),
    GeoSpectrum(3, 0.2, (0.2, 0.3, 0.4)),
    VoteAtK(4, "none"),
    BestOfK(3, "score"),
]


@pytest.mark.filterwarnings("ignore:.*expanded to first order")
@pytest.mark.filterwarnings("ignore:.*of the trials at hand has a bias")
@pytest.mark.parametrize("metric", OWN, ids=str)
def test_own_metrics_keep_the_contract(metric):
    check_metric(metric, rng=3)


def test_every_registered_metric_is_checked():
    assert {type(metric) for metric in OWN} == set(METRICS.values())


class Graded(Rubric):
    levels = {"no": 0.0, "partly": 0.4, "yes": 1.0}

    def classify(self, points):
        return "yes" if points > 9 else "partly" if points > 4 else "no"


@pytest.mark.parametrize("metric", [BayesMetric(Graded()), MaxAtK(2, Graded()), AvgMetric(Graded())], ids=repr)
def test_rubrics_keep_it_too(metric):
    check_metric(metric)


@dataclass(frozen=True)
class ExactlyOne(CountMetric):
    def credit(self):
        return np.arange(self.k + 1) == 1


def test_a_credit_that_falls_keeps_it():
    check_metric(ExactlyOne(4))


@dataclass(frozen=True)
class Base(Metric):
    """Right in everything: the rate of success."""

    def per_question(self, R, *, too_few="raise"):
        return PassAtK(1).per_question(R, too_few=too_few)

    def moments(self, R, *, prior=(1.0, 1.0)):
        return PassAtK(1).moments(R, prior=prior)


class Wanders(Base):
    def score(self, R, *, too_few="raise"):
        return super().score(R, too_few=too_few) + 1e-6 * np.random.default_rng().random()


class OutOfRange(Base):
    def per_question(self, R, *, too_few="raise"):
        return super().per_question(R, too_few=too_few) + 1.0


class Ordered(Base):
    def per_question(self, R, *, too_few="raise"):
        found = super().per_question(R, too_few=too_few)
        return found * np.linspace(0.5, 1.0, len(found))


class NoisyVariance(Base):
    def moments(self, R, *, prior=(1.0, 1.0)):
        mean, variance = super().moments(R, prior=prior)
        return Moments(mean, variance * len(mean))


class NeverLearns(Base):
    def moments(self, R, *, prior=(1.0, 1.0)):
        mean = np.full(as_outcomes(R).n_questions, 0.5)
        return Moments(mean, mean / 100)


class WrongCovariance(Base):
    def cov(self, other, R, *, prior=(1.0, 1.0)):
        return 1.0


class Swallows(Base):
    def interval(self, R, confidence=0.95, *, prior=(1.0, 1.0), bounds="support"):
        return super().interval(R, min(confidence, 0.99), prior=prior, bounds=bounds)


@dataclass(frozen=True)
class Tamed(CountMetric):
    def credit(self):
        return np.arange(self.k + 1) / self.k


class Flat(Tamed):
    def curve(self, R, ks=None, *, too_few="raise"):
        return np.zeros(len(ks))


class OneConfidence(Base):
    def interval(self, R, confidence=0.95, **options):
        open_unit("confidence", confidence)
        return super().interval(R, **options)


class Shortsighted(Base):
    required_trials = 3


BROKEN = {
    Wanders: "bit for bit",
    OutOfRange: "lie within the metric's range",
    Ordered: "order of questions",
    NoisyVariance: "alone",
    NeverLearns: "very many trials",
    WrongCovariance: "sigma squared",
    Swallows: "is a ValueError",
    Flat: "the curve at k is the score",
    OneConfidence: "more confidence",
    Shortsighted: "too few trials",
}


def test_the_base_of_the_broken_ones_is_right():
    check_metric(Base())


@pytest.mark.parametrize("broken", BROKEN, ids=lambda kind: kind.__name__)
def test_broken_metrics_are_caught(broken):
    with pytest.raises(AssertionError, match=BROKEN[broken]):
        check_metric(broken(3) if issubclass(broken, Tamed) else broken())


def test_what_is_no_metric_is_refused():
    with pytest.raises(AssertionError, match="takes a Metric"):
        check_metric(PassAtK)
