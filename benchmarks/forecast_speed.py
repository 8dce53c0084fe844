"""What a forecast costs beside an interval within the trials, in one process: milliseconds of CPU, and their ratio.

python benchmarks/forecast_speed.py [--sets 15]

Every number is a median over sets of outcomes that were not seen before, so that nothing of their own is kept; "first"
is the first call with so many trials, when what does not depend on the outcomes is computed as well.
"""

import argparse
import os
import time
import warnings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np

from scorio import OutcomeMatrix, PassAtK
from scorio.errors import PriorWarning


def milliseconds(k, outcomes):
    """The CPU time of an interval."""
    start = time.process_time()
    PassAtK(k).interval(outcomes)
    return 1e3 * (time.process_time() - start)


def run(sets):
    """Print a row for every number of trials and of questions."""
    rng = np.random.default_rng(0)
    print("| trials, questions | k = N / 2 | 100 N, first | 100 N | ratio | further k | 2 N |\n|" + " --- |" * 7)
    for trials in (16, 64, 256):
        for count in (30, 100, 1000):
            drawn = [
                OutcomeMatrix.from_counts(rng.binomial(trials, rng.beta(0.4, 2.0, count)), trials)
                for _ in range(3 * sets + 1)
            ]
            first = milliseconds(100 * trials, drawn.pop())
            within = np.median([milliseconds(trials // 2, each) for each in drawn[:sets]])
            far = np.median([milliseconds(100 * trials, each) for each in drawn[sets : 2 * sets]])
            further = np.median([milliseconds(50 * trials, each) for each in drawn[sets : 2 * sets]])
            near = np.median([milliseconds(2 * trials, each) for each in drawn[2 * sets :]])
            numbers = " | ".join(f"{each:.1f}" for each in (within, first, far, far / within, further, near))
            print(f"| {trials}, {count:,} | {numbers} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=15)
    warnings.simplefilter("ignore", PriorWarning)
    run(parser.parse_args().sets)
