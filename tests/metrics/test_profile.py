"""Values of all distributions of difficulties that fit: exact by the theory of moments, and warned of where due."""

import numpy as np
import pytest

from scorio import Leaderboard, Looks, MGPass, OutcomeMatrix, PassAtK, PassHatK, compare
from scorio.errors import OutcomeError, ParameterError, PriorWarning
from scorio.metrics import GeomAtK, GeomDsAtK
from scorio.metrics._profile import FittingLaws, rates_between

MANY = 10**9  # questions, so that the moments are as good as known


def gappy(questions: int, trials: int, seed: int = 0) -> tuple[OutcomeMatrix, float]:
    """Outcomes of which 40% of the questions are hopeless and the others much alike, and the true Pass@8."""
    rng = np.random.default_rng(seed)
    p = np.where(rng.random(questions) < 0.4, 0.0, rng.beta(8.0, 8.0, questions))
    return OutcomeMatrix.from_counts(rng.binomial(trials, p), trials), float(np.mean(1.0 - (1.0 - p) ** 8))


@pytest.mark.parametrize("mean", [0.05, 0.3, 0.8])
def test_one_trial_leaves_the_second_moment_open(mean):
    """Pass@2 is 2 m - E p^2, and E p^2 is between the square of the mean (one rate) and the mean (rates of 0 and 1)."""
    laws = FittingLaws(np.array([1.0 - rates_between(1, 2), rates_between(1, 2)]), MANY * np.array([1.0 - mean, mean]))
    rates = rates_between(1, 2)
    low, high = laws.range_of(1.0 - (1.0 - rates) ** 2, 1.96)
    assert low == pytest.approx(mean, abs=2e-4)
    assert high == pytest.approx(2.0 * mean - mean**2, abs=2e-4)


@pytest.mark.parametrize("shares", [(0.3, 0.3, 0.4), (0.7, 0.2, 0.1), (0.06, 0.34, 0.6)])
def test_two_trials_leave_the_third_moment_open(shares):
    """E (1 - p)^3 is smallest for two rates of which one is 1, and largest for two of which one is 0."""
    never, once, twice = shares
    first, second = never + once / 2.0, never  # moments of 1 - p
    other_first, other_second = 1.0 - first, twice  # and of p
    least = second**2 / first
    most = 1.0 - 3.0 * other_first + 3.0 * other_second - other_second**2 / other_first
    rates = rates_between(2, 3)
    likelihood = np.array([(1.0 - rates) ** 2, rates * (1.0 - rates), rates**2])
    low, high = FittingLaws(likelihood, MANY * np.array(shares)).range_of(1.0 - (1.0 - rates) ** 3, 1.96)
    assert low == pytest.approx(1.0 - most, abs=3e-4)
    assert high == pytest.approx(1.0 - least, abs=3e-4)


def test_a_gap_beyond_the_trials_is_warned_of_and_the_profile_contains_it():
    outcomes, truth = gappy(10_000, 2)
    with pytest.warns(PriorWarning, match=r"pass@8 takes 8 trials, and some questions have 2\..*shape=\"profile\""):
        smooth = PassAtK(8).interval(outcomes)
    assert truth not in smooth
    for target in ("questions", "population"):
        found = PassAtK(8).interval(outcomes, shape="profile", target=target)
        assert truth in found
        assert found.shape == "profile"
        assert "for any distribution of their difficulties" in str(found)
    with pytest.warns(PriorWarning, match="a model's interval"):
        compare(PassAtK(8), outcomes, gappy(10_000, 2, seed=1)[0])
    assert compare(PassAtK(8), outcomes, gappy(10_000, 2, seed=1)[0], shape="profile").winner is None


def test_looks_at_fewer_trials_warn_as_a_single_interval_does():
    outcomes = OutcomeMatrix.from_counts(np.random.default_rng(1).binomial(2, 0.48, 30_000), 2)
    looks = Looks(8, confidence=0.8)
    with pytest.warns(PriorWarning, match="passhat@8 takes 8 trials, and some questions have 2"):
        smooth = PassHatK(8).interval(outcomes, looks=looks)
    wide = PassHatK(8).interval(outcomes, looks=looks, shape="profile")
    assert wide.hi - wide.lo > 2.0 * (smooth.hi - smooth.lo)
    assert 0.48**8 in wide


