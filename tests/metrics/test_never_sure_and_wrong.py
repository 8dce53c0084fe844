"""Intervals and calls where no smooth density fits the difficulties, or numbers of trials depend on them."""

import warnings

import numpy as np
import pytest

from scorio import BayesMetric, OutcomeMatrix, PassAtK, PassHatK, compare
from scorio.errors import TrialsWarning
from scorio.metrics._shared_prior import learned_prior

HALVES = np.repeat([0.3, 0.7], 5000)


def bank(successes, trials):
    return OutcomeMatrix.from_counts(successes, trials=trials)


def learned(metric, outcomes):
    return metric.interval(outcomes, prior="learned")


def test_an_end_that_no_question_speaks_against_is_in_the_interval():
    """Each question was solved in one of eight trials or more: only a smooth density says that Pass@8 is below 1."""
    solved, one_is_not = bank([1, 3, 4, 4, 5, 6, 8] * 9, 8), bank([0, 1, 3, 4, 4, 5, 6, 8] * 9, 8)
    assert PassAtK(8).interval(solved).hi == 1.0
    assert PassAtK(8).interval(one_is_not).hi < 0.97
    assert PassAtK(8).interval(bank([7, 5, 4, 4, 3, 2, 0] * 9, 8), target="population").lo < 1.0
    assert PassHatK(8).interval(bank([7, 5, 4, 4, 3, 2, 0] * 9, 8)).lo == 0.0
    assert PassAtK(4).interval(solved).hi < 1.0  # 1 of 8 says that four trials may fail


def test_models_of_equal_score_and_different_shape_are_rarely_called():
    rng = np.random.default_rng(2)
    truth = np.mean(1.0 - (1.0 - HALVES) ** 4)
    same = np.full(HALVES.size, 1.0 - (1.0 - truth) ** 0.25)
    calls = 0
    for _ in range(40):
        one, other = (bank(rng.binomial(16, rates), 16) for rates in (HALVES, same))
        calls += compare(PassAtK(4), one, other, prior="learned").winner is not None
    assert calls <= 7  # .05 of 40 is 2; more than 7 have a chance of .001


def test_smooth_difficulties_keep_the_smooth_density():
    rng = np.random.default_rng(3)
    rough = [learned_prior(bank(rng.binomial(16, rng.beta(2, 3, 300)), 16)).grid_roughness for _ in range(20)]
    assert np.mean(rough) < 0.2
    assert learned_prior(bank(rng.binomial(16, HALVES), 16)).grid_roughness == 2


def test_rewards_follow_their_scores():
    rng = np.random.default_rng(5)
    c = rng.binomial(16, HALVES)
    counts = np.stack([16 - c, c - c // 2, c // 2], axis=1)
    graded = OutcomeMatrix.from_counts(counts)
    found = learned(BayesMetric((0.0, 0.5, 1.0)), graded)
    score = float((counts @ [0.0, 0.5, 1.0]).mean() / 16)
    assert abs(found.mu - score) < 0.6 * found.sigma


# Numbers of trials.


def easy_questions_get_more(rng, p):
    return 1 + rng.binomial(7, p)


def hard_questions_get_more(rng, p):
    return 1 + rng.binomial(7, 1.0 - p)


def uncertain_questions_get_more(rng, p):
    return np.where((p > 0.2) & (p < 0.8), 12, 4)


@pytest.mark.parametrize("design", [easy_questions_get_more, hard_questions_get_more, uncertain_questions_get_more])
def test_numbers_of_trials_fixed_by_difficulty_are_covered_and_warned_of(design):
    rng = np.random.default_rng(6)
    covered, contains, warned = 0, 0, 0
    for _ in range(40):
        p = rng.beta(0.8, 0.5, 200)
        n = design(rng, p)
        c = rng.binomial(n, p)
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            interval = learned(PassAtK(1), bank(c, n))
        warned += any(each.category is TrialsWarning for each in found)
        covered += interval.lo <= p.mean() <= interval.hi
        contains += interval.lo <= np.mean(c / n) <= interval.hi
    assert covered >= 34
    assert contains >= 39
    assert warned >= 36


@pytest.mark.filterwarnings("ignore:.*(count missing trials|An interval for other)")  # of each model alone
def test_models_of_different_designs_are_warned_of_where_trials_are_too_few():
    rng = np.random.default_rng(6)
    p = rng.beta(0.4, 0.4, 150)
    designs = [1 + rng.binomial(7, p), 1 + rng.binomial(7, 1.0 - p)]
    models = [bank(rng.binomial(n, p), n) for n in designs]
    with pytest.warns(TrialsWarning, match="at least 4 trials, or compare by a metric of at most 1"):
        compare(PassAtK(4), *models)
    with pytest.warns(TrialsWarning, match="at least 4 trials"):
        compare(PassAtK(4), *models, target="population")
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".* and a metric of")
        assert compare(PassAtK(1), *models).winner is None


def test_numbers_of_trials_at_random_are_rarely_warned_of():
    rng = np.random.default_rng(7)
    warned = 0
    for _ in range(200):
        p, n = rng.random(60), rng.integers(1, 9, 60)
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            learned(PassAtK(1), bank(rng.binomial(n, p), n))
        warned += any(each.category is TrialsWarning for each in found)
    assert warned <= 9  # .01 of 200 is 2; more than 9 have a chance of 1e-4


def test_trials_until_a_success_are_recognised_and_covered():
    rng = np.random.default_rng(8)
    covered = 0
    for _ in range(40):
        p = rng.random(100)
        tries = rng.geometric(np.maximum(p, 1e-9))
        n, c = np.minimum(tries, 8), (tries <= 8).astype(int)
        with pytest.warns(TrialsWarning, match="fixed number of successes"):
            interval = learned(PassAtK(1), bank(c, n))
        covered += interval.lo <= p.mean() <= interval.hi
        assert tuple(interval) == tuple(learned(PassAtK(1), bank(c, n).as_adaptive()))
    assert covered >= 34


def test_declared_outcomes_are_not_warned_of():
    rng = np.random.default_rng(9)
    p = rng.random(100)
    n = easy_questions_get_more(rng, p)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learned(PassAtK(1), bank(rng.binomial(n, p), n).as_adaptive())
