"""Writes examples/data/labels.csv: labels of people for 24 random questions of the example logs."""

import csv
from pathlib import Path

import numpy as np

from scorio import read
from scorio.judging import sample_to_label

HERE = Path(__file__).parent
QUESTIONS, SEED = 24, 20260402


def main(folder: Path = HERE / "data") -> None:
    """The logs' judge passes up to 30% of the wrong answers of a question, and fails 3% of the right ones."""
    sample = sample_to_label(read(HERE / "data" / "puzzles.csv"), QUESTIONS, SEED)
    with (HERE / "data" / "puzzles.csv").open() as file:
        judged = [row for row in csv.DictReader(file) if row["correct"]]
    rng = np.random.default_rng(SEED)
    with (folder / "labels.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["model", "question", "trial", "label"])
        for question in sample.questions:
            wrong_if_passed = 0.3 * rng.random()
            for row in judged:
                if row["question"] == question:
                    is_passed = row["correct"] == "1"
                    is_right = rng.random() >= wrong_if_passed if is_passed else rng.random() < 0.03
                    writer.writerow([row["model"], question, row["trial"], int(is_right)])


if __name__ == "__main__":
    main()
