"""Compare the times of all metrics with the speed limit: ``python benchmarks/ours.py``."""

import argparse

import numpy as np
from cases import SHAPES, metrics, outcomes
from limit import counting_loop
from timing import interleaved

import scorio


def measure(shape, dtype, rounds):
    """Least seconds of every score and interval on a raw array and on a prepared matrix, and of the limit."""
    questions, trials, k = SHAPES[shape]
    R = outcomes(questions, trials, dtype)
    prepared = scorio.OutcomeMatrix(R)
    count = counting_loop()
    jobs = {"limit": lambda: count(R)}
    for name, (metric, _) in metrics(k).items():
        jobs |= timed(name, metric, R, prepared)
    graded = R + R * (np.random.default_rng(1).random(R.shape) < 0.5).astype(dtype)
    rewards = (0.0, 0.5, 1.0)
    for name, metric in {"max_at_k/3": scorio.MaxAtK(k, rewards), "bayes/3": scorio.BayesMetric(rewards)}.items():
        jobs |= timed(name, metric, graded, scorio.OutcomeMatrix(graded))
    return interleaved(jobs, rounds)


def timed(name, metric, R, prepared):
    """The calls to time: on an array, on a prepared matrix, the interval."""
    return {
        name: lambda: metric.score(R),
        f"{name} prepared": lambda: metric.score(prepared),
        f"{name}_ci": lambda: metric.interval(R, prior="uniform"),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    cases = [(shape, dtype) for shape in SHAPES for dtype in ("int64", "int8")]
    found = {f"{shape} {dtype}": measure(shape, dtype, options.rounds) for shape, dtype in cases}
    for case, times in found.items():
        print(f"\n{case}: one pass over the bytes takes {times['limit'] * 1e6:.1f} us")
        for name in (name for name in times if name != "limit" and "prepared" not in name):
            prepared = times.get(f"{name} prepared")
            extra = f"   prepared {prepared * 1e6:8.1f} us" if prepared else ""
            print(f"  {name:<28}{times[name] * 1e6:10.1f} us{times[name] / times['limit']:8.2f} x limit{extra}")


if __name__ == "__main__":
    main()
