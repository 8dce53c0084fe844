"""The corrected score of a leader: of boards, suites, looks, any set, and of a real bank."""

import json
from pathlib import Path

import numpy as np
import pytest

from scorio import (
    Leaderboard,
    Looks,
    OutcomeMatrix,
    OutcomeSet,
    ParameterError,
    PassAtK,
    Suite,
    score_best,
)

DATA = Path(__file__).parents[3] / "shared" / "data"


def models(count=6, questions=60, trials=4, seed=0, best=1.0):
    """Equal models on the same questions; the first one solves more where ``best`` is larger."""
    rng = np.random.default_rng(seed)
    rates = rng.beta(1, 1, questions)
    return {
        f"m{i}": rng.binomial(1, (rates ** (1 / best if i == 0 else 1))[:, None], (questions, trials))
        for i in range(count)
    }


def test_a_leader_of_equal_models_is_pulled_down_into_its_interval():
    board = Leaderboard("pass@1", models())
    best, first = board.leader_score, board.only.rows[0]
    assert (best.model, best.observed, best.n_models) == (first.model, first.score, 6)
    assert best.plain == board.intervals[board.models.index(first.model)]
    assert best.lo < best.score < best.observed
    assert best.hi < best.plain.hi


def test_the_first_k_are_in_the_order_of_the_board():
    board = Leaderboard("pass@1", models())
    top = board.top_scores(6)
    assert [each.model for each in top] == [row.model for row in board.rows]
    assert top[0] == board.leader_score
    assert top[-1].score > top[-1].observed  # the last was unlucky
    corrected = [each.score for each in top]
    assert np.ptp(corrected) < np.ptp([each.observed for each in top])
    with pytest.raises(ParameterError, match="at most 6"):
        board.top_scores(7)
    with pytest.raises(ParameterError):
        board.top_scores(0)


def test_a_clear_leader_keeps_its_interval():
    board = Leaderboard("pass@1", models(questions=200, best=6.0))
    best = board.leader_score
    assert best.excess == pytest.approx(0.0, abs=1e-4)
    assert (best.lo, best.hi) == pytest.approx((best.plain.lo, best.plain.hi), abs=1e-4)


def test_one_model_has_nothing_to_correct():
    best = Leaderboard("pass@1", {"a": [[1, 0], [1, 1], [0, 0]]}).leader_score
    assert (best.lo, best.hi, best.score) == (best.plain.lo, best.plain.hi, best.observed)


def test_the_correction_is_in_verdicts_and_json():
    board = Leaderboard(["pass@1", "pass@2"], models())
    for ranking in board.rankings:
        assert str(ranking.leader_score) in board.verdicts(ranking.metric)
        held = json.loads(board.to_json())["metrics"][str(ranking.metric)]["leader"]
        assert held == ranking.leader_score.to_dict()


def test_a_suite_has_that_of_the_overall_score_and_of_each_task():
    suite = Suite({"x": models(seed=1), "y": models(seed=2, questions=40)})
    board = Leaderboard("pass@1", suite)
    best, first = board.leader_score, board.only.rows[0]
    assert (best.model, best.observed) == (first.model, first.score)
    assert best.score < best.observed
    one = board.tasks["x"].leader_score
    alone = Leaderboard("pass@1", suite["x"]).leader_score
    assert (one.model, one.score, one.lo, one.hi) == (alone.model, alone.score, alone.lo, alone.hi)


def test_the_population_has_wider_intervals_and_about_the_same_correction():
    outcomes = models(count=10, questions=100)
    these, population = (
        Leaderboard("pass@1", outcomes, target=each).leader_score for each in ("questions", "population")
    )
    assert population.hi - population.lo > 1.5 * (these.hi - these.lo)
    assert population.excess == pytest.approx(these.excess, rel=0.5)


