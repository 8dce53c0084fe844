"""How often relative and equivalence gates are wrong at the margin, and how often intervals of ratios hold.

    python benchmarks/gate_ratios.py --worlds 400
    python benchmarks/gate_ratios.py --write              # also into docs/gates.md

In ``cover`` rows, a baseline has this mean score and the new model a true ratio of .9; 95% intervals (both one-sided
bounds at 97.5%) of the ratio should contain it. In the other rows the truth lies exactly on the limit: a new model that
reaches 95% of the baseline, gated with ``max_drop="5%"`` in the mode ``noninferior``, and one that is worse by .05,
gated with ``equivalent=.05``. Every pass is false, and so is every fail.
"""

from __future__ import annotations

import argparse

import numpy as np
from gates import shifted, with_error
from marked import fill

from scorio import OutcomeMatrix, Suite, gate

SIZES = ((20, 3, 1), (20, 64, 1), (100, 1, 1), (100, 8, 1), (500, 3, 1), (20, 8, 10), (100, 1, 10))
BASELINES = (0.05, 0.2, 0.5, 0.95)


def rates(mean: float, count: int, rng: np.random.Generator) -> np.ndarray:
    """Success rates of a baseline with exactly this mean."""
    return shifted(np.full(count, mean) + rng.uniform(-1, 1, count) * min(mean, 1 - mean) * 0.9, 0.0, rng)


def suites(mean: float, drop: float, size: tuple[int, int, int], rng: np.random.Generator) -> list[Suite]:
    """Return the outcomes of the new model, which is worse by ``drop`` on every task, and of the baseline."""
    count, trials, tasks = size
    sides: list[dict] = [{}, {}]
    for i in range(tasks):
        old = rates(mean, count, rng)
        old *= mean / old.mean()
        old = np.clip(old, 0.0, 1.0)
        for side, each in zip(sides, (shifted(old, old.mean() * drop, rng), old), strict=True):
            side[f"task {i}"] = {"m": OutcomeMatrix.from_counts(rng.binomial(trials, each), trials)}
    return [Suite(side) for side in sides]


def lines(worlds: int, seed: int) -> list[str]:
    """The table in Markdown."""
    heads = "expected successes | ratio covered | `5%` false pass | false fail | `equivalent` false pass | false fail"
    rows = [f"| questions, trials, tasks | baseline | {heads} |", "|---|---|---|---|---|---|---|---|"]
    for size in SIZES:
        for mean in BASELINES:
            rng = np.random.default_rng([seed, *size, round(100 * mean)])
            found = np.array([one(mean, size, rng) for _ in range(worlds)], dtype=float).mean(axis=0)
            expected = 0.9 * mean * size[0] * size[1] * size[2]
            cells = [with_error(share, worlds) if share == share else "-" for share in found.tolist()]
            rows.append(f"| {', '.join(map(str, size))} | {mean:g} | {expected:.0f} | {' | '.join(cells)} |")
            print(rows[-1], flush=True)
    return rows


def one(mean: float, size: tuple[int, int, int], rng: np.random.Generator) -> tuple[float, ...]:
    """Return whether the ratio was covered, and whether the gates of one world passed or failed."""
    overall = {"decided_by": "overall"}
    check = gate("pass@1", *suites(mean, 0.1, size, rng), max_drop="10%", confidence=0.975, **overall).checks[-1]
    assert check.ratio is not None
    covered = not (check.ratio[1] > 0.9 or check.ratio[2] < 0.9)  # a baseline without a success excludes none
    relative = gate("pass@1", *suites(mean, 0.05, size, rng), max_drop="5%", mode="noninferior", **overall).verdict
    if mean <= 0.05:
        return covered, relative == "passed", relative == "failed", np.nan, np.nan
    equal = gate("pass@1", *suites(mean, 0.05 / mean, size, rng), equivalent=0.05, **overall).verdict
    return covered, relative == "passed", relative == "failed", equal == "passed", equal == "failed"


def main() -> None:
    """Print the table, and write it into the page if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="write the table into docs/gates.md")
    arguments = parser.parse_args()
    rows = lines(arguments.worlds, arguments.seed)
    if arguments.write:
        note = f"{arguments.worlds} worlds per row; ± is one standard error."
        fill("gates.md", "ratio errors", "\n".join([*rows, "", note]))


if __name__ == "__main__":
    main()
