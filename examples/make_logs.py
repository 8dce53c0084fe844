"""Writes examples/logs and examples/data/puzzles.csv: the same trials of four simulated models with known rates."""

import csv
import json
from pathlib import Path

from scorio import simulate

ABILITIES = {"aurora-70b": 1.2, "borealis-70b": 1.1, "cirrus-7b": 0.2, "drizzle-1b": -1.0}
QUESTIONS, TRIALS, SEED = 40, 6, 20260402
LOST = {("cirrus-7b", 11, 2), ("cirrus-7b", 11, 5), ("cirrus-7b", 30, 0)}  # trials that broke off: no outcome
CREATED = "2026-04-02T12:00:00+00:00"


def world():
    """The models' trials; difficulties crowd at easy and hard, as real ones do."""
    rates = simulate.rates(list(ABILITIES.values()), QUESTIONS, rng=SEED)
    return simulate.coins(rates, TRIALS, models=ABILITIES, rng=SEED + 1)


def sample(model, question, trial, correct):
    """One trial as Inspect writes it."""
    entry = {"id": f"q{question + 1:02d}", "epoch": trial + 1, "input": "", "target": ""}
    if (model, question, trial) in LOST:
        error = {"message": "timeout", "traceback": "", "traceback_ansi": ""}
        return {**entry, "scores": {}, "error": error}
    return {**entry, "scores": {"match": {"value": "C" if correct else "I"}}}


def inspect_log(model, trials):
    """A log of one model, in Inspect's format."""
    ids = [f"q{question + 1:02d}" for question in range(QUESTIONS)]
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "created": CREATED,
            "task": "puzzles",
            "task_id": f"puzzles-{model}",
            "run_id": f"run-{model}",
            "model": model,
            "dataset": {"name": "puzzles", "samples": QUESTIONS, "sample_ids": ids},
            "config": {"epochs": TRIALS},
        },
        "results": {"total_samples": trials.size, "completed_samples": trials.size, "scores": []},
        "stats": {},
        "samples": [
            sample(model, question, trial, trials[question, trial])
            for trial in range(TRIALS)
            for question in range(QUESTIONS)
        ],
    }


def main(folder=Path(__file__).parent):
    """Write both forms, in folders of their own: read together, every trial would count twice."""
    (folder / "logs" / "inspect").mkdir(parents=True, exist_ok=True)
    (folder / "data").mkdir(exist_ok=True)
    found = world()
    with (folder / "data" / "puzzles.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["model", "question", "trial", "correct"])
        for model, trials in zip(found.outcomes, found.trials, strict=True):
            log = json.dumps(inspect_log(model, trials), separators=(",", ":"))
            (folder / "logs" / "inspect" / f"{model}.json").write_text(log + "\n")
            for question in range(QUESTIONS):
                for trial in range(TRIALS):
                    lost = (model, question, trial) in LOST
                    outcome = "" if lost else int(trials[question, trial])
                    writer.writerow([model, f"q{question + 1:02d}", trial + 1, outcome])


if __name__ == "__main__":
    main()
