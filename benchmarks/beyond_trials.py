"""More trials than there are: coverage of the learned prior, of the profile, and how often the warning names the truth.

    python benchmarks/beyond_trials.py --runs 100
    python benchmarks/beyond_trials.py --bank ../shared/data/monkeys_math128_n10000.npz --runs 100

Pass@k with ``k`` above the number of trials, where difficulties may have gaps or few values (the worlds of
``shapes.py``) or are those of real models. Columns: the share of sets that the 95% interval with the learned prior
covers, the share of its misses that a warning came with, the share of all sets that were warned of, the share that the
profile covers, and its width over that of the learned interval.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
from designs import from_bank
from shapes import LEAST_TRUTH, WORLDS

from scorio import OutcomeMatrix, PassAtK

CELLS = ((1, 2), (2, 4), (2, 8), (4, 8), (4, 16), (8, 16), (8, 32), (16, 32))  # trials and k
QUESTIONS = (10, 30, 300, 10_000)


def measure(draw, questions: int, trials: int, k: int, runs: int, rng: np.random.Generator) -> np.ndarray:
    """One row of ``covered, missed and warned, warned, profile covered, widths`` per run."""
    metric, found = PassAtK(k), np.zeros((runs, 5))
    for row in found:
        p = draw(rng, questions)
        truth = float(np.mean(1.0 - (1.0 - p) ** k))
        if min(truth, 1.0 - truth) < LEAST_TRUTH:  # misses are of no consequence
            return found[:0]
        outcomes = OutcomeMatrix.from_counts(rng.binomial(trials, p), trials)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            learned = metric.interval(outcomes)
        profile = metric.interval(outcomes, shape="profile")
        inside, is_said = truth in learned, bool(said)
        ratio = (profile.hi - profile.lo) / max(learned.hi - learned.lo, 1e-12)
        row[:] = inside, is_said and not inside, is_said, profile.lo - 1e-9 <= truth <= profile.hi + 1e-9, ratio
    return found


def main() -> None:
    """Print a line per number of questions and cell, over all worlds, and one per world."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--questions", type=int, nargs="*", default=QUESTIONS)
    parser.add_argument("--worlds", nargs="*")
    parser.add_argument("--bank", type=Path)
    options = parser.parse_args()
    worlds = dict(from_bank(options.bank)) if options.bank else WORLDS
    worlds = {name: draw for name, draw in worlds.items() if not options.worlds or name in options.worlds}
    rows = {}
    for name, draw in worlds.items():
        for questions in options.questions:
            for cell in CELLS:
                rng = np.random.default_rng([1, questions, *cell, *map(ord, name)])
                rows[name, questions, cell] = measure(draw, questions, *cell, options.runs, rng)
        show(name, [each for key, each in rows.items() if key[0] == name])
    for questions in options.questions:
        show(f"{questions} questions", [each for key, each in rows.items() if key[1] == questions])
    for cell in CELLS:
        show("N = {}, k = {}".format(*cell), [each for key, each in rows.items() if key[2] == cell])
    show("all", list(rows.values()))


def show(name: str, cells: list[np.ndarray]) -> None:
    """Print the means of these cells, and the worst of them."""
    cells = [cell for cell in cells if len(cell)]
    runs = np.concatenate(cells)
    covered, named, said, profile, _ = runs.mean(axis=0)
    error = (covered * (1.0 - covered) / len(runs)) ** 0.5
    worst = min(cell[:, 0].mean() for cell in cells), min(cell[:, 3].mean() for cell in cells)
    told = named / (1.0 - covered) if covered < 1.0 else 0.0
    print(
        f"{name:32} learned {covered:.3f}±{error:.3f} (worst {worst[0]:.2f}), misses warned of {told:.2f}, "
        f"all warned of {said:.2f}; profile {profile:.3f} (worst {worst[1]:.2f}), {np.median(runs[:, 4]):.2f} as wide",
        flush=True,
    )


if __name__ == "__main__":
    main()
