"""Water-filling against brute force, and what it never does."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorio.planning._water_filling import expected_variances, fill, level_up


def brute_force(variance, known, cost, budget):
    """The smallest sum of variances of all whole allocations within the budget."""
    ranges = [range(int(budget // each) + 1) for each in cost]
    best = np.inf
    for trials in itertools.product(*ranges):
        more = np.array(trials)
        if more @ cost <= budget + 1e-9:
            best = min(best, float(expected_variances(variance, known, more).sum()))
    return best


@pytest.mark.parametrize("seed", range(40))
def test_equal_costs_reach_the_optimum_of_brute_force(seed):
    rng = np.random.default_rng(seed)
    count, budget = int(rng.integers(1, 5)), int(rng.integers(0, 9))
    variance, known = rng.gamma(0.5, 0.1, count), rng.gamma(1.0, 4.0, count)
    more = fill(variance, known, np.ones(count), budget)
    assert more.sum() == budget
    found = expected_variances(variance, known, more).sum()
    assert found == pytest.approx(brute_force(variance, known, np.ones(count), budget), rel=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_unequal_costs_come_within_one_trial_of_brute_force(seed):
    rng = np.random.default_rng(seed)
    cost = rng.choice([1.0, 2.0, 3.0], 3)
    variance, known = rng.gamma(1.0, 0.1, 3), rng.gamma(1.0, 4.0, 3)
    more = fill(variance, known, cost, 12.0)
    assert more @ cost <= 12.0
    found = expected_variances(variance, known, more).sum()
    # A budget smaller by the dearest trial is no better than ours.
    assert found <= brute_force(variance, known, cost, 12.0 - cost.max()) + 1e-12


@given(
    st.lists(st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1e6), st.floats(0.01, 100.0)), min_size=1, max_size=30),
    st.floats(0.0, 1e4),
)
@settings(max_examples=150, deadline=None)
def test_the_budget_is_kept_and_nothing_is_negative(items, budget):
    variance, known, cost = (np.array(column) for column in zip(*items, strict=True))
    more = fill(variance, known, cost, budget)
    assert (more >= 0).all()
    assert more @ cost <= budget * (1 + 1e-9)
    assert (more[variance == 0.0] == 0).all()


def test_a_large_budget_is_as_good_as_single_steps():
    rng = np.random.default_rng(3)
    variance, known = rng.gamma(0.5, 0.1, 200), rng.gamma(1.0, 10.0, 200)
    more = fill(variance, known, np.ones(200), 5000)
    gains = variance * known / ((known + more) * (known + more + 1))
    last = variance * known / ((known + more - 1) * (known + more))
    assert more.sum() == 5000
    assert last[more > 0].min() >= gains.max() * (1 - 1e-9)


def test_limits_are_kept_and_what_is_left_goes_elsewhere():
    variance, known = np.array([1.0, 0.01, 0.01]), np.array([5.0, 5.0, 5.0])
    more = fill(variance, known, np.ones(3), 10, most=np.array([4, 100, 100]))
    assert more.tolist() == [4, 3, 3]


def test_certain_items_get_nothing():
    more = fill(np.array([0.0, 0.1]), np.array([3.0, 3.0]), np.ones(2), 7)
    assert more.tolist() == [0, 7]
    assert fill(np.zeros(3), np.ones(3), np.ones(3), 7).tolist() == [0, 0, 0]


def test_items_with_the_fewest_trials_come_first():
    assert level_up(np.array([0, 1, 0, 2]), np.ones(4), 3.0, 2).tolist() == [1, 0, 1, 0] or level_up(
        np.array([0, 1, 0, 2]), np.ones(4), 3.0, 2
    ).tolist() == [2, 0, 1, 0]
    assert level_up(np.array([0, 1, 0, 2]), np.ones(4), 100.0, 2).tolist() == [2, 1, 2, 0]
    assert level_up(np.array([0, 0]), np.array([5.0, 1.0]), 2.0, 2).tolist() == [0, 2]
