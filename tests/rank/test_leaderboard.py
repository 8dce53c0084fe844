"""Leaderboards: ranks against compare, who is level with the best, errors, odd shapes, the truth."""

import copy
import json
import math
import pickle
import weakref

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays

from scorio import (
    BayesMetric,
    Leaderboard,
    Looks,
    OutcomeError,
    OutcomeMatrix,
    OutcomeSet,
    PassAtK,
    RewardMatrix,
    Suite,
    compare,
)
from scorio.errors import QuestionsWarning
from scorio.estimates._joint import difference

tensors = arrays(
    np.int8, st.tuples(st.integers(1, 5), st.integers(1, 6), st.integers(2, 4)), elements=st.integers(0, 1)
)
rng = np.random.default_rng(2)
TENSOR = (rng.random((6, 40, 8)) < rng.random((1, 40, 1)) * np.linspace(0.5, 1, 6)[:, None, None]).astype(np.int8)


@pytest.mark.slow
@given(tensors, st.randoms())
@settings(max_examples=40)
def test_everything_follows_its_model(tensor, random):
    names = [f"m{i}" for i in range(len(tensor))]
    order = list(range(len(tensor)))
    random.shuffle(order)
    board = Leaderboard(PassAtK(2), dict(zip(names, tensor, strict=True)))
    other = Leaderboard(PassAtK(2), {names[i]: tensor[i] for i in order})
    assert other.scores.tolist() == board.scores[order].tolist()
    assert other.intervals == tuple(board.intervals[i] for i in order)
    if len(set(board.scores.round(12))) == len(order):
        assert other.ranks.tolist() == board.ranks[order].tolist()
        assert other.tied_with_top.tolist() == board.tied_with_top[order].tolist()
    np.testing.assert_allclose(other.posterior.best, board.posterior.best[order], atol=1e-9)


def test_pairing_separates_models_that_differ_on_every_question_alike():
    difficulty = np.linspace(2, 98, 500).astype(int)
    outcomes = [OutcomeMatrix.from_counts(difficulty + shift, 100) for shift in (np.arange(500) % 3 // 2, 0)]
    assert Leaderboard(PassAtK(1), outcomes).ranks.tolist() == [1, 1]
    assert Leaderboard(PassAtK(1), outcomes, target="population").ranks.tolist() == [1, 2]


@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95])
def test_a_rank_is_one_more_than_the_number_of_models_that_compare_calls_better(target, confidence):
    models = dict(zip("abcdef", TENSOR, strict=True))
    options = {"target": target, "confidence": confidence}
    calls = {
        (one, other): compare("pass@2", models[one], models[other], names=(one, other), **options).winner
        for one in models
        for other in models
        if one != other
    }
    lost = np.array([sum(calls[one, other] == other for other in models if other != one) for one in models])
    board = Leaderboard("pass@2", models, **options)
    assert board.ranks.tolist() == (1 + lost).tolist()
    top = board.rows[0].model
    level = np.array([name == top or calls[top, name] is None for name in models])
    assert board.tied_with_top[level].all()  # all pairs together call no more than each pair alone


@given(tensors, st.floats(0.05, 0.99))
@settings(max_examples=40)
def test_a_rank_lies_in_its_interval(tensor, confidence):
    for row in Leaderboard("pass@1", tensor, confidence=confidence):
        assert row.rank_lo <= row.rank <= row.rank_hi


class Population(PassAtK):
    """Pass@k whose interval takes a target; the one for a population is twice as wide."""

    def interval(self, R, confidence=0.95, *, target="questions", **options):
        found = super().interval(R, confidence, **options)
        return found if target == "questions" else type(found)(found.mu, 2 * found.sigma, 0.0, 1.0)


def test_a_population_shares_its_draw_of_questions():
    board = Leaderboard(Population(1), TENSOR, target="population", rng=3)
    given = Leaderboard(Population(1), TENSOR)
    assert [wide.sigma / narrow.sigma for wide, narrow in zip(board.intervals, given.intervals, strict=True)] == [
        2.0
    ] * 6
    assert board.posterior.error == 0.5 / np.sqrt(20_000)
    assert not board.rankings[0].joint.is_independent
    assert given.posterior.error == 0.0


