"""Coverage and false calls where questions differ in their numbers of trials, or clusters in their sizes.

    python benchmarks/designs.py --runs 300
    python benchmarks/designs.py --part clusters --bank ../shared/data/monkeys_math128_n10000.npz

Part ``trials``: the numbers of trials were fixed before the outcomes, and may depend on how difficult a question is.
Columns: how often the 95% interval covers the truth of these questions and contains the score printed beside it, and
how often ``compare`` calls a model different from itself, tried again by another design.

Part ``clusters``: questions of a cluster share a success rate; the truth is that of the population of clusters, and the
second model has clusters of its own. Columns: coverage, and how often the two equal models are called different.

Rates of questions come from Beta distributions, or from a bank of measured rates (``--bank``, an ``.npz`` file with
``correct`` and ``trials``). Each figure stands with its Monte Carlo error.
"""

import argparse
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from scorio import OutcomeMatrix, PassAtK, compare

Rates = np.ndarray[Any, Any]
Draw = Callable[[np.random.Generator, int], Rates]
Design = Callable[[np.random.Generator, Rates], Rates]
QUESTIONS = 150
SHAPES: dict[str, Draw] = {
    "Beta(.4, .4)": lambda rng, count: rng.beta(0.4, 0.4, count),
    "Beta(2, .7)": lambda rng, count: rng.beta(2.0, 0.7, count),
    "Beta(.5, 2)": lambda rng, count: rng.beta(0.5, 2.0, count),
}
TRIALS: dict[str, tuple[Design, Design]] = {
    "1 + Bin(7, p), then 1 + Bin(7, 1 - p)": (
        lambda rng, p: 1 + rng.binomial(7, p),
        lambda rng, p: 1 + rng.binomial(7, 1.0 - p),
    ),
    "4 where p < .5, else 8; then 8": (lambda rng, p: np.where(p < 0.5, 4, 8), lambda rng, p: np.full(len(p), 8)),
    "12 where .2 < p < .8, else 4; then 4": (
        lambda rng, p: np.where((p > 0.2) & (p < 0.8), 12, 4),
        lambda rng, p: np.full(len(p), 4),
    ),
    "loses 5% to 30% of 8 by difficulty; then 5%": (
        lambda rng, p: np.maximum(rng.binomial(8, 0.95 - 0.25 * (1.0 - p)), 1),
        lambda rng, p: np.maximum(rng.binomial(8, np.full(len(p), 0.95)), 1),
    ),
}
SIZES = {
    "20 of 5": [5] * 20,
    "6 of 5": [5] * 6,
    "100 of 1 to 20": np.resize([1, 1, 1, 2, 2, 3, 4, 6, 10, 20], 100).tolist(),
    "30, 10, 5, 5, 2, 2, 1, 1, 1, 1": [30, 10, 5, 5, 2, 2, 1, 1, 1, 1],
    "64, 32, 16, 8, 4, 2, 1, 1": [64, 32, 16, 8, 4, 2, 1, 1],
    "40 of 1 and one of 40": [1] * 40 + [40],
    "10 of 12 and 50 of 2": [12] * 10 + [2] * 50,
}
METRICS = (PassAtK(1), PassAtK(4))


def from_bank(path: Path) -> Iterator[tuple[str, Draw]]:
    """The rates of every model of a bank, drawn with replacement."""
    bank = np.load(path, allow_pickle=False)
    rates = bank["correct"] / bank["trials"]
    for name, own in zip(bank["models"], rates, strict=True):
        yield str(name), partial(drawn, own)


def drawn(rates: Rates, rng: np.random.Generator, count: int) -> Rates:
    """Rates drawn with replacement."""
    return rng.choice(rates, count)


def truth_of(metric: PassAtK, p: Rates) -> float:
    """The true score of questions of these rates."""
    return float(np.mean(1.0 - (1.0 - p) ** metric.k))


def trials_row(rng: np.random.Generator, draw: Draw, name: str, metric: PassAtK, runs: int) -> tuple[float, ...]:
    """Shares covered, with the score inside, and of a model called different from itself."""
    covered = inside = called = 0
    for _ in range(runs):
        p = draw(rng, QUESTIONS)
        first, second = (
            OutcomeMatrix.from_counts(rng.binomial(n, p), n) for n in (design(rng, p) for design in TRIALS[name])
        )
        found, truth = metric.interval(first), truth_of(metric, p)
        covered += found.lo <= truth <= found.hi
        if metric.k == 1:  # the score of a metric with more trials than some question has does not exist
            inside += found.lo <= metric.score(first) <= found.hi
        else:
            inside += 1
        called += compare(metric, first, second).winner is not None
    return covered / runs, inside / runs, called / runs


def clusters_row(rng: np.random.Generator, draw: Draw, name: str, metric: PassAtK, runs: int) -> tuple[float, ...]:
    """Shares covered and of equal models called different, for the population."""
    truth = truth_of(metric, draw(rng, 400_000))
    covered = called = 0
    sizes = SIZES[name]
    for _ in range(runs):
        labels = np.repeat(np.arange(len(sizes)), sizes).tolist()
        pair = []
        for _ in range(2):
            p = np.repeat(draw(rng, len(sizes)), sizes)
            counts = rng.binomial(4, p)
            pair.append(OutcomeMatrix.from_counts(counts, trials=4, clusters=labels))
        found = metric.interval(pair[0], target="population")
        covered += found.lo <= truth <= found.hi
        called += compare(metric, *pair, target="population").winner is not None
    return covered / runs, called / runs


def main() -> None:
    """Run the rows and print each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=["trials", "clusters", "both"], default="both")
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bank", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # the warnings about such designs are tested elsewhere
    shapes = dict(from_bank(arguments.bank)) if arguments.bank else SHAPES
    parts: Mapping[str, tuple[Mapping[str, Any], Callable[..., tuple[float, ...]]]] = {
        "trials": (TRIALS, trials_row),
        "clusters": (SIZES, clusters_row),
    }
    for part, (designs, row) in parts.items():
        if arguments.part not in (part, "both"):
            continue
        for name in designs:
            for shape, draw in shapes.items():
                for metric in METRICS:
                    rng = np.random.default_rng([arguments.seed, *map(ord, part + name + shape)])
                    shares = row(rng, draw, name, metric, arguments.runs)
                    shown = "  ".join(f"{s:.3f}±{(s * (1 - s) / arguments.runs) ** 0.5:.3f}" for s in shares)
                    print(f"{part}  {name:46} {shape:14} {metric}  {shown}", flush=True)


if __name__ == "__main__":
    main()
