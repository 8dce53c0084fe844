"""What looking at results does: any-look misses of intervals and false calls between equal models.

    python benchmarks/looks.py --runs 400 --out looks.csv
    python benchmarks/looks.py --data DIR ...      # also runs of real models at their observed rates
    python benchmarks/looks.py --runs 0 --out looks.csv      # the summary of what is there

A quantile interval misses when it excludes the truth at any look; a call is false when, at any look, one of two runs of
the same model is called better, as ``compare`` has it. Promised: at most .05 and .10. ``naive`` repeats a single-look
statement at every look. ``DIR`` holds ``.npz`` files with ``correct`` (models, questions) and ``trials``. Runs are done
in blocks, whose counts are appended to the file: a call that was stopped continues where it was, and more runs add to
those that are there.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
from looked_at import (
    DOUBLING,
    EVERY,
    QUESTIONS,
    RULES,
    WORLDS,
    Draw,
    Paths,
    binary_paths,
    population_paths,
    real_rates,
    reward_paths,
)

FIELDS = ("what", "world", "metric", "looks", "rule", "block", "wrong", "runs")
BLOCK = 20  # pairs of runs of one world
Row = dict[str, str | int]


def rows_of(world: str, block: int, looks: tuple[int, ...], metrics: dict[str, Paths]) -> Iterator[Row]:
    """The counts of one block: runs with a miss and pairs with a false call at any look."""
    schedules = {"every trial": looks, "doubling": DOUBLING} if looks == EVERY else {"doubling": looks}
    for metric, paths in metrics.items():
        for schedule, chosen in schedules.items():
            columns = np.searchsorted(looks, chosen)
            for what, wrong in (("miss", paths.missed), ("call", paths.called)):
                at_any = wrong[:, columns].any(axis=1)
                for rule, flags in zip(RULES, at_any.T, strict=True):
                    numbers = (block, int(flags.sum()), len(flags))
                    yield dict(zip(FIELDS, (what, world, metric, schedule, rule, *numbers), strict=True))


def draw_from(rates: np.ndarray) -> Draw:
    """Draws of questions from those of a real model."""
    return lambda rng, count: rng.choice(rates, count)


def block_of(
    kind: str, world: str, rates: np.ndarray | None, block: int, rng: np.random.Generator
) -> tuple[tuple[int, ...], dict[str, Paths]]:
    """The looks and the paths of one block of pairs; a real world takes its models in turn."""
    models = [] if rates is None else [rates[(block * BLOCK + i) % len(rates)] for i in range(BLOCK)]
    if kind == "population":
        draws = [draw_from(each) for each in models] or [WORLDS[world]] * BLOCK
        return DOUBLING, population_paths(draws, DOUBLING, rng)
    each = models or [WORLDS[world](rng, QUESTIONS) for _ in range(BLOCK)]
    twice = [rates for rates in each for _ in range(2)]
    work: Callable[..., dict[str, Paths]] = {"binary": binary_paths, "rewards": reward_paths}[kind]
    return EVERY, work(twice, EVERY, rng)


def read(path: Path | None) -> list[Row]:
    """The rows that are there."""
    if path is None or not path.exists():
        return []
    with path.open(newline="") as file:
        return [{**row, "wrong": int(row["wrong"]), "runs": int(row["runs"])} for row in csv.DictReader(file)]


def append(path: Path | None, rows: Iterable[Row]) -> None:
    """Add rows to the file."""
    if path is None:
        return
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerows(rows)


def simulated(arguments: argparse.Namespace, rows: list[Row]) -> None:
    """Add the blocks that are missing, a block of every world and kind in turn."""
    done = {(row["world"], kind_of(str(row["metric"])), int(row["block"])) for row in rows}
    worlds: dict[str, np.ndarray | None] = dict.fromkeys(WORLDS) | real_rates(arguments.data)
    for block in range(-(-arguments.runs // (2 * BLOCK))):
        for number, (world, rates) in enumerate(worlds.items()):
            for which, kind in enumerate(("binary", "population", "rewards")):
                if (world, kind, block) in done or kind not in arguments.kinds:
                    continue
                rng = np.random.default_rng([arguments.seed, number, block, which])
                new = list(rows_of(world, block, *block_of(kind, world, rates, block, rng)))
                append(arguments.out, new)
                rows += new
        print(f"block {block}: done", file=sys.stderr, flush=True)


def kind_of(metric: str) -> str:
    """The kind of block that a metric is part of."""
    if "population" in metric:
        return "population"
    return "rewards" if metric in ("rubric", "continuous") else "binary"


def share(wrong: int, runs: int) -> tuple[float, float]:
    """A share and its standard error, which counts one more of either kind."""
    smoothed = (wrong + 1.0) / (runs + 2.0)
    return wrong / runs, float(np.sqrt(smoothed * (1.0 - smoothed) / runs))


def summary(rows: list[Row]) -> str:
    """The share over all worlds and that of the worst world, for each metric, schedule and rule."""
    total: dict[tuple[str, ...], dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for row in rows:
        key = tuple(str(row[name]) for name in ("what", "metric", "looks", "rule"))
        for field, name in enumerate(("wrong", "runs")):
            total[key][str(row["world"])][field] += int(row[name])
    lines = [f"{'':5} {'metric':34} {'looks':12} {'rule':10} all worlds (se)   worst world (se)"]
    for key, worlds in sorted(total.items()):
        mean, error = share(*np.sum(list(worlds.values()), axis=0).tolist())
        name = max(worlds, key=lambda world: worlds[world][0] / worlds[world][1])
        worst, worst_error = share(*worlds[name])
        shown = f"{mean:.4f} ({error:.4f})   {worst:.3f} ({worst_error:.3f}, {name}, {worlds[name][1]} runs)"
        lines.append(f"{key[0]:5} {key[1]:34} {key[2]:12} {key[3]:10} {shown}")
    return "\n".join(lines)


def main() -> None:
    """Run the blocks, write them down and print the summary."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=400, help="runs of every world, in pairs")
    parser.add_argument("--kinds", nargs="+", default=["binary", "population", "rewards"])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rows = read(arguments.out)
    simulated(arguments, rows)
    print(summary(rows))


if __name__ == "__main__":
    main()
