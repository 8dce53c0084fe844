"""The published prior is checked against the outcomes, and the calibrated interval is one keyword away."""

import numpy as np
import pytest

from scorio import AvgMetric, BayesMetric, Leaderboard, OutcomeMatrix, PassAtK, PassHatK, compare, eval
from scorio.errors import PriorWarning
from scorio.metrics import GeomDsAtK
from scorio.metrics._checks import FALSE_ALARMS, contradicts_uniform
from scorio.planning import plan_trials

HARD = OutcomeMatrix.from_counts([0] * 60 + [1, 1, 2, 4, 8] * 4, 8)
EVEN = OutcomeMatrix.from_counts(list(range(9)) * 3, 8)
UNIFORM = {"prior": "uniform", "shape": "normal"}


def numbers(interval):
    return tuple(interval)


@pytest.mark.parametrize("metric", [PassAtK(4), PassHatK(2), AvgMetric(), GeomDsAtK(2)], ids=str)
def test_the_default_is_learned_and_the_published_numbers_have_a_name(metric):
    assert metric.interval(HARD) == metric.interval(HARD, prior="learned")
    assert metric.posterior(HARD).mean == metric.posterior(HARD, prior="learned").mean
    assert metric.interval(HARD, prior="uniform").shape == "normal"
    assert numbers(metric.interval(HARD, prior="uniform")) == numbers(metric.interval(HARD, prior=(1.0, 1.0)))


def test_bayes_keeps_the_published_numbers_without_a_warning():
    found = BayesMetric().interval(HARD)  # warnings are errors here
    assert numbers(found) == numbers(BayesMetric().interval(HARD, **UNIFORM))
    assert found.prior == "uniform"
    assert found.mu == pytest.approx(BayesMetric().score(HARD))
    assert "difficulties taken as uniform" in str(found)


def table_of(R):
    return [[0] * (8 - c) + [1] * c for c in R.successes]


def test_the_functions_are_the_published_definitions_and_warn():
    hard, even = table_of(HARD), table_of(EVEN)
    calls = {
        eval.bayes: (),
        eval.bayes_ci: (),
        eval.avg: (),
        eval.avg_ci: (),
        eval.pass_at_k_ci: (4,),
        eval.geom_at_k_ci: (2,),
        eval.max_at_k_ci: (4,),
    }
    for function, arguments in calls.items():
        with pytest.warns(PriorWarning, match="contradict") as issued:
            found = function(hard, *arguments)
        assert len(issued) == 1
        assert issued[0].filename == __file__
        function(even, *arguments)
        assert len(found) == (4 if function.__name__.endswith("_ci") else 2)
    with pytest.warns(PriorWarning):
        assert eval.pass_at_k_ci(hard, 4) == numbers(PassAtK(4).interval(HARD, prior="uniform"))
    assert eval.pass_at_k_ci(hard, 4, alpha0=0.5) == numbers(PassAtK(4).interval(HARD, prior=(0.5, 1.0)))
    assert eval.pass_at_k(hard, 4) == PassAtK(4).score(HARD)


def test_even_difficulties_and_an_explicit_prior_do_not_warn():
    BayesMetric().interval(EVEN)
    for options in ({"prior": "uniform"}, {"prior": (1.0, 1.0)}, {"prior": "learned"}, {"target": "population"}):
        BayesMetric().interval(HARD, **options)


@pytest.mark.parametrize("shape", [None, "quantile"])
def test_a_learned_prior_has_quantile_intervals_of_its_own(shape):
    found = PassAtK(4).interval(HARD, prior="learned", shape=shape)
    assert found.shape == "quantile"
    assert numbers(found) == numbers(PassAtK(4).interval(HARD, prior="learned", shape="quantile"))
    assert PassAtK(4).interval(HARD, prior="learned", shape="normal").shape == "normal"
    assert PassAtK(4).interval(HARD, prior="jeffreys").shape == "normal"
    assert BayesMetric().interval(EVEN, prior="learned", bounds=(0.0, np.inf)).shape == "normal"


@pytest.mark.parametrize(("questions", "trials"), [(5, 4), (30, 2), (30, 16), (200, 4), (200, (1, 9))])
def test_false_alarms_on_uniform_difficulties_are_as_rare_as_stated(questions, trials):
    rng, sets = np.random.default_rng(0), 4000
    n = np.full(questions, trials) if isinstance(trials, int) else rng.integers(*trials, questions)
    alarms = sum(
        contradicts_uniform(OutcomeMatrix.from_counts(rng.binomial(n, rng.random(questions)), n)) for _ in range(sets)
    )
    expected = FALSE_ALARMS * sets
    assert alarms <= expected + 4.0 * np.sqrt(expected)


def test_one_number_has_one_name_everywhere():
    other = EVEN.select(slice(0, 27))
    board = Leaderboard(["bayes", "pass@4"], {"a": HARD, "b": HARD})  # warnings are errors here
    result = compare("bayes", HARD, other, paired=False)
    assert (result.prior, result.shape) == ("uniform", "normal")
    assert result.scores[0] == board["bayes"].scores[0] == BayesMetric().score(HARD)
    assert board["bayes"].intervals[0] == BayesMetric().interval(HARD, prior="uniform")
    assert board["pass@4"].intervals[0] == PassAtK(4).interval(HARD)
    assert (board["pass@4"].settings.prior, board["bayes"].settings.prior, board.settings.prior) == (
        "learned",
        "uniform",
        None,
    )
    assert "prior uniform" in str(board["bayes"])
    result = compare("pass@4", HARD, other, paired=False)
    one, two = (PassAtK(4).interval(each) for each in (HARD, other))
    assert result.prior == plan_trials(PassAtK(4), HARD, 0.05).settings["prior"] == "learned"
    assert (result.difference, result.sigma) == pytest.approx((one.mu - two.mu, np.hypot(one.sigma, two.sigma)))


@pytest.mark.parametrize("prior", ["learned", "uniform"])
def test_a_leaderboard_shows_the_score_of_bayes_whatever_the_prior(prior):
    rewards = OutcomeMatrix.from_rewards([[0.0, 0.2, 1.0], [0.2, 0.2, 0.5]])
    board = Leaderboard(BayesMetric(), {"a": rewards}, prior=prior)
    assert board.scores[0] == BayesMetric().score(rewards) != pytest.approx((1.2 + 0.9) / 6)
    assert Leaderboard(AvgMetric(), {"a": rewards}, prior=prior).scores[0] == pytest.approx((1.2 + 0.9) / 6)
    earlier = OutcomeMatrix([[0, 1], [1, 1]], prior=[[0, 0, 0], [0, 0, 0]])
    assert BayesMetric().observed(earlier) == 0.75