def test_the_seed_is_kept_so_that_a_board_can_be_made_again():
    first = Leaderboard(Population(1), TENSOR, target="population", rng=np.random.default_rng(9))
    again = Leaderboard(Population(1), TENSOR, target="population", rng=first.settings.rng)
    assert (first.posterior.best == again.posterior.best).all()
    assert Leaderboard(PassAtK(1), TENSOR, rng=None).settings.rng >= 0


def test_several_metrics_are_looked_up_by_themselves_or_by_name():
    board = Leaderboard(["pass@1", PassAtK(8), "bayes"], TENSOR, prior="learned")
    assert board.metrics == (PassAtK(1), PassAtK(8), BayesMetric())
    assert board["pass@8"] is board[PassAtK(8)]
    assert board[" pass@8 "] is board["pass:k=8"] is board[PassAtK(8)]
    assert len(board) == len(board.rows) == len(list(board)) == 18
    assert [row.metric for row in board.rows[::6]] == ["pass@1", "pass@8", "bayes"]
    with pytest.raises(KeyError, match="pass@2"):
        board[PassAtK(2)]
    with pytest.raises(ValueError, match=r"several metrics .*: choose one: board\['pass@1'\]"):
        board.ranks


@pytest.mark.parametrize(
    "outcomes",
    [
        [[[1]]],
        [[[0, 0], [0, 0]]] * 3,
        [[[1, 1], [1, 1]]] * 3,
        [[[1, 1], [1, 1]], [[0, 0], [0, 0]]],
        {"ragged": [[1, 0], [1, 1, 1]], "b": [[0, 1], [1]]},
        {f"a model with a long name, number {i}": [[i % 2, 1]] for i in range(40)},
    ],
    ids=["one trial", "all 0", "all 1", "1 and 0", "ragged", "40 models"],
)
def test_odd_shapes(outcomes):
    board = Leaderboard(PassAtK(1), outcomes)
    assert board.ranks[np.argmax(board.scores)] == 1
    assert board.posterior.best.sum() == pytest.approx(1.0, rel=1e-9)
    has_single_trials = all(each.max_trials == 1 for each in board.outcomes.values())
    assert str(board).count("\n") == len(board) + 2 + (len(board) > 1) + has_single_trials


def test_short_questions_are_named_with_their_model_or_left_out():
    outcomes = {"full": [[1, 0, 1], [1, 1, 0]], "too_few": [[1, 0, 1], [1]]}
    with pytest.raises(
        ValueError,
        match=r'^too_few: question 1 has fewer than 2 trials, and pass@2 needs 2: too_few="omit" leaves it out; .*',
    ):
        Leaderboard(PassAtK(2), outcomes)
    assert Leaderboard(PassAtK(2), outcomes, too_few="omit").scores.tolist() == [1.0, 1.0]


SUITE = Suite({"x": OutcomeSet(TENSOR[:3]), "y": OutcomeSet(TENSOR[3:])})
REWARDS = {name: RewardMatrix(rng.normal(size=(6, 5))) for name in "ab"}


@pytest.mark.parametrize(
    ("metrics", "outcomes", "options"),
    [
        ("pass@2", TENSOR, {}),
        (["pass@2", "bayes"], TENSOR, {"target": "population"}),
        ("bayes", SUITE, {"task_weights": {"x": 1, "y": 3}, "prior": "learned"}),
        ({"x": "pass@1", "y": "avg"}, SUITE, {}),
        ("avg", REWARDS, {}),
    ],
)
def test_a_copy_of_a_board_equals_it(metrics, outcomes, options):
    board = Leaderboard(metrics, outcomes, **options)
    again = Leaderboard(metrics, outcomes, **options)
    assert str(board)  # which fills its caches
    looked = Leaderboard(metrics, outcomes, **options | {"prior": "learned", "looks": Looks(trials=1000)})
    for each in (board, looked):
        for same in (copy.copy(each), copy.deepcopy(each), pickle.loads(pickle.dumps(each))):
            assert same == each
            assert hash(same) == hash(each)
            assert same.rankings[0] == each.rankings[0]
    assert board == again
    assert weakref.ref(again)() is again
    assert board != looked
    assert board != Leaderboard(metrics, outcomes, **options | {"confidence": 0.9})
    assert board != Leaderboard(metrics, outcomes, **options | {"rng": 1})
    assert board.rankings[0] != "a board"


