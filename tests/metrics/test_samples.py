"""Metrics of samples: what they refuse, what their intervals reach, and how they go with everything else."""

import numpy as np
import pytest
from scipy import stats

from scorio import (
    AvgMetric,
    Leaderboard,
    Looks,
    MaxAtK,
    OutcomeError,
    OutcomeMatrix,
    ParameterError,
    PassAtK,
    PassHatK,
    VoteAtK,
    compare,
)
from scorio.errors import QuestionsWarning
from scorio.metrics import BestOfK, MinAtK, WeightedVoteAtK

RNG = np.random.default_rng(3)
ANSWERS = RNG.integers(0, 4, (20, 12))
RIGHT = (ANSWERS == RNG.integers(0, 4, (20, 1))).astype(int)
SCORES = {"one": RNG.random((20, 12)), "other": RIGHT + 0.5 * RNG.random((20, 12))}
R = OutcomeMatrix(RIGHT, answers=ANSWERS, scores=SCORES)
RULES = [VoteAtK(4), BestOfK(4, "one"), WeightedVoteAtK(4, "one")]
each_rule = pytest.mark.parametrize("rule", RULES, ids=str)


@each_rule
def test_a_draw_of_one_is_the_mean(rule):
    one = type(rule)(**rule.get_params() | {"k": 1})
    assert one.score(R) == pytest.approx(AvgMetric().score(R))
    assert one.curve(R, [1, 4]).tolist() == pytest.approx([one.score(R), rule.score(R)])


def test_a_perfect_verifier_is_an_oracle_and_a_reversed_one_the_worst():
    perfect = OutcomeMatrix(RIGHT, scores={"s": RIGHT.astype(float), "reversed": -RIGHT.astype(float)})
    assert BestOfK(4, "s").score(perfect) == pytest.approx(PassAtK(4).score(R), abs=1e-13)
    assert BestOfK(4, "reversed").score(perfect) == pytest.approx(PassHatK(4).score(R), abs=1e-13)


def test_random_draws_state_their_error():
    rng = np.random.default_rng(8)
    given, weights = rng.integers(0, 5, (10, 40)), np.ones((10, 40))
    outcomes = OutcomeMatrix((given == 0).astype(int), answers=given, scores={"w": weights})
    rule, exact = WeightedVoteAtK(20), VoteAtK(20).score(outcomes)  # equal weights are a vote
    error = rule.draw_error(outcomes)
    assert 0.0 < error < 0.005
    assert abs(rule.score(outcomes) - exact) < 4.0 * error
    assert rule.interval(outcomes).sigma == pytest.approx(VoteAtK(20).interval(outcomes).sigma, rel=0.2)
    assert WeightedVoteAtK(2).draw_error(outcomes) == 0.0


@each_rule
@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.parametrize("right", [0, 1])
def test_an_interval_is_never_without_width(rule, target, right):
    same = np.full((20, 8), right)
    outcomes = OutcomeMatrix(same, answers=same, scores={"one": np.ones((20, 8))})
    for k in (1, 4, 7, 8):
        lo, hi = type(rule)(**rule.get_params() | {"k": k}).interval(outcomes, target=target)[2:]
        assert hi - lo > 0.002
        assert hi == 1.0 if right else lo == 0.0


def test_the_reach_of_the_best_has_jeffreys_end_for_unseen_failures():
    same = np.ones((20, 8), int)
    outcomes = OutcomeMatrix(same, scores={"s": np.ones((20, 8))})
    rate = stats.beta(160 + 0.5, 0.5).ppf(0.025)  # of 160 trials, none failed
    assert BestOfK(4).interval(outcomes).lo == pytest.approx(rate**4)


@each_rule
def test_beyond_the_trials_there_is_neither_score_nor_interval(rule):
    more = type(rule)(**rule.get_params() | {"k": 13})
    for ask in (more.score, more.interval):
        with pytest.raises(OutcomeError, match="take k up to 12, or run 13 trials"):
            ask(R)
    assert np.isnan(more.score(R, too_few="nan"))


