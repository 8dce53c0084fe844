"""The picture of docs/looks.md: false calls between two runs of the same model against the looks taken so far.

python benchmarks/looks_picture.py [--pairs 400] [--out docs/looks.png]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib as mpl
import numpy as np
from looked_at import CONFIDENCE_CALL, EVERY, QUESTIONS, RULES, WORLDS, Recorder, counts_at

from scorio import OutcomeMatrix, PassAtK

mpl.use("agg")
from matplotlib import pyplot as plt

PROMISED = 1.0 - CONFIDENCE_CALL
LINES = {
    "naive": ("a single-look statement at every look", "#b2182b"),
    "around 16": ("Looks(around=16)", "#4393c3"),
    "budget 64": ("Looks(trials=64)", "#2166ac"),
}


def calls(pairs: int, rng: np.random.Generator) -> np.ndarray:
    """Whether one of two runs of one model is called better, (pairs, looks, rules), by Pass@1."""
    recorder = Recorder(PassAtK(1), EVERY)
    for _ in range(pairs):
        rates = WORLDS["Beta(.3, .3)"](rng, QUESTIONS)
        for _ in range(2):
            counts = counts_at(rates, EVERY, rng)
            outcomes = [OutcomeMatrix.from_counts(each, n) for each, n in zip(counts, EVERY, strict=True)]
            recorder.add(outcomes, float(rates.mean()))
    return recorder.paths().called


def main() -> None:
    """Simulate and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=400)
    parser.add_argument("--out", type=Path, default=Path("docs/looks.png"))
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    called = calls(arguments.pairs, np.random.default_rng(arguments.seed))
    figure, axes = plt.subplots(figsize=(7.0, 4.0), layout="constrained")
    for which, rule in enumerate(RULES):
        name, color = LINES[rule]
        share = np.maximum.accumulate(called[:, :, which], axis=1).mean(axis=0)
        axes.plot(EVERY, share, label=name, color=color)
        print(f"{name}: {share[-1]:.3f} +- {np.sqrt(share[-1] * (1 - share[-1]) / arguments.pairs):.3f}")
    axes.axhline(PROMISED, color="0.5", linestyle=":", label="promised: 10%")
    axes.set(xscale="log", xlabel="trials per question, a look after each", ylabel="runs with a false call so far")
    axes.set_xticks([1, 2, 4, 8, 16, 32, 64], [1, 2, 4, 8, 16, 32, 64])
    axes.set_ylim(0.0, None)
    axes.legend(frameon=False)
    figure.savefig(arguments.out, dpi=80)


if __name__ == "__main__":
    main()
