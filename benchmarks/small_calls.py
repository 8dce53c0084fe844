"""Small calls of ``scorio.eval`` beside those of ``scorio==0.2.3`` from PyPI: microseconds and ratios, in one run.

python benchmarks/small_calls.py --python PEER/bin/python

``--python``, or the environment variable ``SCORIO_PEER_PYTHON``, names the Python of a virtual environment that holds
the peer; without it, ``peer.py`` makes one. Both packages take turns on the same array of 30 questions x 80 trials,
each in a process of its own, and a figure is the least over the turns. A call below its bar is marked; the exit code
is then 1.
"""

import argparse
import os
import sys
from pathlib import Path

from peer import HERE, ask, environment, worker

QUESTIONS, TRIALS, K = 30, 80, 20
REWARDS = [0.0, 0.5, 1.0]
# the function of scorio.eval, its arguments, the categories that occur, and the least ratio of the peer's time to ours
CALLS = {
    "pass_at_k": ("pass_at_k", [K], 2, 14),
    "g_pass_at_k_tau": ("g_pass_at_k_tau", [K, 0.5], 2, 11),
    "geom_at_k": ("geom_at_k", [K], 2, 11),
    "max_at_k with weights": ("max_at_k", [K, REWARDS], 3, 7),
    "bayes with weights": ("bayes", [REWARDS], 3, 3),
    "avg with weights": ("avg", [REWARDS], 3, 3),
    "pass_at_k_ci": ("pass_at_k_ci", [K], 2, 42),
    "auc_at_k_ci": ("auc_at_k_ci", [K], 2, 265),
}


def measured(python, turns):
    """The least seconds of each call by name: the peer's and ours."""
    limits = argparse.Namespace(patience=0.5, give_up=60)
    ours, peer = worker(sys.executable, limits), worker(python, limits, "-I")
    found = {}
    for name, (function, arguments, categories, _) in CALLS.items():
        case = {"name": function, "arguments": arguments, "categories": categories, "metric": None}
        case |= {"shape": [QUESTIONS, TRIALS], "dtype": "int64"}
        both = [(ask(peer, case), ask(ours, case)) for _ in range(turns)]
        found[name] = tuple(min(times) for times in zip(*both, strict=True))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", type=Path, default=os.environ.get("SCORIO_PEER_PYTHON"))
    parser.add_argument("--turns", type=int, default=7)
    options = parser.parse_args()
    found = measured(options.python or environment(HERE / ".venv-peer"), options.turns)
    print(f"{'call':<24}{'peer us':>10}{'ours us':>10}{'ratio':>8}{'bar':>6}")
    below = False
    for name, (theirs, ours) in found.items():
        bar = CALLS[name][-1]
        below |= theirs / ours < bar
        mark = "  below" if theirs / ours < bar else ""
        print(f"{name:<24}{theirs * 1e6:>10.1f}{ours * 1e6:>10.1f}{theirs / ours:>8.1f}{bar:>6g}{mark}")
    sys.exit(below)


if __name__ == "__main__":
    main()
