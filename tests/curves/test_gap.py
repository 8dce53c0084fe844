"""Gaps between two sets of questions: against usual tests, and simulated models of which one saw a set."""

import math

import numpy as np
import pytest
from scipy.stats import t, ttest_1samp, ttest_ind

from scorio import OutcomeError, OutcomeSet, ParameterError, compare
from scorio.curves import gap

SETS = ["before"] * 30 + ["after"] * 20


def drawn(seed=0, lift=0.0, trials=4, questions=50):
    rng = np.random.default_rng(seed)
    ease = rng.normal(0.0, 1.0, questions)
    rates = {name: 1 / (1 + np.exp(-(ease + rng.normal(0.0, 0.5, questions)))) for name in "abc"}
    rates["a"] = 1 / (1 + np.exp(-(ease + lift * (np.arange(questions) < 30))))
    return OutcomeSet({name: (rng.random((questions, trials)) < p[:, None]).astype(int) for name, p in rates.items()})


def values(outcomes):
    return np.array([each.successes / each.trials for each in outcomes.values()])


def half(interval):
    return (interval.high - interval.low) / 2


def test_questions_like_these_are_compared_as_by_welchs_test():
    outcomes = drawn()
    y = values(outcomes)
    d = y[0] - y[1:].mean(axis=0)
    welch = ttest_ind(d[:30], d[30:], equal_var=False)
    found = gap("pass@1", outcomes, SETS, model="a", target="population")
    assert found.gap == pytest.approx(d[:30].mean() - d[30:].mean(), abs=0.01)
    assert halves(found) == pytest.approx(half(welch.confidence_interval()), rel=0.05)
    assert found.p_value == pytest.approx(welch.pvalue, abs=0.02)


def test_pairs_are_compared_by_their_differences():
    outcomes = drawn(1, questions=60)
    sets = ["original"] * 30 + ["rewritten"] * 30
    y = values(outcomes)
    d = y[0] - y[1:].mean(axis=0)
    paired = ttest_1samp(d[:30] - d[30:], 0.0)
    found = gap("pass@1", outcomes, sets, model="a", pairs=[*range(30)] * 2, target="population")
    assert (found.is_paired, found.questions) == (True, (30, 30))
    assert halves(found) == pytest.approx(half(paired.confidence_interval()), rel=0.05)
    assert found.p_value == pytest.approx(paired.pvalue, abs=0.02)
    lost = gap("pass@1", outcomes, sets, model="a", pairs=[None, *range(29)] * 2, target="population")
    assert halves(lost) == pytest.approx(halves(found), rel=0.1)


def test_these_questions_have_the_noise_of_trials():
    outcomes = drawn(2)
    y = values(outcomes)
    share = np.where(np.arange(50) < 30, 1 / 30, 1 / 20)
    parts = share**2 * np.array([1.0, 0.25, 0.25])[:, None] * y * (1 - y) / 3
    found = gap("pass@1", outcomes, SETS, model="a")
    assert halves(found) == pytest.approx(1.96 * math.sqrt(parts.sum()), rel=0.1)


def test_single_trials_are_compared_over_questions():
    outcomes = drawn(3, trials=1)
    y = values(outcomes)
    d = y[0] - y[1:].mean(axis=0)
    ends = ttest_ind(d[:30], d[30:], equal_var=False).confidence_interval()
    found = gap("pass@1", outcomes, SETS, model="a")
    assert (found.lo, found.hi) == pytest.approx((ends.low, ends.high))


def test_order_and_models_like_the_others():
    outcomes = OutcomeSet({**drawn(4, 3.0), "d": drawn(5)["b"]})
    found, turned = (gap("pass@1", outcomes, SETS, model="a", first=each) for each in (None, "after"))
    assert found.gap == pytest.approx(-turned.gap)
    assert (found.call, turned.call) == ("larger", "smaller")
    changes = np.array([found.differences[name] for name in "bcd"])
    reach = t.ppf(0.975, 2) * changes.std(ddof=1) * math.sqrt(4 / 3)
    assert (found.among_hi - found.among_lo) / 2 == pytest.approx(reach)