@pytest.mark.parametrize("suite", [False, True])
def test_the_leader_at_a_look_has_the_level_of_the_looks(suite):
    outcomes = Suite({"x": models(seed=1), "y": models(seed=2)}) if suite else models()
    board = Leaderboard("pass@1", outcomes)
    looked = Leaderboard("pass@1", outcomes, looks=Looks(trials=16))
    wide, narrow = looked.leader_score, board.leader_score
    assert wide.plain == looked.intervals[looked.models.index(wide.model)]
    assert wide.lo < narrow.lo < narrow.hi < wide.hi
    assert wide.hi - wide.lo < wide.plain.hi - wide.plain.lo


def test_forecasts_are_corrected_from_their_means():
    board = Leaderboard(PassAtK(8), models(), too_few="nan")
    best = board.leader_score
    assert best.observed == board.only.rows[0].mu
    assert best.score < best.observed


def test_the_best_of_any_set_is_that_of_a_board():
    prompts = models(seed=3)
    best = score_best("pass@2", prompts, what="prompt", confidence=0.9, target="population")
    board = Leaderboard("pass@2", prompts, confidence=0.9, target="population").leader_score
    assert best == Leaderboard("pass@2", prompts, confidence=0.9, target="population").only._top_scores(1, "prompt")[0]
    assert (best.score, best.lo, best.hi) == (board.score, board.lo, board.hi)
    assert (best.what, best.confidence) == ("prompt", 0.9)


@pytest.mark.parametrize("target", ["questions", "population"])
def test_the_best_of_several_k_takes_their_correlation(target):
    one = OutcomeMatrix(models(trials=8)["m1"])
    best = score_best([PassAtK(k) for k in (1, 2, 4)], one, target=target)
    assert (best.model, best.what, best.n_models) == ("pass@4", "metric", 3)
    assert best.excess == pytest.approx(0.0, abs=1e-3)  # it is above the others whatever the trials
    assert best.plain == PassAtK(4).interval(one, target=target, prior=None)


@pytest.mark.simulation
@pytest.mark.parametrize(("trials", "questions"), [(4, 100), (1, 300)])
def test_the_interval_of_the_winner_of_equal_models_holds(trials, questions):
    """The plain one holds in less than .9 of the worlds, the corrected one in .93, with the Monte Carlo error."""
    rng, worlds = np.random.default_rng(trials), 100
    held, usual, off, error = [], [], [], []
    for _ in range(worlds):
        rates = rng.beta(1, 1, questions)
        counts = {str(i): OutcomeMatrix.from_counts(rng.binomial(trials, rates), trials) for i in range(10)}
        best = Leaderboard("pass@1", OutcomeSet(counts)).leader_score
        held.append(best.lo <= rates.mean() <= best.hi)
        usual.append(rates.mean() in best.plain)
        off.append(best.score - rates.mean())
        error.append(best.plain.sigma)
    assert np.mean(usual) < 0.9
    assert np.mean(held) >= 0.93 - 3 * np.sqrt(0.07 * 0.93 / worlds)
    assert abs(np.mean(off)) <= 0.2 * np.mean(error) + 3 * np.std(off) / np.sqrt(worlds)


@pytest.mark.simulation
def test_the_winner_of_a_real_bank():
    """The known share of successes of 7 models of a bank, of which a few trials are drawn."""
    path = DATA / "monkeys_math128_n10000.npz"
    if not path.exists():
        pytest.skip("needs the bank of outcomes")
    with np.load(path, allow_pickle=False) as bank:
        rates = bank["correct"] / bank["trials"]
    rng, worlds, held, off = np.random.default_rng(0), 100, [], []
    for _ in range(worlds):
        counts = {str(i): OutcomeMatrix.from_counts(rng.binomial(2, p), 2) for i, p in enumerate(rates)}
        best = Leaderboard("pass@1", OutcomeSet(counts)).leader_score
        truth = rates[int(best.model)].mean()
        held.append(best.lo <= truth <= best.hi)
        off.append(best.score - truth)
    assert np.mean(held) >= 0.93 - 3 * np.sqrt(0.07 * 0.93 / worlds)
    assert abs(np.mean(off)) <= 0.005 + 3 * np.std(off) / np.sqrt(worlds)
