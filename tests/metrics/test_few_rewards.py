"""Graded rewards of few questions and few trials: values that were not seen count, against known truth."""

import numpy as np
import pytest
from scipy import stats

from scorio import AvgMetric, BayesMetric, MaxAtK, OutcomeMatrix, RewardMatrix, compare
from scorio.metrics import MinAtK

AVG = AvgMetric()


def none_of(trials):
    """The end of Jeffreys' interval of a rate that none of these trials shows."""
    return stats.beta.ppf(0.975, 0.5, trials + 0.5)


def test_rewards_that_occur_once_are_not_all_there_are():
    few = OutcomeMatrix.from_rewards([[0.85], [0.90]])
    found = AVG.interval(few)
    low, _ = stats.ttest_1samp([0.85, 0.90], 0.0).confidence_interval()
    assert tuple(found)[::2] == pytest.approx((0.875, low))
    assert (found.hi, found.bounds) == (1.0, (0.0, 1.0))
    assert str(found).endswith("from the mean and spread of rewards between 0 and 1")
    assert AVG.interval(few, target="population")[:] == found[:]
    assert AVG.posterior(few).sd == pytest.approx(found.sigma)


def test_few_rewards_beside_a_common_one_are_not_all_there_are():
    """One more value narrowed the interval of equal rewards 37 times, and half of those beside rare zeros missed."""
    rewards = np.full((30, 4), 0.85)
    low, high = AVG.interval(OutcomeMatrix.from_rewards(rewards))[2:]
    rewards[3, 1] = 0.9
    assert AVG.interval(OutcomeMatrix.from_rewards(rewards))[2:] == pytest.approx((low, high), abs=0.001)
    values, chances, rng = np.array([0.85, 0.9, 0.0]), np.array([0.975, 0.02, 0.005]), np.random.default_rng(0)
    draws = [AVG.interval(OutcomeMatrix.from_rewards(rng.choice(values, (30, 4), p=chances))) for _ in range(60)]
    assert np.mean([float(values @ chances) in found for found in draws]) > 0.9
    graded = OutcomeMatrix.from_rewards([[0.0, 0.5, *[1.0] * 58]])  # both ends were seen
    assert "difficulties" in str(AVG.interval(graded))


def test_rewards_that_never_differ():
    found = AVG.interval(OutcomeMatrix.from_rewards(np.full((10, 4), 0.85)))
    assert found.mu == pytest.approx(0.85)
    assert 0.86 in found
    assert found.lo == pytest.approx(0.85 * (1.0 - none_of(40)), abs=0.01)
    for made in (RewardMatrix, OutcomeMatrix.from_rewards):
        found = AVG.interval(made(np.full((30, 4), 0.7)))
        assert found.lo == pytest.approx(0.7 * (1.0 - none_of(120)), rel=0.01)
    ones = RewardMatrix(np.ones((30, 4)))
    assert AVG.interval(ones).lo == pytest.approx(1.0 - none_of(120), abs=0.002)
    assert AVG.interval(ones, target="population").lo == pytest.approx(1.0 - none_of(30), abs=0.01)
    assert MinAtK(2).interval(ones).lo < AVG.interval(ones).lo
    result = compare("avg", ones, RewardMatrix(np.full((30, 4), 0.999)))
    assert result.lo < 0.0 < result.hi


def test_best_of_rewards_that_never_differ():
    half = RewardMatrix(np.full((30, 4), 0.5))
    one, two = AVG.interval(half), MaxAtK(2).interval(half)
    assert two.hi - 0.5 > 1.5 * (one.hi - 0.5)  # one more trial that is better is in a draw of two twice as often
    assert two.lo < 0.5


def test_what_is_declared_is_all_there_is():
    rewards = [[0.25, 0.5], [0.5, 0.75], [0.75, 0.75]]
    few, wide = OutcomeMatrix.from_rewards(rewards), AVG.interval(OutcomeMatrix.from_rewards(rewards))
    known = AvgMetric(weights=few.levels).interval(few)
    assert (known.rewards, known.bounds) == ("categorical", (0.25, 0.75))
    assert wide.lo < known.lo < known.hi < wide.hi
    bounded = AVG.interval(few, bounds=(0.2, 0.8))
    assert known.hi - known.lo < bounded.hi - bounded.lo < wide.hi - wide.lo
    stated = AVG.interval(RewardMatrix(rewards, support=(0.2, 0.8)))
    assert bounded[:] == pytest.approx(stated[:])
    assert BayesMetric().interval(few).rewards == "categorical"  # the published prior takes the levels as they are


