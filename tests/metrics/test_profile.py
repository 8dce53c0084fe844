"""Values of all distributions of difficulties that fit: exact by the theory of moments, and what they widen."""

import numpy as np
import pytest

from scorio import Leaderboard, Looks, MGPass, OutcomeMatrix, PassAtK, PassHatK, Suite, compare, gate
from scorio.errors import ParameterError
from scorio.metrics import AvgMetric, GeomAtK, GeomDsAtK, MaxAtK, Metric, MinAtK
from scorio.metrics._shapes import FittingLaws, rates_between

MANY = 10**6  # questions, so that the moments are nearly known


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
    error = 1.96 * np.sqrt(mean * (1.0 - mean) / MANY)
    assert low == pytest.approx(mean - error, abs=2e-4)
    assert high == pytest.approx(1.0 - (1.0 - mean - error) ** 2, abs=3e-4)


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
    assert low == pytest.approx(1.0 - most, abs=2e-3)
    assert high == pytest.approx(1.0 - least, abs=2e-3)


def never_beyond(metric, ends, shown):
    """The ends, of which that towards smaller k is not beyond that at as many trials as there are."""
    low, high = (
        (shown.lo, np.inf) if metric._trend > 0 else (-np.inf, shown.hi) if metric._trend < 0 else (-np.inf, np.inf)
    )
    return np.clip(ends, low, high)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("target", ["questions", "population"])
def test_from_four_times_the_trials_an_interval_is_the_range_of_all_that_fits(target):
    outcomes, truth = gappy(10_000, 2)
    shown = PassAtK(2).interval(outcomes, target=target)
    for k in (8, 9, 1000):
        found, profile = (PassAtK(k).interval(outcomes, target=target, shape=shape) for shape in (None, "profile"))
        assert found[2:] == tuple(never_beyond(PassAtK(k), profile[2:], shown))
        assert "for any distribution of their difficulties" in str(found)
    assert truth in PassAtK(8).interval(outcomes, target=target)
    assert compare(PassAtK(8), outcomes, gappy(10_000, 2, seed=1)[0], target=target).winner is None


@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.parametrize(
    "metric",
    ["pass", "passhat", "gpass:tau=.6", "mgpass", "maj", "auc", "geom", "geomds", "geospectrum", "max", "worst"],
)
def test_ends_go_from_those_of_the_learned_law_to_those_of_the_range(metric, target):
    name, _, rest = metric.partition(":")
    outcomes = OutcomeMatrix.from_counts(np.random.default_rng(3).binomial(8, np.linspace(0.02, 0.9, 80)), 8)

    def asked(k):
        return Metric.from_string(f"{name}@{k}:{rest}".rstrip(":"))

    shown = asked(8).interval(outcomes, target=target)
    share, profile = np.log(12 / 8) / np.log(4), asked(12).interval(outcomes, target=target, shape="profile")
    law = asked(12).posterior(outcomes, target=target).on(*asked(12).support(outcomes))
    learned, far = (never_beyond(asked(12), ends, shown) for ends in (law.equal_tailed(0.025), profile[2:]))
    ends = np.array(asked(12).interval(outcomes, target=target)[2:])
    assert ends == pytest.approx((1.0 - share) * learned + share * far, abs=1e-9)
    for k in (32, 100):
        found, profile = (asked(k).interval(outcomes, target=target, shape=shape) for shape in (None, "profile"))
        assert found[2:] == tuple(never_beyond(asked(k), profile[2:], shown))


@pytest.mark.parametrize(("metric", "sign"), [("pass", 1), ("passhat", -1), ("auc", 1), ("geom", -1), ("max", 1)])
def test_an_end_that_k_can_only_move_away_is_not_beyond_that_at_the_trials(metric, sign):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        rates = np.where(rng.random(60) < 0.4, 0.02, rng.beta(8.0, 8.0, 60))
        outcomes = OutcomeMatrix.from_counts(rng.binomial(8, rates), 8)
        found = [Metric.from_string(f"{metric}@{k}").interval(outcomes) for k in (8, 9, 12, 16, 32, 400)]
        ends = [each.lo if sign > 0 else -each.hi for each in found]
        assert min(ends) == ends[0]


