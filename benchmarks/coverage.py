"""Measure the coverage probability of 95% intervals on outcomes with known truth: default and learned prior.

    python benchmarks/coverage.py --replicates 300 --jobs 2 --out docs/coverage.csv
    python benchmarks/coverage.py --data DIR ...      # also banks resampled around real rates

``DIR`` holds ``.npz`` files with ``correct`` (models, questions) and ``trials``; a bank is then some questions of one
model, drawn with replacement, and their observed rates are the truth.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, fields
from itertools import product
from pathlib import Path

import numpy as np
from scipy.stats import binom

from scorio import BayesMetric, GPassTau, MaxAtK, MGPass, OutcomeMatrix, PassAtK, PassHatK

METRICS = {
    "bayes": BayesMetric(),
    "pass@4": PassAtK(4),
    "pass@8": PassAtK(8),
    "pass^4": PassHatK(4),
    "gpass@8": GPassTau(8, 0.5),
    "mgpass@8": MGPass(8),
    "max@4": MaxAtK(4, (0.0, 0.5, 1.0)),
}
QUESTIONS = (10, 30, 100, 500)
TRIALS = ("1", "2", "4", "8", "16", "64", "1-8", "2-30")  # "1-8": each question has its own number of trials
CALIBRATED = {"prior": "learned", "shape": "quantile"}
POPULATION_SIZE = 50_000
Rates = np.ndarray
Draw = Callable[[np.random.Generator, int], Rates]


def spiked(rng: np.random.Generator, count: int) -> Rates:
    """35% never solved, 25% always, the rest uniform."""
    kind = rng.random(count)
    return np.where(kind < 0.35, 0.0, np.where(kind < 0.6, 1.0, rng.random(count)))


def beta(a: float, b: float) -> Draw:
    """Difficulties from a Beta."""
    return lambda rng, count: rng.beta(a, b, count)


def hopeless(never: float, middle: float, a: float, b: float) -> Draw:
    """A share of questions is never solved, a share lies below .7, the others crowd high without reaching 1."""

    def draw(rng: np.random.Generator, count: int) -> Rates:
        kind = rng.random(count)
        low = np.where(kind < never, 0.0, 0.7 * rng.random(count))
        return np.where(kind < never + middle, low, np.minimum(rng.beta(a, b, count), 0.995))

    return draw


WORLDS: dict[str, Draw] = {
    "uniform": lambda rng, count: rng.random(count),
    "Beta(.3, .3)": beta(0.3, 0.3),
    "Beta(.5, 5)": beta(0.5, 5.0),
    "Beta(5, .5)": beta(5.0, 0.5),
    "Beta(.1, 10)": beta(0.1, 10.0),
    "spiked": spiked,
    "3% hopeless, bump": hopeless(0.03, 0.10, 8.0, 1.4),
    "6% hopeless, bump": hopeless(0.06, 0.15, 12.0, 2.0),
    "10% hopeless, bump": hopeless(0.10, 0.20, 6.0, 1.0),
}


@dataclass
class Cell:
    """Shares of replicates whose interval covers, and mean widths."""

    world: str
    questions: int
    trials: str
    metric: str
    default: float
    calibrated: float
    population: float
    width_default: float
    width_calibrated: float


def value(metric: str, rates: Rates, graded: float) -> Rates:
    """The latent value of questions; with rewards, a success is worth 1 with chance ``graded`` and else 0.5."""
    if metric == "bayes":
        return rates
    if metric == "max@4":
        return 0.5 * (1.0 - (1.0 - rates) ** 4) + 0.5 * (1.0 - (1.0 - graded * rates) ** 4)
    k, credit = METRICS[metric].k, METRICS[metric]._credits
    return binom.pmf(np.arange(k + 1), k, rates[:, None]) @ credit


def measure(world: str, rates: list[Rates], questions: int, trials: str, replicates: int, seed: int) -> list[Cell]:
    """One world at one size: ``rates`` are its populations, one of which every replicate draws from."""
    fewest, _, most = trials.partition("-")
    rng = np.random.default_rng([seed, questions, *map(int, filter(None, (fewest, most)))])
    found = {metric: np.zeros(5) for metric in METRICS}
    beyond = [{name: value(name, whole, 0.0).mean() for name in METRICS} for whole in rates]
    for _ in range(replicates):
        which = rng.integers(len(rates))
        whole = rates[which]
        p = rng.choice(whole, questions)
        graded = rng.uniform(0.2, 0.8)
        n = rng.integers(int(fewest), int(most or fewest) + 1, questions)
        c = rng.binomial(n, p)
        top = rng.binomial(c, graded)
        binary = OutcomeMatrix.from_counts(c, n)
        rewards = OutcomeMatrix.from_counts(np.stack([n - c, c - top, top], axis=1))
        for name, metric in METRICS.items():
            bank = rewards if name == "max@4" else binary
            truth = value(name, p, graded).mean()
            other = value(name, whole, graded).mean() if name == "max@4" else beyond[which][name]
            plain, mine = metric.interval(bank, prior="uniform"), metric.interval(bank, **CALIBRATED)
            wide = metric.interval(bank, target="population", **CALIBRATED)
            inside = [
                low - 1e-9 <= true <= high + 1e-9
                for (_, _, low, high), true in ((plain, truth), (mine, truth), (wide, other))
            ]
            found[name] += [*inside, plain.hi - plain.lo, mine.hi - mine.lo]
    return [Cell(world, questions, trials, name, *(found[name] / replicates)) for name in METRICS]


def populations(data: Path | None) -> dict[str, list[Rates]]:
    """Every world's populations of success rates."""
    rng = np.random.default_rng(0)
    worlds = {name: [draw(rng, POPULATION_SIZE)] for name, draw in WORLDS.items()}
    for path in sorted(data.glob("*.npz")) if data else ():
        with np.load(path, allow_pickle=False) as bank:
            if "correct" in bank.files:
                worlds[path.stem] = list(np.atleast_2d(bank["correct"] / bank["trials"]))
    return worlds


