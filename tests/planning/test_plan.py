"""Plans against closed forms, enumeration and what really happens when they are carried out."""

import math

import numpy as np
import pytest

from scorio import (
    BayesMetric,
    Design,
    OutcomeError,
    OutcomeMatrix,
    OutcomeSet,
    ParameterError,
    PassAtK,
    RewardMatrix,
    VoteAtK,
    compare,
    next_trials,
)
from scorio.errors import RunsWarning
from scorio.metrics import GeomDsAtK
from scorio.planning import plan_questions, plan_separation, plan_trials

A = [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]


@pytest.mark.parametrize("half_width", [0.3, 0.1, 0.01])
def test_bayes_has_a_closed_form(half_width):
    plan = plan_trials(BayesMetric(), A, half_width, prior="uniform")
    sigma = BayesMetric().interval(A).sigma
    exact = max(0.0, 7 * ((1.959963984540054 * sigma / half_width) ** 2 - 1))
    assert plan.more == pytest.approx(np.ceil(exact), rel=1e-3)
    assert plan.expected <= half_width or plan.more == 0


@pytest.mark.parametrize("prior", [(1.0, 1.0), "learned"], ids=str)
@pytest.mark.parametrize("metric", [BayesMetric(), PassAtK(4)], ids=str)
def test_a_plan_carried_out_reaches_its_width(metric, prior):
    rng = np.random.default_rng(5)
    reached = []
    for _ in range(12):
        p = rng.random(60) if prior != "learned" else rng.beta(0.4, 0.8, 60)
        counts = rng.binomial(8, p)
        outcomes = OutcomeMatrix.from_counts(counts, 8)
        target = 0.6 * 1.96 * metric.interval(outcomes, prior=prior).sigma
        more = plan_trials(metric, outcomes, target, prior=prior, rng=0).more
        after = OutcomeMatrix.from_counts(counts + rng.binomial(more, p), 8 + more)
        reached.append(1.96 * metric.interval(after, prior=prior).sigma / target)
    assert np.mean(reached) == pytest.approx(1.0, abs=0.1)


def test_enough_is_enough_and_too_much_is_said():
    assert plan_trials(PassAtK(2), A, 0.5).more == 0
    beyond = plan_trials(PassAtK(2), OutcomeMatrix.from_counts([1], 2), 1e-6)
    assert beyond.more is None
    assert "1,000,000 more still leave a half width" in str(beyond)


def test_questions_shrink_the_population_interval_by_the_square_root():
    rng = np.random.default_rng(2)
    R = OutcomeMatrix.from_counts(rng.binomial(8, rng.beta(0.5, 0.5, 100)), 8)
    for prior in ((1.0, 1.0), "learned"):
        sigma = PassAtK(2).posterior(R, prior=prior, target="population").sd
        plan = plan_questions(PassAtK(2), R, 1.96 * sigma / 2, prior=prior)
        assert plan.more == pytest.approx(300, abs=3)
    assert plan_questions(PassAtK(2), R, 0.9).more == 0


@pytest.mark.parametrize("asked", [None, 0.05])
@pytest.mark.parametrize("target", ["questions", "population"])
def test_separation_carried_out_has_its_power(target, asked):
    rng = np.random.default_rng(11)
    p = rng.beta(2, 2, 80)
    q = p - 0.03
    start = [OutcomeMatrix.from_counts(np.round(16 * rate).astype(int), 16) for rate in (p, np.clip(q, 0, 1))]
    difference = asked or compare(PassAtK(1), *start).difference
    plan = plan_separation(PassAtK(1), *start, target=target, power=0.8, difference=asked)
    total = 16 + plan.more
    won = []
    for _ in range(200):
        shifted = np.clip(p - difference, 0, 1)
        models = [OutcomeMatrix.from_counts(rng.binomial(total, rate), total) for rate in (p, shifted)]
        won.append(compare(PassAtK(1), *models, target=target).winner == "A")
    assert 0.68 <= np.mean(won) <= 0.95
    assert plan.expected >= 0.8


def test_what_more_trials_cannot_do():
    same = plan_separation(PassAtK(1), A, A)
    assert same.more is None
    assert "score the same" in str(same)
    rng = np.random.default_rng(0)
    one, other = (OutcomeMatrix.from_counts(rng.integers(0, 101, 20), 100) for _ in range(2))
    assert plan_separation(PassAtK(1), one, other).more == 0
    mixed = plan_separation(PassAtK(1), one, other, target="population")
    assert mixed.more is None
    assert "the difference varies between questions; at most about" in str(mixed)


