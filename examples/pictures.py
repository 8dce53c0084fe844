"""Every picture of docs/pictures.md, from simulated models.

python examples/pictures.py docs/pictures
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from scorio import Leaderboard, PassAtK, compare, convergence, plot, simulate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ABILITIES = {"amber": 1.5, "birch": 1.2, "cedar": 1.2, "delta": 0.7, "ember": 0.0}
FEW, MANY = 60, 40
CALIBRATED = {"prior": "eb", "method": "quantile"}


def pictures() -> dict[str, Axes]:
    """One of each, and a leaderboard of many models with long names."""
    made = simulate.coins(simulate.rates(list(ABILITIES.values()), FEW, rng=0), 8, names=ABILITIES, rng=1)
    outcomes = made.outcomes
    names = [f"organisation-{i % 7}/family-{i % 5}-instruct-{2 ** (i % 8)}b-checkpoint-{1000 * i}" for i in range(MANY)]
    many = simulate.coins(simulate.rates(np.linspace(-2, 2, MANY), FEW, rng=0), 16, names=names, rng=1).outcomes
    replicates = convergence(["avg", "pass@2", "pass@8"], outcomes, replicates=1000, n=32, rng=0)
    return {
        "leaderboard": plot.leaderboard(Leaderboard("pass@1", outcomes, tie="paired", **CALIBRATED)),
        "leaderboard-40": plot.leaderboard(Leaderboard("pass@1", many, tie="paired", **CALIBRATED)),
        "pass_curve": plot.pass_curve(outcomes, ks=range(1, 17), **CALIBRATED),
        "compare": plot.compare(compare(PassAtK(1), outcomes["amber"], outcomes["birch"], names=("amber", "birch"))),
        "tau_curve": plot.tau_curve(replicates),
        "convergence_pmf": plot.convergence_pmf(replicates),
        "convergence_cdf": plot.convergence_cdf(replicates),
    }


def main() -> None:
    """Write them where the command line says."""
    where = Path(sys.argv[1])
    where.mkdir(parents=True, exist_ok=True)
    for name, axes in pictures().items():
        axes.figure.savefig(where / f"{name}.png", dpi=80)
        print(where / f"{name}.png")


if __name__ == "__main__":
    main()
