"""Forecasts of Pass@k and Pass^k far beyond the trials: what they are made of, what they say, and coverage."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from scorio import MajAtK, OutcomeMatrix, OutcomeSet, PassAtK, Suite, compare, forecast
from scorio.curves._far import forecast_of
from scorio.errors import ForecastWarning, OutcomeError
from scorio.inference._level import Level

pytestmark = pytest.mark.filterwarnings("ignore::scorio.errors.ForecastWarning")
FALLING = [0] * 30 + [1] * 6 + [2] * 4 + [3] * 3 + [5, 8, 13, 21, 34, 55, 64]


def outcomes(counts=FALLING, trials=64, **options):
    return OutcomeMatrix.from_counts(counts, trials, **options)


def at(metric, R, k, **options):
    """The forecast of one model at one k."""
    [point] = forecast(metric, R, [k], **options).points
    return point


def test_within_the_trials_a_forecast_is_the_interval_of_the_metric():
    R = outcomes()
    found = forecast("pass@1", R, [16, 64, 200, 500, 5000])
    for point in found.points[:2]:
        own = (point.mu, point.sigma, point.lo, point.hi)
        assert own == pytest.approx(tuple(PassAtK(point.k).interval(R)), rel=1e-9)
    assert [point.is_forecast for point in found.points] == [False, False, True, True, True]
    assert found.points[0].score == PassAtK(16).score(R) and found.points[4].score is None
    for metric, about in ((MajAtK(1), {}), (PassAtK(1), {"prior": "jeffreys"}), (PassAtK(1), {"shape": "normal"})):
        [point] = forecast(metric, R, 200, **about).points
        own, interval = replace(metric, k=200).interval(R, **about), (point.mu, point.sigma, point.lo, point.hi)
        assert interval == pytest.approx(tuple(own), rel=1e-9) and point.is_forecast and point.unsolved is None


def test_all_successes_are_all_failures_seen_from_the_other_end():
    R, mirrored = outcomes(), outcomes([64 - c for c in FALLING])
    for k in (500, 5000):
        one, other = at("pass@1", R, k), at("passhat@1", mirrored, k)
        own = (other.mu, other.sigma, other.lo, other.hi)
        assert own == pytest.approx((1 - one.mu, one.sigma, 1 - one.hi, 1 - one.lo), abs=1e-4)


def test_forecasts_rise_with_k_and_contain_what_is_known():
    ks = [64, 100, 256, 300, 500, 1024, 3000, 10_000, 100_000]
    found = forecast("pass@1", outcomes(), ks).points
    means = [point.mu for point in found]
    assert means == sorted(means)
    for point in found[2:]:
        assert point.lo <= point.mu <= point.hi
        assert point.if_none <= point.mu <= 1.0 and point.if_none <= point.if_all
        (one, *_, last) = point.intervals.values()
        assert last[0] <= one[0] <= one[1] <= last[1]


@pytest.mark.parametrize("seed", [7, 8, 12, 13, 14])
@pytest.mark.parametrize("metric", ["pass@1", "passhat@1"])
def test_the_mean_lies_between_none_and_all(metric, seed):
    rng = np.random.default_rng(seed)
    trials, questions = int(rng.choice([4, 5, 8, 10, 16])), int(rng.choice([20, 40, 100]))
    rates = rng.beta(rng.uniform(0.3, 1.5), rng.uniform(0.3, 1.5), questions)
    R = outcomes(rng.binomial(trials, rates), trials)
    for point in forecast(metric, R, [2 * trials, 4 * trials, 8 * trials, 40 * trials]).points:
        least, most = sorted([point.if_none, point.if_all])
        assert least <= point.mu <= most
        assert point.unsolved or least == most == point.mu


def test_words_say_what_is_left_open():
    found = forecast("pass@1", outcomes(), [10_000])
    assert "30 of 50 questions were never solved in 64 trials" in found.verdicts()[0]
    [point] = found.points
    assert point.if_all < point.hi  # a mean, which the interval contains
    assert f"on average it is {point.if_none:.3f} if none of them can be solved" in found.verdicts()[0]
    assert forecast("pass@1", outcomes(), [10_000], confidence=0.9).levels == (0.5, 0.8, 0.9)
    assert found.points[0].unsolved == 30
    assert found.points[0].rests_on_tail
    with pytest.warns(ForecastWarning, match="were never solved"):
        forecast("pass@1", outcomes(), [10_000])
    reliable = forecast("passhat@1", outcomes([64 - c for c in FALLING]), [10_000])
    assert "30 of 50 questions never failed in 64 trials" in str(reliable)


def test_several_models_and_k_are_warned_of_once():
    with pytest.warns(ForecastWarning) as seen:
        forecast("pass@1", {"a": outcomes(), "b": outcomes([0] * 20 + [1, 2] * 15)}, [100, 300, 5000])
    assert [each.category for each in seen] == [ForecastWarning]


def test_solved_questions_leave_nothing_open():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", ForecastWarning)
        [point] = forecast("pass@1", outcomes([20, 40, 64, 30]), [10_000]).points
    assert point.lo > 0.999 and point.in_words().startswith("every question was solved at least once")


@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.parametrize(
    ("counts", "trials"),
    [
        ([0] * 20, 64),
        ([64] * 20, 64),
        ([0, 1, 2, 4], 4),
        ([0, 1, 1], 1),
        ([0, 0, 1, 4, 9], [0, 3, 8, 40, 100]),
        ([1, 1, 2, 0, 1, 3, 2, 1], 64),
    ],
)
def test_outcomes_of_any_kind_have_a_forecast(counts, trials, target):
    R = outcomes(counts, trials)
    for metric in ("pass@1", "passhat@1"):
        [point] = forecast(metric, R, [5000], target=target).points
        assert 0.0 <= point.lo <= point.mu <= point.hi <= 1.0


@pytest.mark.parametrize("solved", [0, 1])
def test_one_question_has_a_forecast_for_itself_and_none_for_the_population(solved):
    R = outcomes([solved], 64)
    for metric in ("pass@1", "passhat@1"):
        [point] = forecast(metric, R, [5000], target="questions").points
        assert 0.0 <= point.lo <= point.mu <= point.hi <= 1.0
        with pytest.raises(OutcomeError, match="needs at least two questions"):
            forecast(metric, R, [5000], target="population")


def test_nothing_solved_or_nothing_known_leaves_both_ends_open():
    assert at("pass@1", outcomes([0] * 20), 5000).lo == 0.0
    assert at("pass@1", outcomes([0]), 5000).hi == 1.0
    point = at("pass@1", outcomes(), 10_000)
    assert point.lo <= 0.46 and point.hi >= 0.99  # 20 of 50 were solved
    with pytest.warns(ForecastWarning, match="is a guess"):
        forecast("pass@1", outcomes([0, 1, 1], 1), [100])


def test_trials_that_outcomes_chose_and_prior_outcomes_are_taken_in():
    spent = outcomes([0] * 10 + [1, 2, 20, 30], [1000] * 10 + [1000, 1000, 64, 64]).as_adaptive()
    known, before = (at("pass@1", each, 5000) for each in (spent, outcomes([0] * 12 + [20, 30])))
    assert known.hi - known.lo < before.hi - before.lo
    R = OutcomeMatrix([[0] * 30, [0] * 29 + [1], [1] * 30], prior=[[0] * 34, [0] * 34, [1] * 34])
    same = outcomes([0, 1, 64])
    assert at("pass@1", R, 5000).mu == pytest.approx(at("pass@1", same, 5000).mu, abs=0.02)


def test_two_models_are_compared_at_every_k():
    steep = outcomes([0] * 20 + [1, 2] * 15, 64)  # rarely right, anywhere
    flat = outcomes([0] * 30 + [60] * 20, 64)  # always right, or never
    found = forecast("pass@1", {"steep": steep, "flat": flat}, [1, 2000])
    assert found.compared[0].p_better < 0.01 and found.compared[1].p_better > 0.8
    assert any(line.startswith("the order changes: flat is ahead at k = 1") for line in found.verdicts())
    means = [found.of(model)[1].mu for model in ("steep", "flat")]
    assert found.compared[1].difference == pytest.approx(means[0] - means[1])
    assert compare("pass@2000", steep, flat).winner is None  # the trials leave that open


def test_suites_have_overall_values():
    models = OutcomeSet({"a": outcomes(), "b": outcomes([c // 2 for c in FALLING])})
    found = forecast("pass@1", Suite({"one": models, "two": models}), [16, 5000])
    own, overall = found.of("a", "one"), found.of("a")
    assert [point.mu for point in overall] == pytest.approx([point.mu for point in own], abs=1e-3)
    assert overall[1].hi - overall[1].lo < own[1].hi - own[1].lo  # two tails that are not known, averaged
    assert overall[0].score == pytest.approx(PassAtK(16).score(models["a"]))


@pytest.mark.simulation
@pytest.mark.parametrize("world", ["log-uniform", "hopeless", "spikes", "hopeless and spikes"])
def test_forecasts_cover(world):
    """At least .85 of 60 draws, three errors below .95 and more."""
    draws = {
        "log-uniform": lambda rng: 10.0 ** rng.uniform(-4.0, 0.0, 100),
        "hopeless": lambda rng: np.where(rng.random(100) < 0.2, 0.0, rng.beta(0.3, 1.0, 100)),
        "spikes": lambda rng: rng.choice([0.003, 0.05, 0.4, 0.9], 100),
        "hopeless and spikes": lambda rng: rng.choice([0.0, 0.02, 0.2, 0.6], 100),
    }
    rng, covered = np.random.default_rng(5), []
    for _ in range(60):
        rates = draws[world](rng)
        R = outcomes(rng.binomial(64, rates))
        covered += [
            point.lo <= np.mean(1 - (1 - rates) ** point.k) <= point.hi
            for point in forecast("pass@1", R, [2000, 10_000]).points
        ]
    assert np.mean(covered) >= 0.85


def test_all_can_be_solved_includes_those_that_were_rarely_solved():
    """Where the interval reaches "all questions are solved", it reaches 1, although rates of single successes vary."""
    R = outcomes([0] * 20 + [1] * 4 + [2] * 2 + [3] * 4 + [20] * 20)
    mirrored = outcomes([64 - c for c in R.successes.tolist()])
    assert at("pass@1", R, 100_000).hi == 1.0
    assert at("passhat@1", mirrored, 100_000).lo == 0.0


def test_an_interval_holds_whether_hopeless_questions_are_probable_or_not():
    """It contains those of the tail's law for every probability of hopeless questions between 1/4 and 3/4."""
    R, level = outcomes(), Level(0.95)
    interval, own = at("pass@1", R, 5000), forecast_of(PassAtK(5000)).beyond(R)
    ends = [own.law_if(each).on(0.0, 1.0).equal_tailed(level.tail) for each in (0.25, 0.4, 0.5, 0.6, 0.75)]
    assert all(interval.lo <= lo + 1e-3 and interval.hi >= hi - 1e-3 for lo, hi in ends)
    likely, rare = (own.tail.weight_if(each) for each in (0.75, 0.25))
    odds = [weight[1:].sum() / weight[0].sum() for weight in (likely, rare)]
    assert odds[0] == pytest.approx(9.0 * odds[1]) and likely.sum() == pytest.approx(1.0)
    assert own.law_if(0.75).mean < own.law.mean < own.law_if(0.25).mean


def test_two_names_of_one_model_are_two_models():
    outcomes = OutcomeMatrix([[1, 0, 1, 0, 1], [0, 1, 1, 0, 0]])
    [compared] = forecast("pass@1", {"a": outcomes, "b": outcomes}, k=2).compared
    assert compared.difference == pytest.approx(0.0, abs=1e-12)
    assert compared.lo < 0.0 < compared.hi
