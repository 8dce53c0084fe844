"""How often looks at suites are wrong: the same model twice, and tied leaders, with a look after every round of trials.

    python benchmarks/suite_looks.py --runs 300 --out suite_looks.csv
    python benchmarks/suite_looks.py --runs 0 --out suite_looks.csv --page      # write its table into docs/looks.md

Three tasks of 60, 25 and 8 questions get their trials in one of three orders: ``together``, a trial of every question
in each round; ``in turn``, one trial of everything and then one task after the other; ``at random``, one task in each
round, drawn at random. At every look two runs of the same model are compared at 90% confidence, and three models, two
of which are tied for the best, are ranked. A call is false if one of the equal models is called better at any look, and
the leaderboard is wrong if one of the two tied models is called worse. ``single look`` is the comparison without looks,
repeated in the same way.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np
from marked import fill

from scorio import Leaderboard, Looks, OutcomeMatrix, Suite, compare

SIZES, BUDGET, CONFIDENCE = (60, 25, 8), 12, 0.9
ORDERS = ("together", "in turn", "at random")
LOOKS = {"budget": Looks(trials=BUDGET, confidence=CONFIDENCE), "around": Looks(around=4, confidence=CONFIDENCE)}
FIELDS = ("order", "target", "runs", "single look", "budget", "around", "best lost")


def rounds(order: str, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """The tasks that get one more trial of each question, round by round."""
    everything = tuple(range(len(SIZES)))
    if order == "together":
        return [everything] * BUDGET
    rest = [task for task in everything for _ in range(BUDGET - 1)]
    if order == "at random":
        rng.shuffle(rest)
    return [everything, *((task,) for task in rest)]


def one_run(order: str, target: str, rng: np.random.Generator) -> np.ndarray:
    """Whether two equal models are told apart at any look, in three ways, and whether a tied leader is lost."""
    rates = [rng.beta(0.5, 0.5, size) for size in SIZES]
    worse = [np.clip(each - 0.15, 0.0, 1.0) for each in rates]
    counts = [np.zeros((3, size), int) for size in SIZES]
    trials = [0] * len(SIZES)
    wrong = np.zeros(4, bool)
    for chosen in rounds(order, rng):
        for task in chosen:
            counts[task] += rng.random((3, SIZES[task])) < [rates[task], rates[task], worse[task]]
            trials[task] += 1
        suite = Suite(
            {
                f"task {task}": {
                    name: OutcomeMatrix.from_counts(row, trials[task]) for name, row in zip("abc", each, strict=True)
                }
                for task, each in enumerate(counts)
            }
        )
        pair = [suite.select(models=[name]) for name in "ab"]
        for at, looks in enumerate([None, *LOOKS.values()]):
            wrong[at] |= compare("pass@1", *pair, confidence=CONFIDENCE, looks=looks, target=target).winner is not None
        if order == "together":
            board = Leaderboard("pass@1", suite, target=target, looks=LOOKS["budget"])
            wrong[3] |= not board.tied_with_top[:2].all()
    return wrong


def cell(order: str, target: str, runs: int) -> dict[str, object]:
    """How many runs of one kind are wrong."""
    rng = np.random.default_rng([ORDERS.index(order), len(target)])
    wrong = sum((one_run(order, target, rng).astype(int) for _ in range(runs)), np.zeros(4, int))
    row = dict(zip(FIELDS[3:], wrong.tolist(), strict=True))
    return {"order": order, "target": target, "runs": runs, **row}


def share(hits: int, of: int) -> str:
    """A share with its standard error; at 0 that of one event."""
    p = max(hits, 1) / of
    return f"{hits / of:.3f} ± {np.sqrt(p * (1 - p) / of):.3f}"


def table(rows: list[dict[str, str]]) -> str:
    """The table of the page."""
    lines = [f"| trials come | about | {' | '.join(FIELDS[3:])} |", "|---|---|--:|--:|--:|--:|"]
    for row in rows:
        cells = [share(int(row[name]), int(row["runs"])) for name in FIELDS[3:]]
        if row["order"] != "together":
            cells[3] = ""
        lines.append(f"| {row['order']} | {row['target']} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", f"{rows[0]['runs']} runs per row; ± is one standard error."])


def main() -> None:
    """Count the wrong runs, and write the table into the page if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=300, help="runs per row (default: 300)")
    parser.add_argument("--order", action="append", choices=ORDERS, help="orders of trials (default: all)")
    parser.add_argument("--out", type=Path, default=Path("suite_looks.csv"), help="CSV file of the counts")
    parser.add_argument("--page", action="store_true", help="write the table into docs/looks.md")
    options = parser.parse_args()
    if options.runs:
        with options.out.open("w", newline="") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            writer.writeheader()
            for order in options.order or ORDERS:
                for target in ("questions", "population") if order == "together" else ("questions",):
                    row = cell(order, target, options.runs)
                    print(row, flush=True)
                    writer.writerow(row)
                    file.flush()
    if options.page:
        with options.out.open(newline="") as file:
            fill("looks.md", "suite looks", table(list(csv.DictReader(file))))


if __name__ == "__main__":
    main()
