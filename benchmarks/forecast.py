"""Forecasts of Pass@k for k far above the trials: coverage, width, error and interval score, beside published fits.

python benchmarks/forecast.py --out results.jsonl [--bank BANK.npz] [--draws 100] [--trials 8 16 64 256]
python benchmarks/forecast.py --out results.jsonl --page        # the tables of docs/forecast.md

A world is the rates of some questions: simulated, or those of a bank of models whose questions were tried many times
(``correct`` (models, questions) of ``trials``), which are taken as known. In each draw, all ways see the same counts.
"Learned prior" is the law that is used up to 4 times the trials. The interval score (Gneiting and Raftery 2007) is the
width plus 40 times the distance by which the interval misses; smaller is better. Results are written as they come.
"""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
from published_forecasts import published

from scorio import OutcomeMatrix, PassAtK
from scorio.errors import ForecastWarning
from scorio.inference import Level
from scorio.metrics import learned_prior
from scorio.metrics._shared_prior import pooled

QUESTIONS, FARTHEST, PENALTY = 100, 10_000, 40.0
TIMES = (2, 4, 8, 16, 100)  # times the trials, beside the farthest k
ROUNDING = 1e-6


def with_hopeless(rng, rates):
    """The rates, a fifth of which are 0."""
    return np.where(rng.random(len(rates)) < 0.2, 0.0, rates)


WORLDS = {
    "Beta(.4, 2)": lambda rng: rng.beta(0.4, 2.0, QUESTIONS),
    "Beta(1, 3)": lambda rng: rng.beta(1.0, 3.0, QUESTIONS),
    "two-sided, Beta(.3, .3)": lambda rng: rng.beta(0.3, 0.3, QUESTIONS),
    "a fifth hopeless, Beta(1, 1.5)": lambda rng: with_hopeless(rng, rng.beta(1.0, 1.5, QUESTIONS)),
    "a fifth hopeless, Beta(.3, 1)": lambda rng: with_hopeless(rng, rng.beta(0.3, 1.0, QUESTIONS)),
    "log-uniform from 1e-4": lambda rng: 10.0 ** rng.uniform(-4.0, 0.0, QUESTIONS),
    "log-uniform from 1e-6": lambda rng: 10.0 ** rng.uniform(-6.0, 0.0, QUESTIONS),
    "logit-normal(-4, 2)": lambda rng: 1.0 / (1.0 + np.exp(-rng.normal(-4.0, 2.0, QUESTIONS))),
    "spikes .003 .05 .4 .9": lambda rng: rng.choice([0.003, 0.05, 0.4, 0.9], QUESTIONS),
    "spikes 0 .01 .5": lambda rng: rng.choice([0.0, 0.01, 0.5], QUESTIONS),
    "spikes 0 .02 .2 .6": lambda rng: rng.choice([0.0, 0.02, 0.2, 0.6], QUESTIONS),
    "a common rate, .02": lambda rng: np.full(QUESTIONS, 0.02),
}  # fmt: skip


def worlds(bank):
    """Names and rates of worlds; those of a bank do not change."""
    if bank is None:
        return WORLDS
    with np.load(bank) as stored:
        rates = stored["correct"] / stored["trials"]
        return {str(name): (lambda rng, p=p: p) for name, p in zip(stored["models"], rates, strict=True)}


def of_learned_prior(k, outcomes):
    """Mean and 95% interval under the learned prior alone."""
    law = pooled(PassAtK(k)._law(), learned_prior(outcomes), outcomes).on(0.0, 1.0)
    return law.mean, *law.equal_tailed(Level(0.95).tail)


