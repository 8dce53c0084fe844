"""Many metrics on many sets: the same numbers as one at a time."""

import numpy as np
import pytest

from scorio import AvgMetric, GPassTau, OutcomeMatrix, OutcomeSet, ParameterError, PassAtK, PassHatK
from scorio.metrics import GeomAtK, compute_intervals

METRICS = [PassAtK(1), GeomAtK(2), PassHatK(4), GPassTau(8, 0.5), PassAtK(60), AvgMetric()]


def sets(count=5, questions=30, trials=8):
    rng = np.random.default_rng(0)
    return [(rng.random((questions, trials)) < rng.beta(0.5, 1.0, (questions, 1))).astype(int) for _ in range(count)]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_same_bits_as_one_at_a_time(n_jobs):
    given = [*sets(), np.zeros((20, 4), dtype=int), np.ones((3, 1), dtype=int)]
    found = compute_intervals(METRICS, given, 0.9, n_jobs=n_jobs)
    assert found.shape == (7, 6, 4)
    for R, rows in zip(given, found, strict=True):
        for metric, row in zip(METRICS, rows, strict=True):
            alone = tuple(metric.interval(R, 0.9, prior="learned"))
            # NumPy before 2 rounds logarithms by where they lie in memory, and a forecast is full of them.
            assert tuple(row) == (pytest.approx(alone, rel=1e-9) if metric == PassAtK(60) else alone)


def test_every_way_to_pass_sets_gives_the_same():
    given = sets()
    named = {f"model {i}": R for i, R in enumerate(given)}
    ways = [given, named, np.array(given), iter(given), OutcomeSet(named), [OutcomeMatrix(R) for R in given]]
    first, *others = (compute_intervals(["pass@2", "passhat@2"], way) for way in ways)
    for other in others:
        assert np.array_equal(first, other)


def test_no_sets_and_no_metrics():
    assert compute_intervals([PassAtK(1)], []).shape == (0, 1, 4)
    assert compute_intervals([], sets()).shape == (5, 0, 4)


@pytest.mark.parametrize("n_jobs", [0, -1, 1.5, True])
def test_numbers_of_threads_that_are_refused(n_jobs):
    with pytest.raises(ParameterError, match="n_jobs must be an integer, at least 1"):
        compute_intervals([PassAtK(1)], sets(), n_jobs=n_jobs)
