"""Times beside those of kernels and small calls: ``python benchmarks/speed.py forecast replicates huge-k``.

Figures are seconds of processor time, the least of several turns.
"""

import argparse
import sys
import time
import warnings
from functools import partial

import numpy as np

from scorio import OutcomeMatrix, PassAtK, simulate
from scorio.metrics import METRICS
from scorio.resampling import analyze_convergence


def least(job, turns=5):
    """The least seconds of a job, which is given new outcomes in each turn."""
    times = []
    for _ in range(turns):
        start = time.process_time()
        job()
        times.append(time.process_time() - start)
    return min(times)


def forecast():
    """Milliseconds of a forecast beside those of an interval within the trials."""
    rng = np.random.default_rng(0)
    for trials in (16, 64, 256):
        for count in (30, 100, 1000):
            counts = [rng.binomial(trials, rng.beta(0.4, 2.0, count)) for _ in range(8)]
            took = {}
            for k in (100 * trials, trials // 2, 2 * trials):
                new = iter([OutcomeMatrix.from_counts(each, trials) for each in counts])
                took[k] = 1e3 * least(lambda k=k, new=new: PassAtK(k).interval(next(new)), 8)
            print(f"{count} x {trials}: " + ", ".join(f"k = {k:,} {ms:.1f} ms" for k, ms in took.items()), flush=True)


def replicates():
    """10,000 replicates of a ranking of 20 models, 120 questions and 80 trials, every n, by two metrics."""
    made = simulate.coins(simulate.rates(20, 120, rng=0), 80, rng=1)
    about = {"replicates": 10_000, "rng": 0, "progress": False}
    for jobs in (1, 2):
        start = time.perf_counter()
        work = least(partial(analyze_convergence, ("avg", "pass@2"), made.outcomes, n_jobs=jobs, **about), 1)
        print(f"{jobs} threads: {time.perf_counter() - start:.2f} s by the clock, {work:.2f} s at work", flush=True)


def huge_k(k=1_000_000, limit=2.0):
    """Every metric at a budget of a million trials; a time above two seconds is marked, and the exit code is then 1."""
    random, slow = np.random.default_rng(0), False
    weights = np.random.default_rng(1).dirichlet(np.ones(k))
    few, own = random.integers(8, 200, 1_000), {"spectrum": {"weights": weights}, "gpass": {"tau": 0.5}}
    banks = {
        "1,000 x 8..200": (few, random.beta(0.4, 0.8, 1_000)),
        "one rate": (few, 0.5),
        "one rate, 8..200,000": (random.integers(8, 200_000, 1_000), 0.5),
        f"300 x {2 * k:,}": (np.full(300, 2 * k), random.beta(0.4, 0.8, 300)),
    }
    for bank, (trials, rates) in banks.items():
        solved = random.binomial(trials, rates)
        for name, kind in METRICS.items():
            if "k" not in kind.__dataclass_fields__ or kind._is_of_samples:
                continue
            metric, took = kind(k=k, **own.get(name, {})), {}
            for prior in ("learned", "uniform"):
                for target in ("questions", "population"):
                    outcomes = OutcomeMatrix.from_counts(solved, trials)
                    if outcomes.min_trials >= k or prior == "learned" or target == "questions":
                        job = partial(metric.interval, outcomes, prior=prior, target=target)
                        took[f"{prior}, {target}"] = least(job, 1)
            if outcomes.min_trials >= k:
                took["score"] = least(partial(metric.score, OutcomeMatrix.from_counts(solved, trials)), 1)
            slow |= max(took.values()) > limit
            cells = (f"{what} {seconds:.3f}{'*' * (seconds > limit)}" for what, seconds in took.items())
            print(f"{bank}: {name}: {'; '.join(cells)}", flush=True)
    sys.exit(slow)


def main():
    jobs = {each.__name__.replace("_", "-"): each for each in (forecast, replicates, huge_k)}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help=", ".join(jobs))
    warnings.simplefilter("ignore")
    for name in parser.parse_args().names or jobs:
        jobs[name]()


if __name__ == "__main__":
    main()
