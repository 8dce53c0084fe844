"""Scores and intervals of two models from a table of outcomes: examples/data/simulated.csv.

In a clone of the repository: ``pip install . && python examples/quickstart.py``.
"""

import csv
from pathlib import Path

from scorio import BayesMetric, GPassTau, Metric, OutcomeSet, PassAtK, PassHatK

METRICS: tuple[Metric, ...] = (BayesMetric(), PassAtK(k=4), PassHatK(k=4), GPassTau(k=4, tau=0.5))
DATA = Path(__file__).parent / "data" / "simulated.csv"


def read(path: Path) -> OutcomeSet:
    """Read a table with the columns model, question, trial_1, trial_2, .."""
    rows: dict[str, dict[str, list[int]]] = {}
    with path.open(newline="") as file:
        for model, question, *trials in list(csv.reader(file))[1:]:
            rows.setdefault(model, {})[question] = [int(trial) for trial in trials]
    questions = list(next(iter(rows.values())))
    return OutcomeSet({model: [answers[q] for q in questions] for model, answers in rows.items()}, questions=questions)


def main() -> None:
    """Print a line for each model and metric."""
    models = read(DATA)
    print(models)
    print(f"{'model':<10}{'metric':<16}{'score':>8}{'mean':>8}  95% interval")
    for name, outcomes in models.items():
        for metric in METRICS:
            score, (mu, _, lo, hi) = metric.score(outcomes), metric.interval(outcomes, prior="learned")
            print(f"{name:<10}{metric!s:<16}{score:>8.3f}{mu:>8.3f}  [{lo:.3f}, {hi:.3f}]")


if __name__ == "__main__":
    main()
