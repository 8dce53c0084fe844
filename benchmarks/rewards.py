"""How often 95% intervals of continuous rewards contain the truth, and what a million distinct rewards cost.

    python benchmarks/rewards.py --replicates 2000                # the coverage table, in Markdown
    python benchmarks/rewards.py --replicates 2000 --out FILE.csv
    python benchmarks/rewards.py --few --replicates 2000          # few questions and trials, beside Student's interval
    python benchmarks/rewards.py --speed

A law is a quantile function with one parameter per question, so trials are drawn by inversion and the true mean and
the true best of four are integrals of it. A replicate draws its questions from a pool of 2,000, which is the
population. The outcomes are made by ``OutcomeMatrix.from_rewards``: where rewards repeat it may keep categories, and
``continuous`` is the share of replicates where it did not.

With ``--few``, rewards are in [0, 1]: every question has a distribution of its own over the levels (Dirichlet with .3
for each level, so that most trials have few of them) or over 200 places, or a Beta law; or 1 with probability .99, else
.3. Student's interval is over questions for single trials, else pooled within questions.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
import tracemalloc
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
from scipy.special import betainc, betaincinv, gammaincinv, ndtri, stdtrit

from scorio import AvgMetric, BayesMetric, MaxAtK, OutcomeMatrix, RewardMatrix, compare

POOL = 2000
NODES = 400
SIZES = ((1, 64), (10, 8), (30, 2), (200, 4))
LEARNED = {"prior": "learned", "shape": "quantile"}
Array = np.ndarray
Law = Callable[[Array, Array], Array]


def zero_inflated(chance: Array, u: Array) -> Array:
    """A reward with this chance, of a Gamma law with mean 1; else nothing."""
    return np.where(u < 1.0 - chance, 0.0, 0.5 * gammaincinv(2.0, np.clip((u - 1.0 + chance) / chance, 0.0, 1.0)))


def two_level(chance: Array, u: Array) -> Array:
    """About .9 with this chance, else about .1, with a little noise."""
    high = u >= 1.0 - chance
    place = np.where(high, (u - 1.0 + chance) / chance, u / (1.0 - chance))
    return np.where(high, 0.9, 0.1) + 0.04 * (place - 0.5)


LAWS: dict[str, tuple[Law, Callable[[np.random.Generator], Array]]] = {
    "normal": (lambda q, u: q + ndtri(u), lambda rng: rng.normal(0.0, 1.0, POOL)),
    "heavy-tailed": (lambda q, u: q + stdtrit(3.0, u), lambda rng: rng.normal(0.0, 1.0, POOL)),
    "skewed": (lambda q, u: np.exp(q + 0.8 * ndtri(u)), lambda rng: rng.normal(0.0, 0.5, POOL)),
    "bounded": (lambda q, u: betaincinv(3.0 * q, 3.0 - 3.0 * q, u), lambda rng: rng.beta(2.0, 2.0, POOL)),
    "zero-inflated": (zero_inflated, lambda rng: rng.beta(1.0, 1.5, POOL)),
    "two-level": (two_level, lambda rng: np.clip(rng.beta(0.5, 0.5, POOL), 1e-6, 1.0 - 1e-6)),
}


class Pool:
    """Questions of one law, with the true mean and the true best of four of each."""

    def __init__(self, law: str, seed: int) -> None:
        self.quantile, draw = LAWS[law]
        self.about = draw(np.random.default_rng(seed))[:, None]
        v = (np.arange(NODES) + 0.5) / NODES
        u = betainc(4.0, 4.0, v)  # nodes that are dense at both ends
        weight = 140.0 * (v * (1.0 - v)) ** 3 / NODES
        table = np.concatenate([self.quantile(part, u[None, :]) for part in np.array_split(self.about, 20)])
        self.mean, self.best = table @ weight, table @ (weight * 4.0 * u**3)

    def trials(self, rng: np.random.Generator, questions: Array, count: int) -> Array:
        """``count`` rewards of each of these questions."""
        return self.quantile(self.about[questions], rng.random((len(questions), count)))


def replicate(pool: Pool, rng: np.random.Generator, questions: int, trials: int) -> dict[str, bool]:
    """Which intervals of one drawn bank contain the truth."""
    drawn = rng.integers(POOL, size=questions)
    table = pool.trials(rng, drawn, trials)
    outcomes = OutcomeMatrix.from_rewards(table)
    mean, best = pool.mean[drawn].mean(), pool.best[drawn].mean()
    found = {
        "continuous": outcomes.is_continuous,
        "mean": contains(BayesMetric().interval(outcomes, **LEARNED), mean),
        "unpaired": unpaired(pool, rng, outcomes, mean),
    }
    if trials >= 4:
        found["max@4"] = contains(MaxAtK(4).interval(outcomes, **LEARNED), best)
    if questions > 1:
        whole = BayesMetric().interval(outcomes, target="population", **LEARNED)
        found["population"] = contains(whole, pool.mean.mean())
        length = rng.integers(1, trials + 1, questions)
        rows = [row[:n] for row, n in zip(table, length, strict=True)]
        short = OutcomeMatrix.from_rewards(rows)
        found["ragged, learned"] = contains(BayesMetric().interval(short, **LEARNED), mean)
        found["ragged, avg"] = contains(AvgMetric().interval(short, **LEARNED), mean)
    return found


def unpaired(pool: Pool, rng: np.random.Generator, outcomes: OutcomeMatrix, mean: float) -> bool:
    """Whether the interval of the difference to other questions contains it."""
    others = rng.integers(POOL, size=outcomes.n_questions)
    other = OutcomeMatrix.from_rewards(pool.trials(rng, others, outcomes.max_trials))
    result = compare(BayesMetric(), outcomes, other, paired=False, prior="learned")
    return bool(result.lo <= mean - pool.mean[others].mean() <= result.hi)


def contains(interval: tuple[float, ...], truth: float) -> bool:
    """Whether the truth is between the ends."""
    return bool(interval[2] - 1e-12 <= truth <= interval[3] + 1e-12)


COLUMNS = ("mean", "max@4", "population", "ragged, learned", "ragged, avg", "unpaired", "continuous")


def coverage(replicates: int, seed: int) -> list[dict[str, object]]:
    """A row per law and size: the share of replicates whose interval contained the truth."""
    rows: list[dict[str, object]] = []
    for law, (questions, trials) in product(LAWS, SIZES):
        pool = Pool(law, seed)
        rng = np.random.default_rng((seed, questions, trials))
        results = [replicate(pool, rng, questions, trials) for _ in range(replicates)]
        shares = {name: np.mean([each[name] for each in results]) for name in COLUMNS if name in results[0]}
        rows.append({"law": law, "M": questions, "N": trials, **{name: f"{x:.3f}" for name, x in shares.items()}})
        print(rows[-1], file=sys.stderr, flush=True)
    return rows


FEW = ((2, 1), (3, 1), (5, 1), (10, 1), (2, 2), (2, 4), (3, 3), (5, 2), (5, 4), (10, 2), (10, 4), (30, 4))
PLACES = {"2 levels": 2, "5 levels": 5, "21 levels": 21, "101 levels": 101, "continuous": 200}


def few_rewards(rng: np.random.Generator, kind: str, questions: int, trials: int) -> tuple[Array, float]:
    """Rewards of few questions, and the mean of their true means."""
    if kind == "Beta":
        about = rng.beta(4.0, 2.0, (questions, 1))
        return rng.beta(8.0 * about, 8.0 * (1.0 - about), (questions, trials)), float(about.mean())
    if kind == "rarely .3":
        return np.where(rng.random((questions, trials)) < 0.01, 0.3, 1.0), 0.993
    count = PLACES[kind]
    share = rng.dirichlet(np.full(count, 1.0 if kind == "continuous" else 0.3), questions)
    drawn = rng.random((questions, count)) if kind == "continuous" else np.linspace(0.0, 1.0, count)
    places = np.broadcast_to(drawn, (questions, count))
    at = (rng.random((questions, trials, 1)) > share.cumsum(axis=1)[:, None, :]).sum(axis=2).clip(max=count - 1)
    return np.take_along_axis(places, at, axis=1), float((places * share).sum(axis=1).mean())


def students(table: Array) -> tuple[float, ...]:
    """Student's interval in [0, 1]: over questions for single trials, else pooled within questions."""
    questions, trials = table.shape
    single = trials == 1
    variance = table.var(ddof=1) / questions if single else table.var(axis=1, ddof=1).mean() / table.size
    reach = stdtrit(questions - 1.0 if single else questions * (trials - 1.0), 0.975) * np.sqrt(variance)
    return (0.0, 0.0, max(table.mean() - reach, 0.0), min(table.mean() + reach, 1.0))


