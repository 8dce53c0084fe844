"""Time of saved counts: 100 models x 2,000 questions saved, loaded and merged; ``--write`` into docs/saved-counts.md.

Every figure is the best of several runs in processor time, which others on the machine do not lengthen much, with the
time by the clock beside it.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
from marked import fill

from scorio import OutcomeMatrix, OutcomeSet, RewardMatrix, SavedCounts, read

MODELS, QUESTIONS, TRIALS = 100, 2000, 16


def sets():
    """Binary outcomes with and without missing trials, rewards with levels, continuous rewards."""
    rng = np.random.default_rng(0)
    labels = [f"question-{i:05}" for i in range(QUESTIONS)]
    names = [f"model-{i:03}" for i in range(MODELS)]
    shape = (MODELS, QUESTIONS, TRIALS)
    right = rng.random(shape) < rng.beta(1, 1, shape[:2])[..., None]
    gaps = np.where(rng.random(shape) < 0.1, np.nan, right)
    grades = rng.integers(0, 5, shape) / 4
    return {
        "binary": OutcomeSet(right, models=names, questions=labels),
        "binary, with missing trials": OutcomeSet(gaps, models=names, questions=labels, missing="omit"),
        "rewards of 5 levels": OutcomeSet(
            {
                name: OutcomeMatrix.from_rewards(table, questions=labels)
                for name, table in zip(names, grades, strict=True)
            }
        ),
        "continuous rewards, moments only": OutcomeSet(
            {name: RewardMatrix(rng.random(shape[1:]), questions=labels, keep_values=False) for name in names}
        ),
    }


def best(job, runs):
    """The least processor time and the least time by the clock, in milliseconds."""
    spent = []
    for _ in range(runs):
        start = time.process_time(), time.perf_counter()
        job()
        spent.append((time.process_time() - start[0], time.perf_counter() - start[1]))
    return [1000 * min(each) for each in zip(*spent, strict=True)]


def line(kind, outcomes, folder, runs):
    """A row of the table."""
    path = folder / "counts.npz"
    save = best(lambda: outcomes.save(path), max(1, runs // 10))
    load = best(lambda: OutcomeSet.load(path), runs)
    assert OutcomeSet.load(path) == outcomes
    size = path.stat().st_size / 1e6
    return f"| {kind} | {size:.2f} MB | {save[0]:.0f} ms | {load[0]:.1f} ms | {load[1]:.1f} ms |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--write", action="store_true", help="put the figures into docs/saved-counts.md")
    asked = parser.parse_args()
    head = "| 100 models x 2,000 questions x 16 trials | size | save | load | load, by the clock |"
    lines = [head, "|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as name:
        folder, made = Path(name), sets()
        lines += [line(kind, outcomes, folder, asked.runs) for kind, outcomes in made.items()]
        for i in range(30):
            SavedCounts(made["binary"], part=f"night {i}").save(folder / f"night-{i:02}.npz")
        nights = sorted(folder.glob("night-*.npz"))
        merging = best(lambda: SavedCounts.load(nights[0]).merge(*nights[1:]), max(2, asked.runs // 20))
        reading = best(lambda: read(nights), max(2, asked.runs // 20))
    nights = "30 such files of binary outcomes, 96 million trials"
    lines += ["", f"{nights}: {merging[0]:.0f} ms to merge them, {reading[0]:.0f} ms with `scorio.read`."]
    print("\n".join(lines))
    if asked.write:
        fill("saved-counts.md", "saved counts", "\n".join(lines))


if __name__ == "__main__":
    main()
