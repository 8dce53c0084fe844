"""Leaderboards at one of many looks: which models are called worse, against ``compare``, and how often the best is."""

import numpy as np
import pytest

from scorio import Leaderboard, Looks, OutcomeMatrix, OutcomeSet, RewardMatrix, simulate

LOOKS = Looks(trials=64)
WORLD = simulate.coins(simulate.rates([0.0, 0.5, 1.5, 1.6], 60, rng=0), trials=16, rng=1, models=["a", "b", "c", "d"])


def board(metrics="pass@1", outcomes=WORLD.outcomes, looks=LOOKS, **options):
    return Leaderboard(metrics, outcomes, looks=looks, **options)


def test_models_beyond_the_boundary_are_called_worse_and_no_others():
    found = board(shape="normal")
    values = [(each.mu, each.sigma) for each in found.intervals]
    needed = LOOKS.z(16, 2 * 0.05 / 3)  # three comparisons, in one direction
    z = [(values[3][0] - mu) / np.hypot(values[3][1], sigma) for mu, sigma in values]
    assert found.tied_with_top.tolist() == [each < needed for each in z] == [False, False, True, True]
    assert found.ranks.tolist()[2:] == [1, 1]


def test_several_metrics_share_the_error_and_say_so():
    found = board(["pass@1", "pass@4"], shape="normal")
    assert found["pass@4"].settings.looks == LOOKS.shared(2)
    assert found["pass@1"].intervals[0].looks == LOOKS.shared(8)
    assert "error shared by 8 intervals" in str(found)
    assert "the error of calls is shared by 3 comparisons" in str(found)


def test_continuous_rewards():
    rng = np.random.default_rng(3)
    rewards = rng.beta(2.0, 3.0, (40, 6))
    high, other = np.clip(rewards[::-1] + 0.4, 0, 1), 0.999 * rewards[:, ::-1]
    models = {"low": RewardMatrix(rewards), "high": RewardMatrix(high), "same": RewardMatrix(other)}
    found = board("avg", OutcomeSet(models))
    assert found.tied_with_top.tolist() == [False, True, False]
    assert "valid at every look" in str(found)


def called_worse(seed, tied):
    """The models that were called worse than another one at any look of a run, with a look after every second trial."""
    rng = np.random.default_rng(seed)
    rates = np.clip(rng.beta(0.5, 0.5, 40) + np.array([[0.0], [0.0 if tied else 0.05], [-0.2]]), 0, 1)
    counts, worse = np.zeros((3, 40), int), set()
    for n in range(1, 17):
        counts += rng.random((3, 40)) < rates
        if n % 2 == 0:
            outcomes = OutcomeSet({str(i): OutcomeMatrix.from_counts(each, n) for i, each in enumerate(counts)})
            found = board(outcomes=outcomes, looks=Looks(trials=16))
            worse |= {name for name, top in zip(found.models, found.tied_with_top, strict=True) if not top}
    return worse


@pytest.mark.simulation
def test_tied_leaders_are_rarely_separated_and_the_best_is_rarely_called_worse():
    tied = [called_worse(seed, tied=True) for seed in range(40)]
    assert sum(bool(each & {"0", "1"}) for each in tied) <= 7  # nominal 2 to 4
    assert all("2" in each for each in tied)
    better = [called_worse(seed, tied=False) for seed in range(40, 60)]
    assert sum("1" in each for each in better) <= 3
