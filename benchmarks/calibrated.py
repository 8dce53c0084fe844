"""What intervals under the learned prior cost: the first metric with its fit, each further one, and two threads.

python benchmarks/calibrated.py
"""

from __future__ import annotations

import time
from threading import Thread

import numpy as np
from timing import interleaved

from scorio import AucAtK, GPassTau, MGPass, OutcomeMatrix, PassAtK, PassHatK, compute_intervals
from scorio._kernels import prior_moments, shared_prior

WORLDS = {
    "uniform": lambda rng: rng.random(200),
    "two-sided": lambda rng: rng.beta(0.3, 0.3, 200),
    "hard": lambda rng: rng.beta(0.5, 5.0, 200),
    "easy": lambda rng: rng.beta(4.0, 1.0, 200),
    "hopeless, bump": lambda rng: np.where(rng.random(200) < 0.06, 0.0, rng.beta(12.0, 2.0, 200)),
    "point masses": lambda rng: np.where(rng.random(200) < 0.4, rng.integers(0, 2, 200), rng.random(200)),
}
METRICS = [PassAtK(1), PassAtK(4), PassAtK(8), PassHatK(4), GPassTau(8, 0.5), MGPass(8), AucAtK(8)]
BOUNDS = np.array([[0.0, 1.0]])


def kernels(states, metric):
    """One fit and one metric's interval, with little Python around them."""
    out = np.empty((1, 4))
    return lambda: intervals(shared_prior.learn(states), metric, out)


def further(prior, metric):
    """One more metric of a fit."""
    out = np.empty((1, 4))
    return lambda: intervals(prior, metric, out)


def intervals(prior, metric, out):
    """The interval of a metric, which follows its score."""
    scores = metric._state_scores(prior.states)
    prior_moments.intervals(prior, [metric._credits], [scores], True, BOUNDS, 0.95, out)


def seconds(job, threads, turns=300):
    """Return the time by the clock, for so many threads that each do all turns."""
    running = [Thread(target=lambda: [job() for _ in range(turns)]) for _ in range(threads)]
    start = time.perf_counter()
    for each in running:
        each.start()
    for each in running:
        each.join()
    return (time.perf_counter() - start) / turns


def main() -> None:
    """Time 200 questions with 16 trials each."""
    rng = np.random.default_rng(0)
    for world, draw in WORLDS.items():
        counts = rng.binomial(16, draw(rng))
        outcomes = OutcomeMatrix.from_counts(counts, 16)
        prior = shared_prior.learn(outcomes._states)
        jobs = {"fit and first metric": kernels(outcomes._states, PassAtK(1))}
        jobs["from_counts"] = lambda given=counts: OutcomeMatrix.from_counts(given, 16)
        jobs["from_counts and interval()"] = lambda given=counts: PassAtK(1).interval(
            OutcomeMatrix.from_counts(given, 16), prior="learned"
        )
        jobs |= {str(metric): further(prior, metric) for metric in METRICS}
        jobs["interval() of a fitted set"] = lambda given=outcomes: PassAtK(8).interval(given, prior="learned")
        times = interleaved(jobs)
        print(f"{world}: " + ", ".join(f"{name} {time * 1e6:.0f}" for name, time in times.items()) + " us")
    one, two = (min(seconds(kernels(outcomes._states, PassAtK(8)), threads) for _ in range(5)) for threads in (1, 2))
    print(f"two threads do {2 * one / two:.2f} times the work of one")
    sets = [OutcomeMatrix.from_counts(rng.binomial(16, rng.random(200)), 16) for _ in range(500)]
    start = time.perf_counter()
    compute_intervals(METRICS * 2, sets)
    print(f"a batch: {(time.perf_counter() - start) / len(sets) * 1e6:.0f} us for a set and 14 metrics, one thread")


if __name__ == "__main__":
    main()
