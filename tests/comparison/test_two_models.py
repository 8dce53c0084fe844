"""Comparisons of two models: formulas, alignment, words, and how often equal models are told apart."""

import numpy as np
import pytest
from scipy import stats

from helpers.few import one_more
from scorio import (
    BayesMetric,
    GeoSpectrum,
    MaxAtK,
    Metric,
    OutcomeError,
    OutcomeMatrix,
    OutcomeSet,
    ParameterError,
    PassAtK,
    Suite,
    compare,
)
from scorio.errors import QuestionsWarning, TrialsWarning
from scorio.metrics import GeomDsAtK, Moments
from scorio.rank._comparisons import compare_by

ONE = [[0, 1, 1, 1], [1, 1, 1, 1], [0, 1, 0, 1], [0, 0, 0, 1]]
OTHER = [[0, 0, 1, 0], [1, 1, 0, 1], [0, 0, 0, 0], [0, 1, 0, 1]]


def test_an_interval_keeps_to_what_differences_there_are():
    found = compare(PassAtK(1), [[1, 1], [0, 0]], [[0, 1], [1, 1]], target="population")
    assert (found.lo, found.hi) == (-1.0, 1.0)
    graded = BayesMetric(weights=(0, 10))
    assert compare(graded, [[1], [0]], [[0], [1]]).hi <= 10.0


@pytest.mark.parametrize("paired", [None, False])
def test_the_binomial_shape_is_about_these_questions(paired):
    with pytest.raises(ParameterError, match='target="questions" asks about them'):
        compare(PassAtK(1), ONE, OTHER, shape="binomial", target="population", paired=paired)
    methods = compare(PassAtK(1), ONE, OTHER, shape="binomial", paired=paired).to_methods()
    assert "combines the binomial intervals of both models" in methods.text


@pytest.mark.parametrize("paired", [True, False])
def test_the_published_rule_is_a_one_sided_threshold_of_z(paired):
    found = compare(BayesMetric(), ONE, OTHER, rule="published", paired=paired)
    one, other = BayesMetric().interval(ONE), BayesMetric().interval(OTHER)
    z = abs(one.mu - other.mu) / np.hypot(one.sigma, other.sigma)
    assert (found.z, found.p_better) == pytest.approx((z, stats.norm.cdf(z)))
    assert (found.lo, found.hi) == pytest.approx(stats.norm(found.difference, found.sigma).interval(0.95))
    assert found.p_value == pytest.approx(2 * stats.norm.sf(z))
    for confidence in (0.9, stats.norm.cdf(z) - 1e-9, stats.norm.cdf(z) + 1e-9, 0.999):
        call = compare(BayesMetric(), ONE, OTHER, rule="published", confidence=confidence)
        assert (call.winner is not None) == (z >= stats.norm.ppf(confidence))
    assert "published one-sided rule, confidence 0.95" in str(found)


def test_differences_on_these_questions_are_recovered_from_both_intervals():
    found = compare(PassAtK(2), ONE, OTHER)
    one, other = (PassAtK(2).interval(R, prior="learned", shape="quantile") for R in (ONE, OTHER))
    assert found.difference == pytest.approx(one.mu - other.mu)
    assert found.sigma == pytest.approx(np.hypot(one.sigma, other.sigma))
    assert found.lo == pytest.approx(found.difference - np.hypot(one.mu - one.lo, other.hi - other.mu))
    assert found.hi == pytest.approx(found.difference + np.hypot(one.hi - one.mu, other.mu - other.lo))
    assert found == compare(PassAtK(2), ONE, OTHER, paired=True)


@pytest.mark.parametrize("metric", [PassAtK(2), BayesMetric(), MaxAtK(3)], ids=str)
def test_paired_is_students_test_of_question_differences_and_one_more(metric):
    found = compare(metric, ONE, OTHER, target="population")
    test = one_more(metric.per_question(ONE) - metric.per_question(OTHER))
    assert found.paired
    assert (found.difference, found.sigma, found.degrees) == pytest.approx(tuple(test))
    assert found.p_value == pytest.approx(test.p_value)
    assert (found.lo, found.hi) == pytest.approx(test.interval())


def test_whole_clusters_are_what_differs():
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(8), 5)
    counts = rng.binomial(6, 0.5, (2, 40))
    A, B = (OutcomeMatrix.from_counts(row, 6, clusters=clusters) for row in counts)
    found = compare(PassAtK(1), A, B, target="population")
    test = one_more(((counts[0] - counts[1]) / 6).reshape(8, 5).mean(axis=1))
    assert (found.difference, found.sigma, found.degrees) == pytest.approx(tuple(test))
    assert found.degrees == 8


