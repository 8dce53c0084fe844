"""Coverage of overall intervals: simulated suites of tasks of unequal size, with known truth.

    python benchmarks/suites.py --suites 400 --out suites.csv
    python benchmarks/suites.py --suites 0 --out suites.csv --page      # write its table into docs/suites.md

Every suite has tasks of 5 to 150 questions (log-uniform), and two models with rates of their own. For each model the
95% interval of the overall score should contain the truth in 95% of all suites, and so should the interval of the
difference, which is computed for every second suite. ``hard`` suites have hard tasks only: the learned prior then pulls
every task in the same direction. In ``mixed`` suites tasks are hard, easy, even, or of questions that are solved always
or never. The truth is the mean over these questions, or over the population of questions. ``plain`` is the sum of
posterior means and variances.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
from marked import fill

from scorio import Leaderboard, OutcomeMatrix, Suite, compare

HARD, EASY, EVEN, SPLIT = (0.15, 1.5), (3.0, 0.3), (1.0, 1.0), (0.3, 0.3)  # Beta distributions of success rates
WORLDS = {"hard": [HARD], "mixed": [HARD, EASY, EVEN, SPLIT]}
TASKS, TARGETS = (2, 10, 30), ("questions", "population")
TRIALS = {"hard": (1, 4), "mixed": (4,)}
FIELDS = ("world", "target", "tasks", "trials", "suites", "overall", "difference", "plain")
Row = dict[str, str | int]


def draw(rng: np.random.Generator, world: str, tasks: int, trials: int, target: str) -> tuple[Suite, np.ndarray]:
    """A suite, and the overall truth of both models."""
    outcomes: dict[str, dict[str, OutcomeMatrix]] = {}
    truth = np.zeros(2)
    for task in range(tasks):
        count = int(np.exp(rng.uniform(np.log(5), np.log(150))))
        a, b = WORLDS[world][rng.integers(len(WORLDS[world]))]
        rates = rng.beta(a, b, (2, count))
        rates[1] = np.where(rng.random(count) < 0.5, rates[0], rates[1])  # half of the questions are as hard for both
        truth += (np.full(2, a / (a + b)) if target == "population" else rates.mean(axis=1)) / tasks
        solved = rng.binomial(trials, rates)
        names = ("first", "second")
        models = {
            name: OutcomeMatrix.from_counts(row.tolist(), trials) for name, row in zip(names, solved, strict=True)
        }
        outcomes[f"task {task}"] = models
    return Suite(outcomes), truth


def cell(world: str, target: str, tasks: int, trials: int, suites: int) -> Row:
    """How many intervals of one kind of suite contain the truth."""
    rng = np.random.default_rng([tasks, trials, TARGETS.index(target), list(WORLDS).index(world)])
    hits = np.zeros(3, np.int64)
    for number in range(suites):
        suite, truth = draw(rng, world, tasks, trials, target)
        board = Leaderboard("pass@1", suite, target=target)
        for each, value in zip(board.intervals, truth, strict=True):
            hits[0] += each.lo <= value <= each.hi
        hits[2] += plain(board, truth)
        if number % 2 == 0:
            first, second = (suite.select(models=[name]) for name in suite.models)
            difference = compare("pass@1", first, second, target=target)
            hits[1] += difference.lo <= truth[0] - truth[1] <= difference.hi
    counts: dict[str, int] = dict(zip(FIELDS[5:], hits.tolist(), strict=True))
    return {"world": world, "target": target, "tasks": tasks, "trials": trials, "suites": suites, **counts}


def plain(board: Leaderboard, truth: np.ndarray) -> int:
    """How many of the intervals that only add means and variances contain the truth."""
    parts = np.array([[tuple(each) for each in ranking.intervals] for ranking in board.tasks.values()])
    reach = 1.96 * np.sqrt((parts[..., 1] ** 2).sum(axis=0)) / len(parts)
    return int((np.abs(parts[..., 0].mean(axis=0) - truth) <= reach).sum())


def limit(world: str, tasks: int, suites: int) -> str:
    """How intervals of single trials compare with the upper limit of their noise, the variance of the outcomes."""
    rng, ratios, hits = np.random.default_rng(5), [], np.zeros(2)
    for _ in range(suites):
        suite, truth = draw(rng, world, tasks, 1, "questions")
        board = Leaderboard("pass@1", suite)
        for name, interval, score, value in zip(suite.models, board.intervals, board.scores, truth, strict=True):
            solved = [each[name].successes for each in suite.values()]
            reach = 1.96 * np.sqrt(sum(each.var(ddof=1) / len(each) for each in solved)) / tasks
            ratios.append((interval.hi - interval.lo) / 2.0 / reach if reach else np.inf)
            hits += interval.lo <= value <= interval.hi, abs(score - value) <= reach
    covers, of_limit = hits / (2 * suites)
    shown = f"width over the limit {np.median(ratios):.2f}, covers {covers:.3f}, limit {of_limit:.3f}"
    return f"{world} {tasks} tasks: {shown}"


def cells(worlds: list[str], suites: int) -> Iterator[Row]:
    """All cells, written as they are done."""
    for world in worlds:
        for each in product(TARGETS, TASKS, TRIALS[world]):
            yield cell(world, *each, suites)


def table(rows: list[Row]) -> str:
    """The table of the page."""
    lines = [
        "| tasks are | about | tasks | trials | overall | difference | plain sum |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        suites = int(row["suites"])
        shares = [share(int(row["overall"]), 2 * suites), share(int(row["difference"]), suites - suites // 2)]
        shares.append(share(int(row["plain"]), 2 * suites))
        cells_ = (str(row[name]) for name in ("world", "target", "tasks", "trials"))
        lines.append(f"| {' | '.join([*cells_, *shares])} |")
    return "\n".join(lines)


def share(hits: int, of: int) -> str:
    """A coverage with its standard error."""
    p = hits / of
    return f"{p:.3f} ± {np.sqrt(p * (1 - p) / of):.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suites", type=int, default=400, help="simulated suites per row (default: 400)")
    parser.add_argument("--world", action="append", choices=list(WORLDS), help="kinds of suites (default: all)")
    parser.add_argument("--out", type=Path, help="CSV file of the counts")
    parser.add_argument("--limit", type=int, help="instead compare so many suites of single trials with their limit")
    parser.add_argument("--page", action="store_true", help="write the table into docs/suites.md")
    options = parser.parse_args()
    if options.limit:
        for each in product(options.world or list(WORLDS), TASKS):
            print(limit(*each, options.limit))
        return
    if options.suites:
        out = options.out.open("w", newline="") if options.out else sys.stdout
        writer = csv.DictWriter(out, FIELDS, lineterminator="\n")
        writer.writeheader()
        for row in cells(options.world or list(WORLDS), options.suites):
            writer.writerow(row)
            out.flush()
    if options.page:
        with options.out.open(newline="") as file:
            fill("suites.md", "suites", table(list(csv.DictReader(file))))


if __name__ == "__main__":
    main()
