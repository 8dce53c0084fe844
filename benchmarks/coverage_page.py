"""The table and the picture of coverage in docs/intervals.md, from what ``coverage.py`` wrote.

python benchmarks/coverage_page.py docs/coverage.csv
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

DOCS = Path(__file__).parent.parent / "docs"
BEGIN, END = "<!-- coverage table -->", "<!-- end of coverage table -->"
COLOURS = {"default": "#D55E00", "calibrated": "#0072B2"}
LABELS = {"default": "default", "calibrated": 'prior="eb", method="quantile"'}


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


def picture(cells: list[dict[str, str]]) -> Figure:
    """Coverage of every bank against the number of trials, a panel each for the default and the learnt prior."""
    figure = Figure(figsize=(8, 3.4), layout="constrained")
    trials = sorted({int(cell["trials"]) for cell in cells})
    rng = np.random.default_rng(0)
    for axes, field in zip(figure.subplots(1, 2, sharey=True), COLOURS, strict=True):
        at = np.array([trials.index(int(cell["trials"])) for cell in cells])
        axes.plot(at + rng.uniform(-0.3, 0.3, len(at)), share(cells, field), ".", ms=3, alpha=0.5, color=COLOURS[field])
        axes.axhline(0.95, color="black", lw=0.8, ls="--")
        axes.set(title=LABELS[field], xlabel="trials a question", ylim=(-0.02, 1.02))
        axes.set_xticks(range(len(trials)), trials)
    figure.axes[0].set_ylabel("share of 95% intervals that cover")
    return figure


def main() -> None:
    """Write both."""
    cells = read(Path(sys.argv[1]))
    page = DOCS / "intervals.md"
    before, _, rest = page.read_text().partition(BEGIN)
    after = rest.partition(END)[2] if END in rest else rest
    page.write_text(f"{before}{BEGIN}\n{table(cells)}\n{END}{after}")
    picture(cells).savefig(DOCS / "coverage.svg")


if __name__ == "__main__":
    main()