def test_swapping_the_models_turns_the_sign():
    for options in ({}, {"target": "population"}, {"target": "population", "paired": False}, {"rule": "published"}):
        there, back = compare(PassAtK(2), ONE, OTHER, **options), compare(PassAtK(2), OTHER, ONE, **options)
        assert there.difference == pytest.approx(-back.difference)
        assert there.p_better + back.p_better == pytest.approx(1.0)
        assert (there.z, there.sigma) == pytest.approx((back.z, back.sigma))


def test_questions_are_matched_by_label():
    labels, others = list("abcd"), list("wxyz")
    A, B = OutcomeMatrix(ONE, questions=labels), OutcomeMatrix(OTHER, questions=labels)
    turned, strange = OutcomeMatrix(OTHER[::-1], questions=labels[::-1]), OutcomeMatrix(OTHER, questions=others)
    assert compare(PassAtK(1), A, turned) == compare(PassAtK(1), A, B)
    turned_population = compare(PassAtK(1), A, turned, target="population")
    assert turned_population == compare(PassAtK(1), A, B, target="population")
    with pytest.raises(OutcomeError, match="share no question"):
        compare(PassAtK(1), A, strange)
    assert not compare(PassAtK(1), A, strange, paired=False).paired
    with pytest.raises(OutcomeError, match="the models share no question"):
        compare(PassAtK(1), A, strange, shared_only=True)
    with pytest.raises(OutcomeError):
        compare(PassAtK(1), A, strange, paired=True)


def test_shared_questions():
    A, B = OutcomeMatrix(ONE, questions=list("abcd")), OutcomeMatrix(OTHER, questions=list("dbxy"))
    with pytest.warns(QuestionsWarning, match="4 and 4, 2 of them shared: compare on the shared questions"):
        compare("pass@1", A, B)
    shared = compare("pass@1", A, B, shared_only=True)
    assert shared == compare("pass@1", A.select(["b", "d"]), B.select(["d", "b"]))
    assert shared.paired and shared.n_questions == (2, 2)
    assert compare("pass@1", ONE, OTHER, shared_only=True) == compare("pass@1", ONE, OTHER)
    with pytest.raises(OutcomeError, match="without labels on both sides"):
        compare("pass@1", ONE, OTHER[:3], shared_only=True)


def test_budgets_beyond_the_trials_use_posterior_means():
    found = compare(PassAtK(16), ONE, OTHER, target="population", prior="uniform")
    mine, theirs = (PassAtK(16).moments(R) for R in (ONE, OTHER))
    test, noise = one_more(mine.mean - theirs.mean), (mine.variance + theirs.variance).sum() / 16
    assert found.difference == pytest.approx(test.mean)
    assert found.sigma**2 == pytest.approx(test.sd**2 + noise)


@pytest.mark.filterwarnings("ignore:.*rests on [23] questions")
@pytest.mark.parametrize("metric", [GeomDsAtK(2), GeoSpectrum(3), GeoSpectrum(3, lam=1.0)], ids=str)
def test_blends_of_dataset_means_leave_questions_out_one_by_one(metric):
    found = compare(metric, ONE, OTHER, target="population")
    scores = [metric.score(ONE[:i] + ONE[i + 1 :]) - metric.score(OTHER[:i] + OTHER[i + 1 :]) for i in range(4)]
    like = 4 * (np.mean(scores) - np.array(scores)) * 3 / 4  # values whose means vary as the scores do
    like += metric.score(ONE) - metric.score(OTHER)
    assert found.sigma == pytest.approx(one_more(like).sd)
    with pytest.raises(OutcomeError, match="paired=False"):
        compare(GeomDsAtK(9), ONE, OTHER, target="population")


class Halved(Metric):
    """Half the success rate, known by each question's score and moments."""

    def per_question(self, R, *, too_few="raise"):
        return PassAtK(1).per_question(R, too_few=too_few) / 2

    def moments(self, R, *, prior=(1.0, 1.0)):
        mean, variance = PassAtK(1).moments(R, prior=prior)
        return Moments(mean / 2, variance / 4)


