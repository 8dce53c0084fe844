"""Trials for a forecast: they go to questions that were never solved, and a plan may have one as its goal."""

import numpy as np
import pytest

from scorio import OutcomeMatrix, PassAtK, next_trials, plan_trials

RATES = 10.0 ** np.random.default_rng(3).uniform(-4.5, 0.0, 40)
SOLVED = np.random.default_rng(4).binomial(64, RATES)
SO_FAR = OutcomeMatrix.from_counts(SOLVED, 64)


def width(k, outcomes):
    interval = PassAtK(k).interval(outcomes)
    return interval.hi - interval.lo


@pytest.mark.slow
def test_trials_go_to_questions_never_or_rarely_solved_and_the_plan_says_what_even_ones_give():
    """From four times the trials on an interval is the range of all that fits, which even trials narrow as well."""
    spent = next_trials("pass@10000", SO_FAR, spend=64 * len(RATES))
    [more] = spent.trials
    assert more[SOLVED == 0].sum() > 0.9 * spent.total
    assert not more[SOLVED > 5].any()
    assert max(spent.half_width, spent.half_width_even) < spent.half_width_now
    chosen, even = [], []
    for seed in range(8):
        draw = np.random.default_rng(seed).binomial
        later = OutcomeMatrix.from_counts(SOLVED + draw(more, RATES), 64 + more).as_adaptive()
        chosen.append(width(10_000, later))
        even.append(width(10_000, OutcomeMatrix.from_counts(SOLVED + draw(64, RATES), 128)))
    assert max(np.mean(chosen), np.mean(even)) < width(10_000, SO_FAR)
    assert np.mean(chosen) / 2.0 == pytest.approx(spent.half_width, rel=0.2)
    assert np.mean(even) / 2.0 == pytest.approx(spent.half_width_even, rel=0.2)


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
