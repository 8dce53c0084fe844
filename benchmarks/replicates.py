"""Measure the time of 10,000 replicates: 20 models x 120 questions x 80 trials, avg and Pass@2, every n, with tau-b.

python benchmarks/replicates.py --peer benchmarks/.venv-peer

One core and two threads take turns; a figure is the fastest turn, by the clock and in time at work, which others on the
machine do not lengthen. With ``--peer`` the same is done by the package on PyPI of the same name, its functions in a
loop: a few replicates, from which the time of all is extrapolated.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import time
from pathlib import Path

import numpy as np

from scorio import analyze_convergence, simulate

METRICS = ("avg", "pass@2")
MODELS, QUESTIONS, TRIALS = 20, 120, 80

PEER_LOOP = """
import json, sys, time
import numpy as np
from scipy.stats import kendalltau
from scorio import eval as face
trials, replicates = np.load(sys.argv[1]), int(sys.argv[2])
scores = [lambda R: face.avg(R)[0], lambda R: face.pass_at_k(R, 2)]
needs = [1, 2]
gold = [[score(R) for R in trials] for score in scores]
rng = np.random.default_rng(0)
start = time.process_time()
for _ in range(replicates):
    chosen = rng.integers(trials.shape[2], size=trials.shape)
    drawn = np.take_along_axis(trials, chosen, axis=2)
    for n in range(1, trials.shape[2] + 1):
        for score, best, k in zip(scores, gold, needs):
            if n >= k:
                kendalltau([score(R[:, :n]) for R in drawn], best)
print(json.dumps((time.process_time() - start) / replicates))
"""


def world():
    """Models and questions of every strength and difficulty."""
    return simulate.coins(simulate.rates(MODELS, QUESTIONS, rng=0), TRIALS, rng=1)


def seconds(outcomes, replicates, n_jobs):
    """By the clock, and at work."""
    wall, cpu = time.perf_counter(), time.process_time()
    analyze_convergence(METRICS, outcomes, replicates=replicates, rng=0, n_jobs=n_jobs, progress=False)
    return time.perf_counter() - wall, time.process_time() - cpu


def peer_seconds(folder, trials, replicates):
    """Seconds at work that a replicate takes the peer."""
    from peer import environment

    file = folder / "trials.npy"
    python = environment(folder)
    np.save(file, trials)
    done = subprocess.run(
        [python, "-c", PEER_LOOP, file, str(replicates)], check=True, capture_output=True, text=True, cwd=folder
    )
    file.unlink()
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicates", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--peer", type=Path, help="its virtual environment, made when missing")
    parser.add_argument("--peer-replicates", type=int, default=5)
    options = parser.parse_args()
    made = world()
    turns = [[seconds(made.outcomes, options.replicates, jobs) for jobs in (1, 2)] for _ in range(options.turns)]
    (one, at_work), (two, together) = np.min(turns, axis=0)
    print(f"{options.replicates} replicates, load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(f"one core     {one:8.2f} s, at work {at_work:.2f} s")
    print(f"two threads  {two:8.2f} s, at work {together:.2f} s: {two / one:.2f} by the clock")
    if options.peer:
        whole = options.replicates * peer_seconds(options.peer.resolve(), made.trials, options.peer_replicates)
        source = f"extrapolated from {options.peer_replicates} replicates"
        print(f"the peer     {whole:8.0f} s at work, {source}: {whole / at_work:.0f} times as long")


if __name__ == "__main__":
    main()
