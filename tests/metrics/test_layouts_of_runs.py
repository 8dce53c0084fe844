"""Layouts of runs that are not even: exact effects and covariances, and the likelihood of the size of the effect."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from scorio import MaxAtK, OutcomeError, OutcomeMatrix, PassAtK, RewardMatrix
from scorio.errors import RunsWarning
from scorio.inference._run_noise import SIZES
from scorio.metrics._runs import run_sums

NAMES = ["mon", "tue", "wed"]
LAYOUTS = {
    "a question twice in one run": ([[1, 0, 0], [1, 1, 0], [0, 0, 1]], [["mon", "mon", "tue"], NAMES, NAMES]),
    "missing trials": ([[1, 0, None], [1, None, 0], [0, 1, 1]], [NAMES] * 3),
    "runs of different questions": ([[1, 0], [0, 1], [1, 1], [0, 0]], [NAMES[:2], NAMES[1:], NAMES[:2], NAMES[1:]]),
    "both": ([[1, 0, 1, 0], [1, 0], [0, 1, None]], [["wed", "wed", "mon", "tue"], ["tue", "tue"], NAMES]),
}


def matrix_of(layout):
    values, runs = LAYOUTS[layout]
    return OutcomeMatrix(values, runs=runs, missing="omit")


def trials_of(layout):
    """Return the outcomes of each question that has trials, and the run of each of them."""
    values, runs = LAYOUTS[layout]
    kept = [[(v, r) for v, r in zip(*row, strict=True) if v is not None] for row in zip(values, runs, strict=True)]
    return [([v for v, _ in row], [r for _, r in row]) for row in kept]


def effect(questions, name):
    """Return the effect of a run on the success rate, by its definition, as a fraction."""
    found = Fraction(0)
    for outcomes, runs in questions:
        centre = Fraction(sum(outcomes), len(outcomes))
        own = sum((outcome - centre for outcome, run in zip(outcomes, runs, strict=True) if run == name), Fraction(0))
        found += own / len(outcomes)
    return found / len(questions)


def assignments(questions):
    """Yield the questions with their outcomes in every order."""
    orders = [list(itertools.permutations(outcomes)) for outcomes, _ in questions]
    for each in itertools.product(*orders):
        yield [(outcomes, runs) for outcomes, (_, runs) in zip(each, questions, strict=True)]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_effects_and_their_covariance_are_those_of_all_assignments(layout):
    questions = trials_of(layout)
    sums = run_sums(PassAtK(1), matrix_of(layout))
    assert sums.labels == tuple(NAMES)
    np.testing.assert_allclose(sums.effects, [float(effect(questions, name)) for name in NAMES], atol=1e-12)
    every = [[effect(each, name) for name in NAMES] for each in assignments(questions)]
    for i, j in itertools.product(range(3), repeat=2):
        exact = sum((row[i] * row[j] for row in every), Fraction(0)) / len(every)
        assert sums.noise[i, j] == pytest.approx(float(exact), abs=1e-12)


def even(runs, seed=0):
    rng = np.random.default_rng(seed)
    return OutcomeMatrix(rng.integers(0, 2, (30, runs)), runs=range(runs))


@pytest.mark.parametrize("outcomes", [even(2), even(5), even(300), *map(matrix_of, LAYOUTS)], ids=str)
def test_the_likelihood_is_that_of_a_normal_law(outcomes):
    """Even layouts take a shorter way, which must be the same."""
    sums = run_sums(PassAtK(1), outcomes)
    found = sums.log_likelihood - sums.log_likelihood[0]
    covariances = [sums.noise + s**2 * sums.pull @ sums.pull for s in SIZES[::8]]
    exact = [stats.multivariate_normal(cov=each, allow_singular=True).logpdf(sums.effects) for each in covariances]
    np.testing.assert_allclose(found[::8], np.array(exact) - exact[0], atol=1e-6)
    assert sums.degrees == np.linalg.matrix_rank(sums.noise)


def differing(seed=1, runs=5):
    rng = np.random.default_rng(seed)
    logits = rng.normal(0, 1.7, (200, 1)) + 1.0 * rng.standard_normal(runs)
    return OutcomeMatrix((rng.random((200, runs)) < 1 / (1 + np.exp(-logits))).astype(int), runs=range(runs))


@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.parametrize("metric", [PassAtK(1), PassAtK(3)], ids=str)
def test_the_posterior_is_that_of_the_interval(metric, target):
    outcomes = differing()
    law = metric.posterior(outcomes, target=target, runs="random")
    interval = metric.interval(outcomes, target=target, runs="random")
    plain = metric.posterior(outcomes, target=target, runs="independent")
    assert law.mean == pytest.approx(plain.mean)
    assert law.sd > 1.1 * plain.sd
    np.testing.assert_allclose(np.minimum(law.icdf(np.array([0.025, 0.975])), 1.0), interval[2:4], atol=0.01)
    with pytest.warns(RunsWarning, match="Trials are taken as independent"):
        assert metric.posterior(outcomes, target=target).sd == plain.sd


def test_a_posterior_of_rewards_is_refused():
    rewards = RewardMatrix(np.random.default_rng(0).random((20, 3)), runs=NAMES)
    with pytest.raises(OutcomeError, match="has no form with the noise of runs"):
        MaxAtK(1).posterior(rewards, runs="random")
    with pytest.raises(OutcomeError, match="not known which run"):
        PassAtK(1).posterior([[1, 0]], runs="random")
