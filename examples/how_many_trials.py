"""How many trials a ranking needs: avg and Bayes@N against Pass@2, 4, 8 and Pass^2, where the true order is known.

The protocol is that of "Don't Pass@k" (arXiv:2510.04265): eleven models, two of them equally able, answer 30 questions
up to 80 times. A replicate is a sequence of new trials of such a world. It has converged at the smallest number of
trials from which on it ranks the models in their true order; the equal two may come in any order, since no number of
trials settles theirs. Then the same as it has to be done where the truth is not known: replicates are bootstrapped from
80 trials, and compared with each metric's own order on all of them.

``--full`` takes ten times as many worlds. ``--outcomes`` is an .npz file of real ones: counts ``correct`` (models,
questions) of ``trials`` each.
"""

import argparse
from collections.abc import Iterable
from math import sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scorio import OutcomeMatrix, simulate
from scorio.curves import Convergence, ConvergenceTable, analyze_convergence

METRICS = ("avg", "bayes", "pass@2", "pass@4", "pass@8", "passhat@2")
ABILITIES = (-1.25, -1.0, -0.75, -0.5, -0.25, 0.0, 0.0, 0.25, 0.5, 0.75, 1.0)
QUESTIONS, TRIALS = 30, 80
WORLDS, REPLICATES = 10, 500
SHOWN = (2, 5, 10, 20, 40, 80)
REAL = Path(__file__).parents[2] / "shared" / "data" / "lcb_codegen_2024-04-17_n10.npz"


class Row(NamedTuple):
    """Mean convergence@n of the replicates that converge, the share that never does, mean tau-b by n."""

    mean: float
    never: float
    tau: dict[int, float]


def world(seed: int) -> simulate.World:
    """Models of fixed abilities, questions of drawn difficulty: their true order is the same under every metric."""
    return simulate.coins(simulate.rates(ABILITIES, QUESTIONS, rng=seed), TRIALS, rng=seed)


def to_the_truth(seed: int) -> ConvergenceTable:
    """New trials of a world against its true order."""
    made = world(seed)
    gold, new = made.truth("avg"), made.population()
    return analyze_convergence(METRICS, new, gold=gold, n=TRIALS, free_ties=True, replicates=REPLICATES, rng=seed)


def to_their_own(seed: int) -> ConvergenceTable:
    """Bootstrapped trials of a world against each metric's own order on all of them."""
    return analyze_convergence(METRICS, world(seed).outcomes, replicates=REPLICATES, rng=seed)


def pooled(tables: Iterable[ConvergenceTable]) -> dict[str, Row]:
    """A row for each metric, over all worlds."""
    found = list(tables)
    return {metric: row([table[metric] for table in found]) for metric in METRICS}


def row(found: list[Convergence]) -> Row:
    """What the replicates of all worlds say of one metric."""
    converged = np.concatenate([each.converged for each in found])
    tau = np.mean([each.mean_tau for each in found], axis=0)
    arrived = converged[converged > 0]
    mean = arrived.mean() if arrived.size else np.nan
    return Row(mean, (converged == 0).mean(), {n: tau[n - 1] for n in SHOWN if n <= len(tau)})


def show(title: str, rows: dict[str, Row]) -> None:
    """Print a table."""
    columns = next(iter(rows.values())).tau
    print(f"\n{title}\n{'metric':<11}{'mean':>7}{'never':>8}" + "".join(f"{f'tau({n})':>9}" for n in columns))
    for metric, (mean, never, tau) in rows.items():
        shown = ["" if np.isnan(value) else f"{value:.3f}" for value in tau.values()]
        print(f"{metric:<11}{mean:>7.1f}{never:>8.1%}" + "".join(f"{value:>9}" for value in shown))


def say(rows: dict[str, Row]) -> None:
    """Print what the rows against the truth amount to."""
    alike = "is the same" if rows["avg"] == rows["bayes"] else "differs"
    by_mean = sorted((each.mean, metric) for metric, each in rows.items() if metric != "bayes")
    first, last = by_mean[0], by_mean[-1]
    pairs = len(ABILITIES) * (len(ABILITIES) - 1) // 2
    print(f"\nThe ranking by bayes {alike} as the one by avg, at every n.")
    print(
        f"Of the others, {first[1]} converges first, {last[1]} last, after {last[0] / first[0]:.1f} times the trials;"
    )
    print(f"{last[1]} has not converged by {TRIALS} trials in {rows[last[1]].never:.1%} of replicates.")
    print(f"Two equal models never tie by trials: tau can reach {sqrt(1 - 1 / pairs):.3f} only.")


def real(path: Path) -> ConvergenceTable:
    """Bootstrapped real trials against each metric's own order on all of them."""
    with np.load(path) as file:
        counts, trials = file["correct"], file["trials"]
    models = [OutcomeMatrix.from_counts(of_model, trials) for of_model in counts]
    return analyze_convergence(METRICS, models, replicates=REPLICATES, rng=0)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--outcomes", type=Path, default=REAL)
    options = parser.parse_args()
    seeds = range(WORLDS * (10 if options.full else 1))
    known = pooled(map(to_the_truth, seeds))
    show(f"New trials against the truth, {len(seeds)} worlds with {REPLICATES} replicates each", known)
    say(known)
    show(f"Bootstrapped trials against their own order on all {TRIALS}", pooled(map(to_their_own, seeds)))
    if options.outcomes.exists():
        show(f"The same with the real outcomes of {options.outcomes.name}", pooled([real(options.outcomes)]))


if __name__ == "__main__":
    main()
