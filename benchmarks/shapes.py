"""Coverage and false calls where no smooth density of difficulties fits: atoms, gaps, hopeless questions.

    python benchmarks/shapes.py --runs 400 --out docs/shapes.csv
    python benchmarks/shapes.py --worlds "half .3, half .7" --questions 300 --runs 100

Every row is a world, a number of questions and of trials, and a metric of at most as many trials as there are. The
truth is that of the questions drawn. ``called`` is the share of comparisons that call two models different whose true
scores are equal although their shapes differ: the questions of the world, and one rate.
"""

import argparse
import csv
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from itertools import product
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom

from scorio import Metric, OutcomeMatrix, compare

Rates = np.ndarray
QUESTIONS = (30, 100, 300, 1000, 10_000, 30_000)
CELLS = (
    (2, "pass@2"),
    (4, "pass@1"),
    (4, "pass@4"),
    (4, "pass^4"),
    (8, "pass@4"),
    (8, "pass@8"),
    (8, "gpass@8:tau=.5"),
)
CELLS += ((16, "pass@1"), (16, "pass@4"), (16, "pass@8"), (16, "pass^4"), (64, "pass@1"), (64, "pass@16"))
LEAST_TRUTH = 1e-4  # below which a miss is of no consequence


def atoms(*rates: float) -> Callable[[np.random.Generator, int], Rates]:
    """Questions of a few rates, equally many of each."""
    return lambda rng, count: rng.permutation(np.resize(rates, count))


def either(share: float, one: Callable[..., Rates], other: Callable[..., Rates]) -> Callable[..., Rates]:
    """A share of the questions from one kind, the others from another."""
    return lambda rng, count: np.where(rng.random(count) < share, one(rng, count), other(rng, count))


def between(low: float, high: float) -> Callable[[np.random.Generator, int], Rates]:
    """Uniform rates."""
    return lambda rng, count: rng.uniform(low, high, count)


def beta(a: float, b: float) -> Callable[[np.random.Generator, int], Rates]:
    """Rates from a Beta distribution."""
    return lambda rng, count: rng.beta(a, b, count)


WORLDS = {
    "half .3, half .7": atoms(0.3, 0.7),
    "gap: U(.05, .2) and U(.8, .95)": either(0.5, between(0.05, 0.2), between(0.8, 0.95)),
    "0, .5, 1 in thirds": atoms(0.0, 0.5, 1.0),
    ".01, .25, .97 in thirds": atoms(0.01, 0.25, 0.97),
    "40% at 0, else Beta(8, 8)": either(0.4, atoms(0.0), beta(8.0, 8.0)),
    "log-uniform 1e-4..1e-1": lambda rng, count: 10.0 ** rng.uniform(-4.0, -1.0, count),
    "four rates": lambda rng, count: rng.choice([0.1, 0.2, 0.5, 0.85], count, p=[0.4, 0.1, 0.3, 0.2]),
    "two narrow humps": either(0.3, beta(20.0, 60.0), beta(70.0, 12.0)),
    "one rate": atoms(0.4),
    "uniform": between(0.0, 1.0),
    "Beta(.5, .5)": beta(0.5, 0.5),
    "6% hopeless, bump": either(0.06, atoms(0.0), either(0.16, between(0.0, 0.7), beta(12.0, 2.0))),
}


@dataclass
class Row:
    """One cell: share covered, error over sigma, width over that of the unbiased score's true error, calls."""

    world: str
    questions: int
    trials: int
    metric: str
    covered: float
    error_in_sigmas: float
    width_over_score: float
    called: float
    runs: int


def worth(metric: Metric, rates: Rates) -> Rates:
    """The true value of questions of these rates."""
    found, where = np.unique(rates, return_inverse=True)
    worths = np.asarray(metric._credits)
    k = len(worths) - 1
    return (binom.pmf(np.arange(k + 1), k, found[:, None]) @ worths)[where]


def one_rate(metric: Metric, value: float) -> float:
    """The rate at which a single question has this value."""
    return float(brentq(lambda p: worth(metric, np.array([p]))[0] - value, 0.0, 1.0))


def measure(world: str, questions: int, trials: int, name: str, runs: int, seed: int) -> Row | None:
    """One row, or None where the truth is too small to matter."""
    metric = Metric.from_string(name)
    rng = np.random.default_rng([seed, questions, trials, sum(map(ord, world + name))])
    inside, errors, widths, calls, noise = 0, [], [], 0, []
    for _ in range(runs):
        p = WORLDS[world](rng, questions)
        truth = float(worth(metric, p).mean())
        if truth < LEAST_TRUTH:
            return None
        mine = OutcomeMatrix.from_counts(rng.binomial(trials, p), trials=trials)
        found = metric.interval(mine, prior="learned")
        inside += found.lo - 1e-12 <= truth <= found.hi + 1e-12
        errors.append((found.mu - truth) / found.sigma if found.sigma > 0.0 else 0.0)
        widths.append(found.hi - found.lo)
        noise.append(metric.score(mine) - truth)
        same = np.full(questions, one_rate(metric, truth))
        other = OutcomeMatrix.from_counts(rng.binomial(trials, same), trials=trials)
        calls += compare(metric, mine, other, prior="learned").winner is not None
    spread = 2.0 * 1.96 * float(np.sqrt(np.mean(np.square(noise))))
    numbers = inside / runs, float(np.mean(errors)), float(np.mean(widths)) / max(spread, 1e-300), calls / runs
    return Row(world, questions, trials, name, *numbers, runs)


def rows(arguments: argparse.Namespace) -> Iterator[Row]:
    """All rows, as they get done."""
    for world, questions, (trials, name) in product(arguments.worlds, arguments.questions, CELLS):
        if not arguments.metrics or name in arguments.metrics:
            row = measure(world, questions, trials, name, arguments.runs, arguments.seed)
            if row is not None:
                yield row


def main() -> None:
    """Run the cells, write them down, and print each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--questions", type=int, nargs="*", default=QUESTIONS)
    parser.add_argument("--worlds", nargs="*", default=list(WORLDS))
    parser.add_argument("--metrics", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    with (arguments.out or Path("/dev/null")).open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)])
        writer.writeheader()
        for row in rows(arguments):
            numbers = {name: f"{each:.4g}" if isinstance(each, float) else each for name, each in asdict(row).items()}
            writer.writerow(numbers)
            file.flush()
            mark = " <" if row.covered < 0.9 else ""
            print(
                f"{row.world:32s} {row.questions:6d} {row.trials:3d} {row.metric:15s} covers {row.covered:.3f}{mark}"
                f"  error/sigma {row.error_in_sigmas:+.2f}  width {row.width_over_score:.2f}  called {row.called:.3f}"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main()
