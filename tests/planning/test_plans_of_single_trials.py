"""Plans of models with one trial per question: what one trial cannot say, and a design's promise."""

import math

import numpy as np
import pytest

from scorio import Design, OutcomeError, OutcomeMatrix, PassAtK, RewardMatrix, plan_trials
from scorio.planning import plan_separation


def test_single_rewards_do_not_show_how_much_they_vary():
    one, other = RewardMatrix([[4.5], [5.0]]), RewardMatrix([[3.0], [2.0]])
    with pytest.raises(OutcomeError, match="does not show how much its rewards vary: run a second one"):
        plan_separation("avg", one, other)
    with pytest.raises(OutcomeError, match="run a second one"):
        plan_trials("avg", one, 0.5)


def test_a_pilot_of_one_trial_says_what_is_always_enough():
    pilot = OutcomeMatrix(np.arange(100)[:, None] % 5 > 1)
    plan = plan_trials("pass@1", pilot, 0.02)
    assert plan.most == math.ceil(0.6 * 0.4 / 100 * (1.959964 / 0.02) ** 2) - 1 > plan.more
    assert f"a guess, from one trial each: between 1 and {plan.most}" in str(plan)
    assert plan.to_dict()["most"] == plan.most
    alike = OutcomeMatrix.from_counts(np.full(100, 6 * (plan.most + 1) // 10), plan.most + 1)  # one rate for all
    interval = PassAtK(1).interval(alike, shape="binomial")
    assert (interval.hi - interval.lo) / 2 == pytest.approx(0.02, rel=0.02)


@pytest.mark.parametrize("trials", [2, 5])
def test_other_pilots_say_nothing_of_it(trials):
    pilot = OutcomeMatrix.from_counts(np.arange(40) % (trials + 1), trials)
    plan = plan_trials("pass@1", pilot, 0.02)
    assert plan.most is None
    assert "guess" not in str(plan)
    assert "most" not in plan.to_dict()


def test_a_design_of_single_trials_counts_the_correlation():
    powers = [Design(100, 1, correlation=each).power(0.1) for each in (0.0, 0.7, 1.0)]
    assert powers == sorted(powers)
    for correlation in (0.3, 0.9):
        both = [Design(100, 1, target=each, correlation=correlation) for each in ("questions", "population")]
        assert both[0].power(0.1) == both[1].power(0.1)
    assert Design(100, 2, correlation=0.0).power(0.1) == Design(100, 2, correlation=0.9).power(0.1)
