"""The table and the picture of coverage in docs/intervals.md, from what ``coverage.py`` wrote.

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
    """A line a metric."""
    lines = [
        "| metric | default | worst bank | `eb`, quantile | worst bank | the same for the population |",
        "|---|---|---|---|---|---|",
    ]
    for metric in dict.fromkeys(cell["metric"] for cell in cells):
        mine = [cell for cell in cells if cell["metric"] == metric]
        default, ours, wide = (share(mine, field) for field in ("default", "calibrated", "population"))
        numbers = (default.mean(), default.min(), ours.mean(), ours.min(), wide.mean())
        lines.append(f"| {metric} | " + " | ".join(f"{number:.3f}" for number in numbers) + " |")
    return "\n".join(lines)


def price(cells: list[dict[str, str]]) -> str:
    """How much wider the learnt prior is where the default's assumption holds."""
    level = [cell for cell in cells if cell["world"] == "uniform"]
    ratios = []
    for trials in dict.fromkeys(cell["trials"] for cell in level):
        mine = [cell for cell in level if cell["trials"] == trials]
        ratios.append((trials, share(mine, "width_calibrated").sum() / share(mine, "width_default").sum()))
    told = ", ".join(f"{ratio:.2f} at {trials}" for trials, ratio in ratios)
    return f"Where difficulties are uniform and the default knows it, the learnt prior is wider, by trials: {told}."


def main() -> None:
    """Write both."""
    cells = read(Path(sys.argv[1]))
    picture = "![share of intervals that cover, against trials a question](coverage.png)"
    parts = [table(cells), picture, price(cells), f"`docs/coverage.csv`; {made()}."]
    fill("intervals.md", "coverage table", "\n\n".join(parts))
    plot.coverage(cells).figure.savefig(DOCS / "coverage.png", dpi=110)


if __name__ == "__main__":
    main()
