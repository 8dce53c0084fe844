"""Plans of trials for metrics that choose among samples: against the variance of more trials."""

import numpy as np
import pytest

from scorio import OutcomeError, OutcomeMatrix, VoteAtK, next_trials, plan_trials


def drawn(rng, rate, n):
    right = rng.random((len(rate), n)) < rate[:, None]
    wrong = rng.integers(0, 6, right.shape)
    return OutcomeMatrix(right.astype(int), answers=np.where(right, -1, wrong), normalize=None)


def test_a_plan_of_trials_expects_what_more_trials_give():
    rng = np.random.default_rng(4)
    rate = rng.beta(1, 1, 60)
    planned = [plan_trials("vote@3", drawn(rng, rate, 12), 0.022) for _ in range(20)]
    more = round(np.mean([each.more for each in planned]))
    reached = [drawn(rng, rate, 12 + more) for _ in range(20)]
    half = np.mean([(each.hi - each.lo) / 2 for each in map(VoteAtK(3).interval, reached)])
    assert 0.85 * 0.022 < half < 1.1 * 0.022


def test_trials_of_single_questions_are_refused():
    R = drawn(np.random.default_rng(0), np.full(10, 0.5), 8)
    with pytest.raises(OutcomeError, match="plan_trials"):
        next_trials("vote@3", R, 100)
