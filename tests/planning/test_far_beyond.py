"""A plan may have a forecast as its goal."""

import numpy as np
import pytest

from scorio import OutcomeMatrix, PassAtK, plan_trials

RATES = 10.0 ** np.random.default_rng(3).uniform(-4.5, 0.0, 40)
SOLVED = np.random.default_rng(4).binomial(64, RATES)
SO_FAR = OutcomeMatrix.from_counts(SOLVED, 64)


def width(k, outcomes):
    interval = PassAtK(k).interval(outcomes)
    return interval.hi - interval.lo


@pytest.mark.simulation
def test_a_plan_for_a_forecast_comes_near_its_goal():
    """A plan averages over what the rates may be, and these are one set of them: within a fifth is near."""
    goal = 0.06
    plan = plan_trials("pass@1000", SO_FAR, goal)
    assert plan.expected <= goal < width(1000, SO_FAR) / 4.0
    widths = [
        width(1000, OutcomeMatrix.from_counts(SOLVED + rng.binomial(plan.more, RATES), 64 + plan.more))
        for rng in map(np.random.default_rng, range(8))
    ]
    assert np.mean(widths) / 2.0 == pytest.approx(goal, rel=0.2)
