"""What goes wrong with common shortcuts, by simulation: ``python benchmarks/mistakes.py [--runs 1000] [--page]``.

Every row has a shortcut and what to do instead, on the same outcomes with known truth.
"""

from __future__ import annotations

import argparse
import itertools
import warnings
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
from marked import fill, made

from scorio import Leaderboard, Looks, OutcomeMatrix, PassAtK, compare, estimate_with_judge
from scorio.errors import LabelsWarning

Rng = np.random.Generator
Array = np.ndarray
Z = NormalDist().inv_cdf(0.975)
CALIBRATED = {"prior": "learned", "shape": "quantile"}


def rates(rng: Rng, questions: int) -> Array:
    """Success rates of which most are near 0 or near 1."""
    return rng.beta(0.3, 0.3, questions)


def trials(rng: Rng, rate: Array, count: int) -> Array:
    """0/1 outcomes of every question."""
    return (rng.random((len(rate), count)) < rate[:, None]).astype(int)


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Wilson's interval of a proportion."""
    share, width = hits / n, Z**2 / n
    half = Z * np.sqrt(share * (1 - share) / n + width / (4 * n)) / (1 + width)
    middle = (share + width / 2) / (1 + width)
    return middle - half, middle + half


def inside(interval: tuple[float, float], value: float) -> bool:
    """Whether an interval contains the truth."""
    return interval[0] <= value <= interval[1]


def pooled_trials(rng: Rng) -> tuple[bool, bool]:
    """An interval of all trials as if they were independent contains the population's mean."""
    R = trials(rng, rates(rng, 100), 8)
    return inside(wilson(int(R.sum()), R.size), 0.5), inside(
        PassAtK(1).interval(R, target="population", **CALIBRATED)[2:], 0.5
    )


def plugged_in(rng: Rng) -> tuple[float, float]:
    """Error of Pass@8 from the observed rates of 8 trials, and of the unbiased estimate from 16."""
    rate = rng.beta(0.3, 1.2, 100)
    truth = float(np.mean(1 - (1 - rate) ** 8))
    R = trials(rng, rate, 16)
    observed = R[:, :8].mean(axis=1)
    return float(np.mean(1 - (1 - observed) ** 8)) - truth, PassAtK(8).score(R) - truth


def overlapping(rng: Rng) -> tuple[bool, bool]:
    """A true difference is seen where two intervals do not overlap, and by a paired comparison."""
    rate = rates(rng, 100)
    a, b = trials(rng, rate + 0.5 * rate * (1 - rate), 3), trials(rng, rate, 3)
    first, second = (PassAtK(1).interval(R, **CALIBRATED) for R in (a, b))
    return first.lo > second.hi, compare("pass@1", a, b).winner is not None


def peeking(rng: Rng) -> tuple[bool, bool]:
    """Two equal models, compared after every trial per question up to 32: one is called better at some look."""
    rate = rates(rng, 60)
    a, b = trials(rng, rate, 32), trials(rng, rate, 32)
    looks = Looks(trials=32)
    called = [
        (compare("pass@1", a[:, :n], b[:, :n]).winner, compare("pass@1", a[:, :n], b[:, :n], looks=looks).winner)
        for n in range(1, 33)
    ]
    plain, valid = zip(*called, strict=True)
    return any(name is not None for name in plain), any(name is not None for name in valid)


def best_of_many(rng: Rng) -> tuple[float, float]:
    """Ten equal models on 60 questions: how far the best score, and its next run, lie above the truth."""
    rate = rates(rng, 60)
    scores = [trials(rng, rate, 2).mean() for _ in range(10)]
    return float(max(scores) - rate.mean()), float(trials(rng, rate, 2).mean() - rate.mean())


