"""Metrics, comparisons, leaderboards and plans of continuous rewards, against scipy's t-tests and formulas by hand."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from scorio import (
    AvgMetric,
    BayesMetric,
    GeoSpectrum,
    MajAtK,
    MaxAtK,
    OutcomeError,
    OutcomeMatrix,
    ParameterError,
    PassAtK,
    RewardMatrix,
    compare,
)
from scorio.metrics import AucAtK, ThresholdSpectrum

RNG = np.random.default_rng(0)
TABLE = RNG.normal(size=(40, 1)) + RNG.normal(size=(40, 6))
R = OutcomeMatrix.from_rewards(TABLE)
ROWS = [TABLE[a, : 1 + a % 6] for a in range(40)]
RAGGED = OutcomeMatrix.from_rewards(ROWS)
OTHER = OutcomeMatrix.from_rewards(TABLE - 0.2 + 0.3 * RNG.normal(size=TABLE.shape))
LEARNED = {"prior": "learned", "shape": "quantile"}
ALL = [AvgMetric(), BayesMetric(), MaxAtK(3)]


def test_scores():
    for metric in (AvgMetric(), BayesMetric(), MaxAtK(1)):
        assert metric.score(R) == pytest.approx(TABLE.mean())
        assert metric.score(RAGGED) == pytest.approx(np.mean([row.mean() for row in ROWS]))
        np.testing.assert_allclose(metric.per_question(R), TABLE.mean(axis=1))
    best = [np.mean([max(choice) for choice in combinations(row, 3)]) for row in TABLE]
    np.testing.assert_allclose(MaxAtK(3).per_question(R), best)
    assert MaxAtK(3).score(R) == pytest.approx(np.mean(best))
    assert MaxAtK(2).curve(R, [1, 6]) == pytest.approx([TABLE.mean(), TABLE.max(axis=1).mean()])


def test_few_levels_give_the_same_scores_with_and_without_categories():
    table = RNG.integers(0, 4, (12, 5)) / 4.0
    with_levels, without = (OutcomeMatrix.from_rewards(table, max_levels=limit) for limit in (50, 2))
    for metric in (AvgMetric(), MaxAtK(1), MaxAtK(3), MaxAtK(5)):
        assert metric.score(with_levels) == pytest.approx(metric.score(without))


def test_too_few_trials():
    with pytest.raises(OutcomeError, match="questions 0, 1, 6, 7, 12 and 9 more have fewer than 3 trials"):
        MaxAtK(3).score(RAGGED)
    assert MaxAtK(3).score(RAGGED, too_few="omit") == MaxAtK(3).score(RAGGED.select(RAGGED.trials >= 3))
    assert np.isnan(MaxAtK(3).score(RAGGED, too_few="nan"))
    assert np.isnan(MaxAtK(3).per_question(RAGGED, too_few="nan")).sum() == (RAGGED.trials < 3).sum()
    with pytest.raises(OutcomeError, match="fewer than"):
        MaxAtK(3).interval(RAGGED)


def test_a_question_without_trials_is_predicted_from_the_others():
    gaps = RewardMatrix([*TABLE[:9], []], missing="omit")
    whole = BayesMetric().interval(RewardMatrix(TABLE[:9]), **LEARNED)
    found = BayesMetric().interval(gaps, **LEARNED)
    assert found.mu == pytest.approx(whole.mu)
    assert found.sigma > whole.sigma
    assert BayesMetric().score(gaps) == pytest.approx(TABLE[:9].mean())
    with pytest.raises(OutcomeError, match="and avg needs 1"):
        AvgMetric().interval(gaps)


def test_one_question_is_students_interval():
    row = TABLE.ravel()[:60]
    found = AvgMetric().interval(OutcomeMatrix.from_rewards([row]), 0.9, prior="learned", shape="normal")
    assert (found.lo, found.hi) == pytest.approx(tuple(stats.ttest_1samp(row, 0.0).confidence_interval(0.9)))
    assert (found.mu, found.sigma) == pytest.approx((row.mean(), stats.sem(row)))


@pytest.mark.parametrize("metric", ALL, ids=str)
def test_population_with_clusters(metric):
    found = metric.interval(R, target="population", **LEARNED)
    assert found.sigma == pytest.approx(stats.sem(metric.per_question(R)))
    paired = RewardMatrix(TABLE, clusters=np.arange(40) // 2)
    halves = metric.per_question(R).reshape(20, 2).mean(axis=1)
    found = metric.interval(paired, target="population", **LEARNED)
    assert found.sigma == pytest.approx(stats.sem(halves))
    assert metric.interval(paired, **LEARNED) == metric.interval(R, **LEARNED)
    with pytest.raises(OutcomeError, match='target="population" needs at least two questions'):
        metric.interval(RewardMatrix(TABLE, clusters=[0] * 40), target="population")


@pytest.mark.parametrize("metric", ALL, ids=str)
def test_the_result_says_what_it_is(metric):
    found = metric.interval(R, **LEARNED)
    assert (found.rewards, found.prior, found.shape, found.target) == ("continuous", "learned", "quantile", "questions")
    assert str(found).endswith("95% interval for these questions, from the mean and spread of continuous rewards")
    assert metric.interval([[0, 1, 1]] if metric.required_trials < 4 else [[0] * 6]).rewards == "categorical"
    assert metric.interval(R) == metric.interval(R, prior="learned", shape="quantile")
    assert metric.posterior(R).sd == pytest.approx(found.sigma)
    assert metric.cov(metric, R) == pytest.approx(found.sigma**2)


def test_bounds():
    narrow = RewardMatrix([[0.01, 0.03], [0.02, 0.2]], support=(0, 1))
    free = RewardMatrix([[0.01, 0.03], [0.02, 0.2]])
    assert AvgMetric().interval(free, bounds=None).lo < 0.0
    assert AvgMetric().interval(narrow).lo == 0.0
    assert AvgMetric().interval(narrow) == AvgMetric().interval(free)
    assert AvgMetric().support(free) == (0.0, 1.0)
    assert AvgMetric().support(R) == (-np.inf, np.inf)
    found = compare("avg", narrow, RewardMatrix([[0.9, 0.99], [0.5, 0.9]], support=(0, 1)), paired=False)
    assert found.lo >= -1.0


@pytest.mark.parametrize(
    "metric", [PassAtK(2), MajAtK(3), AucAtK(2), GeoSpectrum(2), ThresholdSpectrum(2, (0.5, 0.5))], ids=str
)
def test_metrics_that_count_refuse(metric):
    for ask in (metric.score, metric.interval, metric.per_question, metric.moments):
        with pytest.raises(OutcomeError, match=r"these are continuous rewards.*R\.at_least\(0\.5\)"):
            ask(R)
    assert 0 <= metric.score(R.at_least(0.0)) <= 1


@pytest.mark.parametrize("metric", ALL, ids=str)
def test_pseudo_counts_and_weights_are_refused(metric):
    for prior in ("jeffreys", (0.5, 0.5), (1.0, 2.0, 3.0)):
        for ask in (metric.interval, metric.moments, metric.posterior):
            with pytest.raises(ParameterError, match="no categories to give pseudo-counts to"):
                ask(R, prior=prior)
    weighted = type(metric)(**metric.get_params() | {"weights": (0.0, 1.0)})
    with pytest.raises(OutcomeError, match="weights are for categories, and these are continuous rewards"):
        weighted.score(R)


def test_max_needs_the_trials():
    bare = RewardMatrix(TABLE, keep_values=False)
    assert BayesMetric().interval(bare) == BayesMetric().interval(R)
    with pytest.raises(OutcomeError, match="were not kept"):
        MaxAtK(2).score(bare)


def test_one_trial_in_all_has_no_interval():
    with pytest.raises(OutcomeError, match="one trial of one question does not show how much rewards vary"):
        AvgMetric().interval(RewardMatrix([[0.5]]))


def test_paired_comparison_is_the_paired_t_test():
    found = compare("avg", R, OTHER, target="population")
    test = stats.ttest_rel(AvgMetric().per_question(R), AvgMetric().per_question(OTHER))
    assert (found.lo, found.hi) == pytest.approx(tuple(test.confidence_interval(0.95)))
    assert found.p_better == pytest.approx(
        1 - stats.ttest_rel(TABLE.mean(axis=1), OTHER.means, alternative="greater")[1]
    )


def test_comparison_for_these_questions_is_made_of_both_intervals():
    one, other = (AvgMetric().interval(rewards, **LEARNED) for rewards in (R, OTHER))
    found = compare("avg", R, OTHER)
    assert found.difference == pytest.approx(one.mu - other.mu)
    assert found.lo == pytest.approx(found.difference - np.hypot(one.mu - one.lo, other.hi - other.mu))
    assert found.hi == pytest.approx(found.difference + np.hypot(one.hi - one.mu, other.mu - other.lo))


def test_normal_comparison_of_one_question_is_close_to_welchs_t_test():
    """Each model has the Student quantile of its own degrees of freedom, so the interval is a little wider."""
    one, other = TABLE.ravel()[:60], 1.5 * TABLE.ravel()[60:150] + 0.1
    found = compare("avg", RewardMatrix([one]), RewardMatrix([other]), paired=False, shape="normal")
    welch = stats.ttest_ind(one, other, equal_var=False).confidence_interval(0.95)
    assert found.lo < welch.low
    assert found.hi > welch.high
    assert found.hi - found.lo == pytest.approx(welch.high - welch.low, rel=0.02)


def test_moments_of_each_question():
    mean, variance = AvgMetric().moments(R)
    np.testing.assert_allclose(mean, TABLE.mean(axis=1))
    pulled, _ = BayesMetric().moments(RAGGED)
    raw = AvgMetric().per_question(RAGGED)
    away = np.abs(pulled - BayesMetric().interval(RAGGED).mu) / np.abs(raw - BayesMetric().interval(RAGGED).mu)
    assert away[RAGGED.trials == 1].max() < away[RAGGED.trials == 6].min() < 1
    assert (variance > 0).all()


def test_odd_shapes_and_sizes_give_finite_intervals():
    """Rewards from 1e-100 to 1e100, none, one or many trials, constant, rare or tied: an interval around its mean."""
    rng, asked = np.random.default_rng(1), 0
    with np.errstate(all="raise"):
        for _ in range(300):
            lengths = rng.integers(0, rng.choice([2, 3, 6]), rng.choice([1, 2, 3, 20]))
            lengths[0] = max(lengths[0], 2)
            scale, shift = 10.0 ** rng.choice([-100, -30, 0, 30, 99]), rng.choice([0, 1, 1000])
            kinds = [np.sign, np.round, np.zeros_like, lambda x: x * (np.abs(x) > 1.5), lambda x: x]
            kind = kinds[rng.integers(5)]
            rows = [np.clip((kind(rng.normal(size=n)) + shift) * scale, -1e100, 1e100) for n in lengths]
            rewards = RewardMatrix(rows, missing="omit")
            targets = ["questions", "population"] if (lengths > 0).sum() > 1 else ["questions"]
            metrics = [BayesMetric(), *([AvgMetric(), MaxAtK(2)] if lengths.min() > 1 else [])]
            for metric, target in [(metric, target) for metric in metrics for target in targets]:
                found = metric.interval(rewards, 0.99, target=target, **LEARNED)
                mean, variance = metric.moments(rewards)
                assert np.isfinite([*found, *mean, *variance]).all()
                assert found.lo <= found.mu <= found.hi
                assert variance.min() >= 0
                asked += 1
    assert asked > 600
