"""Which questions get the next trials: against the even allocation, and marks of adaptive data."""

import warnings

import numpy as np
import pytest

from scorio import (
    Looks,
    Metric,
    OutcomeError,
    OutcomeMatrix,
    OutcomeSet,
    PassAtK,
    RewardMatrix,
    next_trials,
)
from scorio.errors import BiasWarning
from scorio.planning import Allocation

RNG = np.random.default_rng(0)
RATES = RNG.beta(0.4, 0.4, 60)
R = OutcomeMatrix((RNG.random((60, 8)) < RATES[:, None]).astype(int), questions=[f"q{a}" for a in range(60)])


def after(rng, trials):
    """The outcomes with so many more trials of each question."""
    return OutcomeMatrix.from_counts(R.successes + rng.binomial(trials, RATES), 8 + trials).as_adaptive()


@pytest.mark.parametrize("metric", ["pass@1", "pass@4", "pass^4", "gpass@4:tau=.5", "bayes", "geomds@4"])
def test_the_interval_that_follows_is_narrower_than_that_of_an_even_allocation(metric):
    found = next_trials(metric, R, 240)
    assert isinstance(found, Allocation)
    assert found.total == 240
    rng, rule = np.random.default_rng(1), Metric.from_string(metric)
    chosen, even = (
        np.mean([rule.interval(after(rng, trials), prior="learned").sigma for _ in range(20)])
        for trials in (found.trials, np.full(60, 4))
    )
    assert chosen < even


def test_questions_that_are_certain_get_nothing():
    sure = OutcomeMatrix.from_counts([0, 64, 32, 30], 64)
    trials = next_trials("pass@1", sure, 40).trials
    assert trials[:2].max() <= 2
    assert trials[2:].min() >= 18


def test_two_trials_of_every_question_come_first():
    few = OutcomeMatrix.from_counts([0, 1, 1, 2, 3], [0, 1, 2, 4, 6])
    found = next_trials("pass@1", few, 3)
    assert found.trials.tolist() == [2, 1, 0, 0, 0]
    assert "3 trials go to questions with fewer than 2 trials so far" in str(found)


def test_rewards_have_no_such_plan():
    for rewards in (OutcomeMatrix.from_rewards([[0.5, 0.0], [1.0, 0.5]]), RewardMatrix([[0.1, 0.2], [0.3, 0.7]])):
        with pytest.raises(OutcomeError, match="outcomes pass or fail.*plan_trials plans"):
            next_trials("avg", rewards, 200)


def test_only_uneven_allocations_are_adaptive():
    even = OutcomeMatrix.from_counts([4] * 10, 8)
    assert not next_trials("pass@1", even, 20).is_adaptive
    assert "raw means are biased" in str(next_trials("pass@1", R, 20))


def test_adaptive_data_are_marked_and_raw_means_of_them_warn():
    marked = R.as_adaptive()
    assert marked.is_adaptive
    assert not R.is_adaptive
    assert marked != R
    for derived in (marked.merge(R), R.merge(marked), marked.select(["q1", "q2"]), OutcomeSet({"a": marked})["a"]):
        assert derived.is_adaptive
    for metric in ("pass@1", "pass@4", "avg", "max@2", "geomds@4"):
        with pytest.warns(BiasWarning, match="the raw mean is biased"):
            Metric.from_string(metric).score(marked)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PassAtK(1).score(R)
        PassAtK(1).interval(marked, prior="learned", looks=Looks(trials=64))


@pytest.mark.simulation
def test_the_raw_mean_is_biased_after_an_adaptive_rule_and_the_learned_posterior_is_not():
    rng, raw, learned, inside, runs = np.random.default_rng(3), [], [], 0, 60
    for _ in range(runs):
        rates = rng.beta(0.5, 0.5, 50)
        counts, trials = rng.binomial(2, rates), np.full(50, 2)
        while trials.mean() < 8:
            more = next_trials("pass@1", OutcomeMatrix.from_counts(counts, trials).as_adaptive(), 100).trials
            counts, trials = counts + rng.binomial(more, rates), trials + more
        outcomes = OutcomeMatrix.from_counts(counts, trials).as_adaptive()
        found = PassAtK(1).interval(outcomes, prior="learned", shape="quantile")
        raw.append(float((counts / trials).mean() - rates.mean()))
        learned.append(found.mu - rates.mean())
        inside += found.lo <= rates.mean() <= found.hi
    assert np.sqrt(np.mean(np.square(learned))) < np.sqrt(np.mean(np.square(raw)))
    assert inside >= 50  # nominal 57; fewer than 50 of 60 have a probability below 1%
