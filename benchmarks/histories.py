"""How often a history calls a change: where nothing changed, and where the score drops.

    python benchmarks/histories.py --worlds 400 --write      # also into docs/history.md

Ten runs of one model on the same questions. Nothing changes, or the logits of all questions drop after the fifth run. A
call is false if it is before the drop, or anywhere if there is none; a drop is found if a later run is called worse.
"""

from __future__ import annotations

import argparse

import numpy as np
from marked import fill

from scorio import OutcomeMatrix, analyze_history

RUNS, CHANGE = 10, 5
CASES = [(100, 4), (300, 1), (40, 16)]
SHAPES = {"mixed": (1.0, 0.8), "extreme": (0.3, 0.3)}
DROPS = (0.0, 0.5)


def world(questions: int, trials: int, shape: str, drop: float, rng: np.random.Generator) -> tuple[bool, bool]:
    """Return whether a change was called where there was none, and whether the drop was called."""
    before = rng.beta(*SHAPES[shape], questions)
    odds = np.exp(-drop) * before / np.maximum(1.0 - before, 1e-12)
    after = odds / (1.0 + odds) if drop else before
    runs = {
        str(i): OutcomeMatrix.from_counts(rng.binomial(trials, before if i < CHANGE else after), trials)
        for i in range(RUNS)
    }
    points = analyze_history("pass@1", runs).series[0].points
    called = [i for i, point in enumerate(points) if point.change]
    false = any(i < CHANGE for i in called) if drop else bool(called)
    return false, any(points[i].change == "worse" for i in called if i >= CHANGE)


def main() -> None:
    """Print the table, and write it into the page if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="write the table into docs/history.md")
    arguments = parser.parse_args()
    rows = ["| questions | trials | rates | drop of the logits | false calls | drops found |", "|" + "---|" * 6]
    for questions, trials in CASES:
        for shape in SHAPES:
            for drop in DROPS:
                rng = np.random.default_rng([arguments.seed, questions, *map(ord, shape), round(10 * drop)])
                found = np.array([world(questions, trials, shape, drop, rng) for _ in range(arguments.worlds)])
                share = found.mean(axis=0)
                error = np.sqrt(np.maximum(share * (1 - share), 1 / arguments.worlds) / arguments.worlds)
                cells = [f"{a:.3f} ± {b:.3f}" for a, b in zip(share, error, strict=True)]
                rows.append(
                    f"| {questions} | {trials} | {shape} | {drop:g} | {cells[0]} | {cells[1] if drop else '-'} |"
                )
                print(rows[-1], flush=True)
    if arguments.write:
        note = f"{arguments.worlds} histories per row; ± is one standard error."
        fill("history.md", "false calls", "\n".join([*rows, "", note]))


if __name__ == "__main__":
    main()
