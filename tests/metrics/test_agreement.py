"""Agreement@k: against every draw of k trials, in arithmetic, and for any number of runs."""

from itertools import combinations

import numpy as np
import pytest

from scorio import Leaderboard, OutcomeMatrix, PassAtK, PassHatK, compare, gate
from scorio.metrics import AgreementAtK
from scorio.testing import check_metric

R = [[0, 1, 1, 0, 1], [1, 1, 1, 1, 1], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]]


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_it_is_the_share_of_draws_that_are_all_alike(k):
    alike = [np.mean([len(set(draw)) == 1 for draw in combinations(row, k)]) for row in R]
    assert AgreementAtK(k).per_question(R) == pytest.approx(alike, abs=1e-15)
    assert AgreementAtK(k).score(R) == pytest.approx(PassHatK(k).score(R) + 1 - PassAtK(k).score(R), abs=1e-15)
    check_metric(AgreementAtK(k))


def test_consistency_does_not_depend_on_the_number_of_runs():
    rng = np.random.default_rng(3)
    rates = rng.beta(0.5, 0.5, 40_000)
    runs = (rng.random((40_000, 16)) < rates[:, None]).astype(np.int64)
    consistency = {n: 2 * AgreementAtK(2).score(runs[:, :n]) - 1 for n in (2, 3, 8, 16)}
    assert np.ptp(list(consistency.values())) < 0.01  # three standard errors of two runs
    assert consistency[16] == pytest.approx(np.mean(1 - 4 * rates * (1 - rates)), abs=0.005)


def test_with_as_many_runs_as_there_are_it_is_outcome_consistency_as_published():
    runs = np.array(R)
    p, variance = runs.mean(1), runs.var(1, ddof=1)
    published = np.mean(np.maximum(1 - variance / (p * (1 - p) + 1e-8), 0))
    assert AgreementAtK(5).score(R) == pytest.approx(published)


def test_intervals_comparisons_boards_and_gates_take_it_by_name():
    always, coin = (
        OutcomeMatrix(np.ones((30, 6), dtype=int)),
        OutcomeMatrix(np.random.default_rng(0).integers(0, 2, (30, 6))),
    )
    interval = AgreementAtK(2).interval(coin)
    assert interval.lo < 0.5 < interval.hi < 0.6
    assert compare("agreement@2", always, coin).winner == "A"
    assert Leaderboard("agreement@2", {"coin": coin, "always": always}).ranks.tolist() == [2, 1]
    assert not gate("agreement@2", coin, always).passed
    consistency = 2 * AgreementAtK(2).estimate(coin) - 1
    assert consistency.interval().lo == pytest.approx(2 * interval.lo - 1)
