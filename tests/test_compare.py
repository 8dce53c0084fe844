"""Comparisons of two models: formulas, alignment, words, and how often equal models are told apart."""

import numpy as np
import pytest
from scipy import stats

from scorio import (
    BayesMetric,
    GeomDsAtK,
    MaxAtK,
    Metric,
    Moments,
    OutcomeError,
    OutcomeMatrix,
    ParameterError,
    PassAtK,
    compare,
)

ONE = [[0, 1, 1, 1], [1, 1, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]]
OTHER = [[0, 0, 1, 0], [1, 1, 0, 1], [0, 0, 0, 0], [0, 1, 0, 1]]


def test_an_interval_keeps_to_what_differences_there_are():
    found = compare(PassAtK(1), [[1, 1], [0, 0]], [[0, 1], [1, 1]])
    assert (found.lo, found.hi) == (-1.0, 1.0)
    graded = BayesMetric(weights=(0, 10))
    assert compare(graded, [[1], [0]], [[0], [1]]).hi <= 10.0


def test_unpaired_is_the_published_rule():
    found = compare(BayesMetric(), ONE, OTHER, paired=False)
    one, other = BayesMetric().interval(ONE), BayesMetric().interval(OTHER)
    z = abs(one.mu - other.mu) / np.hypot(one.sigma, other.sigma)
    assert (found.z, found.rho) == pytest.approx((z, stats.norm.cdf(z)))
    assert found.p_better == pytest.approx(found.rho)
    assert (found.lo, found.hi) == pytest.approx(stats.norm(found.difference, found.sigma).interval(0.95))


@pytest.mark.parametrize("metric", [PassAtK(2), BayesMetric(), MaxAtK(3)], ids=str)
def test_paired_is_students_test_of_question_differences(metric):
    found = compare(metric, ONE, OTHER)
    test = stats.ttest_rel(metric.per_question(ONE), metric.per_question(OTHER))
    assert found.paired
    assert found.z == pytest.approx(abs(test.statistic))
    assert 2 * (1 - found.rho) == pytest.approx(test.pvalue)
    assert (found.lo, found.hi) == pytest.approx(tuple(np.clip(test.confidence_interval(0.95), -1.0, 1.0)))


def test_whole_clusters_are_what_differs():
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(8), 5)
    counts = rng.binomial(6, 0.5, (2, 40))
    A, B = (OutcomeMatrix.from_counts(row, 6, clusters=clusters) for row in counts)
    found = compare(PassAtK(1), A, B)
    sums = ((counts[0] - counts[1]) / 6).reshape(8, 5).sum(axis=1)
    test = stats.ttest_1samp(sums, 0)
    assert found.z == pytest.approx(abs(test.statistic))
    assert found.degrees == 7


def test_swapping_the_models_turns_the_sign():
    for options in ({}, {"paired": False}, {"paired": False, "prior": "eb"}):
        there, back = compare(PassAtK(2), ONE, OTHER, **options), compare(PassAtK(2), OTHER, ONE, **options)
        assert there.difference == pytest.approx(-back.difference)
        assert there.p_better + back.p_better == pytest.approx(1.0)
        assert (there.rho, there.sigma) == pytest.approx((back.rho, back.sigma))


def test_equal_models_are_even():
    for options in ({}, {"paired": False}):
        found = compare(PassAtK(1), ONE, ONE, **options)
        assert (found.difference, found.z, found.p_better, found.winner) == (0.0, 0.0, 0.5, None)


def test_questions_are_matched_by_label():
    labels, others = list("abcd"), list("wxyz")
    A, B = OutcomeMatrix(ONE, questions=labels), OutcomeMatrix(OTHER, questions=labels)
    turned, strange = OutcomeMatrix(OTHER[::-1], questions=labels[::-1]), OutcomeMatrix(OTHER, questions=others)
    assert compare(PassAtK(1), A, turned) == compare(PassAtK(1), A, B)
    assert not compare(PassAtK(1), A, strange).paired
    assert not compare(PassAtK(1), ONE, OTHER[:3]).paired
    with pytest.raises(OutcomeError):
        compare(PassAtK(1), A, strange, paired=True)


def test_budgets_beyond_the_trials_use_posterior_means():
    found = compare(PassAtK(16), ONE, OTHER)
    mine, theirs = (PassAtK(16).moments(R) for R in (ONE, OTHER))
    own = mine.mean - theirs.mean
    assert found.difference == pytest.approx(own.mean())
    assert found.sigma**2 == pytest.approx(own.var(ddof=1) / 4 + (mine.variance + theirs.variance).sum() / 16)


