"""Writes the simulated tables of examples/data, whose true rates are known.

simulated.csv: two models, 60 questions, 8 trials each. prompts.csv: three models under four prompts, 40 questions, 2
trials each. horizons.jsonl: four models on 48 tasks of 16 families, 2 runs each, as METR publishes its runs.
seen.csv: four models on 90 questions, 4 trials each, of which one has seen those from before June 2024; seen-dates.csv
has the dates of the questions.
"""

import csv
import json
from datetime import date, timedelta
from pathlib import Path

import numpy as np

QUESTIONS, TRIALS, SEED = 60, 8, 20260401
DATA = Path(__file__).parent / "data"
PROMPTS = {"plain": 0.0, "example": 0.5, "reasons": 1.1, "terse": -0.7}
ABILITY = {"amber": 0.9, "birch": 0.3, "cedar": -0.5}
HELPED_LESS = "cedar"  # by reasons
HORIZONS = {"amber": 90.0, "birch": 40.0, "cedar": 12.0, "dogwood": 4.0}  # minutes of tasks that half the runs solve
TASKS, FAMILIES, SLOPE = 48, 16, 0.75  # log-odds per doubling


def main() -> None:
    """Write all tables."""
    simulated()
    prompts()
    horizons()
    seen()


def seen() -> None:
    """Later questions are harder for all models; amber does better on those that it has seen than it would have."""
    rng = np.random.default_rng(SEED)
    dates = [date(2024, 1, 1) + timedelta(days=4 * i) for i in range(90)]
    ease = rng.normal(0.3, 1.2, 90) - 0.01 * np.arange(90)
    with (DATA / "seen-dates.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question", "date"])
        writer.writerows([f"q{i + 1:02d}", day.isoformat()] for i, day in enumerate(dates))
    with (DATA / "seen.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["model", "question", *(f"trial_{i + 1}" for i in range(4))])
        for model, ability in (ABILITY | {"dogwood": 0.0}).items():
            for i, day in enumerate(dates):
                known = 1.5 if model == "amber" and day < date(2024, 6, 1) else 0.0
                rate = 1 / (1 + np.exp(-(ease[i] + ability + known + rng.normal(0.0, 0.3))))
                writer.writerow([model, f"q{i + 1:02d}", *(rng.random(4) < rate).astype(int)])


def horizons() -> None:
    """Tasks take a person a minute to a day; some families are harder or easier than their length for all models."""
    rng = np.random.default_rng(SEED)
    minutes = np.round(2.0 ** rng.uniform(0.0, 10.0, TASKS), 1)
    family = np.sort(rng.integers(0, FAMILIES, TASKS))
    ease = rng.normal(0.0, 0.7, FAMILIES)[family] + rng.normal(0.0, 0.7, TASKS)
    sizes = np.bincount(family)[family]
    weights = 1 / (2 * np.sqrt(sizes) * np.sum(1 / np.sqrt(sizes)))
    with (DATA / "horizons.jsonl").open("w") as file:
        for model, horizon in HORIZONS.items():
            rates = 1 / (1 + np.exp(SLOPE * np.log2(minutes / horizon) - ease))
            for task in range(TASKS):
                for run in (1, 2):
                    row = {
                        "run_id": f"{model}-{task}-{run}",
                        "task_id": f"family{family[task]:02d}/task{task:02d}",
                        "task_family": f"family{family[task]:02d}",
                        "alias": model,
                        "human_minutes": float(minutes[task]),
                        "score_binarized": int(rng.random() < rates[task]),
                        "invsqrt_task_weight": round(float(weights[task]), 6),
                    }
                    file.write(json.dumps(row) + "\n")


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
