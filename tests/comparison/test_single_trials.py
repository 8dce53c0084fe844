"""One trial per question of each model, for these questions: exact laws of all outcomes, and where the rule is used."""

from fractions import Fraction as F
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import t, ttest_rel

from scorio import Design, OutcomeMatrix, Suite, compare


def drawn(seed, questions=40, models=2, trials=1):
    rng = np.random.default_rng(seed)
    rates = rng.beta(0.5, 0.5, questions)
    return [OutcomeMatrix(rng.binomial(1, rates[:, None], (questions, trials))) for _ in range(models)]


@cache
def answer(questions, wins, losses):
    """The comparison after so many questions that only one of the models solves."""
    both = questions - wins - losses
    return compare("pass@1", [[1]] * wins + [[0]] * (losses + both), [[0]] * wins + [[1]] * losses + [[0]] * both)


def law(rates):
    """The probability of each number of wins and of losses, for rates (p, q) of each question."""
    chances = {(0, 0): F(1)}
    for p, q in rates:
        win, loss = p * (1 - q), q * (1 - p)
        after = {}
        for (wins, losses), chance in chances.items():
            for state, step in (
                ((wins + 1, losses), win),
                ((wins, losses + 1), loss),
                ((wins, losses), 1 - win - loss),
            ):
                after[state] = after.get(state, F(0)) + chance * step
        chances = after
    return chances


def test_it_is_the_paired_t_test_of_the_printed_scores():
    A, B = drawn(0)
    found = compare("pass@1", A, B)
    a, b = (each.successes.astype(float) for each in (A, B))
    expected = ttest_rel(a, b)
    assert found.difference == pytest.approx(found.scores[0] - found.scores[1], abs=1e-12)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-9)
    assert (found.lo, found.hi) == pytest.approx(tuple(expected.confidence_interval(0.95)), abs=1e-9)
    assert found.degrees == 39.0
    assert found.about == "for these questions, paired by question"
    assert "paired t test with 39 degrees of freedom, whose variance is an upper limit" in found.to_methods().text
    assert "empirical Bayes" not in found.to_methods().text


@pytest.mark.parametrize("questions", range(2, 9))
def test_equal_models_are_called_as_often_as_claimed(questions):
    """All outcomes of models with equal rates: each question has rate 0 (or 1), .1, .3 or .5."""
    worst = F(0)
    for certain in range(questions):
        for r in (F(1, 10), F(3, 10), F(1, 2)):
            rates = [(r, r)] * (questions - certain) + [(F(0), F(0))] * certain
            worst = max(worst, sum(p for state, p in law(rates).items() if answer(questions, *state).winner))
    assert worst <= F(56, 1000)


