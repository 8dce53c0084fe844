"""Two rules on the same samples."""

import numpy as np
import pytest

from scorio import AvgMetric, MajAtK, MaxAtK, OutcomeError, OutcomeMatrix, ParameterError, PassAtK, VoteAtK
from scorio.comparison import compare_rules
from scorio.metrics import BestOfK, trial_values

RNG = np.random.default_rng(4)
ANSWERS = RNG.integers(0, 3, (25, 10))
RIGHT = (ANSWERS == 0).astype(int)
R = OutcomeMatrix(RIGHT, answers=ANSWERS, scores={"own": RIGHT.astype(float), "noise": RNG.random((25, 10))})


def test_a_difference_is_that_of_the_scores_and_turns_round():
    there, back = compare_rules("vote@5", "best@5:by=own", R), compare_rules("best@5:by=own", "vote@5", R)
    assert there.difference == pytest.approx(VoteAtK(5).score(R) - BestOfK(5, "own").score(R))
    assert (there.lo, there.hi) == pytest.approx((-back.hi, -back.lo))
    assert there.p_value == pytest.approx(back.p_value)
    assert there.winner == back.winner == "best@5:by=own"


def test_what_rules_have_in_common_cancels():
    same = compare_rules("pass@4", "best@4:by=own", R)  # a perfect verifier is the oracle
    assert same.difference == pytest.approx(0.0, abs=1e-12)
    assert same.sigma < 1e-12
    assert same.lo < 0.0 < same.hi
    assert same.winner is None


@pytest.mark.parametrize(
    "rules", [("vote@1", "best@1:by=own"), ("pass@1", "avg"), ("best@1:by=own", "best@1:by=noise")]
)
def test_rules_that_have_one_sample_to_choose_from_are_one_rule(rules):
    with pytest.raises(
        ParameterError, match=f"choose from one sample, {rules[0]} and {rules[1]}: both are that sample"
    ):
        compare_rules(*rules, R)
    assert compare_rules(rules[0], "best@2:by=own", R).lo < 0.0


@pytest.mark.parametrize("metric", [AvgMetric(), PassAtK(3), MajAtK(5), MaxAtK(3, (0.0, 2.0))], ids=str)
def test_values_without_a_trial_are_those_of_fewer_trials(metric):
    values = trial_values(metric, R)
    at = 0
    for row in np.sort(RIGHT, axis=1):
        for i in range(len(row)):
            assert values.without[at] == pytest.approx(metric.score([np.delete(row, i)]))
            at += 1


@pytest.mark.parametrize("target", ["questions", "population"])
def test_calls_and_p_values_say_the_same(target):
    for seed in range(30):
        scores = {"a": np.random.default_rng(seed).random((25, 10)) + 0.3 * RIGHT, "b": RNG.random((25, 10))}
        outcomes = OutcomeMatrix(RIGHT, scores=scores)
        found = compare_rules("best@3:by=a", "best@3:by=b", outcomes, target=target, shape="normal")
        assert (found.winner is not None) == (found.p_value < 0.05)


def test_continuous_rewards_have_the_mean_and_the_best_of_them():
    rewards = RNG.random((10, 6))
    outcomes = OutcomeMatrix.from_rewards(rewards, scores={"s": rewards, "noise": RNG.random((10, 6))})
    assert compare_rules("max@3", "best@3:by=s", outcomes).difference == pytest.approx(0.0, abs=1e-12)
    found = compare_rules("best@3:by=noise", "avg", outcomes)
    assert found.difference == pytest.approx(BestOfK(3, "noise").score(outcomes) - rewards.mean())


def test_what_is_no_rule_is_refused():
    with pytest.raises(ParameterError, match="the same rule"):
        compare_rules("vote@3", "cons@3", R)
    with pytest.raises(OutcomeError, match="no mean over questions"):
        compare_rules("vote@3", "geomds@3", R)
    with pytest.raises(OutcomeError, match="take k up to 10"):
        compare_rules("vote@11", "avg", R)
