"""The joint posterior of models on shared questions: by hand, against scipy's paired t, by simulation."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import t, ttest_rel

from helpers.samples import A, each_metric
from scorio import GeomDsAtK, GeoSpectrum, OutcomeError, OutcomeMatrix, PassAtK
from scorio.comparison._joint import Joint, independent, paired_by_question, question_values
from scorio.inference import Beta, Level

rng = np.random.default_rng(3)
COUNTS = rng.integers(0, 21, (4, 30))
MODELS = [OutcomeMatrix.from_counts(counts, 20) for counts in COUNTS]


def clustered(counts, trials, clusters):
    return [OutcomeMatrix.from_counts(each, trials, clusters=clusters) for each in counts]


def test_scores_by_question_are_the_paired_t_test():
    joint = paired_by_question(PassAtK(3), MODELS)
    values = [PassAtK(3).per_question(outcomes) for outcomes in MODELS]
    for i, j in ((0, 1), (2, 3), (3, 0)):
        expected = ttest_rel(values[i], values[j], alternative="greater")
        assert joint.mu[i] - joint.mu[j] == pytest.approx(expected.statistic * joint.sd(i, j), rel=1e-12)
        assert joint.beats(i, j) == pytest.approx(1 - expected.pvalue, rel=1e-10)
        test = ttest_rel(values[i], values[j]).confidence_interval(0.9)
        assert 2 * Level(0.9).critical(joint.df) * joint.sd(i, j) == pytest.approx(test.high - test.low, rel=1e-10)


def test_scores_that_are_no_means_leave_questions_out_one_by_one():
    joint = paired_by_question(GeomDsAtK(2), MODELS)
    rows = np.arange(30)
    left = np.array([[GeomDsAtK(2).score(outcomes.select(rows != a)) for a in rows] for outcomes in MODELS])
    gaps = left[0] - left[1]
    assert joint.sd(0, 1) ** 2 == pytest.approx(29 / 30 * np.sum((gaps - gaps.mean()) ** 2), rel=1e-10)


@pytest.mark.parametrize("metric", [GeomDsAtK(2), GeoSpectrum(3), GeoSpectrum(3, lam=1.0)], ids=str)
@pytest.mark.parametrize("counts", [[9, 3, 7, 5, 0], [0, 0, 6, 0, 0], [0, 0, 0, 0, 0]], ids=str)
def test_blends_without_some_questions_are_the_scores_of_the_others(metric, counts):
    outcomes, group = OutcomeMatrix.from_counts(counts, 9), np.array([0, 1, 0, 2, 1])
    expected = [metric.score(outcomes.select(group != each)) for each in range(3)]
    assert metric._without_each(outcomes, group) == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_with_too_few_trials_posteriors_take_the_place_of_scores():
    metric, few = PassAtK(8), [OutcomeMatrix(rng.integers(0, 2, (30, 3))) for _ in range(2)]
    joint = paired_by_question(metric, few, Beta(0.5, 0.5))
    found = [metric.moments(outcomes, prior=(0.5, 0.5)) for outcomes in few]
    spread = np.var(found[0].mean - found[1].mean, ddof=1) / 30
    assert joint.mu == pytest.approx([each.mean.mean() for each in found])
    assert joint.sd(0, 1) ** 2 == pytest.approx(spread + sum(each.variance.sum() for each in found) / 900)


def test_draws_have_the_trial_noise_as_one_more_question():
    sigma = [PassAtK(1).posterior(outcomes, prior="uniform").sd for outcomes in MODELS[:2]]
    joint = paired_by_question(PassAtK(1), MODELS[:2])
    added = joint.for_draws().sd(0, 1) ** 2 - joint.sd(0, 1) ** 2
    assert added == pytest.approx((sigma[0] ** 2 + sigma[1] ** 2) / 29, rel=1e-9)


def test_equal_models_share_their_draws_by_halves():
    draws = paired_by_question(PassAtK(1), [MODELS[0], MODELS[0]]).for_draws().draw(4000, np.random.default_rng(1))
    assert np.mean(draws[:, 0] > draws[:, 1]) == pytest.approx(0.5, abs=4 * 0.5 / 4000**0.5)


def test_one_question_or_one_cluster_says_nothing_of_a_population():
    for models in ([outcomes.select([0]) for outcomes in MODELS[:2]], clustered(COUNTS[:2], 20, [0] * 30)):
        with pytest.raises(OutcomeError, match='target="population" needs at least two questions'):
            paired_by_question(PassAtK(2), models)


def test_clusters_by_exact_fractions():
    x, y = [Fraction(4, 8), Fraction(2, 8), Fraction(8, 8)], [Fraction(0), Fraction(2, 8), Fraction(1, 8)]
    gaps = [a - b for a, b in zip(x, y, strict=True)]
    centre = sum(gaps) / 3
    first, second = (gaps[0] - centre) + (gaps[2] - centre), gaps[1] - centre
    shares = [Fraction(2, 3), Fraction(1, 3)]  # the distance of a cluster from the mean varies by 1 - 2 w + sum w^2
    shrinkage = [1 - 2 * w + sum(v**2 for v in shares) for w in shares]
    variance = first**2 / 9 / shrinkage[0] + second**2 / 9 / shrinkage[1]
    joint = paired_by_question(PassAtK(1), clustered([[4, 2, 8], [0, 2, 1]], 8, ["u", "v", "u"]))
    assert joint.sd(0, 1) ** 2 == pytest.approx(float(variance), rel=1e-14)
    assert joint.df == pytest.approx(1.0)


@pytest.mark.parametrize("metric", [PassAtK(2), GeomDsAtK(2)], ids=str)
def test_questions_that_are_copies_say_nothing_new(metric):
    once = paired_by_question(metric, MODELS[:2])
    thrice = paired_by_question(
        metric, clustered(np.repeat(COUNTS[:2], 3, axis=1), 20, np.repeat(range(30), 3).tolist())
    )
    assert thrice.sd(0, 1) == pytest.approx(once.sd(0, 1), rel=1e-12)


def test_near_equal_models_lose_no_digits():
    base, more = rng.integers(0, 10**9, 30), rng.integers(0, 9, 30)
    close = [OutcomeMatrix.from_counts(counts, 2 * 10**9) for counts in (base, base + more)]
    assert paired_by_question(PassAtK(1), close).sd(0, 1) == pytest.approx(
        more.std(ddof=1) / 30**0.5 / (2 * 10**9), rel=1e-6
    )


@given(arrays(float, (3, 5), elements=st.floats(0, 1)), st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_wins_and_losses_add_up(values, sigma):
    models = np.arange(3)
    joint = Joint(values.mean(axis=1), values, np.square(sigma), 4.0)
    beats = joint.beats(models[:, None], models)
    assert np.isfinite(beats).all()
    np.testing.assert_allclose(beats + beats.T, 1.0, rtol=1e-12)
    assert (np.diag(beats) == 0.5).all()


def test_without_any_uncertainty_the_better_wins():
    joint = independent([0.5, 0.5, 0.2], [0.0, 0.0, 0.0])
    assert joint.beats(0, np.arange(3)).tolist() == [0.5, 0.5, 1.0]
    assert joint.beats(2, 0) == 0.0


def test_draws_have_the_law_they_are_drawn_from():
    joint = Joint(np.array([0.6, 0.5, 0.4, 0.5]), 0.01 * rng.random((4, 30)), np.array([1, 4, 9, 0]) * 1e-4, 29.0)
    draws = joint.draw(200_000, np.random.default_rng(0))
    scale = joint.shared @ joint.shared.T + np.diag(joint.own)
    np.testing.assert_allclose(np.cov(draws.T), scale * joint.df / (joint.df - 2), rtol=0.02, atol=2e-5)
    gap = (draws[:, 0] - draws[:, 1] - 0.1) / joint.sd(0, 1)
    for level in (0.05, 0.5, 0.95):
        assert np.mean(gap <= t.ppf(level, joint.df)) == pytest.approx(level, abs=0.003)


@each_metric
def test_question_values_move_the_metric_as_its_posterior_mean_does(metric):
    """The values' spread about their mean is the change of mu, to first order, when a question counts a little more."""
    base = OutcomeMatrix.from_counts([3, 4, 1, 5, 2, 0, 5], 5)
    values = question_values(metric, base)
    assert values.shape == (7,)
    copies = 400
    heavier = base.select(list(range(7)) * copies + [0])
    moved = (metric.posterior(heavier, prior="uniform").mean - metric.posterior(base, prior="uniform").mean) * (
        7 * copies + 1
    )
    assert moved == pytest.approx(values[0] - values.mean(), rel=0.01, abs=2e-5)


def test_clusters_of_the_outcomes_count():
    models = [OutcomeMatrix(rng.integers(0, 2, (6, 4)), clusters=list("aabbcc")) for _ in range(2)]
    assert paired_by_question(PassAtK(2), models).df == 2.0
    assert paired_by_question(PassAtK(2), [A, A]).df == 1.0


def test_no_spread_of_differences_leaves_the_trial_noise():
    models = [OutcomeMatrix.from_counts([successes] * 7, 10) for successes in (3, 7)]
    joint = paired_by_question(PassAtK(1), models)
    assert not joint.has_spread(0, 1)
    assert joint.sd(0, 1) == pytest.approx(
        np.hypot(*(PassAtK(1).posterior(outcomes, prior="uniform").sd for outcomes in models))
    )
