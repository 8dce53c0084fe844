"""Rare successes cover at one rate common to all questions, where the learned prior alone was too sure."""

import numpy as np
import pytest
from scipy.stats import beta, binom

from scorio import GPassTau, Looks, OutcomeMatrix, PassAtK, PassHatK


def singles(successes, questions, trials):
    """Outcomes with so many successes, each of another question."""
    counts = np.zeros(questions, int)
    counts[:successes] = 1
    return OutcomeMatrix.from_counts(counts, trials)


def jeffreys(successes, trials, p):
    return beta.ppf(p, successes + 0.5, trials - successes + 0.5)


@pytest.mark.parametrize("k", [1, 2, 4, 8])
@pytest.mark.parametrize(("questions", "trials"), [(300, 8), (100, 4), (1000, 16)])
def test_one_rare_rate_is_covered(k, questions, trials):
    """Summed over the numbers of successes; that two are of one question is so rare that it counts as a miss."""
    ends = [PassAtK(k).interval(singles(s, questions, trials)) for s in range(16)]
    for expected in np.arange(0.5, 4.01, 0.25):
        p = expected / (questions * trials)
        truth = 1.0 - (1.0 - p) ** k
        weights = binom.pmf(np.arange(16), questions * trials, p)
        covered = sum(w for w, found in zip(weights, ends, strict=True) if found.lo <= truth <= found.hi)
        assert covered >= 0.90


@pytest.mark.parametrize("k", [1, 4, 40, 60])
def test_the_end_is_that_of_one_rate(k):
    found = PassAtK(k).interval(singles(1, 200, 80))
    top = jeffreys(1, 16_000, 0.975)
    assert found.hi == pytest.approx(1.0 - (1.0 - top) ** k, rel=1e-9)
    assert 0.0 < found.lo < found.mu < found.hi


@pytest.mark.parametrize("metric", [PassAtK(3), GPassTau(4, 0.5), PassHatK(2)])
def test_rare_failures_are_the_mirror(metric):
    """Of Pass@k in rare successes and Pass^k in rare failures: 1 less the one is the other."""
    missed = metric.interval(OutcomeMatrix.from_counts(6 - singles(2, 60, 6).successes, 6))
    bottom = 1.0 - jeffreys(2, 360, 0.975)
    worth = binom.pmf(np.arange(metric.k + 1), metric.k, bottom) @ metric.credit_values
    assert missed.lo <= worth * (1.0 + 1e-9)
    if isinstance(metric, PassHatK):
        solved = PassAtK(metric.k).interval(singles(2, 60, 6))
        assert missed.lo == pytest.approx(1.0 - solved.hi, rel=1e-9)


def test_two_successes_of_one_question_show_differences():
    counts = np.where(np.arange(100) == 0, 2, 0)
    assert PassAtK(8).interval(OutcomeMatrix.from_counts(counts, 8)).hi < 1.0 - (1.0 - jeffreys(2, 800, 0.975)) ** 8


def test_single_trials_could_not_show_two():
    few = singles(3, 30, 1)
    assert PassAtK(4).interval(few).hi < 1.0 - (1.0 - jeffreys(3, 30, 0.975)) ** 4


def test_every_way_to_ask_agrees():
    few = singles(1, 50, 4)
    alone = PassAtK(2).interval(few)
    assert PassAtK(2).interval(few, looks=Looks(trials=4)).hi > alone.hi
    assert PassAtK(2).interval(few, 0.99).hi > alone.hi
    assert PassAtK(2).interval(few, bounds=(0.0, 0.01)).hi == 0.01