def test_a_board_without_scores_is_in_the_order_of_means():
    models = {"a": [[1, 0, 0], [0, 0, 0], [1, 0, 1]], "b": [[1, 1, 0], [1, 1, 1], [0, 0, 1]]}
    with pytest.raises(OutcomeError, match='a: N is 3; pass@5 has an interval but no score: too_few="nan" goes on'):
        Leaderboard("pass@5", models)
    board = Leaderboard("pass@5", models, too_few="nan")
    assert [row.model for row in board.rows] == ["b", "a"]
    for row in board.rows:
        assert math.isnan(row.score)
        assert row.forecast
        assert tuple(PassAtK(5).interval(models[row.model])) == (row.mu, row.sigma, row.lo, row.hi)
    assert str(board).count("forecast") == 3
    assert "forecast: the metric takes more trials than questions have" in str(board)
    assert board.verdicts()[0].startswith("b has the highest forecast")
    rows = json.loads(board.to_json())["metrics"]["pass@5"]["rows"]
    assert [(row["score"], row["forecast"]) for row in rows] == [(None, True)] * 2
    some = {"few": [[1, 1]] * 8 + [[0, 1]], "many": [[1] * 16 + [0] * 2] * 9, "forecast": [[1]] * 9}
    assert [row.model for row in Leaderboard("pass@2", some, too_few="nan").rows] == ["few", "many", "forecast"]


# What is said with a probability holds that often.

PUBLISHED = {"prior": "uniform", "shape": "normal"}


@pytest.mark.parametrize(("trials", "metric"), [(1, PassAtK(1)), (4, PassAtK(4)), (4, BayesMetric())], ids=str)
def test_equal_models_beat_each_other_for_a_population_as_often_as_is_said(trials, metric):
    """At 95% either way one pair in ten is told apart, however few the trials."""
    random = np.random.default_rng(2)
    called = 0
    for _ in range(500):
        chance = random.beta(0.5, 0.5, 40)
        models = [OutcomeMatrix.from_counts(random.binomial(trials, chance), trials) for _ in range(2)]
        called += (
            not 0.05
            < Leaderboard(metric, models, target="population", **PUBLISHED).rankings[0].joint.p_above(difference(0, 1))
            < 0.95
        )
    assert 0.06 < called / 500 < 0.14


@pytest.mark.simulation
def test_chances_to_be_the_best_are_calibrated():
    """Worlds drawn from the prior: the models said to be best with chance p are best in a share p of the worlds."""
    random = np.random.default_rng(4)
    chances, hits = [], []
    for _ in range(400):
        truth = random.random((3, 6))
        outcomes = [OutcomeMatrix.from_counts(random.binomial(10, p), 10) for p in truth]
        board = Leaderboard(BayesMetric(), outcomes, **PUBLISHED)
        chances.extend(board.posterior.best)
        hits.extend(np.arange(3) == np.argmax(truth.mean(axis=1)))
    chances, hits = np.array(chances), np.array(hits)
    for low, high in ((0.0, 0.1), (0.1, 0.4), (0.4, 0.7), (0.7, 0.95), (0.95, 1.0)):
        group = (chances >= low) & (chances < high)
        error = np.sqrt(chances[group].mean() * (1 - chances[group].mean()) / group.sum())
        assert abs(hits[group].mean() - chances[group].mean()) < 4 * error


def test_questions_that_a_model_has_no_trials_of_are_warned_of():
    half = OutcomeMatrix.from_counts([6] * 20 + [0] * 20, [6] * 20 + [0] * 20, planned=6)
    models = {"half": half, "whole": OutcomeMatrix.from_counts([6] * 20 + [1] * 20, 6)}
    with pytest.warns(QuestionsWarning, match="half has no trial of 20 of the 40 questions"):
        board = Leaderboard("pass@1", models, too_few="omit")
    assert board.verdicts()[0].endswith("from 50% of the planned trials of half")
    shared = Leaderboard("pass@1", models, shared_only=True)
    assert (shared.only.n_questions, shared.outcomes.n_questions, shared.ranks.tolist()) == (20, 20, [1, 1])
