"""Cost of ``count_partitions``: per row, per part and per merge; ``--write`` into docs/scaling.md.

A partition is a data frame of pandas with one row per trial. Processor time of one process, best of several turns. The
last line extrapolates to 10^12 rows on paper: the counting is linear in the rows, the merging in the cells.
"""

import argparse
import functools
import time

import numpy as np
import pandas as pd
from marked import fill

from scorio import SavedCounts
from scorio.io import count_partitions

MODELS, QUESTIONS = 1000, 200
COLUMNS = {"model": "model", "question": "question", "outcome": "correct"}
WORKERS, PARTITION, TOTAL = 256, 10**8, 10**12


def partition(rows, seed):
    """A data frame with trials of random questions of all models."""
    rng = np.random.default_rng(seed)
    names = pd.Categorical.from_codes(rng.integers(0, MODELS, rows), [f"step-{i:05}" for i in range(MODELS)])
    return pd.DataFrame(
        {"model": names, "question": rng.integers(0, QUESTIONS, rows), "correct": rng.random(rows) < 0.5}
    )


def best(job, turns):
    """The least processor time, and the last result."""
    times = []
    for _ in range(turns):
        start = time.process_time()
        result = job()
        times.append(time.process_time() - start)
    return min(times), result


def merged(parts):
    """The counts of all parts."""
    first, *others = map(SavedCounts.from_bytes, parts)
    return first.merge(*others)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="put the figures into docs/scaling.md")
    asked = parser.parse_args()
    seconds = {}
    for rows in (10**6, 4 * 10**6):
        job = functools.partial(count_partitions, partition(rows, rows), **COLUMNS, name=str(rows))
        seconds[rows], saved = best(job, asked.turns)
    slope = (seconds[4 * 10**6] - seconds[10**6]) / (3 * 10**6)
    fixed = seconds[10**6] - 10**6 * slope
    content = saved.to_bytes()
    parts = [SavedCounts(saved.outcomes, part=str(i)).to_bytes() for i in range(8)]
    merging, _ = best(lambda: merged(parts), asked.turns)
    count = TOTAL // PARTITION
    total = (TOTAL * slope + count * fixed) / WORKERS / 60
    merge, size = count * merging / len(parts) / 60, count * len(content) / 1e9
    text = [
        "| step | measured, 1,000 models x 200 questions | 10^12 rows on paper, in 10,000 partitions of 10^8 |",
        "|---|---|---|",
        f"| counting rows | {1e9 * slope:.0f} ns per row | {total:.0f} minutes on {WORKERS} processors |",
        f"| writing a part | {fixed:.1f} s and {len(content) / 1e6:.1f} MB per partition | {size:.0f} GB |",
        f"| merging | {1e3 * merging / len(parts):.0f} ms per part | {merge:.0f} minutes on one processor |",
    ]
    print("\n".join(text))
    if asked.write:
        fill("scaling.md", "partitions", "\n".join(text))


if __name__ == "__main__":
    main()
