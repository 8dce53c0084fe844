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


def read(path: Path) -> list[dict[str, str]]:
    """The cells."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def share(cells: list[dict[str, str]], field: str) -> np.ndarray:
    """One column as numbers."""
    return np.array([float(cell[field]) for cell in cells])


def table(cells: list[dict[str, str]]) -> str:
    """One line per metric."""
    lines = [
        "| metric | default | worst benchmark | `learned`, quantile | worst benchmark | the same for the population |",
        "|---|---|---|---|---|---|",
    ]
    for metric in dict.fromkeys(cell["metric"] for cell in cells):
        mine = [cell for cell in cells if cell["metric"] == metric]
        default, ours, wide = (share(mine, field) for field in ("default", "calibrated", "population"))
        numbers = (default.mean(), default.min(), ours.mean(), ours.min(), wide.mean())
        lines.append(f"| {metric} | " + " | ".join(f"{number:.3f}" for number in numbers) + " |")
    return "\n".join(lines)


def price(cells: list[dict[str, str]]) -> str:
    """How much wider the learned prior is where the default's assumption holds."""
    level = [cell for cell in cells if cell["world"] == "uniform"]
    ratios = []
    for trials in dict.fromkeys(cell["trials"] for cell in level):
        mine = [cell for cell in level if cell["trials"] == trials]
        ratios.append((trials, share(mine, "width_calibrated").sum() / share(mine, "width_default").sum()))
    ratio_list = ", ".join(f"{ratio:.2f} at {trials}" for trials, ratio in ratios)
    return (
        "If difficulties are uniform, which the default assumes, intervals with the learned prior are wider by these"
        f" factors (by trials\nper question): {ratio_list}."
    )


def extent(cells: list[dict[str, str]]) -> str:
    """Which benchmarks the table holds."""
    kinds = {(cell["world"], cell["questions"], cell["trials"]) for cell in cells}
    shapes, questions, trials = (
        ", ".join(dict.fromkeys(cell[name] for cell in cells)) for name in ("world", "questions", "trials")
    )
    return (
        f"The table holds {len(kinds)} simulated benchmarks: difficulties {shapes}; {questions} questions; "
        f"{trials} trials per question."
    )


def main() -> None:
    """Write both."""
    cells = read(Path(sys.argv[1]))
    picture = "![coverage probability of intervals against the number of trials per question](coverage.png)"
    parts = [table(cells), picture, price(cells), extent(cells), f"`docs/coverage.csv`; {made()}."]
    fill("intervals.md", "coverage table", "\n\n".join(parts))
    plot.coverage([cell for cell in cells if cell["trials"].isdigit()]).figure.savefig(DOCS / "coverage.png", dpi=110)


if __name__ == "__main__":
    main()
