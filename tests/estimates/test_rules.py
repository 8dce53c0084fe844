"""Two rules on the same samples: the difference of their estimates."""

import numpy as np
import pytest

from scorio import AvgMetric, MajAtK, MaxAtK, Metric, OutcomeError, OutcomeMatrix, PassAtK, VoteAtK
from scorio.metrics import BestOfK
from scorio.metrics._selectors import trial_values

RNG = np.random.default_rng(4)
ANSWERS = RNG.integers(0, 3, (25, 10))
RIGHT = (ANSWERS == 0).astype(int)
R = OutcomeMatrix(RIGHT, answers=ANSWERS, scores={"own": RIGHT.astype(float), "noise": RNG.random((25, 10))})


def difference(one, other, outcomes=R, **options):
    """One rule less another, by name."""
    first, second = (Metric.from_string(rule).estimate(outcomes, **options) for rule in (one, other))
    return first - second


@pytest.mark.parametrize("target", ["questions", "population"])
def test_a_difference_is_that_of_the_scores_and_turns_round(target):
    there, back = (
        difference(*pair, target=target) for pair in (("vote@5", "best@5:by=own"), ("best@5:by=own", "vote@5"))
    )
    assert there.value == pytest.approx(VoteAtK(5).score(R) - BestOfK(5, "own").score(R))
    assert (there.interval().lo, there.interval().hi) == pytest.approx((-back.interval().hi, -back.interval().lo))
    assert there.p_value() == pytest.approx(back.p_value())
    assert there.interval().hi < 0.0


def test_what_rules_have_in_common_cancels():
    same = difference("pass@4", "best@4:by=own")  # a perfect verifier is the oracle
    assert same.value == pytest.approx(0.0, abs=1e-12)
    assert same.sd < 1e-12
    assert same.interval().lo < 0.0 < same.interval().hi


@pytest.mark.parametrize("metric", [AvgMetric(), PassAtK(3), MajAtK(5), MaxAtK(3, (0.0, 2.0))], ids=str)
def test_values_without_a_trial_are_those_of_fewer_trials(metric):
    values = trial_values(metric, R)
    left_out = [metric.score([np.delete(row, i)]) for row in np.sort(RIGHT, axis=1) for i in range(len(row))]
    assert values.without == pytest.approx(left_out)


@pytest.mark.parametrize("target", ["questions", "population"])
def test_intervals_and_p_values_say_the_same(target):
    for seed in range(30):
        scores = {"a": np.random.default_rng(seed).random((25, 10)) + 0.3 * RIGHT, "b": RNG.random((25, 10))}
        outcomes = OutcomeMatrix(RIGHT, scores=scores)
        gap = difference("best@3:by=a", "best@3:by=b", outcomes, target=target, shape="normal")
        assert (not gap.interval().lo <= 0.0 <= gap.interval().hi) == (gap.p_value() < 0.05)


def test_continuous_rewards_have_the_mean_and_the_best_of_them():
    rewards = RNG.random((10, 6))
    outcomes = OutcomeMatrix.from_rewards(rewards, scores={"s": rewards, "noise": RNG.random((10, 6))})
    assert difference("max@3", "best@3:by=s", outcomes).value == pytest.approx(0.0, abs=1e-12)
    gap = difference("best@3:by=noise", "avg", outcomes)
    assert gap.value == pytest.approx(BestOfK(3, "noise").score(outcomes) - rewards.mean())


def test_what_is_no_rule_is_refused():
    with pytest.raises(OutcomeError, match="no mean over questions"):
        difference("vote@3", "geomds@3").interval()
    with pytest.raises(OutcomeError, match="take k up to 10"):
        difference("vote@11", "avg").interval()