@pytest.mark.parametrize("questions", [4, 8])
def test_models_with_equal_means_are_called_no_more_often(questions):
    """Half of the questions are easier for one model, and half for the other."""
    for p, q in combinations((F(0), F(1, 5), F(1, 2), F(4, 5), F(1)), 2):
        rates = [(p, q), (q, p)] * (questions // 2)
        assert sum(chance for state, chance in law(rates).items() if answer(questions, *state).winner) <= F(56, 1000)


def test_the_variance_is_an_upper_limit_on_average():
    """Over all outcomes: the noise of the trials, and the variance over questions of the difference of rates."""
    rates = [(F(1, 2), F(1, 4)), (F(3, 4), F(3, 4)), (F(1, 3), F(2, 3))]
    expected = F(0)
    for outcome in product((0, 1), repeat=6):
        pairs = list(zip(outcome[::2], outcome[1::2], strict=True))
        chance = F(1)
        for (a, b), (p, q) in zip(pairs, rates, strict=True):
            chance *= (p if a else 1 - p) * (q if b else 1 - q)
        gaps = [F(a - b) for a, b in pairs]
        mean = sum(gaps) / 3
        found = compare("pass@1", [[a] for a, _ in pairs], [[b] for _, b in pairs])
        variance = sum((gap - mean) ** 2 for gap in gaps) / 6
        if variance:
            assert found.sigma**2 == pytest.approx(float(variance), rel=1e-12)
        expected += chance * variance
    noise = sum(p * (1 - p) + q * (1 - q) for p, q in rates) / 9
    mean = sum(p - q for p, q in rates) / 3
    assert expected == noise + sum((p - q - mean) ** 2 for p, q in rates) / 6


@pytest.mark.parametrize("questions", [2, 5, 30])
@pytest.mark.parametrize("value", [0, 1])
def test_models_that_never_differ_are_not_known_to_be_equal(questions, value):
    found = compare("pass@1", [[value]] * questions, [[value]] * questions)
    assert found.difference == 0.0
    assert found.p_value == 1.0
    assert found.hi - found.lo > 2.0 / questions


def test_a_model_that_is_always_better_is_not_surer_than_all_outcomes_allow():
    for questions in range(2, 7):
        assert answer(questions, questions, 0).p_value > 2.0 * 0.25**questions


def test_rewards_are_paired_too():
    rng = np.random.default_rng(3)
    values = [rng.normal(size=(30, 1)) + shift for shift in (0.3, 0.0)]
    rewards = [OutcomeMatrix.from_rewards(each).as_continuous() for each in values]
    graded = [OutcomeMatrix.from_rewards(np.clip(np.round(each), -1, 1)) for each in values]
    for found, data in (
        (compare("avg", *rewards), values),
        (compare("avg", *graded), [np.clip(np.round(each), -1, 1) for each in values]),
    ):
        assert found.p_value == pytest.approx(ttest_rel(*(each[:, 0] for each in data)).pvalue, rel=1e-9)


def test_a_suite_adds_the_variances_of_its_tasks():
    parts = {"x": drawn(6, 30), "y": drawn(7, 50), "never": [OutcomeMatrix([[0]] * 10)] * 2}
    sides = [Suite({task: {"m": each[side]} for task, each in parts.items()}) for side in range(2)]
    found = compare("pass@1", *sides)
    gaps = [np.subtract(*(each.successes.astype(float) for each in parts[task])) for task in "xy"]
    variances = np.array([gap.var(ddof=1) / len(gap) / 9 for gap in gaps])
    degrees = variances.sum() ** 2 / (variances**2 / [29, 49]).sum()
    assert found.difference == pytest.approx(sum(gap.mean() for gap in gaps) / 3, abs=1e-12)
    assert found.degrees == pytest.approx(degrees)
    assert found.hi - found.difference == pytest.approx(t.ppf(0.975, degrees) * np.sqrt(variances.sum()))
    assert "upper limit" in found.to_methods().text
    nothing = [Suite({task: {"m": OutcomeMatrix([[0]] * 10)} for task in "xy"}) for _ in range(2)]
    assert compare("pass@1", *nothing).hi > 0.0


def test_a_suite_may_have_tasks_with_more_trials():
    parts = {"x": drawn(8, 30), "y": drawn(9, 30, trials=4)}
    sides = [Suite({task: {"m": each[side]} for task, each in parts.items()}) for side in range(2)]
    found = compare("pass@1", *sides)
    own = [each.sigma for each in found.tasks.values()]
    assert found.sigma == pytest.approx(np.hypot(*own) / 2, rel=0.02)
    assert found.degrees > found.tasks["x"].degrees == 29.0
    text = found.to_methods().text
    assert "upper limit" in text
    assert "empirical Bayes" in text


def test_the_power_of_single_trials_is_that_of_the_paired_test():
    unpaired = Design(60, 1, profile="two-sided", paired=False)
    equal = Design(60, 1, profile="two-sided", correlation=1.0)
    assert equal.sigma() == pytest.approx(unpaired.sigma())
    design = Design(60, 1, profile="two-sided")
    assert design.sigma() > unpaired.sigma()
    assert design.sigma(0.1) > unpaired.sigma(0.1)
    assert design.power(0.0) == pytest.approx(0.05, abs=0.006)  # Student's threshold, a normal estimate
    assert design.power(0.1) < unpaired.power(0.1)