def every_pair(rng: Rng) -> tuple[bool, bool]:
    """Six equal models: some pair differs at .05 each, and with a family-wise error of .05."""
    rate = rates(rng, 60)
    models = {f"m{i}": OutcomeMatrix(trials(rng, rate, 4)) for i in range(6)}
    ranking = Leaderboard("pass@1", models)["pass@1"]
    return tuple(any(pair.better is not None for pair in ranking.pairs(family)) for family in ("each", "simultaneous"))


def trusted_judge(rng: Rng) -> tuple[bool, bool]:
    """A judge passes 8% of wrong answers: the interval of Pass@4 contains the truth, alone and with 60 labels."""
    rate = np.where(rng.random(300) < 0.35, 0.0, rng.random(300))
    human = trials(rng, rate, 8)
    judge = np.where(human, rng.random(human.shape) >= 0.04, rng.random(human.shape) < 0.08).astype(int)
    place = rng.choice(300, 60, replace=False)
    labels = OutcomeMatrix(human[place], questions=place.tolist())
    truth = float(np.mean(1 - (1 - rate) ** 4))
    alone = PassAtK(4).interval(judge, **CALIBRATED)
    corrected = estimate_with_judge("pass@4", OutcomeMatrix(judge), labels, target="questions")
    return inside(alone[2:], truth), inside(corrected[2:], truth)


ROWS: list[tuple[str, Callable[[Rng], tuple[float, float]], str, str, float]] = [
    (
        "Treat all 100 x 8 trials as independent",
        pooled_trials,
        "share of 95% intervals that contain the population's mean",
        '[`target="population"`](intervals.md)',
        1.0,
    ),
    (
        "Put the observed rates of 8 trials into 1 - (1 - p)^8",
        plugged_in,
        "mean error of Pass@8",
        "[`pass@8` from 16 trials](metrics/pass.md)",
        1.0,
    ),
    (
        "Call models different only where their intervals do not overlap",
        overlapping,
        "share of true differences that are found",
        "[`compare`](tasks/compare.md)",
        1.0,
    ),
    (
        "Look after every trial, and stop at the first significant difference",
        peeking,
        "share of equal models that are called different",
        "[`looks=`](looks.md)",
        0.1,
    ),
    (
        "Report the best of ten equal runs",
        best_of_many,
        "mean error of the reported score",
        "a new run of the chosen model",
        1.0,
    ),
    (
        "Test all 15 pairs of six equal models at 5% each",
        every_pair,
        "share of worlds with a false call",
        "[`family=`](leaderboard.md)",
        0.3,
    ),
    (
        "Trust a judge that passes 8% of the wrong answers",
        trusted_judge,
        "share of 95% intervals that contain the true Pass@4",
        "[`estimate_with_judge`](judges.md)",
        1.0,
    ),
]


def cell(values: Array) -> str:
    """A mean with its Monte Carlo error."""
    return f"{values.mean():.3f} ± {values.std(ddof=1) / np.sqrt(len(values)):.3f}"


def table(runs: int) -> str:
    """The rows as a Markdown table."""
    lines = ["| shortcut | what is measured | shortcut | instead | with |", "|---|---|---|---|---|"]
    for number, (shortcut, simulate, measured, instead, part) in enumerate(ROWS):
        seeds = itertools.islice(itertools.count(), max(int(runs * part), 2))
        results = np.array([simulate(np.random.default_rng([number, seed])) for seed in seeds], dtype=float)
        lines.append(f"| {shortcut} | {measured} | {cell(results[:, 0])} | {cell(results[:, 1])} | {instead} |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def main() -> None:
    """Print the table; with ``--page`` fill docs/which-number.md."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--page", action="store_true", help="fill docs/which-number.md")
    options = parser.parse_args()
    warnings.simplefilter("ignore", LabelsWarning)  # one random sample in a thousand does not look like one
    text = f"{table(options.runs)}\n\n{made()}; {options.runs} runs, fewer where a run has many comparisons."
    if options.page:
        fill("which-number.md", "table of mistakes", text)


if __name__ == "__main__":
    main()
