"""Draw the pictures of the pages from the code before them: ``python docs/draw.py [FOLDER]``.

Every statement of a block that is an Axes by itself draws the next picture that the page shows after the block.
"""

import ast
import csv
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

DOCS = Path(__file__).parent
PAGES = ("pictures.md", "how-many-trials.md", "costs.md", "factors.md", "winner.md", "horizon.md", "forecast.md")
PART = re.compile(r"```python\n(?P<code>.*?)```|!\[[^\]]*\]\((?P<picture>[^)]*)\)", flags=re.DOTALL)


def drawn(code: str, names: dict[str, Any]) -> Iterator[Axes]:
    """Run a block, and give what it draws."""
    for statement in ast.parse(code).body:
        if isinstance(statement, ast.Expr):
            value = eval(compile(ast.Expression(statement.value), "page", "eval"), names)
            if isinstance(value, Axes):
                yield value
        else:
            exec(compile(ast.Module([statement], []), "page", "exec"), names)


def pictures(page: str) -> Iterator[tuple[str, Axes]]:
    """Every picture's name on the page, and the Axes drawn for it."""
    names: dict[str, Any] = {}
    waiting: list[Axes] = []
    for part in PART.finditer(page):
        if part["code"] and ">>>" in part["code"]:
            continue  # a session, which shows results
        if part["code"]:
            waiting = list(drawn(part["code"], names))
        else:
            yield part["picture"], waiting.pop(0)


def coverage() -> Axes:
    """How often intervals contained the truth, from ``coverage.csv``: a point per benchmark, a bar per mean."""
    with (DOCS / "coverage.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["trials"].isdigit()]
    axes = Figure(figsize=(6.4, 3.6), layout="constrained").subplots()
    counts = sorted({int(row["trials"]) for row in rows})
    for column, label, color, shift in (
        ("default", "published", "#d55e00", -0.15),
        ("calibrated", "learned", "#0072b2", 0.15),
    ):
        for place, trials in enumerate(counts):
            shares = [float(row[column]) for row in rows if int(row["trials"]) == trials]
            spread = [place + shift + 0.2 * (i / len(shares) - 0.5) for i in range(len(shares))]
            axes.plot(spread, shares, ".", color=color, markersize=3, alpha=0.4, label="" if place else label)
            mean = sum(shares) / len(shares)
            axes.plot([place + shift - 0.13, place + shift + 0.13], [mean, mean], color=color, linewidth=2)
    axes.axhline(0.95, color="black", linestyle="--", linewidth=1)
    axes.set_xticks(range(len(counts)), [str(trials) for trials in counts])
    axes.set(xlabel="trials per question", ylabel="coverage of 95% intervals", ylim=(0, 1.02))
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
    return axes


def main() -> None:
    """Write them beside the page, or into another folder."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS
    drawings = [each for page in PAGES for each in pictures((DOCS / page).read_text())]
    for name, axes in [*drawings, ("pictures/coverage.png", coverage())]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        axes.figure.savefig(folder / name, dpi=110)
        with Image.open(folder / name) as picture:  # 256 colours: a third of the size, and the same to the eye
            small = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
        small.save(folder / name, optimize=True)
        print(folder / name)


if __name__ == "__main__":
    main()