@pytest.mark.parametrize(
    ("sets", "about", "message"),
    [
        (SETS, {"others": []}, "without a control"),
        (SETS, {"others": ["a"]}, "models other than 'a'"),
        (SETS, {"others": ["e"]}, "unknown model 'e'"),
        (["before"] * 50, {}, "two sets; got 1"),
        (SETS, {"first": "during"}, "unknown set"),
        (["before"] * 49 + ["after"], {}, "a gap needs 3"),
        (SETS[:5], {}, "one value for each of 50"),
        ([None] * 50, {"cut": 3}, "none of the questions has a value"),
        ([*range(49), None], {"cut": 60}, "is 60, and values go from 0 to 48: some must be below it"),
    ],
)
def test_faults_say_what_is_wrong(sets, about, message):
    with pytest.raises((OutcomeError, ParameterError), match=message):
        gap("pass@1", drawn(), sets, model="a", **about)


def halves(each):
    return (each.hi - each.lo) / 2


@pytest.mark.parametrize("trials", [1, 4])
@pytest.mark.parametrize("target", ["questions", "population"])
def test_models_that_solve_everything_leave_a_gap_open(trials, target):
    rows = {name: np.ones((40, trials), int) for name in "abcd"}
    about = {"model": "a", "target": target}
    found = gap("pass@1", rows, ["x"] * 20 + ["y"] * 20, **about)
    assert (found.gap, found.call, found.p_value) == (0.0, "not told", pytest.approx(1.0))
    assert halves(found) > 0.02
    assert (found.among_lo, found.among_hi) == pytest.approx((found.lo, found.hi))
    fewer = {name: each[:20] for name, each in rows.items()}
    assert halves(gap("pass@1", fewer, ["x"] * 10 + ["y"] * 10, **about)) > halves(found)


def test_models_that_agree_on_every_question_leave_a_gap_open():
    y = np.random.default_rng(0).integers(0, 2, (40, 1))
    single = compare("pass@1", y[:20], y[:20])
    alike = gap("pass@1", {"a": y, "b": y}, ["x"] * 20 + ["y"] * 20, model="a")
    assert halves(alike) > halves(single)
    twins = np.concatenate([y[:20], y[:20]])
    paired = gap("pass@1", {"a": twins, "b": y}, ["x"] * 20 + ["y"] * 20, model="a", pairs=[*range(20)] * 2)
    assert halves(paired) > 0.0
    same = gap("pass@1", {"a": twins, "b": twins}, ["x"] * 20 + ["y"] * 20, model="a", pairs=[*range(20)] * 2)
    assert halves(same) > halves(single)


def test_one_model_that_solves_a_set_adds_what_that_leaves_open():
    R = drawn(6, questions=40)
    rows = {"a": np.ones((40, 4), int), "b": R["b"].successes[:, None] > np.arange(4)}
    found = gap("pass@1", rows, ["x"] * 20 + ["y"] * 20, model="a")
    y = R["b"].successes / 4
    noise = math.sqrt((y * (1 - y) / 3).sum()) / 20
    assert halves(found) > 1.9 * noise
    budgets = gap("pass^2", {"a": rows["a"], "c": rows["a"]}, ["x"] * 20 + ["y"] * 20, model="a")
    assert 0.0 < halves(budgets) < 0.2


@pytest.mark.simulation
def test_false_calls_have_their_rate():
    """Of 600 worlds without a gap, 5% are called, give or take three standard errors of 0.9%."""
    calls = [gap("pass@1", drawn(seed, trials=2), SETS, model="b", target="population").call for seed in range(600)]
    assert 0.022 <= np.mean([each != "not told" for each in calls]) <= 0.078
