"""Values of all distributions of difficulties that fit: exact by the theory of moments, and warned of where due."""

import numpy as np
import pytest

from scorio import GeomAtK, GeomDsAtK, Leaderboard, Looks, MGPass, OutcomeMatrix, PassAtK, PassHatK, compare
from scorio.errors import OutcomeError, ParameterError, PriorWarning
from scorio.inference import Level
from scorio.metrics._profile import FittingLaws, range_of_fits, rates_between

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


@pytest.mark.parametrize(("trials", "k"), [(2, 8), (8, 32), (16, 640)])
@pytest.mark.parametrize("rates", ["two values", "falling", "hopeless"])
def test_a_value_is_reached_just_where_it_lies_in_the_range(trials, k, rates):
    rng = np.random.default_rng(7)
    p = {
        "two values": rng.choice([0.05, 0.6], 60),
        "falling": rng.beta(0.4, 2.0, 60),
        "hopeless": np.where(rng.random(60) < 0.3, 0.0, rng.beta(1.0, 3.0, 60)),
    }[rates]
    outcomes = OutcomeMatrix.from_counts(rng.binomial(trials, p), trials)
    states, grid = outcomes._states, rates_between(trials, k)
    c, n = states.successes[:, None], states.trials[:, None]
    laws = FittingLaws(grid**c * (1.0 - grid) ** (n - c), states.multiplicity.astype(float))
    values = 1.0 - (1.0 - grid) ** k
    low, high = laws.range_of(values, 1.0)
    margin = 0.01 * (high - low)
    assert laws.reaches(values, low + margin, 1.0) and laws.reaches(values, high - margin, 1.0)
    assert not laws.reaches(values, low - margin, 1.0)
    assert high == 1.0 or not laws.reaches(values, high + margin, 1.0)
    assert not laws.reaches(values, -0.1, 1.0)
    assert laws.reaches(values, float(values @ laws.best[0]), 1.0)
    flat = np.full(len(grid), 0.3)  # a value that all distributions have
    assert laws.reaches(flat, 0.3, 1.0)


def test_no_law_that_fits_lies_outside():
    rng = np.random.default_rng(1)
    outcomes = OutcomeMatrix.from_counts(rng.binomial(4, rng.random(60)), 4)
    states, rates = outcomes._states, rates_between(4, 8)
    c, n = states.successes[:, None], states.trials[:, None]
    laws = FittingLaws(rates**c * (1.0 - rates) ** (n - c), states.multiplicity.astype(float))
    values = 1.0 - (1.0 - rates) ** 8
    low, high = laws.range_of(values, 1.96)
    best, most = laws.best
    seen = []
    for _ in range(4000):
        other = rng.dirichlet(np.full(rng.integers(1, 4), 0.5))
        at = rng.choice(len(rates), len(other), replace=False)
        share = rng.random() * 0.5
        mixed = (1.0 - share) * best
        mixed[at] += share * other
        if laws._fit_of(laws.likelihood @ mixed) >= most - 1.96**2 / 2.0:
            seen.append(float(values @ mixed))
    assert len(seen) > 300
    assert low - 1e-3 < min(seen)
    assert max(seen) < high + 1e-3
    assert max(seen) - min(seen) > 0.6 * (high - low)


def test_the_range_grows_with_the_confidence_and_every_value_can_fit():
    outcomes, _ = gappy(200, 2)
    ends = [range_of_fits(PassAtK(8), outcomes, Level(confidence)) for confidence in (0.5, 0.9, 0.99)]
    assert ends[2][0] < ends[1][0] < ends[0][0] < ends[0][1] < ends[1][1] < ends[2][1]
    assert range_of_fits(PassAtK(8), OutcomeMatrix([[0]]), Level(0.99)) == pytest.approx((0.0, 1.0), abs=0.01)


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