def test_a_blend_is_planned_unpaired_for_the_population():
    with pytest.raises(OutcomeError, match="paired=False"):
        plan_separation(GeomDsAtK(2), A, A, target="population")
    assert plan_separation(GeomDsAtK(2), A, A).reason == "the models score the same"


GRADED = OutcomeMatrix([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]], prior=[[0, 2], [1, 2]])


@pytest.mark.parametrize(
    ("weights", "R", "known"), [((0, 0.5, 1), A, 8), ((0, 0.2, 0.4, 1), A, 9), ((0, 0.5, 1), GRADED, 10)], ids=str
)
def test_the_closed_form_counts_rewards_prior_outcomes_and_categories_that_never_occur(weights, R, known):
    metric = BayesMetric(weights)
    plan = plan_trials(metric, R, 0.05, prior="uniform")
    wanted = known * ((1.959963984540054 * metric.interval(R).sigma / 0.05) ** 2 - 1)
    assert plan.more == np.ceil(wanted)
    assert plan_trials(metric, R, 0.05, prior=(1.0,) * len(weights)) == plan


@pytest.mark.parametrize("seed", [0, 1, 3, 5])
def test_a_plan_of_no_trials_is_only_for_what_compare_calls(seed):
    rng = np.random.default_rng(seed)
    questions, trials = rng.integers(2, 5), rng.integers(1, 3)
    pair = [OutcomeMatrix.from_rewards(np.round(rng.random((questions, trials)), 1)) for _ in range(2)]
    if seed % 2:
        pair = [OutcomeMatrix((rng.random((questions, trials)) < rate).astype(int)) for rate in (0.2, 0.9)]
    metric = "pass@1" if seed % 2 else "avg"
    if compare(metric, *pair).winner is None:
        assert plan_separation(metric, *pair).more != 0


# A plan may have a forecast as its goal.

RATES = 10.0 ** np.random.default_rng(3).uniform(-4.5, 0.0, 40)
SOLVED = np.random.default_rng(4).binomial(64, RATES)
SO_FAR = OutcomeMatrix.from_counts(SOLVED, 64)


def width(k, outcomes):
    interval = PassAtK(k).interval(outcomes)
    return interval.hi - interval.lo


@pytest.mark.simulation
def test_a_plan_for_a_forecast_comes_near_its_goal():
    """A plan averages over what the rates may be, and these are one set of them: within a fifth is near."""
    goal = 0.06
    plan = plan_trials("pass@1000", SO_FAR, goal)
    assert plan.expected <= goal < width(1000, SO_FAR) / 4.0
    widths = [
        width(1000, OutcomeMatrix.from_counts(SOLVED + rng.binomial(plan.more, RATES), 64 + plan.more))
        for rng in map(np.random.default_rng, range(8))
    ]
    assert np.mean(widths) / 2.0 == pytest.approx(goal, rel=0.2)


# Metrics that choose among samples: against the variance of more trials.


def drawn_answers(rng, rate, n):
    right = rng.random((len(rate), n)) < rate[:, None]
    wrong = rng.integers(0, 6, right.shape)
    return OutcomeMatrix(right.astype(int), answers=np.where(right, -1, wrong), normalize=None)


def test_a_plan_of_trials_expects_what_more_trials_give():
    rng = np.random.default_rng(4)
    rate = rng.beta(1, 1, 60)
    planned = [plan_trials("vote@3", drawn_answers(rng, rate, 12), 0.022) for _ in range(20)]
    more = round(np.mean([each.more for each in planned]))
    reached = [drawn_answers(rng, rate, 12 + more) for _ in range(20)]
    half = np.mean([(each.hi - each.lo) / 2 for each in map(VoteAtK(3).interval, reached)])
    assert 0.85 * 0.022 < half < 1.1 * 0.022


def test_trials_of_single_questions_are_refused():
    R = drawn_answers(np.random.default_rng(0), np.full(10, 0.5), 8)
    with pytest.raises(OutcomeError, match="plan_trials"):
        next_trials("vote@3", R, 100)


# Plans take trials as independent: they warn where runs differ, and refuse to speak about runs like these.


