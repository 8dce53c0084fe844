"""The top set and the intervals of ranks: their rule, the note on both error rates, truth."""

import numpy as np
import pytest

from scorio import Leaderboard, Looks, OutcomeMatrix


def worlds(abilities, count, questions=40, trials=6, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        rates = 1.0 / (1.0 + np.exp(rng.normal(0.0, 2.0, questions) - np.array(abilities)[:, None]))
        yield [OutcomeMatrix.from_counts(rng.binomial(trials, row), trials) for row in rates], rates.mean(axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("models", [2, 5, 35])
@pytest.mark.parametrize("target", ["questions", "population"])
def test_exactly_the_models_of_the_top_set_may_have_rank_1(models, target):
    for outcomes, _ in worlds(np.linspace(0.0, 2.0, models), 4):
        for row in Leaderboard("pass@1", outcomes, target=target):
            assert (row.rank_lo == 1) == row.tied_with_top
            assert row.rank_lo <= row.rank <= row.rank_hi


def test_both_best_models_are_in_the_top_set_and_ranks_in_their_intervals():
    lost = wrong = 0
    for outcomes, truth in worlds([0.6, 0.6, 0.3, 0.0, 0.0], 150, seed=3):
        board = Leaderboard("pass@1", outcomes)
        lost += not board.tied_with_top[:2].all()
        first = 1 + (truth[None] > truth[:, None] + 1e-12).sum(axis=1)
        last = len(truth) - (truth[None] < truth[:, None] - 1e-12).sum(axis=1)
        reach = board.only.rank_intervals
        wrong += bool(((reach[:, 0] > first) | (reach[:, 1] < last)).any())
    assert lost / 150 < 0.05 + 3.0 * np.sqrt(0.05 * 0.95 / 150)
    assert wrong / 150 < 0.05 + 3.0 * np.sqrt(0.05 * 0.95 / 150)


def test_a_star_beside_a_rank_of_two_is_explained():
    texts = [str(Leaderboard("pass@1", outcomes)) for outcomes, _ in worlds([0.5, 0.0, 0.0, 0.0, 0.0], 60)]
    starred = [any(line.split()[0] != "1" and line.endswith("*") for line in text.splitlines()) for text in texts]
    assert 0 < sum(starred) < len(starred)
    assert starred == ["; rank: of each pair alone, error 5%)" in text for text in texts]


def test_intervals_of_ranks_at_a_look_are_those_of_the_same_trials_without_looks_widened_to_the_ranks():
    for outcomes, _ in worlds([3.0, 1.0, 0.0, -1.0, -3.0], 5, trials=4):
        alone = Leaderboard("pass@1", outcomes).only.rank_intervals
        at_look = Leaderboard("pass@1", outcomes, looks=Looks(trials=64)).only
        assert (at_look.rank_intervals[:, 0] == np.minimum(alone[:, 0], at_look.ranks)).all()
        assert (at_look.rank_intervals[:, 1] == np.maximum(alone[:, 1], at_look.ranks)).all()
        assert (alone[:, 1] - alone[:, 0] < 4).any()


def test_the_error_rate_is_said_in_the_table_and_in_the_data():
    [(outcomes, _)] = worlds([1.0, 0.5, 0.0], 1)
    board = Leaderboard("pass@1", outcomes, confidence=0.9)
    assert "* no other model is significantly better (family-wise error 10%)" in str(board)
    assert board.to_dict()["metrics"]["pass@1"]["top_error"] == "family-wise error 10%"


@pytest.mark.simulation
@pytest.mark.parametrize("target", ["questions", "population"])
def test_of_six_equal_models_the_top_set_loses_any_in_at_most_5_percent_of_worlds(target):
    rng = np.random.default_rng(11)
    worlds, lost = (250 if target == "questions" else 100), 0
    for _ in range(worlds):
        rates = 1.0 / (1.0 + np.exp(rng.normal(0.0, 2.0, 40)))
        models = [OutcomeMatrix.from_counts(rng.binomial(8, rates), 8) for _ in range(6)]
        lost += not Leaderboard("pass@1", models, target=target).tied_with_top.all()
    assert lost / worlds < 0.05 + 3.5 * np.sqrt(0.05 * 0.95 / worlds)
    assert lost >= 1