@pytest.mark.parametrize("options", [{}, {"target": "population"}, {"rule": "published"}], ids=str)
def test_metrics_of_ones_own_are_compared_alike(options):
    rng = np.random.default_rng(6)
    A, B = (rng.binomial(1, rng.beta(1, 1, (60, 1)), (60, 8)) for _ in range(2))
    mine, plain = (compare(metric, A, B, **options) for metric in (Halved(), PassAtK(1)))
    assert 2 * mine.difference == pytest.approx(plain.difference, rel=0.01)
    assert mine.p_better == pytest.approx(plain.p_better, abs=0.01)


def test_a_lone_question_has_trial_noise_and_no_population():
    lone = [[0, 1, 1, 1, 1, 1]], [[0, 0, 0, 0, 0, 1]]
    assert compare(PassAtK(1), *lone).sigma > 0
    with pytest.raises(OutcomeError, match='target="population" needs at least two questions'):
        compare(PassAtK(1), *lone, target="population")


def test_a_table_says_where_the_difference_is_not_that_of_the_scores():
    said = "difference: an estimate for the true scores, which need not be that of the scores of these trials"
    assert said in str(compare_by(["pass@1"], ONE, OTHER))
    assert said not in str(compare_by(["pass@1"], ONE * 500, ONE[::-1] * 500))


def test_words_and_errors():
    found = compare(PassAtK(1), ONE, OTHER, names=("old", "new"), confidence=0.8)
    assert str(found).startswith(
        "old is better on pass@1 for these questions (confidence 0.8): scores 0.625 and 0.375, difference +0."
    )
    assert "A and B are not significantly different on pass@1" in str(compare(PassAtK(1), ONE, OTHER, confidence=0.999))
    with pytest.raises(ParameterError, match="names must differ"):
        compare(PassAtK(1), ONE, OTHER, names=("a", "a"))


SUITE = Suite({task: {"a": ONE, "b": OTHER} for task in ("algebra", "law")})
A, B = (SUITE.select(models=[name]) for name in "ab")


@pytest.mark.parametrize(
    ("sides", "options", "message"),
    [
        ((SUITE, B), {}, 'the A outcomes hold 2 models.*model="a"'),
        ((A, ONE), {}, "a suite is compared with a suite"),
        ((A, B.select(tasks=["algebra"])), {}, "the B has no outcomes of 1 task of the A: 'law'"),
        ((ONE, OTHER), {"metric": {"law": "pass@1"}}, "suite of tasks"),
    ],
)
def test_suites_that_cannot_be_compared(sides, options, message):
    with pytest.raises((OutcomeError, ParameterError), match=message):
        compare(**{"metric": "pass@1", "A": sides[0], "B": sides[1]} | options)


def test_both_models_may_be_chosen_of_one_suite():
    assert compare("pass@1", SUITE, SUITE, model=("a", "b")) == compare("pass@1", A, B)


HALF = OutcomeMatrix.from_counts([6] * 20 + [0] * 20, [6] * 20 + [0] * 20, planned=6)  # asked the easy questions only
WHOLE = OutcomeMatrix.from_counts([6] * 20 + [1] * 20, 6)


@pytest.mark.parametrize("sides", [(HALF, WHOLE), (OutcomeSet({"half": HALF, "whole": WHOLE}),) * 2])
def test_a_question_without_trials_is_one_that_a_model_lacks(sides):
    about = {} if sides[0] is HALF else {"model": ("half", "whole")}
    with pytest.warns(QuestionsWarning, match="different questions, 20 and 40, 20 of them shared"):
        found = compare("pass@1", *sides, **about)
    assert (found.n_questions, found.completeness, found.paired) == ((20, 40), (0.5, 1.0), False)
    assert "each model on its own (20 and 40), from 50% of the planned trials of" in str(found)
    assert found.as_records()[0]["first_completeness"] == 0.5
    shared = compare("pass@1", *sides, shared_only=True, **about)
    assert (shared.n_questions, shared.winner) == ((20, 20), None)
    assert compare("pass@1", *sides, paired=False, **about).difference == found.difference


def test_trials_that_depend_on_outcomes_are_warned_of():
    rates = np.linspace(0.05, 0.95, 40)
    given = np.round(1 + 11 * rates).astype(int)
    uneven = OutcomeMatrix.from_counts(np.round(given * rates).astype(int), given, planned=12)
    with pytest.warns(TrialsWarning, match="questions with more trials have other success rates"):
        assert "of the planned trials of B" in str(compare("pass@1", OutcomeMatrix.from_counts([6] * 40, 12), uneven))
