"""Intervals for the population where the observed outcomes are as low, or as high, as can be."""

import itertools

import numpy as np
import pytest

from scorio import GPassTau, MajAtK, MGPass, OutcomeMatrix, PassAtK, PassHatK
from scorio.metrics import AucAtK

METRICS = [PassAtK(1), PassAtK(3), PassHatK(3), GPassTau(4, 0.5), MGPass(4), MajAtK(3), AucAtK(4)]
LEARNED = {"prior": "learned", "target": "population"}


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_the_interval_reaches_the_bound_that_the_score_is_at(metric):
    low, high = metric.support()
    for counts in itertools.combinations_with_replacement(range(6), 2):
        R = OutcomeMatrix.from_counts(np.array(counts), 5)
        score, interval = metric.score(R), metric.interval(R, **LEARNED)
        assert (interval.lo == low) == (score == low), counts
        assert (interval.hi == high) == (score == high), counts


@pytest.mark.parametrize(
    ("metric", "counts", "expected"),
    [
        (PassHatK(4), [0, 1], (True, False)),  # two trials, and no question solved in both
        (PassHatK(4), [0, 0], (True, False)),
        (GPassTau(8, 0.5), [0, 0], (True, False)),
        (PassAtK(8), [1, 2], (False, True)),
    ],
    ids=str,
)
def test_fewer_trials_than_the_budget_count_by_their_share(metric, counts, expected):
    interval = metric.interval(OutcomeMatrix.from_counts(np.array(counts), 2), **LEARNED)
    low, high = metric.support()
    for end, limit, is_reached in zip(interval[2:], (low, high), expected, strict=True):
        assert not is_reached or end == pytest.approx(limit, abs=0.01)


def test_a_population_that_is_nearly_never_solved_is_covered():
    truth, metric = 0.001**4, PassHatK(4)
    rng = np.random.default_rng(0)
    for _ in range(20):
        interval = metric.interval(OutcomeMatrix.from_counts(rng.binomial(4, 0.001, 100), 4), **LEARNED)
        assert interval.lo <= truth <= interval.hi
