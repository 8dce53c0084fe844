"""The corrected score of a leader: of boards, suites, looks, and of equal models."""

import numpy as np
import pytest

from scorio import Leaderboard, Looks, OutcomeMatrix, OutcomeSet, Suite


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


def test_a_clear_leader_keeps_its_interval():
    board = Leaderboard("pass@1", models(questions=200, best=6.0))
    best = board.leader_score
    assert best.excess == pytest.approx(0.0, abs=1e-4)
    assert (best.lo, best.hi) == pytest.approx((best.plain.lo, best.plain.hi), abs=1e-4)


@pytest.mark.parametrize("suite", [False, True])
def test_the_leader_at_a_look_has_the_level_of_the_looks(suite):
    outcomes = Suite({"x": models(seed=1), "y": models(seed=2)}) if suite else models()
    board = Leaderboard("pass@1", outcomes)
    looked = Leaderboard("pass@1", outcomes, looks=Looks(trials=16))
    wide, narrow = looked.leader_score, board.leader_score
    assert wide.plain == looked.intervals[looked.models.index(wide.model)]
    assert wide.lo < narrow.lo < narrow.hi < wide.hi
    assert wide.hi - wide.lo < wide.plain.hi - wide.plain.lo


def hard(rng):
    """Success rates of questions half of which are never solved."""
    return np.where(np.arange(30) % 2, rng.beta(0.4, 2.0, 30), 0.0)


@pytest.mark.slow
@pytest.mark.simulation
@pytest.mark.parametrize(
    ("trials", "models", "usual", "least", "rates_of"),
    [
        (4, 10, 0.9, 0.93, lambda rng: rng.beta(1, 1, 100)),
        (1, 10, 0.9, 0.93, lambda rng: rng.beta(1, 1, 300)),
        (4, 40, 0.6, 0.90, hard),
        (4, 40, 0.6, 0.90, lambda rng: np.where(hard(rng), 0.7 * hard(rng) + 0.3, 0.0)),
    ],
    ids=["rates of all sizes", "single trials", "hard", "hard or easy"],
)
def test_the_interval_of_the_winner_of_equal_models_holds(trials, models, usual, least, rates_of):
    """The plain one holds in less than ``usual`` of the worlds, the corrected one in ``least``, with their error."""
    rng, worlds = np.random.default_rng(trials + models), 80
    held, held_by_plain, off, error = [], [], [], []
    for _ in range(worlds):
        rates = rates_of(rng)
        counts = {str(i): OutcomeMatrix.from_counts(rng.binomial(trials, rates), trials) for i in range(models)}
        best = Leaderboard("pass@1", OutcomeSet(counts)).leader_score
        held.append(best.lo <= rates.mean() <= best.hi)
        held_by_plain.append(rates.mean() in best.plain)
        off.append(best.score - rates.mean())
        error.append(best.plain.sigma)
    assert np.mean(held_by_plain) < usual
    assert np.mean(held) >= least - 3 * np.sqrt((1 - least) * least / worlds)
    if models == 10:
        assert abs(np.mean(off)) <= 0.2 * np.mean(error) + 3 * np.std(off) / np.sqrt(worlds)
