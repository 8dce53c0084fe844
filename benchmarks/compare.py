"""How often ``compare`` calls one of two equal models better, and how often it finds a real difference.

python benchmarks/compare.py --replicates 2000
"""

from __future__ import annotations

import argparse

import numpy as np

from scorio import BayesMetric, OutcomeMatrix, PassAtK, compare

RULES = {
    "published": {"paired": False},
    "eb": {"paired": False, "prior": "eb"},
    "paired": {"paired": True},
}
WORLDS = {"hard": (0.3, 1.2), "two-sided": (0.3, 0.3), "uniform": (1.0, 1.0)}
METRICS = (BayesMetric(), PassAtK(4))


def called(metric, rule, world, gain, questions, trials, replicates) -> float:
    """The share of replicates in which the model that is better by ``gain`` (or, with none, either) is called."""
    rng = np.random.default_rng(7)
    won = 0
    for _ in range(replicates):
        p = rng.beta(*WORLDS[world], questions)
        better = p + gain * 4.0 * p * (1.0 - p)
        one, other = (OutcomeMatrix.from_counts(rng.binomial(trials, rate), trials) for rate in (better, p))
        winner = compare(metric, one, other, **RULES[rule]).winner
        won += winner is not None if gain == 0.0 else winner == "A"
    return won / replicates


def main() -> None:
    """Print one line a world, size and metric: false calls (nominal .10) and power of each rule."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replicates", type=int, default=2000)
    replicates = parser.parse_args().replicates
    print(
        f"{'world':10s} {'M':>4s} {'N':>3s} {'metric':8s}"
        + "".join(f" {rule:>12s}" for rule in RULES)
        + "   false calls / power"
    )
    for world in WORLDS:
        for questions, trials in ((30, 16), (100, 4), (300, 8)):
            for metric in METRICS:
                cells = [
                    [called(metric, rule, world, gain, questions, trials, replicates) for gain in (0.0, 0.06)]
                    for rule in RULES
                ]
                row = "".join(f"  {false:.3f}/{power:.3f}" for false, power in cells)
                print(f"{world:10s} {questions:4d} {trials:3d} {metric!s:8s}{row}", flush=True)


if __name__ == "__main__":
    main()
