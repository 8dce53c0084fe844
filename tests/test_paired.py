"""The joint posterior of models on shared questions: by hand, against scipy's paired t, by simulation."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import norm, t, ttest_rel

from samples import A, each_metric
from scorio import BayesMetric, GeomDsAtK, OutcomeMatrix, PassAtK
from scorio.paired import independent, joint_of, paired, question_values

rng = np.random.default_rng(3)
VALUES = rng.random((4, 30))


def test_without_a_posterior_of_its_own_it_is_the_paired_t_test():
    joint = paired(VALUES.mean(axis=1), np.zeros(4), VALUES)
    for i, j in ((0, 1), (2, 3), (3, 0)):
        expected = ttest_rel(VALUES[i], VALUES[j], alternative="greater")
        assert joint.mu[i] - joint.mu[j] == pytest.approx(expected.statistic * joint.sd(i, j), rel=1e-12)
        assert joint.beats(i, j) == pytest.approx(1 - expected.pvalue, rel=1e-10)


def test_the_posterior_counts_as_one_more_question():
    plain = paired([0.0, 0.0], [0.0, 0.0], VALUES[:2]).sd(0, 1)
    with_own = paired([0.0, 0.0], [0.3, 0.4], VALUES[:2]).sd(0, 1)
    assert with_own**2 - plain**2 == pytest.approx(0.25 / 29, rel=1e-12)


def test_one_question_or_one_cluster_leaves_the_posterior_alone():
    for joint in (
        paired([0.6, 0.5], [0.03, 0.04], VALUES[:2, :1]),
        paired([0.6, 0.5], [0.03, 0.04], VALUES[:2], [0] * 30),
    ):
        assert joint.is_independent
        assert joint.sd(0, 1) == pytest.approx(0.05, rel=1e-12)
        assert joint.beats(0, 1) == pytest.approx(norm.cdf(2.0), rel=1e-12)


def test_clusters_by_exact_fractions():
    x, y = [Fraction(1, 2), Fraction(1, 4), Fraction(1)], [Fraction(0), Fraction(1, 4), Fraction(1, 8)]
    gaps = [a - b for a, b in zip(x, y, strict=True)]
    centre = sum(gaps) / 3
    first, second = (gaps[0] - centre) + (gaps[2] - centre), gaps[1] - centre
    variance = Fraction(2, 1) * (first**2 + second**2) / 9
    table = np.array([[float(a) for a in x], [float(b) for b in y]])
    joint = paired([0.5, 0.1], [0.0, 0.0], table, ["u", "v", "u"])
    assert joint.sd(0, 1) ** 2 == pytest.approx(float(variance), rel=1e-14)
    assert joint.df == 1.0


def test_questions_that_are_copies_say_nothing_new():
    once = paired([0.0, 0.0], [0.0, 0.0], VALUES[:2])
    thrice = paired([0.0, 0.0], [0.0, 0.0], np.repeat(VALUES[:2], 3, axis=1), np.repeat(np.arange(30), 3).tolist())
    assert thrice.sd(0, 1) == pytest.approx(once.sd(0, 1), rel=1e-12)


def test_near_equal_models_lose_no_digits():
    close = np.stack([VALUES[0], VALUES[0] + 1e-9 * VALUES[1]])
    joint = paired([0.0, 0.0], [0.0, 0.0], close)
    assert joint.sd(0, 1) == pytest.approx(np.std(close[0] - close[1], ddof=1) / np.sqrt(30), rel=1e-6)


@given(arrays(float, (3, 5), elements=st.floats(0, 1)), st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_wins_and_losses_add_up(values, sigma):
    models = np.arange(3)
    joint = paired(values.mean(axis=1), sigma, values)
    beats = joint.beats(models[:, None], models)
    assert np.isfinite(beats).all()
    np.testing.assert_allclose(beats + beats.T, 1.0, rtol=1e-12)
    assert (np.diag(beats) == 0.5).all()


def test_without_any_uncertainty_the_better_wins():
    joint = independent([0.5, 0.5, 0.2], [0.0, 0.0, 0.0])
    assert joint.beats(0, np.arange(3)).tolist() == [0.5, 0.5, 1.0]
    assert joint.beats(2, 0) == 0.0


def test_draws_have_the_law_they_are_drawn_from():
    joint = paired([0.6, 0.5, 0.4, 0.5], [0.01, 0.02, 0.03, 0.0], VALUES)
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
    moved = (metric.interval(heavier).mu - metric.interval(base).mu) * (7 * copies + 1)
    assert moved == pytest.approx(values[0] - values.mean(), rel=0.01, abs=2e-5)


def test_clusters_of_the_outcomes_count():
    banks = [OutcomeMatrix(rng.integers(0, 2, (6, 4)), clusters=list("aabbcc")) for _ in range(2)]
    assert joint_of(PassAtK(2), banks, [0.5, 0.4]).df == 2.0
    assert joint_of(PassAtK(2), [A, A], [0.5, 0.4]).df == 1.0


def test_a_learnt_prior_does_not_shrink_the_spread():
    banks = [OutcomeMatrix(rng.integers(0, 2, (6, 4))) for _ in range(2)]
    learnt, plain = (joint_of(BayesMetric(), banks, [0.5, 0.4], prior) for prior in ("eb", "jeffreys"))
    assert learnt.sd(0, 1) == plain.sd(0, 1)


@pytest.mark.parametrize("difficulty", [(0.3, 0.3), (0.5, 5.0)], ids=["both ends", "hard"])
@pytest.mark.parametrize(("questions", "metric"), [(10, PassAtK(1)), (60, PassAtK(4)), (60, GeomDsAtK(2))], ids=str)
def test_equal_models_are_called_different_as_often_as_is_said(questions, metric, difficulty):
    """Two models of one law: at 95% each way, one pair in ten is called; a timid rule calls far fewer."""
    random = np.random.default_rng(11)
    calls, replicates = 0, 600
    for _ in range(replicates):
        chance = random.beta(*difficulty, (2, questions))
        banks = [OutcomeMatrix.from_counts(random.binomial(8, p), 8) for p in chance]
        joint = joint_of(metric, banks, [metric.interval(bank).mu for bank in banks])
        calls += not 0.05 < joint.beats(0, 1) < 0.95
    assert 0.06 < calls / replicates < 0.14
