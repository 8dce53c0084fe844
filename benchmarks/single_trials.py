"""Two models with one trial per question, compared on these questions: false calls, coverage and power.

    python benchmarks/single_trials.py                    # all worlds, about five minutes
    python benchmarks/single_trials.py --runs 200 --only hard
    python benchmarks/single_trials.py --several 4 --data DIR --only real

``paired`` is ``compare`` as it is: Student's t of the paired differences. ``posterior`` is what it would be without the
pairing (``paired=False``): the learned prior guesses how much the success rates of questions differ. Worlds:

- *equal*: both models have the same success rate on every question;
- *exchanged*: both have the same mean rate, and on half of the questions one has the rates of other questions;
- *different*: the rate p of one model is p + .9 p (1 - p) for the other.

With ``--several``, the second model has so many trials of every question, ``posterior`` is ``compare`` as it is, and
``paired`` is Student's t of the differences by hand.

In *real* worlds the rates are those of two models on questions of a bank of ``--data`` (npz files with ``correct``,
(models, questions), and the number of ``trials``). Each share has its Monte Carlo error.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import stats

from scorio import OutcomeMatrix, compare

Array = np.ndarray
Draw = Callable[[np.random.Generator, int], Array]
SHAPES = {"uniform": (1.0, 1.0), "two-sided": (0.3, 0.3), "hard": (0.3, 1.2), "easy": (3.0, 0.3)}
SIZES = (20, 60, 100, 500)


class Result(NamedTuple):
    """What one comparison shows: whether a model is called, and whether the interval contains the truth."""

    called: bool
    covered: bool


def worlds(data: Path | None) -> Iterator[tuple[str, Draw]]:
    """How the success rates of two different models are drawn in each world, (2, M)."""
    for name, (a, b) in SHAPES.items():
        yield name, lambda rng, count, a=a, b=b: better(rng.beta(a, b, count))
    for path in sorted(data.glob("*.npz")) if data else ():
        with np.load(path, allow_pickle=False) as bank:
            if "correct" in bank.files:
                rates = bank["correct"] / bank["trials"]
                yield f"real {path.stem.rsplit('_', 1)[0]}", lambda rng, count, rates=rates: two_of(rates, rng, count)


def better(rates: Array) -> Array:
    """The rates of a better model, and these."""
    return np.stack([rates + 0.9 * rates * (1.0 - rates), rates])


def two_of(rates: Array, rng: np.random.Generator, count: int) -> Array:
    """The rates of two models on questions of a bank; questions are repeated if there are not enough."""
    models = rng.choice(len(rates), 2, replace=False)
    questions = rates.shape[1]
    return rates[np.ix_(models, rng.choice(questions, count, replace=count > questions))]


def rates_of_pair(kind: str, both: Array) -> Array:
    """The rates of both models in a kind of world."""
    if kind == "different":
        return both
    rates, other = both[1], both[1].copy()
    if kind == "exchanged":
        half = len(rates) // 2
        other[:half] = rates[:half][::-1]
    return np.stack([rates, other])


def look(rates: Array, rng: np.random.Generator, paired: bool, several: int) -> Result:
    """Compare two models, the first on one trial per question, the second on one or several."""
    if several > 1:
        return look_at_several(rates, rng, paired, several)
    A, B = ((rng.random(each.shape) < each).astype(np.int64)[:, None] for each in rates)
    result = compare("pass@1", A, B, paired=None if paired else False)
    return Result(result.winner is not None, result.lo <= (rates[0] - rates[1]).mean() <= result.hi)


def look_at_several(rates: Array, rng: np.random.Generator, paired: bool, several: int) -> Result:
    """Compare single trials of one model with several trials of the other."""
    one, other = rng.binomial(1, rates[0]), rng.binomial(several, rates[1])
    if paired:
        gap, count = one - other / several, len(one)
        reach = stats.t.ppf(0.975, count - 1) * gap.std(ddof=1) / np.sqrt(count)
        lo, hi = gap.mean() - reach, gap.mean() + reach
    else:
        both = (OutcomeMatrix.from_counts(counts, trials) for counts, trials in ((one, 1), (other, several)))
        result = compare("pass@1", *both)
        lo, hi = result.lo, result.hi
    return Result(lo > 0.0 or hi < 0.0, lo <= (rates[0] - rates[1]).mean() <= hi)


def share(hits: list[bool]) -> str:
    """A share with its Monte Carlo error."""
    p = float(np.mean(hits))
    return f"{p:.3f} ± {np.sqrt(max(p * (1.0 - p), 0.25 / len(hits)) / len(hits)):.3f}"


def row(name: str, draw: Draw, questions: int, runs: int, paired: bool, several: int) -> str:
    """One line of the table: false calls twice, coverage, and power."""
    cells = {}
    for number, kind in enumerate(("equal", "exchanged", "different")):
        rng = np.random.default_rng([questions, number, *map(ord, name)])
        cells[kind] = [look(rates_of_pair(kind, draw(rng, questions)), rng, paired, several) for _ in range(runs)]
    shares = [share([each.called for each in cells[kind]]) for kind in ("equal", "exchanged")]
    shares += [share([getattr(each, name) for each in cells["different"]]) for name in ("covered", "called")]
    rule = "paired" if paired else "posterior"
    return "| " + " | ".join([name, str(questions), rule, *shares]) + " |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000, help="worlds per row")
    parser.add_argument("--only", default="", help="part of the names of worlds")
    parser.add_argument("--several", type=int, default=1, help="trials per question of the second model")
    parser.add_argument("--data", type=Path, help="a folder of real banks")
    options = parser.parse_args()
    heads = ["world", "questions", "rule", "equal: called", "exchanged: called"]
    print("| " + " | ".join([*heads, "different: covered", "different: called"]) + " |")
    print("|---|--:|---|--:|--:|--:|--:|")
    for name, draw in worlds(options.data):
        for questions in SIZES if options.only in name else ():
            for paired in (False, True):
                print(row(name, draw, questions, options.runs, paired, options.several), flush=True)


if __name__ == "__main__":
    main()
