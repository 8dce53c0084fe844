"""A folder that gets new logs every day, watched over days: each log is read once, and then it is counts.

The folder holds ``counts.npz``. Every run reads what the saved counts do not have yet, merges it, and shows the
leaderboard. A run that was stopped in the middle, or that is started twice, counts nothing twice, because every log is
a part with a name. Run from cron: ``python examples/watched_folder.py FOLDER``; without a folder, the example simulates
three days.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

from scorio import Leaderboard
from scorio.io import recognise
from scorio.outcomes import SavedCounts


def update(folder: Path) -> SavedCounts | None:
    """Add the logs that are new to the saved counts, and return these."""
    place = folder / "counts.npz"
    saved = SavedCounts.load(place) if place.exists() else None
    known = {} if saved is None else saved.parts
    for log in sorted(folder.glob("*.jsonl")):
        if log.name not in known:
            reading = recognise(log)
            new = SavedCounts(reading.outcomes, metadata=reading.metadata, part=log.name)
            saved = new if saved is None else saved.merge(new)
    if saved is not None and saved.parts.keys() != known.keys():
        saved.save(place)
    return saved


def write_day(folder: Path, day: int) -> None:
    """Write the log of one day: two models, four trials of twenty questions."""
    rng = np.random.default_rng(day)
    with (folder / f"day-{day}.jsonl").open("w") as log:
        for model, skill in (("amber", 0.7), ("birch", 0.5)):
            for question in range(20):
                for trial in range(4):
                    correct = int(rng.random() < skill)
                    row = f'"question": "q{question}", "trial": {trial}, "correct": {correct}'
                    log.write(f'{{"model": "{model}", {row}}}\n')


def main() -> None:
    """Watch the folder once, or three simulated days."""
    if len(sys.argv) > 1:
        print(Leaderboard("pass@1", update(Path(sys.argv[1])).outcomes))
        return
    folder = Path(tempfile.mkdtemp())
    for day in (1, 2, 3):
        write_day(folder, day)
        saved = update(folder)
        again = update(folder)
        assert saved == again  # the second run of a day finds nothing new
        print(f"day {day}: {len(saved.parts)} logs, {saved.outcomes['amber'].trials.sum()} trials per model")
    print(Leaderboard("pass@1", saved.outcomes))


if __name__ == "__main__":
    main()