@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.parametrize("trials", [16, 256])
def test_what_the_score_corrects_at_the_trials_is_corrected_just_beyond_them(trials, target):
    """One common rate: the learned law, which allows for others, is too low, and the score moves it."""
    counts = np.random.default_rng(6).binomial(trials, 0.02, (20, 100))
    width = []
    for k in (trials, trials + 1, trials * 9 // 8):
        found = [PassAtK(k).interval(OutcomeMatrix.from_counts(each, trials), target=target) for each in counts]
        width.append(np.mean([each.hi - each.lo for each in found]))
        assert sum(1.0 - 0.98**k in each for each in found) >= 17
    assert 0.9 * width[0] < width[1] < 1.15 * width[0]


def test_the_words_say_that_trials_fewer_than_k_leave_something_open():
    outcomes, _ = gappy(100, 8)
    assert "learned from these, widened by what fewer trials than k leave open" in str(PassAtK(12).interval(outcomes))
    assert PassAtK(8).interval(outcomes).shape == "quantile"
    for shape in ("quantile", "normal"):
        assert PassAtK(12).interval(outcomes, shape=shape).shape == "beyond"
    assert PassAtK(12).interval(outcomes, prior="uniform").shape == "normal"


def test_rewards_beyond_the_trials_have_the_range_of_every_step():
    rng = np.random.default_rng(2)
    graded = rng.choice(3, (60, 8), p=[0.7, 0.2, 0.1])
    for metric in (MaxAtK(32, weights=(0.0, 0.5, 1.0)), MinAtK(32, weights=(0.0, 0.5, 1.0))):
        steps = [type(metric)(32).interval(OutcomeMatrix(graded >= level), shape="profile") for level in (1, 2)]
        found = metric.interval(OutcomeMatrix(graded), shape="profile")
        assert found.lo == pytest.approx(sum(each.lo for each in steps) / 2.0, abs=1e-4)
        assert found.hi == pytest.approx(sum(each.hi for each in steps) / 2.0, abs=1e-4)


def test_looks_at_fewer_trials_reach_as_far():
    outcomes = OutcomeMatrix.from_counts(np.random.default_rng(1).binomial(2, 0.48, 30_000), 2)
    looks = Looks(8, confidence=0.8)
    assert 0.48**8 in PassHatK(8).interval(outcomes, looks=looks)


def test_models_are_told_apart_where_ranges_do_not_overlap():
    """From four times the trials on; the best of a board is the best for all distributions that fit."""
    rates = np.linspace(0.05, 0.6, 200)
    models = {
        name: OutcomeMatrix.from_counts(np.random.default_rng(seed).binomial(8, rates * part), 8)
        for seed, (name, part) in enumerate({"best": 1.0, "close": 0.9, "far": 0.1}.items())
    }
    board = Leaderboard("pass@32", models, too_few="nan")
    [best, close, far] = board.intervals
    assert close.hi > best.lo > far.hi
    assert board.ranks.tolist() == [1 + sum(other.lo > own.hi for other in board.intervals) for own in board.intervals]
    assert board.tied_with_top.tolist() == [True, True, False]
    for other, winner in (("close", None), ("far", "A")):
        result = compare("pass@32", models["best"], models[other])
        mine, theirs = (PassAtK(32).interval(models[name]) for name in ("best", other))
        assert result.winner == winner
        assert (result.lo, result.hi) == pytest.approx((mine.lo - theirs.hi, mine.hi - theirs.lo))
        assert gate("pass@32", models[other], models["best"]).verdict == ("undecided" if winner is None else "failed")


def test_what_is_left_open_of_tasks_adds_as_it_is():
    """The distributions of all tasks may lie at the same end, unlike errors, which cancel."""
    rng = np.random.default_rng(4)
    suite = Suite(
        {
            task: {name: OutcomeMatrix.from_counts(rng.binomial(8, rng.beta(0.5, 2.0, 60)), 8) for name in "ab"}
            for task in ("x", "y", "z")
        }
    )
    board = Leaderboard("pass@32", suite, too_few="nan")
    for i in range(2):
        parts = [board.tasks[task].intervals[i] for task in suite]
        assert board.intervals[i].lo == pytest.approx(np.mean([each.lo for each in parts]))
        assert board.intervals[i].hi == pytest.approx(np.mean([each.hi for each in parts]))
    at_trials, next_to_them = (Leaderboard(f"pass@{k}", suite, too_few="nan").intervals[0] for k in (8, 9))
    assert next_to_them.hi - next_to_them.lo < 1.3 * (at_trials.hi - at_trials.lo)


def test_what_the_trials_determine_has_a_range_about_the_score():
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


def test_geometric_means_have_a_range():
    outcomes, _ = gappy(10_000, 2)
    found = GeomAtK(2).interval(outcomes, shape="profile")
    assert found.lo < GeomAtK(2).interval(outcomes).mu < found.hi
    parts = [metric.interval(outcomes) for metric in (PassAtK(8), PassHatK(8))]
    found = GeomDsAtK(8).interval(outcomes)
    assert found.lo == pytest.approx(np.sqrt(parts[0].lo * parts[1].lo))
    assert found.hi == pytest.approx(np.sqrt(parts[0].hi * parts[1].hi))


def test_questions_in_clusters_count_as_fewer_for_the_population():
    counts = np.random.default_rng(0).binomial(4, np.repeat([0.1, 0.3, 0.6, 0.2, 0.8, 0.5], 10))
    plain = OutcomeMatrix.from_counts(counts, 4)
    clustered = OutcomeMatrix.from_counts(counts, 4, clusters=np.repeat(np.arange(6), 10).tolist())
    width = {}
    for target in ("questions", "population"):
        for name, each in (("plain", plain), ("clustered", clustered)):
            found = PassAtK(16).interval(each, target=target)
            width[name, target] = found.hi - found.lo
    assert width["plain", "questions"] == width["plain", "population"] == width["clustered", "questions"]
    assert width["clustered", "population"] > 1.2 * width["plain", "population"]


def test_what_has_no_profile_is_refused():
    with pytest.raises(ParameterError, match="number of successes"):
        AvgMetric().interval([[0, 1, 1], [1, 1, 0]], shape="profile")


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
