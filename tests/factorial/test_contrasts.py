"""Intervals and tests of margins against the tests of two models, of one sample, and of repeated measures."""

import numpy as np
import pytest
from scipy import stats

from helpers.crossed import crossed, world
from scorio import PassAtK, analyze_factors, compare
from scorio.estimates import mean

RNG = np.random.default_rng(11)
SHAPE = (24, 3, 4)
_, TRIALS = world(RNG, SHAPE, 3, {(0,): 1.2, (2,): 0.5, (1, 2): 0.4, (1,): 0.6, (0, 1, 2): 0.4})
RATES = TRIALS.mean(axis=-1)
THESE = analyze_factors("pass@1", crossed(TRIALS))
POPULATION = analyze_factors("pass@1", crossed(TRIALS), target="population")


def margin(analysis, factor, level):
    return next(each for each in analysis.margins if (each.factor, each.level) == (factor, level))


def pair(analysis, factor, first, second):
    return next(each for each in analysis.pairs if (each.factor, each.level, each.other) == (factor, first, second))


def test_the_interval_for_these_levels_is_that_of_the_mean_of_estimates():
    cells = [PassAtK(1).estimate(TRIALS[:, 1, j], model=str(j)) for j in range(4)]
    whole = mean(cells).interval()
    these = margin(THESE, "model", "m1").these
    assert (these.lo, these.hi) == pytest.approx((whole.lo, whole.hi))


def half(interval):
    return (interval.high - interval.low) / 2


def test_differences_for_the_population_are_paired_over_questions():
    gap = (RATES[:, 0] - RATES[:, 2]).mean(axis=1)
    these, paired = pair(POPULATION, "model", "m0", "m2").these, stats.ttest_1samp(gap, 0.0)
    assert these.mu == pytest.approx(gap.mean())
    assert (these.hi - these.lo) / 2 == pytest.approx(half(paired.confidence_interval()), rel=0.1)
    assert these.p_value == pytest.approx(paired.pvalue, abs=0.01)


def test_a_difference_of_two_cells_is_that_of_the_cells_alone():
    one = crossed(TRIALS[:, :2, :1].repeat(2, axis=2))  # two levels with the same outcomes
    for target in ("questions", "population"):
        effect = pair(analyze_factors("pass@1", one, target=target), "model", "m0", "m1").these
        other = compare("pass@1", TRIALS[:, 0, 0], TRIALS[:, 1, 0], target=target)
        assert effect.mu == pytest.approx(RATES[:, 0, 0].mean() - RATES[:, 1, 0].mean())
        if target == "population":
            assert effect.hi - effect.lo == pytest.approx(other.hi - other.lo, rel=0.1)
        else:  # two cells with the same outcomes count as two samples: the interval is sqrt(2) times narrower
            assert (effect.hi - effect.lo) * 2**0.5 == pytest.approx(other.hi - other.lo, rel=0.01)


def test_margins_for_levels_like_these_are_students():
    for i in range(3):
        levels = RATES[:, i].mean(axis=0)
        lo, hi = stats.ttest_1samp(levels, 0.0).confidence_interval(0.95)
        like = margin(THESE, "model", f"m{i}").like
        assert (like.lo, like.hi) == pytest.approx((max(lo, 0.0), min(hi, 1.0)))
    gap = (RATES[:, 0] - RATES[:, 1]).mean(axis=0)
    t = stats.ttest_1samp(gap, 0.0)
    like = pair(THESE, "model", "m0", "m1").like
    near = pair(THESE, "model", "m0", "m1").these
    assert like.p_value == pytest.approx(max(t.pvalue, near.p_value))
    assert like.lo == pytest.approx(min(t.confidence_interval(0.95).low, near.lo))


def test_levels_of_the_only_factor_have_no_interval_for_levels_like_these():
    assert all(each.like is None for each in THESE.margins if each.factor == "prompt")
    assert all(each.like is None for each in THESE.pairs if each.factor == "prompt")


def test_levels_and_questions_like_these():
    """The variance of prompts and that of questions add up; (MS_Q + MS_L - MS_QL)/N is a little less."""
    table = RATES[:, 0]
    questions, levels = table.shape
    ms_q = levels * table.mean(axis=1).var(ddof=1)
    ms_l = questions * table.mean(axis=0).var(ddof=1)
    rest = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    ms_r = np.sum(rest**2) / ((questions - 1) * (levels - 1))
    variance, added = (ms_q + ms_l - ms_r) / table.size, ms_r / table.size
    parts = (ms_q / table.size) ** 2 / questions + (ms_l / table.size) ** 2 / (levels - 1)
    reach = stats.t.ppf(0.975, (variance + added) ** 2 / parts) * (variance + added) ** 0.5
    like = margin(POPULATION, "model", "m0").like
    assert like.hi - like.mu == pytest.approx(reach, rel=0.05)
    assert reach > stats.t.ppf(0.975, levels - 1 + questions - 1) * variance**0.5