def cells(arguments: argparse.Namespace) -> Iterator[Cell]:
    """All cells, as they get done."""
    worlds = populations(arguments.data)
    if arguments.worlds:
        worlds = {name: rates for name, rates in worlds.items() if name in arguments.worlds}
    jobs = list(product(worlds.items(), arguments.questions, arguments.trials))
    with ProcessPoolExecutor(arguments.jobs) as pool:
        running = [
            pool.submit(measure, name, rates, questions, trials, arguments.replicates, arguments.seed)
            for (name, rates), questions, trials in jobs
        ]
        for done, each in enumerate(running, 1):
            yield from each.result()
            if sys.stderr.isatty():
                print(f"\r{done} of {len(jobs)} banks", end="", file=sys.stderr)


def written(found: Iterator[Cell], out: Path) -> Iterator[Cell]:
    """Write every cell to ``out`` as soon as it is done, so that an interrupted run keeps what it measured."""
    with out.open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Cell)])
        writer.writeheader()
        for cell in found:
            writer.writerow({k: f"{v:.4g}" if isinstance(v, float) else v for k, v in asdict(cell).items()})
            file.flush()
            yield cell


def summary(found: list[Cell]) -> str:
    """One line per metric: mean and worst coverage, and widths on uniform difficulties."""
    lines = [f"{'metric':10s} default  learned  worst  population  width/default (uniform)"]
    for name in METRICS:
        mine = [cell for cell in found if cell.metric == name]
        level = [cell for cell in mine if cell.world == "uniform"]
        ratio = sum(c.width_calibrated for c in level) / sum(c.width_default for c in level) if level else np.nan
        worst = min(mine, key=lambda cell: cell.calibrated)
        means = [np.mean([getattr(cell, field) for cell in mine]) for field in ("default", "calibrated", "population")]
        lines.append(
            f"{name:10s} {means[0]:.3f}    {means[1]:.3f} {worst.calibrated:.3f}  {means[2]:.3f}       {ratio:.2f}"
            f"    worst: {worst.world}, M = {worst.questions}, N = {worst.trials}"
        )
    return "\n".join(lines)


def main() -> None:
    """Run the cells, write them down and print the summary."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replicates", type=int, default=300)
    parser.add_argument("--questions", type=int, nargs="*", default=QUESTIONS)
    parser.add_argument("--trials", nargs="*", default=TRIALS)
    parser.add_argument("--worlds", nargs="*", help="only these")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    found = list(written(cells(arguments), arguments.out) if arguments.out else cells(arguments))
    print("\n" + summary(found))


if __name__ == "__main__":
    main()
