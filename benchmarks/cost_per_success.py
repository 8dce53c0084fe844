"""How often 95% intervals of costs per success, of their ratio and of their difference contain the truth.

    python benchmarks/cost_per_success.py --worlds 400
    python benchmarks/cost_per_success.py --write              # also into docs/costs.md

Questions differ in their success rates (normal on the log-odds, with a standard deviation of 1.5) and in what they
cost; hard ones cost more. A trial's cost is lognormal around that of its question, and a failure costs three times as
much as a success, as in runs that end with a budget, or a third. The second model costs half as much as the first, and
its log-odds differ by question. The truth is that of these questions, or of the pool of questions that they were drawn
from. A world without any success counts as covered: its interval has no upper end.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from gates import with_error
from marked import fill

from scorio import OutcomeSet
from scorio.comparison import compare_costs

SIZES = ((20, 4), (100, 1), (40, 8), (200, 3))
RATES = (0.02, 0.1, 0.3, 0.7, 0.9, 0.98)
FACTORS = (3.0, 1.0 / 3.0)  # what a failure costs, in successes
NOISE = (0.5, 1.0)  # of the logarithm of a trial's cost
POOL = 5000


def at_rate(logits: np.ndarray, rate: float) -> np.ndarray:
    """Return rates with this mean, whose log-odds are shifted together."""
    lo, hi = -40.0, 40.0
    for _ in range(60):
        middle = (lo + hi) / 2.0
        lo, hi = (middle, hi) if (1.0 / (1.0 + np.exp(-logits - middle))).mean() < rate else (lo, middle)
    return 1.0 / (1.0 + np.exp(-logits - lo))


def one(
    size: tuple[int, int], rate: float, factor: float, noise: float, target: str, rng: np.random.Generator
) -> list[bool]:
    """Return what the intervals of one world contain: the cost per success, the ratio and the difference."""
    count, trials = size
    pool = POOL if target == "population" else count
    hard = rng.normal(0.0, 1.5, pool)
    chosen = rng.permutation(pool)[:count]
    outcomes, spent, truth = {}, {}, []
    for name, scale, goal in (("a", 1.0, rate), ("b", 0.5, rate + 0.2 * rate * (1.0 - rate))):
        rates = at_rate(-hard + rng.normal(0.0, 0.7, pool), goal)
        each = scale * np.exp(0.3 * hard + rng.normal(0.0, 0.5, pool))
        truth.append(float((each * (rates + (1.0 - rates) * factor)).mean() / rates.mean()))
        solved = rng.random((count, trials)) < rates[chosen][:, None]
        costs = each[chosen][:, None] * np.exp(rng.normal(-(noise**2) / 2.0, noise, solved.shape))
        outcomes[name] = solved.astype(int)
        spent[name] = {"dollars": np.where(solved, costs, factor * costs)}
    both = OutcomeSet(outcomes, costs=spent)
    found = compare_costs(both, both, "dollars", model=("a", "b"), target=target)
    own, (ratio, difference) = found.costs[0], (truth[0] / truth[1], truth[0] - truth[1])
    return [
        own.lo <= truth[0] <= own.hi,
        found.ratio.lo <= ratio <= found.ratio.hi,
        found.difference.lo <= difference <= found.difference.hi,
    ]


def lines(worlds: int, seed: int) -> list[str]:
    """The table in Markdown: the mean over costs of failures and noises, and the lowest of these cells."""
    heads = "cost per success | lowest cell | ratio | lowest cell | difference | lowest cell"
    rows = [f"| target | questions, trials | success rate | successes | {heads} |", "|" + "---|" * 10]
    for target in ("questions", "population"):
        for size in SIZES if target == "questions" else SIZES[1:3]:
            for rate in RATES:
                cells = []
                for factor in FACTORS:
                    for noise in NOISE:
                        rng = np.random.default_rng(
                            [seed, *size, round(rate * 100), round(factor * 100), round(10 * noise)]
                        )
                        cells.append([one(size, rate, factor, noise, target, rng) for _ in range(worlds)])
                found = np.array(cells, dtype=float).mean(axis=1)
                total = len(cells) * worlds
                pairs = [
                    f"{with_error(float(mean), total)} | {low:.3f}"
                    for mean, low in zip(found.mean(axis=0), found.min(axis=0), strict=True)
                ]
                expected = f"{rate * size[0] * size[1]:.1f}"
                rows.append(f"| {target} | {size[0]}, {size[1]} | {rate:g} | {expected} | {' | '.join(pairs)} |")
                print(rows[-1], flush=True)
    return rows


def main() -> None:
    """Print the table, and write it into the page if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="write the table into docs/costs.md")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # few trials are what is tried here
    rows = lines(arguments.worlds, arguments.seed)
    if arguments.write:
        note = (
            f"{arguments.worlds} worlds per cell; a row has four (failures cost three times or a third, noise .5 or 1)."
        )
        fill("costs.md", "cost per success errors", "\n".join([*rows, "", f"{note} ± is one standard error."]))


if __name__ == "__main__":
    main()
