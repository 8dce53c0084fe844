"""Writes examples/data/simulated.csv: two simulated models, 60 questions, 8 trials each, true rates known."""

import csv
from pathlib import Path

import numpy as np

QUESTIONS, TRIALS, SEED = 60, 8, 20260401


def main() -> None:
    """Difficulties crowd at 0 and 1, as real ones do; model-b is a little better on every question."""
    rng = np.random.default_rng(SEED)
    ability = rng.normal(-0.3, 2.5, QUESTIONS)
    with (Path(__file__).parent / "data" / "simulated.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["model", "question", *(f"trial_{i + 1}" for i in range(TRIALS))])
        for model, lift in (("model-a", 0.0), ("model-b", 0.6)):
            rates = 1 / (1 + np.exp(-(ability + lift)))
            for question, rate in enumerate(rates):
                writer.writerow([model, f"q{question + 1:02d}", *(rng.random(TRIALS) < rate).astype(int)])


if __name__ == "__main__":
    main()
