"""pytest-benchmark: replicates of 20 models x 120 questions x 80 trials, every n, and tau-b of each ranking."""

import numpy as np
import pytest
from replicates import METRICS, world

from scorio import analyze_convergence
from scorio.rank import rank_agreement

REPLICATES = 320


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("scheme", ["rows", "columns"])
def test_convergence(benchmark, scheme, n_jobs):
    trials = world().trials
    found = benchmark(
        lambda: analyze_convergence(METRICS, trials, replicates=REPLICATES, scheme=scheme, rng=0, n_jobs=n_jobs)
    )
    assert [each.tau.shape for each in found.values()] == [(REPLICATES, 80)] * len(METRICS)


def test_rank_agreement(benchmark):
    scores = np.random.default_rng(0).random((2, 200))
    assert -1.0 <= benchmark(rank_agreement, *scores).kendall <= 1.0
