"""The degrees of freedom of estimated trial variances, and the joint law that rests on them."""

import math

import numpy as np
import pytest

from scorio import Leaderboard, OutcomeMatrix
from scorio.comparison._variance_degrees import variance_degrees


def degrees(counts, trials):
    return float(variance_degrees([OutcomeMatrix.from_counts(counts, trials)])[0])


@pytest.mark.parametrize(("rate", "trials"), [(0.5, 4), (0.1, 4), (0.5, 2), (0.3, 8)])
def test_they_are_those_of_the_variance_of_the_estimate(rate, trials):
    """On questions with one rate, 2 (E v)^2 / Var v per question, by all outcomes of a question."""
    successes = np.arange(trials + 1)
    chance = np.array([math.comb(trials, c) * rate**c * (1 - rate) ** (trials - c) for c in successes])
    variance = successes * (trials - successes) / (trials * (trials - 1))
    mean = chance @ variance
    exact = 2 * mean**2 / (chance @ variance**2 - mean**2)
    counts = np.repeat(successes, np.round(chance * 20_000).astype(int))
    assert degrees(counts, trials) / len(counts) == pytest.approx(exact, rel=0.01)


def test_nothing_shows_the_variance_of_single_trials():
    assert degrees([0, 1, 1, 0], 1) == math.inf
    assert degrees([4, 4, 0, 0], 4) == math.inf
    assert degrees([2, 2, 2], 4) == math.inf


def test_few_trials_widen_the_joint_law_and_not_each_pair():
    rng = np.random.default_rng(0)
    few = {f"m{i}": rng.binomial(1, 0.4, (10, 3)) for i in range(5)}
    law = Leaderboard("pass@1", few)["pass@1"].law
    assert law.differences.variance_degrees.max() < 200
    normal = Leaderboard("pass@1", few, prior="uniform", shape="normal")["pass@1"].law
    assert normal.differences.variance_degrees is None
    assert normal.critical(0.05) == pytest.approx(2.728, abs=0.03)  # Tukey's range of five means
    assert law.critical(0.05) > normal.critical(0.05) + 0.03


def test_many_trials_do_not():
    rng = np.random.default_rng(1)
    many = {f"m{i}": rng.binomial(1, 0.4, (100, 50)) for i in range(5)}
    assert Leaderboard("pass@1", many)["pass@1"].law.critical(0.05) == pytest.approx(2.728, abs=0.03)


def test_many_models_are_judged_by_the_range_with_these_degrees():
    rng = np.random.default_rng(2)
    law = Leaderboard("pass@1", {f"m{i}": rng.binomial(1, 0.4, (10, 3)) for i in range(32)})["pass@1"].law
    assert law.critical(0.05) > Leaderboard("pass@1", {f"m{i}": rng.binomial(1, 0.4, (100, 50)) for i in range(32)})[
        "pass@1"
    ].law.critical(0.05)
