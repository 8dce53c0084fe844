"""Measure the false-positive rate and the power of ``compare``.

python benchmarks/compare.py --replicates 2000 --page
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import product

import numpy as np
from marked import fill, made

from scorio import BayesMetric, OutcomeMatrix, PassAtK, compare

RULES = {
    "published": {"rule": "published"},
    "questions": {},
    "population": {"target": "population"},
}
CONFIDENCE = {"published": 0.95, "questions": 0.9, "population": 0.9}  # so that all call equal models in .10
WORLDS = {"hard": (0.3, 1.2), "two-sided": (0.3, 0.3), "uniform": (1.0, 1.0)}
METRICS = (BayesMetric(), PassAtK(4))
SIZES = ((30, 16), (100, 4), (300, 8))


def called(metric, rule, world, gain, questions, trials, replicates) -> float:
    """The share of replicates in which the model that is better by ``gain`` (or, with none, either) is called."""
    rng = np.random.default_rng(7)
    won = 0
    for _ in range(replicates):
        p = rng.beta(*WORLDS[world], questions)
        better = p + gain * 4.0 * p * (1.0 - p)
        one, other = (OutcomeMatrix.from_counts(rng.binomial(trials, rate), trials) for rate in (better, p))
        winner = compare(metric, one, other, confidence=CONFIDENCE[rule], **RULES[rule]).winner
        won += winner is not None if gain == 0.0 else winner == "A"
    return won / replicates


def lines(replicates) -> Iterator[str]:
    """A line of a table for each world, size and metric: false calls (nominal .10) and power of each rule."""
    yield "| difficulties | M | N | metric | " + " | ".join(RULES) + " |"
    yield "|---|---:|---:|---|" + "---|" * len(RULES)
    for world, (questions, trials), metric in product(WORLDS, SIZES, METRICS):
        cells = [
            [called(metric, rule, world, gain, questions, trials, replicates) for gain in (0.0, 0.06)] for rule in RULES
        ]
        row = " | ".join(f"{false:.3f} / {power:.3f}" for false, power in cells)
        yield f"| {world} | {questions} | {trials} | {metric} | {row} |"


def main() -> None:
    """Print the table, or put it into docs/intervals.md."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replicates", type=int, default=2000)
    parser.add_argument("--page", action="store_true", help="write it into docs/intervals.md")
    options = parser.parse_args()
    table = []
    for line in lines(options.replicates):
        print(line, flush=True)
        table.append(line)
    if options.page:
        caption = f"False calls (nominal .10) / power, of {options.replicates:,} replicates each ({made()}):"
        fill("intervals.md", "compare table", "\n".join([caption, "", *table]))


if __name__ == "__main__":
    main()