def drawn(rate, trials, ks, rng):
    """Of one draw: per k and way, whether it covers, the width, the error, the score, and the miss on each side."""
    counts = rng.binomial(trials, rate)
    outcomes = OutcomeMatrix.from_counts(counts, trials)
    fits = published(counts, trials, np.array(ks), rng)
    for at, k in enumerate(ks):
        truth = float(np.mean(-np.expm1(k * np.log1p(-np.minimum(rate, 1.0 - 1e-16)))))
        interval = PassAtK(k).interval(outcomes)
        ways = {"forecast": (interval.mu, interval.lo, interval.hi), "learned prior": of_learned_prior(k, outcomes)}
        ways |= {name: each[:, at] for name, each in fits.items()}
        for way, (middle, lo, hi) in ways.items():
            below, above = max(lo - truth, 0.0), max(truth - hi, 0.0)
            covers = lo - ROUNDING <= truth <= hi + ROUNDING
            yield k, way, [covers, hi - lo, abs(middle - truth), hi - lo + PENALTY * (below + above), middle - truth]


def run(arguments):
    """Write one line per world, trials, k and way: number of draws, sums and sums of squares."""
    with Path(arguments.out).open("a", encoding="utf-8") as file:
        for name, rates in worlds(arguments.bank).items():
            for trials in arguments.trials:
                ks = sorted({min(times * trials, FARTHEST) for times in TIMES} | {FARTHEST})
                rng = np.random.default_rng([arguments.seed, trials])
                found = {}
                for _ in range(arguments.draws):
                    for k, way, numbers in drawn(rates(rng), trials, ks, rng):
                        found.setdefault((k, way), []).append(numbers)
                for (k, way), rows in found.items():
                    mean = np.mean(np.array(rows, dtype=float), axis=0).tolist()
                    about = {"world": name, "bank": arguments.bank is not None, "trials": trials, "k": k, "way": way}
                    file.write(json.dumps(about | {"draws": len(rows), "mean": mean}) + "\n")
                file.flush()


def page(path):
    """Print the tables of the page: of a bank by trials and k, and of worlds over all cells with k from 8 N on."""
    rows = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
    for names in (["trials", "k"], ["world"]):
        heads = [*names, "covers (least)", "learned prior alone", "power law, Beta-binomial", "width", "of learned"]
        heads += ["error", "of the better fit", "score / better fit"]
        print("\n| " + " | ".join(heads) + " |\n|" + " --- |" * len(heads))
        cells = {}
        for row in rows:
            if row["bank"] is ("k" in names) and (row["bank"] or row["k"] >= 8 * row["trials"]):
                found = cells.setdefault(
                    tuple(f"{row[name]:,}" if name != "world" else row[name] for name in names), {}
                )
                found.setdefault(row["way"], {})[row["world"], row["trials"], row["k"]] = row["mean"]
        for key, of in cells.items():
            print(
                "| " + " | ".join([", ".join(key)] if len(key) == 1 else key) + " | " + " | ".join(numbers(of)) + " |"
            )


def numbers(of):
    """The numbers of one row, over models or over trials and k; the better fit is that of each cell."""
    cell = {way: np.array(list(each.values())) for way, each in of.items()}
    mean = {way: each.mean(axis=0) for way, each in cell.items()}
    ours, old = mean["forecast"], mean["learned prior"]
    fits = [mean["power law"], mean["Beta-binomial"]]
    error, score = (min(fit[at] for fit in fits) for at in (2, 3))
    return [
        f"{ours[0]:.3f} ({cell['forecast'][:, 0].min():.2f})",
        f"{old[0]:.3f} ({cell['learned prior'][:, 0].min():.2f})",
        ", ".join(f"{fit[0]:.2f}" for fit in fits),
        *(f"{each[1]:.2f}" for each in (ours, old)),
        *(f"{each:.3f}" for each in (ours[2], error)),
        f"{ours[3] / max(score, 1e-9):.2f}",
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--bank", type=Path)
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--trials", type=int, nargs="+", default=[8, 16, 64, 256])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--page", action="store_true")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore", ForecastWarning)
    page(chosen.out) if chosen.page else run(chosen)
