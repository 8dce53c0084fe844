"""What an interval with a learnt prior costs, the fit included: 500 questions, 64 trials of each.

python benchmarks/calibrated.py
"""

import numpy as np
from cases import metrics
from timing import interleaved

import scorio

WORLDS = {"uniform": (1.0, 1.0), "two-sided": (0.3, 0.3), "hard": (0.5, 5.0)}


def main():
    rng = np.random.default_rng(0)
    for world, shape in WORLDS.items():
        R = (rng.random((500, 64)) < rng.beta(*shape, (500, 1))).astype(np.int8)
        graded = R + R * (rng.random(R.shape) < 0.5).astype(np.int8)
        jobs = {name: calibrated(metric, R) for name, (metric, _) in metrics(16).items()}
        jobs["max_at_k/3"] = calibrated(scorio.MaxAtK(16, (0.0, 0.5, 1.0)), graded)
        times = interleaved(jobs)
        print(f"{world}: " + ", ".join(f"{name} {time * 1e3:.2f}" for name, time in times.items()) + " ms")


def calibrated(metric, R):
    return lambda: metric.interval(R, prior="eb", method="quantile")


if __name__ == "__main__":
    main()
