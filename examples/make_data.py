"""Writes the simulated tables of examples/data, whose true rates are known.

simulated.csv: two models, 60 questions, 8 trials each. prompts.csv: three models under four prompts, 40 questions, 2
trials each.
"""

import csv
from pathlib import Path

import numpy as np

QUESTIONS, TRIALS, SEED = 60, 8, 20260401
DATA = Path(__file__).parent / "data"
PROMPTS = {"plain": 0.0, "example": 0.5, "reasons": 1.1, "terse": -0.7}
ABILITY = {"amber": 0.9, "birch": 0.3, "cedar": -0.5}
HELPED_LESS = "cedar"  # by reasons


def main() -> None:
    """Write both tables."""
    simulated()
    prompts()


def prompts() -> None:
    """Prompts help or hurt every model alike, but for one model that reasons confuse."""
    rng = np.random.default_rng(SEED)
    ease = rng.normal(0.0, 1.5, 40)
    with (DATA / "prompts.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["model", "prompt", "question", "trial", "correct"])
        for model, ability in ABILITY.items():
            for prompt, lift in PROMPTS.items():
                more = -1.6 if (model, prompt) == (HELPED_LESS, "reasons") else 0.0
                rates = 1 / (1 + np.exp(-(ease + ability + lift + more + rng.normal(0.0, 0.4, 40))))
                for question, rate in enumerate(rates):
                    for trial in (1, 2):
                        writer.writerow([model, prompt, f"q{question + 1:02d}", trial, int(rng.random() < rate)])


def simulated() -> None:
    """Difficulties crowd at 0 and 1, as real ones do; model-b is a little better on every question."""
    rng = np.random.default_rng(SEED)
    ability = rng.normal(-0.3, 2.5, QUESTIONS)
    with (DATA / "simulated.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["model", "question", *(f"trial_{i + 1}" for i in range(TRIALS))])
        for model, lift in (("model-a", 0.0), ("model-b", 0.6)):
            rates = 1 / (1 + np.exp(-(ability + lift)))
            for question, rate in enumerate(rates):
                writer.writerow([model, f"q{question + 1:02d}", *(rng.random(TRIALS) < rate).astype(int)])


if __name__ == "__main__":
    main()
