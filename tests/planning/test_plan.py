"""Plans against closed forms, enumeration and what really happens when they are carried out."""

import numpy as np
import pytest

from scorio import BayesMetric, OutcomeError, OutcomeMatrix, PassAtK, compare
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
    assert "the difference varies between questions; about" in str(mixed)


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