def test_a_leaderboard_warns_once():
    models = {name: gappy(5000, 2, seed)[0] for seed, name in enumerate("abc")}
    with pytest.warns(PriorWarning, match="a model's interval") as said:
        board = Leaderboard(PassAtK(8), models, too_few="nan")
    assert len(said) == 1
    assert len(board[PassAtK(8)].rows) == 3
    with pytest.warns(PriorWarning, match="the interval"):
        PassAtK(4).interval(models["a"])


def test_what_the_trials_determine_is_not_warned_of_and_the_profile_is_about_the_score():
    outcomes, _ = gappy(10_000, 8)
    smooth = PassAtK(8).interval(outcomes)
    found = PassAtK(8).interval(outcomes, shape="profile")
    population = PassAtK(8).interval(outcomes, target="population")
    close = 0.1 * (population.hi - population.lo)
    assert found.lo < smooth.lo < smooth.hi < found.hi
    assert (found.lo, found.hi) == pytest.approx((population.lo, population.hi), abs=close)


def test_ragged_trials_and_prior_outcomes():
    rng = np.random.default_rng(5)
    n = rng.integers(1, 9, 400)
    p = rng.random(400)
    outcomes = OutcomeMatrix.from_counts(rng.binomial(n, p), n)
    found = PassHatK(16).interval(outcomes, shape="profile")
    assert float(np.mean(p**16)) in found
    assert 0.0 <= found.lo < found.mu < found.hi < 0.3


def test_geometric_means_have_a_profile_or_warn_of_their_parts():
    outcomes, _ = gappy(10_000, 2)
    with pytest.warns(PriorWarning, match="geom@8 takes 8 trials"):
        GeomAtK(8).interval(outcomes)
    with pytest.warns(PriorWarning, match=r"pass@8 takes 8 trials|passhat@8 takes 8 trials"):
        GeomDsAtK(8).interval(outcomes)
    found = GeomAtK(2).interval(outcomes, shape="profile")
    assert found.lo < GeomAtK(2).interval(outcomes).mu < found.hi


def test_what_has_no_profile_is_refused():
    rates = OutcomeMatrix([[0, 1], [1, 1], [0, 0]], clusters=["a", "a", "b"])
    with pytest.raises(OutcomeError, match="independent draws"):
        PassAtK(4).interval(rates, shape="profile", target="population")
    assert PassAtK(4).interval(rates, shape="profile").lo < PassAtK(4).interval(rates, shape="profile").hi
    with pytest.raises(ParameterError, match="number of successes"):
        GeomDsAtK(2).interval([[0, 1, 1], [1, 1, 0]], shape="profile")


def test_clusters_of_few_rates_follow_the_score():
    """Clusters have Beta distributions only; an interval that no score corrects lies far from it."""
    rng = np.random.default_rng(0)
    p = np.repeat(np.where(rng.random(400) < 0.55, 0.3, rng.uniform(0.19, 0.91, 400)), 5)
    outcomes = OutcomeMatrix.from_counts(rng.binomial(64, p), 64, clusters=np.repeat(np.arange(400), 5).tolist())
    for metric in (MGPass(16), PassAtK(8), PassHatK(4)):
        found = metric.interval(outcomes, target="population")
        assert abs(metric.score(outcomes) - found.mu) < 1.5 * found.sigma


def test_a_geometric_mean_under_a_given_prior_says_when_its_expansion_is_off():
    rng = np.random.default_rng(3)
    outcomes = OutcomeMatrix.from_counts(rng.binomial(64, rng.beta(2.0, 5.0, 3000)), 64)
    with pytest.warns(UserWarning, match="expanded to first order"):
        GeomAtK(8).interval(outcomes, prior=(2.0, 5.0))
    with pytest.warns(UserWarning, match="has a bias"):
        GeomAtK(8).interval(outcomes, prior=(2.0, 5.0), target="population")


def test_tables_of_few_questions_point_to_the_profile_where_k_is_above_half_of_the_trials():
    rng = np.random.default_rng(0)

    def said(metric, questions, trials=8, **options):
        models = {name: rng.binomial(1, 0.5, (questions, trials)) for name in "ab"}
        return "k is above half of the trials" in str(Leaderboard(metric, models, **options))

    assert said("pass@5", 30)
    assert said("pass^8", 10, target="population")
    assert not said("pass@4", 30)
    assert not said("pass@5", 50)
    assert not said("pass@1", 30, trials=1)
    assert not said("pass@5", 30, shape="profile")
    assert not said("pass@5", 30, prior="uniform")
