"""Draw the pictures of docs/: ``python benchmarks/pictures.py looks runs coverage [--worlds 400]``.

``coverage`` is drawn from ``docs/coverage.csv``, which ``study.py coverage --csv docs/coverage.csv`` writes.
"""

import argparse
import csv

import matplotlib as mpl
import numpy as np
from runner import DOCS, results
from study import load
from worlds import drawn, rates

from scorio import Looks, OutcomeMatrix, compare, plot

mpl.use("agg")
from matplotlib import pyplot as plt

LOOKS = {
    "a single-look statement at every look": (None, "#b2182b"),
    "Looks(around=16)": (Looks(around=16, confidence=0.9), "#4393c3"),
    "Looks(trials=64)": (Looks(trials=64, confidence=0.9), "#2166ac"),
}
RUNS = {"independent": "#b2182b", "random, 1 model": "#4393c3", "random, 5 models": "#2166ac"}


def looks(worlds):
    """False calls between two runs of one model, against the looks taken so far."""
    rng, called = np.random.default_rng(1), np.zeros((len(LOOKS), 64))
    for _ in range(worlds):
        p = rates("Beta(.3, .3)", rng, 100)
        solved = [np.cumsum(drawn(p, 64, rng), axis=1) for _ in range(2)]
        for at, (each, _) in enumerate(LOOKS.values()):
            for n in range(1, 65):
                pair = [OutcomeMatrix.from_counts(one[:, n - 1], n) for one in solved]
                if compare("pass@1", *pair, confidence=0.9, looks=each).winner is not None:
                    called[at, n - 1 :] += 1.0 / worlds
                    break
    figure, axes = plt.subplots(figsize=(7.0, 4.0), layout="constrained")
    for (name, (_, color)), share in zip(LOOKS.items(), called, strict=True):
        axes.plot(range(1, 65), share, label=name, color=color)
    axes.axhline(0.1, color="0.5", linestyle=":", label="promised: 10%")
    axes.set(xscale="log", xlabel="trials per question, a look after each", ylabel="runs with a false call so far")
    axes.set_xticks([1, 2, 4, 8, 16, 32, 64], [1, 2, 4, 8, 16, 32, 64])
    axes.set_ylim(0.0, None)
    axes.legend(frameon=False)
    figure.savefig(DOCS / "looks.png", dpi=80)


def runs(worlds):
    """How often intervals contain the value over runs like these, against how much runs differ."""
    load()
    sizes, lines = np.linspace(0.0, 0.6, 7).tolist(), {name: [] for name in RUNS}
    rows = [
        {"runs": 5, "s": s, "questions": 100, "models": models, "metric": "pass@1", "target": "questions"}
        for s in sizes
        for models in (1, 5)
    ]
    for found in results("runs", rows, worlds, seed=1, jobs=2, save=None):
        models = found.row["models"]
        lines[f"random, {models} model{'s' * (models > 1)}"].append(found.mean["covers"])
        if models == 5:
            lines["independent"].append(found.mean["plain covers"])
    figure, axes = plt.subplots(figsize=(7.0, 4.0), layout="constrained")
    for name, color in RUNS.items():
        axes.plot(sizes, lines[name], label=f"runs={name}", color=color, marker="o", markersize=4)
    axes.axhline(0.95, color="0.5", linestyle=":", label="promised: 95%")
    axes.set(xlabel="s: how much runs differ, in log odds", ylabel="intervals that contain the true value")
    axes.set_ylim(0.4, 1.0)
    axes.legend(frameon=False, loc="lower left")
    figure.savefig(DOCS / "runs.png", dpi=80)


def coverage(_):
    """Coverage of intervals against the number of trials per question."""
    with (DOCS / "coverage.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["trials"].isdigit()]
    plot.coverage(rows).figure.savefig(DOCS / "coverage.png", dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    pictures = {each.__name__: each for each in (looks, runs, coverage)}
    parser.add_argument("names", nargs="+", choices=list(pictures))
    parser.add_argument("--worlds", type=int, default=400)
    options = parser.parse_args()
    for name in options.names:
        pictures[name](options.worlds)


if __name__ == "__main__":
    main()