def drawn_runs(s, seed=1, runs=5, trials=2, shift=0.0):
    """Return outcomes whose runs shift the log odds of success by ``s x``."""
    rng = np.random.default_rng(seed)
    names = np.repeat([f"job {i}" for i in range(runs)], trials)
    logits = rng.normal(0, 1.7, (100, 1)) + np.repeat(s * rng.standard_normal(runs), trials) + shift
    return OutcomeMatrix((rng.random(logits.shape) < 1 / (1 + np.exp(-logits))).astype(int), runs=names.tolist())


@pytest.mark.parametrize("plan", [plan_trials, plan_questions], ids=["trials", "questions"])
def test_plans_warn_where_runs_differ(plan):
    outcomes = drawn_runs(0.5)
    with pytest.warns(RunsWarning, match="differ by more than their trials explain"):
        found = plan("pass@1", outcomes, 0.05)
    assert found == plan("pass@1", outcomes, 0.05, runs="independent")


def test_what_says_nothing_about_runs_is_refused():
    for plan in (plan_trials, plan_questions, next_trials):
        with pytest.raises(ParameterError, match="plans take trials as independent: analyze_runs"):
            plan("pass@1", drawn_runs(0.5), 0.1, runs="random")
    with pytest.raises(ParameterError, match="plans take trials as independent: analyze_runs"):
        plan_separation("pass@1", drawn_runs(0.5), drawn_runs(0.3), runs="random")
    models = OutcomeSet({"a": drawn_runs(0.8, 1), "b": drawn_runs(0.8, 2)})
    with pytest.warns(RunsWarning, match="differ by more than their trials explain"):
        chosen = next_trials("pass@1", models, 10)
    assert chosen.total == next_trials("pass@1", models, 10, runs="independent").total


# One trial per question: what it cannot say, and a design's promise.


def test_single_rewards_do_not_show_how_much_they_vary():
    one, other = RewardMatrix([[4.5], [5.0]]), RewardMatrix([[3.0], [2.0]])
    with pytest.raises(OutcomeError, match="does not show how much its rewards vary: run a second one"):
        plan_separation("avg", one, other)
    with pytest.raises(OutcomeError, match="run a second one"):
        plan_trials("avg", one, 0.5)


def test_a_pilot_of_one_trial_says_what_is_always_enough():
    pilot = OutcomeMatrix(np.arange(100)[:, None] % 5 > 1)
    plan = plan_trials("pass@1", pilot, 0.02)
    assert plan.most == math.ceil(0.6 * 0.4 / 100 * (1.959964 / 0.02) ** 2) - 1 > plan.more
    assert f"a guess, from one trial each: between 1 and {plan.most}" in str(plan)
    assert plan.to_dict()["most"] == plan.most
    alike = OutcomeMatrix.from_counts(np.full(100, 6 * (plan.most + 1) // 10), plan.most + 1)  # one rate for all
    interval = PassAtK(1).interval(alike, shape="binomial")
    assert (interval.hi - interval.lo) / 2 == pytest.approx(0.02, rel=0.02)


@pytest.mark.parametrize("trials", [2, 5])
def test_other_pilots_say_nothing_of_it(trials):
    pilot = OutcomeMatrix.from_counts(np.arange(40) % (trials + 1), trials)
    plan = plan_trials("pass@1", pilot, 0.02)
    assert plan.most is None
    assert "guess" not in str(plan)
    assert "most" not in plan.to_dict()


def test_a_design_of_single_trials_counts_the_correlation():
    powers = [Design(100, 1, correlation=each).power(0.1) for each in (0.0, 0.7, 1.0)]
    assert powers == sorted(powers)
    for correlation in (0.3, 0.9):
        both = [Design(100, 1, target=each, correlation=correlation) for each in ("questions", "population")]
        assert both[0].power(0.1) == both[1].power(0.1)
    assert Design(100, 2, correlation=0.0).power(0.1) == Design(100, 2, correlation=0.9).power(0.1)


def test_a_difference_that_the_metric_cannot_have_is_refused():
    with pytest.raises(ParameterError, match="difference must be less than the range of the score, 1; got 2"):
        plan_separation("pass@1", [[0, 1, 1, 1], [1, 1, 0, 1]], [[0, 1, 0, 1], [1, 0, 0, 1]], difference=2)
