"""Interval shapes, targets and words."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from helpers.samples import A
from scorio import BayesMetric, Metric, OutcomeError, OutcomeMatrix, ParameterError, PassAtK, PassHatK
from scorio.inference import Interval, Mixture
from scorio.metrics import GeomDsAtK


@pytest.mark.parametrize("bounds", [(0.0, 0.5), (0.9, 1.0), (2, 3), (-3, -2), (0, 0)], ids=str)
@pytest.mark.parametrize("shape", ["normal", "quantile"])
@pytest.mark.parametrize("prior", [(1, 1), "learned"], ids=str)
def test_no_interval_leaves_bounds_that_the_mean_is_outside_of(bounds, shape, prior):
    found = PassAtK(2).interval(A, shape=shape, prior=prior, bounds=bounds)
    assert bounds[0] <= found.lo <= found.hi <= bounds[1]


@pytest.mark.parametrize("metric", [BayesMetric((1, 1)), GeomDsAtK(2, 0, 0)], ids=str)
@pytest.mark.parametrize("shape", ["normal", "quantile"])
@pytest.mark.parametrize("prior", [(1, 1), "learned"], ids=str)
def test_a_metric_that_is_constant_keeps_to_its_range(metric, shape, prior):
    _, _, lo, hi = metric.interval(np.zeros((5, 4), int), shape=shape, prior=prior)
    low, high = metric.support(A)
    assert low <= lo <= hi <= high


@pytest.mark.parametrize(("c", "n"), [(0, 1), (3, 5), (5, 5), (0, 1000)])
def test_one_question_and_one_trial_give_the_exact_beta_quantiles(c, n):
    found = PassAtK(1).interval(OutcomeMatrix.from_counts([c], n), 0.9, shape="quantile", prior="uniform")
    assert (found.lo, found.hi) == pytest.approx(stats.beta(1 + c, 1 + n - c).ppf([0.05, 0.95]), rel=1e-9)


@pytest.mark.parametrize("ends", [(np.nan, 1.0), (0.0, np.nan), (-np.inf, 0.0), (0.0, np.inf), (1.0, 0.0)])
def test_ends_that_are_no_interval_are_refused(ends):
    with pytest.raises(OutcomeError, match="no interval with finite ends"):
        Interval(0.5, 0.1, *ends)


def test_a_variance_whose_unit_underflows_is_one_for_the_population():
    R = OutcomeMatrix.from_counts([0, 1, 3, 4], 4)
    tiny, unit = (BayesMetric([0, width]).interval(R, prior="uniform", target="population") for width in (1e-100, 1.0))
    assert np.array(tiny) / 1e-100 == pytest.approx(np.array(unit))


def test_the_mean_stays_in_the_range_of_the_metric():
    outcomes = OutcomeMatrix.from_counts(np.full(300, 3), 6)
    found = PassAtK(1000).interval(outcomes, 1e-9, shape="normal", prior="learned", target="population")
    assert found.lo <= found.mu <= found.hi <= 1.0
    assert found.lo == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("mean", [0.0, 1e-200, 1e-30, 1.0 - 1e-12, 1.0])
@pytest.mark.parametrize("variance", [0.0, 1e-300, 1e-12, 0.2])
def test_degenerate_components_have_quantiles(mean, variance):
    mixture = Mixture(np.array([0.5, 0.5]), np.array([mean, 0.5]), np.array([variance, 0.01]))
    lo, hi = mixture.on(0.0, 1.0).icdf([0.025, 0.975])
    assert 0.0 <= lo <= hi <= 1.0


def test_the_population_of_single_trials_is_jeffreys_interval():
    outcomes = np.array([1] * 14 + [0] * 26)
    found = PassAtK(1).interval(outcomes[:, None], 0.9, shape="quantile", target="population", prior="uniform")
    draws = 40 - 1  # the unbiased variance counts one question less
    share = 14 / 40
    expected = stats.beta(draws * share + 0.5, draws * (1 - share) + 0.5).ppf([0.05, 0.95])
    assert (found.lo, found.hi) == pytest.approx(expected, rel=1e-9)


def test_the_population_is_wider_than_its_sample():
    rng = np.random.default_rng(0)
    R = OutcomeMatrix.from_counts(rng.binomial(32, rng.beta(0.5, 0.5, 60)), 32)
    for prior in ((1, 1), "learned"):
        for metric in (PassAtK(4), BayesMetric(), GeomDsAtK(4)):
            ours, theirs = (metric.interval(R, prior=prior, target=t) for t in ("questions", "population"))
            assert theirs.hi - theirs.lo > 2 * (ours.hi - ours.lo)


@pytest.mark.parametrize("prior", [(1, 1), "learned"], ids=str)
@pytest.mark.parametrize("metric", [PassAtK(2), BayesMetric(), GeomDsAtK(2)], ids=str)
def test_clusters_widen_the_population(metric, prior):
    rng = np.random.default_rng(0)
    p = np.repeat(rng.beta(0.5, 0.5, 30), 6)
    counts = rng.binomial(8, p)
    alone = OutcomeMatrix.from_counts(counts, 8)
    together = OutcomeMatrix.from_counts(counts, 8, clusters=np.repeat(np.arange(30), 6))
    narrow, wide = (metric.interval(R, prior=prior, target="population") for R in (alone, together))
    assert wide.hi - wide.lo > 1.5 * (narrow.hi - narrow.lo)
    for_questions = [metric.interval(R, prior=prior) for R in (alone, together)]
    assert tuple(for_questions[0]) == tuple(for_questions[1])


class Halved(Metric):
    """Half the success rate, by moments alone."""

    def per_question(self, R, *, too_few="raise"):
        return BayesMetric().per_question(R) / 2

    def moments(self, R, *, prior=(1.0, 1.0)):
        mean, variance = BayesMetric().moments(R, prior=prior)
        return type(BayesMetric().moments(R))(mean / 2, variance / 4)


def test_a_metric_by_moments_alone_has_every_interval():
    for prior in ("jeffreys", "learned"):
        for target in ("questions", "population"):
            mine = Halved().interval(A, prior=prior, target=target, shape="quantile", bounds=(0.0, 0.5))
            assert 0.0 < mine.lo < mine.hi < 0.5
    rng = np.random.default_rng(1)
    R = OutcomeMatrix.from_counts(rng.binomial(9, rng.random(200)), 9)
    mine, full = (metric.posterior(R, prior="learned") for metric in (Halved(), BayesMetric()))
    assert (2 * mine.mean, 2 * mine.sd) == pytest.approx((full.mean, full.sd), rel=0.01)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "95% interval for these questions, their difficulties learned from these"),
        ({"prior": "uniform"}, "95% interval for these questions, difficulties taken as uniform"),
        ({"prior": "jeffreys", "confidence": 0.9}, "90% interval for these questions, difficulties taken as Jeffreys"),
        ({"prior": (2, 3)}, "difficulties taken as Beta(2, 3)"),
        ({"prior": "learned"}, "for these questions, their difficulties learned from these"),
        ({"target": "population", "prior": "uniform"}, "for questions like these, from the spread between questions"),
        (
            {"target": "population", "prior": "learned"},
            "for questions like these, their difficulties learned from these",
        ),
    ],
)
def test_an_interval_says_what_it_is_about(options, words):
    assert words in str(PassAtK(2).interval(A, **options))


def test_an_interval_says_how_much_is_missing():
    found = PassAtK(1).interval(OutcomeMatrix([[1, 0, np.nan, np.nan]], missing="omit"))
    assert str(found).endswith("from 50% of the planned trials")


def test_covariances_need_pseudo_counts():
    with pytest.raises(ParameterError, match="pseudo-counts are needed"):
        PassAtK(2).cov(PassHatK(2), A, prior="learned")


def test_pseudo_counts_whose_products_overflow_are_refused():
    with pytest.raises(ParameterError, match=r"alpha0 must be at most 1e\+100; got 1e\+160"):
        PassAtK(2).interval(A, prior=(1e160, 1e160))
    for metric in (PassAtK(2), PassHatK(2), BayesMetric()):
        assert metric.interval(A, prior=(1e100, 1e100)).mu == pytest.approx(
            {PassAtK(2): 0.75, PassHatK(2): 0.25}.get(metric, 0.5)
        )


def test_a_replaced_interval_keeps_what_else_it_carries():
    found = PassAtK(1).interval(A, 0.9, prior="learned", shape="quantile")
    moved = replace(found, lo=0.3, target="population")
    assert tuple(moved) == (found.mu, found.sigma, 0.3, found.hi)
    assert (moved.confidence, moved.prior, moved.shape, moved.target) == (0.9, "learned", "quantile", "population")


def test_a_population_of_questions_with_too_few_trials_needs_the_learned_prior():
    with pytest.raises(OutcomeError, match=r'pass@8 needs 8 trials of every question \(N=5\) .* prior="learned"'):
        PassAtK(8).interval(A, target="population", prior="uniform")
    assert PassAtK(8).interval(A, target="population", prior="learned", shape="quantile").lo > 0