def few(replicates: int, seed: int) -> list[dict[str, object]]:
    """A row per kind and size: coverage as read and without categories, and the width over that of Student's."""
    rows: list[dict[str, object]] = []
    for kind, (questions, trials) in product([*PLACES, "Beta", "rarely .3"], FEW):
        rng = np.random.default_rng((seed, questions, trials))
        found = []
        for _ in range(replicates):
            table, truth = few_rewards(rng, kind, questions, trials)
            read = OutcomeMatrix.from_rewards(table, questions=range(questions))
            made = [AvgMetric().interval(each) for each in (read, RewardMatrix(table))]
            found.append([(contains(each, truth), each[3] - each[2]) for each in (*made, students(table))])
        (mine, width), (free, free_width), (t, t_width) = np.mean(found, axis=0).tolist()
        numbers = {"avg": mine, "RewardMatrix": free, "Student": t, "width": width}
        numbers |= {"over Student": width / t_width, "RewardMatrix over Student": free_width / t_width}
        rows.append({"law": kind, "M": questions, "N": trials, **{name: f"{x:.3f}" for name, x in numbers.items()}})
        print(rows[-1], file=sys.stderr, flush=True)
    return rows


def speed() -> None:
    """A million distinct rewards: the time of each step, and the memory that is kept."""
    table = np.random.default_rng(0).standard_normal((1000, 1000))
    tracemalloc.start()
    start = time.perf_counter()
    outcomes = OutcomeMatrix.from_rewards(table)
    print(f"from_rewards {time.perf_counter() - start:.3f} s, keeps {tracemalloc.get_traced_memory()[0] / 1e6:.1f} MB")
    tracemalloc.stop()
    for metric in (AvgMetric(), BayesMetric(), MaxAtK(8)):
        start = time.perf_counter()
        metric.score(outcomes)
        metric.interval(outcomes, **LEARNED)
        print(f"{metric}: score and interval {time.perf_counter() - start:.3f} s")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replicates", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out")
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--speed", action="store_true")
    options = parser.parse_args()
    if options.speed:
        speed()
        return
    rows = (few if options.few else coverage)(options.replicates, options.seed)
    names = [*rows[0]] if options.few else ["law", "M", "N", *COLUMNS]
    if options.out:
        with Path(options.out).open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, names, restval="")
            writer.writeheader()
            writer.writerows(rows)
    print("| " + " | ".join(names) + " |\n|" + " --- |" * len(names))
    for row in rows:
        print("| " + " | ".join(str(row.get(name, "")) for name in names) + " |")
    print(f"\nMonte Carlo standard error at .95: {np.sqrt(0.95 * 0.05 / options.replicates):.4f}")


if __name__ == "__main__":
    main()
