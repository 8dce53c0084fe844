"""The learned prior against dense quadrature on 2,000 sets of outcomes of every size and shape: the worst errors.

    python benchmarks/learned_prior.py --sets 2000 --truths truths.jsonl

Bars: mean within .02 sigma, sigma within 2%, quantiles within 2% of the width of a 95% interval. ``--truths`` keeps the
oracle's answers in a file, so that an interrupted run goes on and a changed fit is checked again in seconds.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from oracles.learned_prior_sets import Answer, answer, draw, errors, truth

BARS = {"mean": 0.02, "sigma": 0.02, "low": 0.02, "high": 0.02}


def known_truths(path: Path | None) -> dict[int, Answer]:
    """Return the oracle's answers that the file holds, by the number of the set."""
    if path is None or not path.exists():
        return {}
    return {seed: Answer(*numbers) for seed, *numbers in map(json.loads, path.read_text().splitlines())}


def check(seed: int, truths: dict[int, Answer], keep: Path | None) -> tuple[dict[str, float], bool, str]:
    """Return the errors of one set, whether the fit trusts itself, and what the set is."""
    c, n, shape, metric, target = draw(seed)
    if seed not in truths:
        truths[seed] = truth(c, n, metric, target)
        if keep is not None:
            with keep.open("a") as file:
                print(json.dumps([seed, *truths[seed]]), file=file)
    mine, prior = answer(c, n, metric, target)
    kinds = f"point masses {prior.point_mass_weight:.3f}, grid {prior.grid_weight:.3f}"
    label = f"set {seed}: {len(c)} x {n.min()}..{n.max()} {shape}, {metric}, {target}, {kinds}"
    return errors(mine, truths[seed]), prior.trusted, label


def report(rows: list[tuple[dict[str, float], bool, str]]) -> None:
    """Print, for each quantity, the largest errors with their sets."""
    print(f"{len(rows)} sets, {sum(not trusted for _, trusted, _ in rows)} not trusted by the fit itself")
    for name, bar in BARS.items():
        size = np.abs([found[name] for found, _, _ in rows])
        silent: Any = (size > bar) & [trusted for _, trusted, _ in rows]
        print(f"{name:6s} bar {bar}: median {np.median(size):.5f}, 99% {np.quantile(size, 0.99):.4f}, largest "
              f"{size.max():.4f}, {(size > bar).sum()} beyond, {silent.sum()} of them without a warning")  # fmt: skip
        for at in np.argsort(size)[::-1][:12]:
            print(f"    {rows[at][0][name]:+.4f} {rows[at][2]}")


def main() -> None:
    """Go through the sets and print the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--truths", type=Path, help="file of the oracle's answers, read and added to")
    arguments = parser.parse_args()
    truths = known_truths(arguments.truths)
    report([check(seed, truths, arguments.truths) for seed in range(arguments.first, arguments.first + arguments.sets)])


if __name__ == "__main__":
    main()
