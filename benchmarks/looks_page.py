"""The table of docs/looks.md, from the CSV file that ``looks.py`` wrote.

python benchmarks/looks_page.py looks.csv
"""

from __future__ import annotations

import sys
from pathlib import Path

from looked_at import RULES
from looks import Row, read, share
from marked import fill

NAMES = {"miss": "any-look misses, promised .05", "call": "false calls, promised .10"}


def entry(rows: list[Row]) -> str:
    """The share over all worlds, and that of the worst world, each with its standard error."""
    totals: dict[str, list[int]] = {}
    for row in rows:
        total = totals.setdefault(str(row["world"]), [0, 0])
        total[0] += int(row["wrong"])
        total[1] += int(row["runs"])
    mean, error = share(sum(wrong for wrong, _ in totals.values()), sum(runs for _, runs in totals.values()))
    worst, worst_error = max(share(*total) for total in totals.values())
    return f"{mean:.3f} ± {error:.3f} ({worst:.2f} ± {worst_error:.2f})"


def table(rows: list[Row]) -> str:
    """A line for each statement, metric and schedule."""
    head = "| | metric | looks | a single-look statement | `Looks(trials=64)` | `Looks(around=16)` |"
    lines = [head, "|---|---|---|---|---|---|"]
    for what, name in NAMES.items():
        for metric in dict.fromkeys(str(row["metric"]) for row in rows):
            for looks in ("every trial", "doubling"):
                mine = [row for row in rows if (row["what"], row["metric"], row["looks"]) == (what, metric, looks)]
                if mine:
                    columns = [entry([row for row in mine if row["rule"] == rule]) for rule in RULES]
                    lines.append(f"| {name} | {metric} | {looks} | {' | '.join(columns)} |")
    return "\n".join(lines)


def main() -> None:
    """Fill the page."""
    fill("looks.md", "looks", table(read(Path(sys.argv[1]))))


if __name__ == "__main__":
    main()
