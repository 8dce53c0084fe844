"""Worlds with known truth: success rates, what metrics are worth at these rates, and outcomes."""

import itertools
import os
import re
from functools import cache
from pathlib import Path

import numpy as np
from scipy.stats import binom

from scorio import Metric, OutcomeMatrix

Z = 1.959963984540054
PART = re.compile(r"(?:([\d.]+)% )?(\w+)\(([^)]*)\)")
KINDS = {
    "Beta": lambda rng, count, a, b: rng.beta(a, b, count),
    "U": lambda rng, count, a, b: rng.uniform(a, b, count),
    "log": lambda rng, count, a, b: 10.0 ** rng.uniform(a, b, count),  # between two powers of ten
    "logit": lambda rng, count, mean, sd: expit(rng.normal(mean, sd, count)),
    "at": lambda rng, count, *rates: rng.choice(rates, count),
}


def expit(x):
    return 1.0 / (1.0 + np.exp(-x))


def rates(words, rng, count):
    """Success rates of questions: ``Beta(.3, .3)``, or parts such as ``35% at(0) + 25% at(1) + U(0, 1)``.

    The last part has the rest of the questions; a name of a bank (see ``banks``) draws from its observed rates.
    """
    if words in banks():
        return rng.choice(banks()[words].ravel(), count)
    found, kind, before = np.empty(count), rng.random(count), 0.0
    for share, name, numbers in PART.findall(words):
        here, before = kind >= before, before + float(share or 100.0) / 100.0
        found[here] = KINDS[name](rng, int(here.sum()), *map(float, numbers.split(",")))
    return found


@cache
def banks():
    """Observed rates (models, questions) of real banks in the folder of ``--data``, by the name of the file."""
    found = {}
    for path in sorted(Path(os.environ["BANKS"]).glob("*.npz")) if "BANKS" in os.environ else ():
        with np.load(path, allow_pickle=True) as file:
            if "correct" in file.files:
                found[path.stem] = np.atleast_2d(file["correct"] / file["trials"])
            elif "R" in file.files:
                found[path.stem] = np.atleast_2d(np.mean(file["R"], axis=-1))
    return found


@cache
def named_metric(name):
    return Metric.from_string(name)


def worth(metric, p):
    """The value of a binary metric on questions of these rates."""
    credit = np.asarray(named_metric(metric).credit(), dtype=float)
    return binom.pmf(np.arange(len(credit)), len(credit) - 1, np.asarray(p)[..., None]) @ credit


@cache
def population(metric, words):
    """The value of a binary metric over all questions of these rates."""
    return float(worth(metric, rates(words, np.random.default_rng(0), 400_000)).mean())


def tried(p, trials, rng, **options):
    """Outcomes of so many trials of questions of these rates."""
    return OutcomeMatrix.from_counts(rng.binomial(trials, p), trials, **options)


def drawn(p, trials, rng):
    """0/1 outcomes, along a new last axis."""
    return (rng.random((*np.shape(p), trials)) < np.asarray(p)[..., None]).astype(np.int64)


def inside(interval, truth):
    """Whether an interval contains the truth; an end may be open."""
    lo, hi = (interval.lo, interval.hi) if hasattr(interval, "lo") else interval
    return (lo is None or lo - 1e-9 <= truth) and (hi is None or truth <= hi + 1e-9)


def at_mean(logits, goal):
    """Rates with this mean, whose log-odds are shifted together."""
    lo, hi = -40.0, 40.0
    for _ in range(60):
        middle = (lo + hi) / 2.0
        lo, hi = (middle, hi) if expit(logits + middle).mean() < goal else (lo, middle)
    return expit(logits + lo)


def shifted(p, drop, rng):
    """Rates of a new model: others on each question, with a mean that is lower by exactly ``drop``."""
    return at_mean(np.log(np.clip(p, 1e-6, 1 - 1e-6) / np.clip(1 - p, 1e-6, 1)) + rng.normal(0.0, 0.5, len(p)),
                   p.mean() - drop)  # fmt: skip


def better(p, gain=0.9):
    """Rates of a better model."""
    return p + gain * p * (1.0 - p)


def hermite(nodes=60):
    """Nodes and shares of the standard normal law."""
    at, share = np.polynomial.hermite_e.hermegauss(nodes)
    return at, share / share.sum()


def every_pair(factors, rng, is_possible=lambda _: True):
    """Rows in which every pair of two factors' levels is seen: each has most new pairs of many random ones."""

    def pairs_of(row):
        return {(a, x, b, y) for (a, x), (b, y) in itertools.combinations(row.items(), 2)}

    wanted = set()
    for (a, some), (b, others) in itertools.combinations(factors.items(), 2):
        wanted |= {(a, x, b, y) for x in some for y in others if is_possible({a: x, b: y})}
    rows = []
    while wanted:
        many = [{name: each[rng.integers(len(each))] for name, each in factors.items()} for _ in range(200)]
        best = max(filter(is_possible, many), key=lambda row: len(pairs_of(row) & wanted))
        if pairs_of(best) & wanted:
            rows.append(best)
            wanted -= pairs_of(best)
    return rows
