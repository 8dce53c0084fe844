"""Write the coverage table and picture of docs/intervals.md from the results of ``coverage.py``.

python benchmarks/coverage_page.py docs/coverage.csv
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
from marked import DOCS, fill, made

from scorio import plot

FEW = ("1", "2")  # trials per question


def read(path: Path) -> list[dict[str, str]]:
    """The cells."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def share(cells: list[dict[str, str]], field: str) -> np.ndarray:
    """One column as numbers."""
    return np.array([float(cell[field]) for cell in cells])


def table(cells: list[dict[str, str]]) -> str:
    """One line per metric, over the benchmarks with at least four trials for most questions."""
    lines = [
        "| metric | published prior | worst | `learned`, quantile | worst | for the population | worst |",
        "|---|---|---|---|---|---|---|",
    ]
    enough = [cell for cell in cells if cell["trials"] not in FEW]
    for metric in dict.fromkeys(cell["metric"] for cell in enough):
        mine = [cell for cell in enough if cell["metric"] == metric]
        columns = [share(mine, field) for field in ("default", "calibrated", "population")]
        numbers = [number for column in columns for number in (column.mean(), column.min())]
        lines.append(f"| {metric} | " + " | ".join(f"{number:.3f}" for number in numbers) + " |")
    return "\n".join(lines)


def by_trials(cells: list[dict[str, str]]) -> str:
    """The learned prior on these questions by the number of trials: mean and worst benchmark."""
    sizes = list(dict.fromkeys(cell["trials"] for cell in cells))
    lines = ["| trials per question | " + " | ".join(sizes) + " |", "|---" * (len(sizes) + 1) + "|"]
    for metric in dict.fromkeys(cell["metric"] for cell in cells):
        shares = [share([c for c in cells if (c["metric"], c["trials"]) == (metric, n)], "calibrated") for n in sizes]
        lines.append(f"| {metric} | " + " | ".join(f"{each.mean():.3f} ({each.min():.3f})" for each in shares) + " |")
    return "\n".join(lines)


def price(cells: list[dict[str, str]]) -> str:
    """How much wider the learned prior is where the assumption of the published prior holds."""
    level = [cell for cell in cells if cell["world"] == "uniform"]
    ratios = []
    for trials in dict.fromkeys(cell["trials"] for cell in level):
        mine = [cell for cell in level if cell["trials"] == trials]
        ratios.append((trials, share(mine, "width_calibrated").sum() / share(mine, "width_default").sum()))
    ratio_list = ", ".join(f"{ratio:.2f} at {trials}" for trials, ratio in ratios)
    return (
        "If difficulties are uniform, which the published interval assumes, intervals with the learned prior are wider by these"
        f" factors (by trials\nper question): {ratio_list}."
    )


def extent(cells: list[dict[str, str]]) -> str:
    """Which benchmarks the table holds."""
    kinds = {(cell["world"], cell["questions"], cell["trials"]) for cell in cells}
    shapes, questions, trials = (
        ", ".join(dict.fromkeys(cell[name] for cell in cells)) for name in ("world", "questions", "trials")
    )
    return (
        f"The tables hold {len(kinds)} simulated benchmarks, the first one those with more than two trials: "
        f"difficulties {shapes}; {questions} questions; "
        f"{trials} trials per question."
    )


def main() -> None:
    """Write both."""
    cells = read(Path(sys.argv[1]))
    picture = "![coverage probability of intervals against the number of trials per question](coverage.png)"
    few = "With the learned prior, by the number of trials per question: the mean over benchmarks (and the worst one)."
    parts = [
        table(cells),
        picture,
        few,
        by_trials(cells),
        price(cells),
        extent(cells),
        f"`docs/coverage.csv`; {made()}.",
    ]
    fill("intervals.md", "coverage table", "\n\n".join(parts))
    plot.coverage([cell for cell in cells if cell["trials"].isdigit()]).figure.savefig(DOCS / "coverage.png", dpi=110)


if __name__ == "__main__":
    main()
