"""Inspect logs of several tasks, models and temperatures with known truth, which are read and ranked.

    python benchmarks/suite_logs.py FOLDER [--tasks 20] [--models 10] [--inspect]

Writes one log per task, model and temperature into FOLDER, reads the folder, and ranks the models by their overall
score. With ``--inspect`` the logs are made by Inspect itself, which runs every task with a mock model and a scorer that
knows the outcomes; otherwise by scorio's writer. Prints the times, whether every outcome was read as it was written,
and how many of the overall 95% intervals contain the true overall score.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from scorio import Leaderboard, OutcomeSet, Suite, read
from scorio.io._written_logs import write_inspect

TRIALS = 4
TEMPERATURES = {"0.0": 0.05, "1.0": 0.0}  # with what each adds to the rate of every question


def simulated(tasks: int, models: int) -> tuple[dict[str, Suite], dict[str, float]]:
    """Outcomes by temperature, and the true overall score of every model at every temperature."""
    rng = np.random.default_rng(0)
    sets: dict[str, dict[str, OutcomeSet]] = {temperature: {} for temperature in TEMPERATURES}
    truth: dict[str, float] = {}
    for task in range(tasks):
        questions = 12 + 4 * task
        base = rng.beta(0.8, 0.8, questions)
        for temperature, more in TEMPERATURES.items():
            tables = {}
            for model in range(models):
                rates = np.clip(base + 0.03 * model + more, 0.0, 1.0)
                row = f"mockllm/model-{model} [temperature={temperature}]"
                truth[row] = truth.get(row, 0.0) + float(rates.mean()) / tasks
                tables[f"mockllm/model-{model}"] = rng.binomial(1, rates[:, None], (questions, TRIALS))
            sets[temperature][f"task-{task:02}"] = OutcomeSet(
                tables,
                questions=[f"q{i}" for i in range(questions)],
                conditions={name: {"temperature": temperature} for name in tables},
            )
    return {temperature: Suite(parts) for temperature, parts in sets.items()}, truth


def write_scorio(folder: Path, made: dict[str, Suite]) -> None:
    """Write the logs by scorio, in a folder per temperature."""
    for temperature, parts in made.items():
        inside = folder / f"temperature {temperature}"
        inside.mkdir(parents=True)
        write_inspect(inside, parts)


def run_inspect(folder: Path, made: dict[str, Suite]) -> None:
    """Let Inspect run every task, model and temperature."""
    import inspect_ai

    for temperature, parts in made.items():
        for task, models in parts.items():
            for model, matrix in models.items():
                made_task = _task(task, matrix.successes.tolist())
                about: dict[str, Any] = {"log_dir": str(folder), "display": "none", "log_realtime": False}
                inspect_ai.eval(
                    made_task, model=model, temperature=float(temperature), epochs=matrix.max_trials, **about
                )


def _task(name: str, successes: list[int]) -> Any:
    """A task of Inspect, of whose samples the first ``successes`` epochs are right."""
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import CORRECT, INCORRECT, Score, accuracy, scorer
    from inspect_ai.solver import solver

    @solver
    def silent() -> Any:  # the mock model would fetch a table to count tokens
        async def solve(state: Any, _generate: Any) -> Any:
            return state

        return solve

    @scorer(metrics=[accuracy()])
    def known() -> Any:
        async def score(state: Any, _target: Any) -> Score:
            at = int(str(state.sample_id)[1:])
            return Score(value=CORRECT if state.epoch <= successes[at] else INCORRECT)

        return score

    samples = [Sample(input="What is the answer?", target="42", id=f"q{i}") for i in range(len(successes))]
    return Task(dataset=samples, solver=silent(), scorer=known(), name=name)


def intervals_of(suite: Suite) -> Iterator[tuple[str, float, float]]:
    """Every model's overall interval."""
    for row in Leaderboard("pass@1", suite).only.rows:
        yield row.model, row.lo, row.hi


def is_as_written(suite: Suite, made: dict[str, Suite]) -> bool:
    """Whether every count was read as it was written."""
    return all(
        np.array_equal(suite[task][f"{model} [temperature={temperature}]"].counts, matrix.counts)
        for temperature, parts in made.items()
        for task, models in parts.items()
        for model, matrix in models.items()
    )


def main() -> None:
    """Write, read and rank."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of the logs, which is made")
    parser.add_argument("--tasks", type=int, default=20, help="number of tasks (default: 20)")
    parser.add_argument("--models", type=int, default=10, help="number of models (default: 10)")
    parser.add_argument("--inspect", action="store_true", help="let Inspect make the logs (default: scorio's writer)")
    options = parser.parse_args()
    made, truth = simulated(options.tasks, options.models)
    (run_inspect if options.inspect else write_scorio)(options.folder, made)
    start = time.perf_counter()
    suite = read(options.folder, suite=True)
    middle = time.perf_counter()
    ends = list(intervals_of(suite))
    end = time.perf_counter()
    held = sum(lo <= truth[model] <= hi for model, lo, hi in ends)
    print(f"{suite!r}: read in {middle - start:.2f} s, ranked in {end - middle:.2f} s")
    print(f"read as written: {is_as_written(suite, made)}")
    print(f"{held} of {len(ends)} overall intervals contain the truth")


if __name__ == "__main__":
    main()
