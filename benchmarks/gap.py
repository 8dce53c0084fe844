"""Gaps between two sets of questions, less those of other models: coverage of intervals, and false calls.

python benchmarks/gap.py --worlds 1000 [--page]

A world has questions of two sets, the second harder by 0.7 in log-odds. Questions have effects that all models share,
and each question also suits each model more or less. A model that has seen the first set is better on it by the gap.
For these questions, the true gap is that of the true rates; for questions like these it is their expectation. Without
a gap, a call for questions like these is false; "own" is how often the model's own difference between the sets would
be called, without a control.
"""

import argparse
import math

import marked
import numpy as np
from scipy.special import expit

from scorio import OutcomeSet, gap

CELLS = [
    # questions of each set, trials, other models, gap in log-odds, paired
    ((40, 40), 1, 4, 0.0, False),
    ((40, 40), 4, 1, 0.0, False),
    ((100, 60), 4, 4, 0.0, False),
    ((100, 60), 4, 4, 0.6, False),
    ((200, 50), 2, 8, 0.0, False),
    ((200, 200), 8, 3, 0.3, False),
    ((60, 60), 1, 4, 0.0, True),
    ((60, 60), 4, 4, 0.0, True),
    ((60, 60), 4, 4, 0.6, True),
    ((150, 150), 8, 2, 0.3, True),
]
HARDER, SHARED, OWN = 0.7, 1.2, 0.6  # of the second set; standard deviations of questions, and of questions by model
NODES, SHARES = np.polynomial.hermite_e.hermegauss(41)


def expected(logit):
    """The average rate over questions."""
    return float(expit(logit + math.hypot(SHARED, OWN) * NODES) @ SHARES / SHARES.sum())


def world(cell, rng):
    """The outcomes of a world, its true gap for these questions and for questions like these, and its arguments."""
    (first, second), trials, others, size, paired = cell
    ability = np.full(others + 1, 0.3)  # equal, so that a rate falls equally without a gap
    shared = rng.normal(0.0, SHARED, first + second)
    if paired:
        shared[first:] = shared[:first]
    is_second = np.arange(first + second) >= first
    logit = ability[:, None] + shared + rng.normal(0.0, OWN, (others + 1, first + second)) - HARDER * is_second
    logit[0] += size * ~is_second
    p = expit(logit)
    change = p[:, :first].mean(axis=1) - p[:, first:].mean(axis=1)
    means = [expected(0.3 + size) - expected(0.3 - HARDER), expected(0.3) - expected(0.3 - HARDER)]
    R = {f"m{i}": (rng.random((first + second, trials)) < each[:, None]).astype(int) for i, each in enumerate(p)}
    about = {"pairs": [i if i < first else i - first for i in range(first + second)]} if paired else {}
    sets = np.where(is_second, "after", "before").tolist()
    return OutcomeSet(R), sets, change[0] - change[1:].mean(), means[0] - means[1], about


def rows(cell, worlds, seed):
    """Coverage for both targets, calls for both, and calls by the model's own difference."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(worlds):
        outcomes, sets, these, like, about = world(cell, rng)
        row = []
        for target, truth in (("questions", these), ("population", like)):
            got = gap("pass@1", outcomes, sets, model="m0", target=target, **about)
            row += [got.lo <= truth <= got.hi, got.call != "not told"]
        R = outcomes["m0"]
        own = R.successes / R.trials
        parts = [own[np.array(sets) == name] for name in ("before", "after")]
        error = math.sqrt(sum(each.var(ddof=1) / len(each) for each in parts))
        row.append(abs(parts[0].mean() - parts[1].mean()) > 1.96 * error)
        found.append(row)
    return np.array(found, float).mean(axis=0)


def table(worlds):
    """The table of all cells."""
    heads = (
        "questions | trials | others | gap | paired | these cover | like these cover | called, these | like these | own"
    )
    lines = [f"| {heads} |", "|" + " ---: |" * 4 + " --- |" + " ---: |" * 5]
    total = []
    for i, cell in enumerate(CELLS):
        sizes, trials, others, size, paired = cell
        covers, called, like, like_called, own = rows(cell, worlds, i)
        error = math.sqrt(0.05 * 0.95 / worlds)
        total.append((covers, like))
        lines.append(
            f"| {sizes[0]}, {sizes[1]} | {trials} | {others} | {size:g} | {'yes' if paired else 'no'} | {covers:.3f} "
            f"| {like:.3f} | {called:.3f} | {like_called:.3f} | {own:.3f} |"
        )
        print(lines[-1], flush=True)
    mean = np.mean(total, axis=0)
    lines.append(f"| mean |  |  |  |  | {mean[0]:.3f} | {mean[1]:.3f} |  |  |  |")
    print(lines[-1], flush=True)
    return "\n".join([*lines, "", f"{worlds} worlds a row; one standard error is {error:.3f} at 0.95."])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=1000)
    parser.add_argument("--page", action="store_true", help="write the table into docs/gap.md")
    options = parser.parse_args()
    text = table(options.worlds)
    if options.page:
        marked.fill("gap.md", "gaps", text)


if __name__ == "__main__":
    main()