@each_rule
def test_what_is_not_known_is_refused(rule):
    with pytest.raises(ParameterError, match="no interval and no comparison that stays valid at every look"):
        rule.interval(R, looks=Looks(trials=64))
    for ask in (
        lambda: compare(rule, R, R, looks=Looks(trials=64)),
        lambda: Leaderboard(rule, {"a": R, "b": R}, looks=Looks(trials=64)),
    ):
        with pytest.raises(ParameterError, match="no comparison that stays valid at every look"):
            ask()
    with pytest.raises(OutcomeError, match="takes trials as independent"):
        rule.interval(R, runs="random")
    with pytest.raises(ParameterError, match="choices among samples"):
        rule.interval(R, prior="jeffreys")
    with pytest.raises(OutcomeError, match="answers of the trials are not known|have no scores"):
        rule.score(OutcomeMatrix(RIGHT))


def test_several_scores_must_be_told_apart():
    with pytest.raises(OutcomeError, match="several scores"):
        BestOfK(4).score(R)
    with pytest.raises(OutcomeError, match="unknown score 'onne'"):
        BestOfK(4, "onne").score(R)
    with pytest.raises(ParameterError, match="name of scores"):
        BestOfK(4, 3)


def test_negative_weights_are_refused():
    outcomes = OutcomeMatrix([[0, 1]], answers=[["a", "b"]], scores={"logp": [[-1.0, -2.0]]})
    with pytest.raises(OutcomeError, match="negative weight"):
        WeightedVoteAtK(2).score(outcomes)


def test_rewards_and_ragged_trials():
    rewards = [[0.13, 0.52, 0.94, 0.2], [0.31, 0.77], [0.64, 0.41, 0.05]]
    outcomes = OutcomeMatrix.from_rewards(rewards, scores={"s": rewards})
    assert BestOfK(2).score(outcomes) == pytest.approx(MaxAtK(2).score(outcomes))
    minus = OutcomeMatrix.from_rewards([[-each for each in row] for row in rewards])
    assert MinAtK(2).score(outcomes) == pytest.approx(-MaxAtK(2).score(minus))
    ours, theirs = MinAtK(2).interval(outcomes), MaxAtK(2).interval(minus)
    assert tuple(ours) == pytest.approx((-theirs.mu, theirs.sigma, -theirs.hi, -theirs.lo))


def test_worst_of_levels_is_minus_the_best_of_minus_the_levels():
    graded = OutcomeMatrix(RNG.integers(0, 3, (15, 6)))
    for prior in ("uniform", "learned"):
        ours = MinAtK(2, (0.0, 0.4, 1.0)).interval(graded, prior=prior)
        theirs = MaxAtK(2, (0.0, -0.4, -1.0)).interval(graded, prior=prior)
        assert tuple(ours) == pytest.approx((-theirs.mu, theirs.sigma, -theirs.hi, -theirs.lo), rel=1e-6)


@each_rule
def test_leaderboards_and_comparisons_take_them(rule):
    half = R.select(np.arange(20) >= 0)
    board = Leaderboard(rule, {"a": R, "b": half})
    assert "a" in str(board)
    for target in ("questions", "population"):
        with pytest.warns(QuestionsWarning, match="compared with itself or a copy"):
            assert compare(rule, R, half, target=target).winner is None


def test_clusters_make_the_population_wider():
    twice = np.repeat(np.arange(20), 2)
    names = [f"{i}" for i in range(40)]
    clustered = OutcomeMatrix(RIGHT[twice], answers=ANSWERS[twice], questions=names, clusters=twice.tolist())
    plain = OutcomeMatrix(RIGHT[twice], answers=ANSWERS[twice], questions=names)
    about = [VoteAtK(4).interval(each, target="population").sigma for each in (clustered, plain)]
    assert about[0] > 1.3 * about[1]


def test_no_answer_is_worth_0_also_where_every_reward_is_more():
    R = OutcomeMatrix.from_rewards([[1.0, 2.0, 1.0], [2.0, 2.0, 1.0]], answers=[["a", "b", "a"], ["b", "b", "a"]])
    assert VoteAtK(3).support(R) == (0.0, 2.0)