@pytest.mark.parametrize(
    ("rewards", "support"),
    [([[0.3], [0.6]], (0, 1)), ([[-0.5], [0.6]], (-1, 1)), ([[4.0], [5.0]], (0, 10)), ([[55.0], [71.0]], (0, 100))],
)
def test_the_support_is_a_usual_scale(rewards, support):
    found = AVG.interval(OutcomeMatrix.from_rewards(rewards))
    assert found.bounds == support
    assert found[:] == AVG.interval(RewardMatrix(rewards))[:]


def test_rewards_without_a_scale():
    row = [-5.0, 300.0, 120.0]
    found = AVG.interval(OutcomeMatrix.from_rewards([[each] for each in row]), shape="normal")
    assert found.bounds == (-np.inf, np.inf)
    assert (found.lo, found.hi) == pytest.approx(tuple(stats.ttest_1samp(row, 0.0).confidence_interval()))
    same = AVG.interval(RewardMatrix(np.full((10, 4), -300.0)))
    assert -310.0 > same.lo > -330.0
    assert same.hi - same.mu == pytest.approx(same.mu - same.lo)


def test_many_trials_of_few_levels_keep_their_categories():
    table = np.random.default_rng(0).choice([0.0, 0.5, 1.0], (30, 4))
    found = AVG.interval(OutcomeMatrix.from_rewards(table))
    assert found.rewards == "categorical"
    assert found[:] == AvgMetric(weights=(0.0, 0.5, 1.0)).interval(OutcomeMatrix.from_rewards(table))[:]


def drawn(rng, levels, questions, trials):
    """Rewards of questions with Dirichlet laws on so many levels, without one on 200 places; and their true mean."""
    count = levels or 200
    share = rng.dirichlet(np.full(count, 0.3 if levels else 1.0), questions)
    places = np.linspace(0.0, 1.0, count) if levels else rng.random((questions, count))
    places = np.broadcast_to(places, share.shape)
    rows = [rng.choice(each, trials, p=chance) for each, chance in zip(places, share, strict=True)]
    return np.array(rows), float((places * share).sum(axis=1).mean())


def students_width(table):
    """The width of Student's interval: over questions for single trials, else pooled within questions."""
    questions, trials = table.shape
    single = trials == 1
    error = np.sqrt((table.var(ddof=1) if single else table.var(axis=1, ddof=1).mean()) / table.size)
    reach = stats.t.ppf(0.975, questions - 1 if single else questions * (trials - 1)) * error
    return min(table.mean() + reach, 1.0) - max(table.mean() - reach, 0.0)


@pytest.mark.simulation
@pytest.mark.parametrize(("questions", "trials"), [(2, 1), (3, 1), (5, 1), (10, 1), (2, 4), (3, 3), (5, 2), (10, 4)])
@pytest.mark.parametrize("levels", [2, 5, 21, 101, None])
def test_coverage_and_width(levels, questions, trials):
    rng, replicates = np.random.default_rng((1, questions, trials, levels or 0)), 300
    covered, width, student = 0, 0.0, 0.0
    for _ in range(replicates):
        table, truth = drawn(rng, levels, questions, trials)
        found = AVG.interval(OutcomeMatrix.from_rewards(table, questions=range(questions)))
        assert found.lo <= table.mean() <= found.hi
        covered += found.lo - 1e-12 <= truth <= found.hi + 1e-12
        width, student = width + found.hi - found.lo, student + students_width(table)
    assert covered / replicates > 0.9 - 3.0 * np.sqrt(0.9 * 0.1 / replicates)
    assert questions < 5 or width < 1.1 * student


@pytest.mark.simulation
@pytest.mark.parametrize("made", [RewardMatrix, OutcomeMatrix.from_rewards], ids=["RewardMatrix", "from_rewards"])
def test_rare_values(made):
    rng, replicates = np.random.default_rng(2), 400
    for rare in (0.0, 0.3):
        truth = 0.99 + 0.01 * rare
        tables = np.where(rng.random((replicates, 30, 4)) < 0.01, rare, 1.0)
        covered = [AVG.interval(made(table)) for table in tables]
        assert np.mean([each.lo <= truth <= each.hi for each in covered]) > 0.92


@pytest.mark.simulation
def test_values_that_hardly_differ():
    rng, covered = np.random.default_rng(3), 0
    for _ in range(400):
        chance = rng.beta(0.5, 0.5, (5, 1))
        table = np.where(rng.random((5, 2)) < chance, 0.9, 0.1) + rng.uniform(-0.02, 0.02, (5, 2))
        covered += (0.1 + 0.8 * chance.mean()) in AVG.interval(RewardMatrix(table))
    assert covered / 400 > 0.9 - 3.0 * 0.015