def test_the_wald_test_of_two_by_two_is_the_z_test_of_its_contrast():
    analysis = analyze_factors("pass@1", crossed(TRIALS[:, :2, :2]))
    sigma2, effect = 0.0, 0.0
    for i in range(2):
        for j in range(2):
            cell, sign = TRIALS[:, i, j], (1 - 2 * i) * (1 - 2 * j)
            interval = PassAtK(1).interval(cell, prior="learned")
            sigma2 += ((interval.hi - interval.lo) / (2 * stats.norm.ppf(0.975))) ** 2
            effect += sign * cell.mean()
    test = analysis.interaction("model", "prompt")
    assert test.statistic == pytest.approx(effect**2 / sigma2, rel=0.01)
    assert test.p_value == pytest.approx(2 * stats.norm.sf(abs(effect) / sigma2**0.5), rel=0.01)


def test_the_f_test_of_two_levels_is_the_square_of_t():
    analysis = analyze_factors("pass@1", crossed(TRIALS[:, :2, :2]), target="population")
    gap = RATES[:, 0, 0] - RATES[:, 0, 1] - RATES[:, 1, 0] + RATES[:, 1, 1]
    t = stats.ttest_1samp(gap, 0.0)
    test = analysis.interaction("prompt", "model")
    assert (test.statistic, test.p_value) == pytest.approx((t.statistic**2, t.pvalue), rel=0.15)
    assert (test.degrees, test.error_degrees) == pytest.approx((1, len(gap)))  # with one more question


def test_the_f_test_of_several_levels_is_that_of_repeated_measures():
    table = RATES.mean(axis=1)  # questions x prompts
    questions, levels = table.shape
    effect = questions * np.sum((table.mean(axis=0) - table.mean()) ** 2) / (levels - 1)
    rest = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    test = next(each for each in POPULATION.tests if each.term == "prompt")
    assert test.statistic == pytest.approx(effect / (np.sum(rest**2) / ((questions - 1) * (levels - 1))), rel=0.15)
    covariance = np.cov(table, rowvar=False)
    centred = covariance - covariance.mean(axis=0) - covariance.mean(axis=1)[:, None] + covariance.mean()
    epsilon = np.trace(centred) ** 2 / ((levels - 1) * np.sum(centred**2))
    assert test.degrees == pytest.approx(epsilon * (levels - 1), rel=0.1)
    assert test.p_value == pytest.approx(stats.f.sf(test.statistic, test.degrees, test.error_degrees))


def test_interaction_effects_add_up_to_nothing():
    effects = np.array([each.effect.mu for each in THESE.cells]).reshape(3, 4)
    assert effects.sum(axis=0) == pytest.approx(np.zeros(4), abs=1e-12)
    assert effects.sum(axis=1) == pytest.approx(np.zeros(3), abs=1e-12)
    score = RATES.mean(axis=0)
    assert effects == pytest.approx(score - score.mean(axis=0) - score.mean(axis=1)[:, None] + score.mean())


def test_clusters_are_the_units_of_the_population():
    clusters = [i // 2 for i in range(24)]
    analysis = analyze_factors("pass@1", crossed(TRIALS, clusters=clusters), target="population")
    as_questions = TRIALS[:, 0].reshape(12, 2, 4, 3).swapaxes(1, 2).reshape(12, 1, 4, 6)  # a cluster is one question
    merged = analyze_factors("pass@1", crossed(as_questions), target="population")
    like, other = margin(analysis, "model", "m0").like, margin(merged, "model", "m0").like
    assert (like.mu, like.lo, like.hi) == pytest.approx((other.mu, other.lo, other.hi))


def test_perfect_outcomes_have_an_interval_of_some_width():
    ones = np.ones((10, 2, 3, 2), int)
    for target in ("questions", "population"):
        analysis = analyze_factors("pass@1", crossed(ones), target=target)
        for each in analysis.margins:
            assert each.these.hi == pytest.approx(1.0) and 0.5 < each.these.lo < 1.0
        for each in analysis.pairs:
            assert each.these.mu == 0 and each.these.lo < 0 < each.these.hi and each.these.p_value == 1
        assert all(each.p_value == pytest.approx(1) for each in analysis.tests)
        assert analysis.best() == ("m0", "m1")


def test_single_trials_are_compared_over_questions():
    analysis = analyze_factors("pass@1", crossed(TRIALS[..., :1]))
    gap = (TRIALS[:, 0, :, 0] - TRIALS[:, 1, :, 0]).mean(axis=1)
    these = pair(analysis, "model", "m0", "m1").these
    assert these.p_value == pytest.approx(stats.ttest_1samp(gap, 0.0).pvalue)
    assert analysis.tests[0].error_degrees is not None
    assert "question x model x prompt, and trial" in [each.name for each in analysis.components]


def test_outcomes_are_matched_by_question():
    reversed_rows = crossed(TRIALS[::-1], questions=[f"q{i}" for i in range(24)][::-1])
    same = analyze_factors("pass@1", crossed(TRIALS, questions=[f"q{i}" for i in range(24)]))
    other = analyze_factors("pass@1", reversed_rows)
    assert other.pairs[0].these == pytest.approx(same.pairs[0].these)
