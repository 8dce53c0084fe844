"""Times beside those of kernels and small calls: ``python benchmarks/speed.py forecast replicates``.

Figures are seconds of processor time, the least of several turns.
"""

import argparse
import time
import warnings
from functools import partial

import numpy as np

from scorio import OutcomeMatrix, PassAtK, simulate
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


def main():
    jobs = {each.__name__: each for each in (forecast, replicates)}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help=", ".join(jobs))
    warnings.simplefilter("ignore")
    for name in parser.parse_args().names or jobs:
        jobs[name]()


if __name__ == "__main__":
    main()
