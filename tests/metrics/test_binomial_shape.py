"""The binomial shape: an interval of Pass@1 that holds whatever the difficulties of the questions are."""

import numpy as np
import pytest
from scipy import stats

from scorio import AvgMetric, Leaderboard, Looks, MaxAtK, OutcomeMatrix, PassAtK, PassHatK, compare
from scorio.errors import OutcomeError, ParameterError


def law_of_successes(rates, trials):
    """The exact probabilities of 0, 1, .. successes of all trials."""
    law = np.ones(1)
    for rate in rates:
        law = np.convolve(law, stats.binom.pmf(np.arange(trials + 1), trials, rate))
    return law


def spread(total, questions, trials):
    """Counts of questions with this total."""
    counts = np.full(questions, total // questions)
    counts[: total % questions] += 1
    return OutcomeMatrix.from_counts(counts, trials)


@pytest.mark.parametrize("trials", [1, 3])
@pytest.mark.parametrize(
    "rates",
    [
        np.full(60, 0.5),
        np.full(100, 0.2),
        np.full(30, 0.04),
        np.linspace(0.3, 0.7, 60),
        np.repeat([0.3, 0.7], 30),
        np.repeat([0.002, 0.998], 25),
        np.repeat([0.0, 0.5, 1.0], 20),
        np.random.default_rng(0).beta(0.3, 1.2, 80),
    ],
)
def test_coverage_by_enumeration(rates, trials):
    law, truth, covered = law_of_successes(rates, trials), rates.mean(), 0.0
    for total in np.flatnonzero(law > 1e-12):
        interval = PassAtK(1).interval(spread(total, len(rates), trials), shape="binomial")
        covered += law[total] * (interval.lo <= truth <= interval.hi)
    assert covered >= 0.92


def test_ends_are_those_of_a_proportion():
    outcomes = OutcomeMatrix([[1], [1], [0], [1], [0], [1], [1]])
    law = stats.beta(5.5, 2.5)
    for metric in (PassAtK(1), PassHatK(1), AvgMetric()):
        mu, sigma, lo, hi = interval = metric.interval(outcomes, 0.9, shape="binomial")
        np.testing.assert_allclose([mu, sigma, lo, hi], [law.mean(), law.std(), *law.interval(0.9)], rtol=1e-12)
        assert (interval.prior, interval.shape, interval.target) == ("jeffreys", "binomial", "questions")
        assert "whatever their difficulties" in str(interval)
    for weights, sign in (((1, 3), 1), ((3, 1), -1)):
        mu, sigma, lo, hi = AvgMetric(weights).interval(outcomes, 0.9, shape="binomial")
        ends = sorted(2 + sign * (2 * np.array(law.interval(0.9)) - 1))
        np.testing.assert_allclose([mu, sigma, lo, hi], [2 + sign * (2 * law.mean() - 1), 2 * law.std(), *ends])


@pytest.mark.parametrize("value", [0, 1])
def test_nothing_but_failures_or_successes(value):
    interval = PassAtK(1).interval(np.full((20, 1), value), shape="binomial")
    assert (interval.hi if value else interval.lo) == value
    assert 0.0 <= interval.lo < interval.mu < interval.hi <= 1.0


def test_looks_reach_further():
    outcomes = OutcomeMatrix.from_counts(np.arange(9), 8)
    once, always = (PassAtK(1).interval(outcomes, shape="binomial", looks=each) for each in (None, Looks(trials=64)))
    assert always.lo < once.lo < once.hi < always.hi


def test_where_it_does_not_serve():
    outcomes = OutcomeMatrix.from_counts([1, 0, 2], 2)
    with pytest.raises(ParameterError, match="shares of successes; pass@2 .*: use pass@1"):
        PassAtK(2).interval(outcomes, shape="binomial")
    with pytest.raises(ParameterError, match="shares of successes"):
        AvgMetric().interval(OutcomeMatrix.from_rewards([[0.5, 0.2], [0.1, 0.7]]), shape="binomial")
    for uneven in (OutcomeMatrix([[1, 0], [1]]), outcomes.as_adaptive()):
        with pytest.raises(OutcomeError, match='same number of trials of every question.*shape="quantile"'):
            PassAtK(1).interval(uneven, shape="binomial")


def test_what_single_trials_do_not_determine_is_given_as_a_range():
    """Of 300 of 500 questions solved, Pass@2 is at least Pass@1, and at most that of one rate for all questions."""
    single = OutcomeMatrix([[1]] * 300 + [[0]] * 200)
    for target in ("questions", "population"):
        found = PassAtK(2).interval(single, target=target)
        assert (found.shape, found.single_trials) == ("profile", True)
        assert "not determined by single trials" in str(found)
        assert found.lo == pytest.approx(0.557, abs=0.002)
        assert found.hi == pytest.approx(1.0 - (1.0 - 0.642) ** 2, abs=0.002)
    graded = MaxAtK(2, weights=(-1.0, 3.0)).interval(single)
    assert graded.hi == pytest.approx(4.0 * found.hi - 1.0)
    for metric in (PassAtK(2), MaxAtK(2)):
        assert metric.interval(single, bounds=(0.6, 0.8))[2:4] == (0.6, 0.8)
    assert "not determined by single trials" in str(Leaderboard("passhat@3", {"a": single, "b": single}, too_few="nan"))
    assert PassAtK(2).interval(single, shape="quantile") == PassAtK(2).interval(single)


def test_single_trials_are_said_to_be_a_guess():
    single, several = OutcomeMatrix([[1], [0], [1]]), OutcomeMatrix([[1, 0], [0, 0], [1, 1]])
    assert PassAtK(1).interval(single).single_trials
    assert "guessed from one trial each; the binomial shape needs no guess" in str(PassAtK(1).interval(single))
    assert not PassAtK(1).interval(several).single_trials
    assert not PassAtK(1).interval(single, prior="uniform").single_trials
    assert not PassAtK(1).interval(single, target="population").single_trials
    assert "guessed from one trial" in str(Leaderboard("pass@1", {"a": single, "b": single}))
    assert "guessed from one trial" not in str(Leaderboard("pass@1", {"a": several, "b": several}))
    assert "whatever their difficulties" in str(Leaderboard("pass@1", {"a": single, "b": single}, shape="binomial"))


def test_comparisons_take_the_bound():
    rng = np.random.default_rng(0)
    one, other = OutcomeMatrix(rng.integers(0, 2, (50, 1))), OutcomeMatrix(rng.integers(0, 2, (50, 4)))
    bound, learned = (compare("pass@1", one, other, shape=shape) for shape in ("binomial", None))
    assert bound.hi - bound.lo > learned.hi - learned.lo
