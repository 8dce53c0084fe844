"""How narrow the intervals of forecasts can be at best: a lower bound for their width, and so for the interval score.

python benchmarks/forecast_bound.py --results results.jsonl [--bank BANK.npz]

beside the scores that ``forecast.py`` wrote to this file. The rates of M questions are drawn from a distribution F, and
an interval is a function of the counts. Let G be another distribution whose counts have nearly the same law: ``t`` is
the total variation between the laws of all M counts. An interval that covers with probability .9 under G then covers a
value of G with probability .9 - t under the counts of F. With two such distributions, G and H, whose values are ``d``
apart, it covers both with probability ``1 - q`` or more, where ``q = .2 + 2 t``, and then it is as wide as they are
apart. The values of M questions vary around those of G and H, their difference with a standard deviation of at most
``s``, and in the worst case they are far apart just where the interval does not cover both. So the expected width under
F is at least

    (1 - q) d - s phi(Phi^-1(q))

with the density and the distribution function of the normal law, which means over M questions have nearly. G and H are
mixtures of F and distributions on the path of a profile likelihood: for each, the total variation is simulated (error
.01), so the bound holds however good they are. Of a bank, F is the distribution of its rates.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from forecast import QUESTIONS, WORLDS
from scipy.stats import binom, norm

from scorio.metrics._profile import FittingLaws

APART = (0.02, 0.04, 0.06, 0.08, 0.1, 0.13, 0.16)  # total variations, of which the best is taken
DRAWS = 4000  # of all counts
SETS = 20  # of QUESTIONS rates, whose mean is taken for a distribution
RATES = np.concatenate([[0.0], np.geomspace(1e-7, 1e-2, 100), np.sin(np.linspace(0.1, np.pi / 2, 160)[1:]) ** 2])
PENALTIES = np.geomspace(1e-3, 1e4, 22)
PARTS = np.linspace(0.125, 1.0, 8)  # of a distribution on the path, the rest being F
NEGLIGIBLE = 1e-13
FARTHEST_ROWS = 6400  # k of a bank from which on rows are printed


def chances(rates, trials):
    """The probability of every count."""
    return np.mean(binom.pmf(np.arange(trials + 1)[:, None], trials, rates), axis=1)


def distributions(seen, likelihood, values, truth, questions, end):
    """Total variations and values of mixtures of F and the distributions that fit best for their value, to an end."""
    laws = FittingLaws(likelihood, questions * seen)
    share, _ = laws.best
    drawn = np.random.default_rng(0).multinomial(questions, seen / seen.sum(), DRAWS).astype(float)
    for penalty in questions * PENALTIES:
        share, _ = laws._fit(share, values, penalty, end)
        other, value = likelihood @ share, float(values @ share)
        for part in PARTS:
            ratio = drawn @ np.log(((1.0 - part) * seen + part * other) / seen)
            yield float(np.mean(np.maximum(1.0 - np.exp(ratio), 0.0))), (1.0 - part) * truth + part * value


def least_width(rates, questions, trials, k):
    """The least expected width where the rates are drawn from these."""
    chance = chances(rates, trials)
    likely = chance > NEGLIGIBLE
    likelihood = binom.pmf(np.arange(trials + 1)[likely, None], trials, RATES)
    values = -np.expm1(k * np.log1p(-np.minimum(RATES, 1.0 - 1e-16)))
    truth, found = float(np.mean(-np.expm1(k * np.log1p(-np.minimum(rates, 1.0 - 1e-16))))), 0.0
    paths = [[*distributions(chance[likely], likelihood, values, truth, questions, end)] for end in (0.0, 1.0)]
    for most in APART:
        low, high = ([value for apart, value in path if apart <= most] + [truth] for path in paths)
        low, high = min(low), max(high)
        spread = np.sqrt((low * (1.0 - low) + high * (1.0 - high)) / questions)
        missed = 0.2 + 2.0 * most
        found = max(found, (1.0 - missed) * (high - low) - spread * norm.pdf(norm.ppf(missed)))
    return found


def cells(path, bank):
    """World, trials, k, the score of the forecast and that of the better fit."""
    found = {}
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["bank"] is (bank is not None) and row["k"] >= (FARTHEST_ROWS if bank else 8 * row["trials"]):
            found.setdefault((row["world"], row["trials"], row["k"]), {})[row["way"]] = row["mean"]
    return found


def run(arguments):
    """Print, by world or by trials and k, the scores of the forecast and of the better fit, and the bound."""
    if arguments.bank:
        with np.load(arguments.bank) as stored:
            known = stored["correct"] / stored["trials"]
            rates = dict(zip(map(str, stored["models"]), known, strict=True))
    else:
        rng = np.random.default_rng(arguments.seed)
        rates = {name: np.concatenate([draw(rng) for _ in range(SETS)]) for name, draw in WORLDS.items()}
    rows = {}
    for (world, trials, k), ways in cells(arguments.results, arguments.bank).items():
        count = len(rates[world]) if arguments.bank else QUESTIONS
        width = least_width(rates[world], count, trials, k)
        fits = [ways[name][3] for name in ("power law", "Beta-binomial")]
        rows.setdefault(f"{trials}, {k:,}" if arguments.bank else world, []).append((ways["forecast"][3], *fits, width))
    for name, numbers in rows.items():
        ours, *fits, width = np.mean(numbers, axis=0)
        print(f"| {name} | {ours:.3f} | {min(fits):.3f} | {width:.3f} | {width / min(fits):.2f} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", required=True)
    parser.add_argument("--bank", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    run(parser.parse_args())
