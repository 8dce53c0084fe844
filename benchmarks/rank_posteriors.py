"""Time and memory of rank distributions for many models: python benchmarks/rank_posteriors.py [MODELS ...].

Means are spread as on a public leaderboard (Beta(4, 4)), with standard deviations from .01 to .03; each number of
models is measured in a process of its own.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import numpy as np

from scorio.rank._rank_posterior import best_probabilities, rank_pmf

SIZES = (200, 500, 1000, 2000, 10_000)


def measure(count: int) -> str:
    """Return a row of the table."""
    rng = np.random.default_rng(1)
    mu, sigma = rng.beta(4, 4, count), rng.uniform(0.01, 0.03, count)
    start = time.process_time()
    best = best_probabilities(mu, sigma)
    middle = time.process_time()
    pmf = rank_pmf(mu, sigma)
    end = time.process_time()
    error = max(abs(pmf.sum(axis=0) - 1).max(), abs(pmf.sum(axis=1) - 1).max(), abs(best - pmf[:, 0]).max())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"| {count} | {end - middle:.2f} | {middle - start:.3f} | {peak:.0f} | {error:.1e} |"


if __name__ == "__main__":
    if len(sys.argv) == 2:
        print(measure(int(sys.argv[1])))
    else:
        print("| models | all ranks, s | P(best), s | peak memory, MB | largest error of sums |\n|---|---|---|---|---|")
        for size in sys.argv[1:] or SIZES:
            print(subprocess.check_output([sys.executable, __file__, str(size)], text=True).strip())