def test_blends_of_dataset_means_leave_questions_out_one_by_one():
    found = compare(GeomDsAtK(2), ONE, OTHER)
    scores = [
        GeomDsAtK(2).score(ONE[:i] + ONE[i + 1 :]) - GeomDsAtK(2).score(OTHER[:i] + OTHER[i + 1 :]) for i in range(4)
    ]
    assert found.sigma**2 == pytest.approx(3 / 4 * np.sum((scores - np.mean(scores)) ** 2))
    with pytest.raises(OutcomeError, match="paired=False"):
        compare(GeomDsAtK(9), ONE, OTHER)


class Halved(Metric):
    """Half the success rate, known by each question's score and moments."""

    def per_question(self, R, *, short="raise"):
        return PassAtK(1).per_question(R, short=short) / 2

    def moments(self, R, *, prior=(1.0, 1.0)):
        mean, variance = PassAtK(1).moments(R, prior=prior)
        return Moments(mean / 2, variance / 4)


@pytest.mark.parametrize("options", [{}, {"paired": False}, {"paired": False, "prior": "eb"}], ids=str)
def test_metrics_of_ones_own_are_compared_alike(options):
    rng = np.random.default_rng(6)
    A, B = (rng.binomial(1, rng.beta(1, 1, (60, 1)), (60, 8)) for _ in range(2))
    mine, plain = (compare(metric, A, B, **options) for metric in (Halved(), PassAtK(1)))
    assert 2 * mine.difference == pytest.approx(plain.difference, rel=0.01)
    assert mine.p_better == pytest.approx(plain.p_better, abs=0.01)


def test_a_lone_question_and_no_spread_fall_back_to_the_posteriors():
    lone = compare(PassAtK(1), [[0, 1, 1, 1, 1, 1]], [[0, 0, 0, 0, 0, 1]])
    assert lone.sigma == pytest.approx(compare(PassAtK(1), [[0, 1, 1, 1, 1, 1]], [[0] * 5 + [1]], paired=False).sigma)
    even = compare(PassAtK(1), [[1, 1], [1, 1]], [[0, 1], [0, 1]])
    assert even.difference == 0.5
    assert even.sigma > 0
    same = compare(PassAtK(1), same_rates(3), same_rates(7))
    assert same.sigma == pytest.approx(compare(PassAtK(1), same_rates(3), same_rates(7), paired=False).sigma)


def same_rates(successes):
    """Seven questions whose rates are equal but for rounding of their mean."""
    return OutcomeMatrix.from_counts([successes] * 7, 10)


def test_words_and_errors():
    found = compare(PassAtK(1), ONE, OTHER, names=("old", "new"), confidence=0.8)
    assert str(found).startswith("old is better on pass@1 (on the same questions, confidence 0.8): +0.25 [")
    assert "cannot be told apart" in str(compare(PassAtK(1), ONE, OTHER, confidence=0.999))
    with pytest.raises(ParameterError, match="confidence"):
        compare(PassAtK(1), ONE, OTHER, confidence=1.5)
    with pytest.raises(ParameterError, match="names must differ"):
        compare(PassAtK(1), ONE, OTHER, names=("a", "a"))


@pytest.mark.parametrize(
    ("options", "low", "high"),
    [({}, 0.07, 0.13), ({"paired": False, "prior": "eb"}, 0.07, 0.13), ({"paired": False}, 0.0, 0.03)],
    ids=["paired", "eb", "published"],
)
def test_how_often_one_of_two_equal_models_is_called_better(options, low, high):
    rng = np.random.default_rng(12)
    called = 0
    for _ in range(1000):
        p = rng.beta(0.3, 1.2, 100)
        A, B = (OutcomeMatrix.from_counts(rng.binomial(4, p), 4) for _ in range(2))
        called += compare(PassAtK(1), A, B, **options).winner is not None
    assert low <= called / 1000 <= high


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"names": ("a",)}, "names must be two strings"),
        ({"names": ("a", "b", "c")}, "names must be two strings"),
        ({"names": "ab"}, "names must be two strings"),
        ({"names": None}, "names must be two strings"),
        ({"names": ("a", "a"), "paired": False}, "names must differ"),
        ({"paired": "no"}, "paired must be None, True or False"),
        ({"prior": "flat"}, "prior must be one of"),
        ({"prior": None}, "prior must be a name or pseudo-counts"),
        ({"prior": (0, 1)}, "alpha0 must be a finite number above 0"),
        ({"metric": PassAtK}, "metric must be a Metric or its name"),
        ({"metric": "pss@1"}, "names no metric"),
    ],
    ids=str,
)
def test_bad_arguments_are_named_whether_or_not_they_are_used(options, message):
    with pytest.raises(ParameterError, match=message):
        compare(**{"metric": PassAtK(1), "A": ONE, "B": OTHER} | options)


def test_a_metric_goes_by_its_name():
    assert compare("pass@1", ONE, OTHER) == compare(PassAtK(1), ONE, OTHER)
