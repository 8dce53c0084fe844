"""The joint law of all differences: against brute force, Student's law, and simulated worlds of equal models."""

import numpy as np
import pytest
from scipy import stats

from scorio import Leaderboard, Metric, OutcomeMatrix
from scorio.comparison._differences import Differences
from scorio.comparison._family_law import STEPWISE, Family, _Draw, critical_range
from scorio.comparison._joint import independent, paired_by_question
from scorio.inference._level import Level

PASS_AT_1 = Metric.from_string("pass@1")


def family(mu, sigma=1.0):
    mu = np.asarray(mu, dtype=float)
    return Family(Differences(independent(mu, np.broadcast_to(sigma, mu.shape)), Level(0.95)))


def holm(p):
    order = np.argsort(p)
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return corrected


def population(seed=0, models=5, questions=30):
    rng = np.random.default_rng(seed)
    rates = rng.beta(1, 1, questions)
    return paired_by_question(PASS_AT_1, [OutcomeMatrix.from_counts(rng.binomial(6, rates), 6) for _ in range(models)])


@pytest.mark.parametrize("models", [3, 6, 15])
def test_one_critical_value_is_that_of_the_range_for_independent_models(models):
    assert family(np.zeros(models)).critical(0.05) == pytest.approx(critical_range(0.05, models), rel=0.015)


def test_calls_step_by_step_are_those_of_westfall_and_young():
    law = family([0.0, 1.5, 3.2, 3.9, 6.5])
    i, j = law.pairs
    draws = np.random.default_rng(7).standard_normal((200_000, 5))
    null = np.abs(draws[:, i] - draws[:, j]) / np.sqrt(2.0)
    expected, order = np.empty(10), np.argsort(-law.statistic)
    for step, pair in enumerate(order):
        expected[pair] = (null[:, order[step:]].max(axis=1) >= law.statistic[pair]).mean()
    expected[order] = np.maximum.accumulate(expected[order])
    np.testing.assert_allclose(law.p_family, expected, atol=0.01)
    assert (law.p_each <= law.p_family).all()


@pytest.mark.parametrize("mu", [[0, 0, 0, 0, 0, 3], [0, 0, 0, 3, 3, 3], [0, 1, 2, 3, 4, 5], [0, 3, 6, 9, 12, 15]])
def test_the_joint_law_is_at_least_as_powerful_as_holm(mu):
    rng = np.random.default_rng(1)
    ours = theirs = 0
    for _ in range(60):
        law = family(mu + rng.standard_normal(6))
        ours += (law.p_family <= 0.05).sum()
        theirs += (holm(law.p_each) <= 0.05).sum()
    assert ours >= 0.995 * theirs


def test_each_statistic_of_models_with_shared_questions_is_students():
    joint = population()
    draw = _Draw(Differences(joint, Level(0.95)), 20_000, np.random.default_rng(3))
    for i, j in ((0, 1), (2, 4)):
        assert stats.kstest(draw.statistic(i, j), lambda t: 2 * stats.t(joint.df).cdf(t) - 1).pvalue > 0.001


def test_shared_questions_correlate_the_differences_as_the_data_do():
    """Twins move together: all pairs with one of them are judged as one."""
    rng = np.random.default_rng(5)
    rates = rng.beta(1, 1, 40)
    one, other = (rng.binomial(6, rates) for _ in range(2))
    nearly = one.copy()
    nearly[0] = abs(nearly[0] - 1)
    models = [OutcomeMatrix.from_counts(counts, 6) for counts in (one, nearly, other)]
    twins = Family(Differences(paired_by_question(PASS_AT_1, models), Level(0.95))).critical(0.05)
    strangers = Family(Differences(population(models=3, questions=40), Level(0.95))).critical(0.05)
    assert twins < strangers - 0.05


@pytest.mark.parametrize("models", [STEPWISE, STEPWISE + 1])
def test_one_step_for_more_models_calls_no_more(models):
    rng = np.random.default_rng(2)
    law = family(rng.normal(0.0, 3.0, models))
    single = law.statistic > critical_range(0.05, models)
    i, j = law.pairs
    ranks = law.ranks(0.05)
    assert (ranks.first - 1).sum() == (models - ranks.last).sum() == (law.p_family <= 0.05).sum()
    assert (law.p_family[single] <= 0.055).all()
    assert (np.bincount(j[single], minlength=models) <= ranks.first - 1 + (models <= STEPWISE)).all()
    assert (law.best(0.05) == (ranks.first == 1)).all()
    assert (np.bincount(i, minlength=models) + np.bincount(j, minlength=models) == models - 1).all()


@pytest.mark.simulation
@pytest.mark.parametrize("target", ["questions", "population"])
def test_of_six_equal_models_the_top_set_loses_any_in_at_most_5_percent_of_worlds(target):
    rng = np.random.default_rng(11)
    worlds, lost = (250 if target == "questions" else 100), 0
    for _ in range(worlds):
        rates = 1.0 / (1.0 + np.exp(rng.normal(0.0, 2.0, 40)))
        models = [OutcomeMatrix.from_counts(rng.binomial(8, rates), 8) for _ in range(6)]
        lost += not Leaderboard("pass@1", models, target=target).tied_with_top.all()
    assert lost / worlds < 0.05 + 3.5 * np.sqrt(0.05 * 0.95 / worlds)
    assert lost >= 1


def test_one_model_is_the_best_and_two_are_judged_alone():
    assert family([1.0]).best(0.05).tolist() == [True]
    two = family([0.0, 3.0])
    assert two.p_family.tolist() == two.p_each.tolist()
    assert two.critical(0.05) == pytest.approx(1.959964)
