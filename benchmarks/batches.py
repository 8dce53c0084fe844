"""Time and memory of ``scorio.compute_intervals``: many metrics on many sets of outcomes, in one call.

python benchmarks/batches.py [share of the 150,000 sets] [threads]

A training run with 5,000 checkpoints on 30 benchmarks is 150,000 sets of outcomes. Sets are drawn by a generator while
the call runs; the time to draw them is measured apart and subtracted. Only the results grow with the number of sets.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator

import numpy as np

from scorio import AucAtK, GPassTau, MajAtK, MGPass, OutcomeMatrix, PassAtK, PassHatK, compute_intervals

SETS, QUESTIONS, TRIALS = 150_000, 200, 16
DIFFICULTIES = ((1.0, 1.0), (0.3, 0.3), (0.5, 5.0), (4.0, 1.0))
METRICS = [
    *(PassAtK(k) for k in (1, 2, 4, 8, 16)),
    *(PassHatK(k) for k in (2, 4, 8)),
    *(GPassTau(8, tau) for tau in (0.25, 0.5, 0.75)),
    MGPass(8),
    MajAtK(8),
    AucAtK(8),
]


def sets(count: int) -> Iterator[OutcomeMatrix]:
    """Draw sets of four shapes of difficulties."""
    rng = np.random.default_rng(0)
    for i in range(count):
        rates = rng.beta(*DIFFICULTIES[i % len(DIFFICULTIES)], QUESTIONS)
        yield OutcomeMatrix.from_counts(rng.binomial(TRIALS, rates), TRIALS)


def clocks() -> np.ndarray:
    """Return the time by the clock and the processor time of all threads."""
    return np.array([time.perf_counter(), time.process_time()])


def megabytes() -> float:
    """Return the peak memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print one line with all figures."""
    share = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    count = max(1, round(SETS * share))
    compute_intervals(METRICS, sets(8), n_jobs=threads)
    start = clocks()
    drawn = sum(1 for _ in sets(count))
    drawing, before = clocks() - start, megabytes()
    start = clocks()
    result = compute_intervals(METRICS, sets(count), n_jobs=threads)
    wall, processor = clocks() - start - drawing
    used = megabytes() - before
    print(
        f"{drawn:,} sets of {QUESTIONS} x {TRIALS}, {len(METRICS)} metrics, {threads} threads: {wall:.1f} s by the "
        f"clock, {processor:.1f} s of processor time, {1e6 * processor / count:.0f} us per set, {used:.0f} MB more "
        f"than before ({result.nbytes / 2**20:.0f} MB of results)"
    )
    if count < SETS:
        print(f"extrapolated to {SETS:,} sets: {wall * SETS / count:.0f} s and {processor * SETS / count:.0f} s")


if __name__ == "__main__":
    main()
