"""Every metric at a budget of a million trials: the seconds of processor time of its score and of its intervals.

python benchmarks/huge_k.py [--k 1000000] [--limit 2]

The outcomes are 1,000 questions with 8 to 200 trials, nearly all different from one another; 1,000 questions of one
rate with as many, and with up to 200,000 trials, whose posteriors crowd together; and 300 questions with two million
trials each, which a score of that budget needs.
Metrics of answers and scores of trials are left out: they need as many trials, one by one, as the budget.
A time above the limit is marked, and the exit code is then 1.
"""

import argparse
import sys
import time
import warnings
from functools import partial

import numpy as np

from scorio import METRICS, OutcomeMatrix

PRIORS, TARGETS = ("learned", "uniform"), ("questions", "population")
HEADS = ("score", *(f"{prior}, {target}" for prior in PRIORS for target in TARGETS))


def metrics(k):
    """One of each metric of a budget of ``k``, and the spectra with weights of their own."""
    weights = np.random.default_rng(1).dirichlet(np.ones(k))
    own = {"spectrum": {"weights": weights}, "gpass": {"tau": 0.5}}
    for name, kind in METRICS.items():
        if "k" in kind.__dataclass_fields__ and not kind._is_of_samples:
            yield name, kind(k=k, **own.get(name, {}))
    yield "geospectrum:weights", METRICS["geospectrum"](k=k, weights=weights)


def banks(k):
    """Outcomes by name: questions with few trials, as many as they are different, and fewer with enough for a score."""
    random = np.random.default_rng(0)
    few = random.integers(8, 200, 1_000)
    many = random.integers(8, 200_000, 1_000)
    half = np.full(1_000, 0.5)
    rates_of = {"1,000 x 8..200": (few, None), "one rate": (few, half), "one rate, 8..200,000": (many, half)}
    for name, (trials, given) in (rates_of | {f"300 x {2 * k:,}": (np.full(300, 2 * k), None)}).items():
        rates = random.beta(0.4, 0.8, len(trials)) if given is None else given
        yield name, OutcomeMatrix.from_counts(random.binomial(trials, rates), trials)


def seconds(metric, outcomes):
    """The time of the score and of each interval; NaN where too few trials of a question refuse it."""
    is_enough = outcomes.min_trials >= metric.k
    calls = [(metric.score, is_enough)]
    for prior in PRIORS:
        for target in TARGETS:
            needs_none = prior == "learned" or target == "questions"
            calls.append((partial(metric.interval, prior=prior, target=target), is_enough or needs_none))
    for call, is_allowed in calls:
        fresh = OutcomeMatrix.from_counts(outcomes.successes, outcomes.trials)  # which keeps nothing of another call
        start = time.process_time()
        if is_allowed:
            call(fresh)
        yield time.process_time() - start if is_allowed else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--k", type=int, default=1_000_000)
    parser.add_argument("--limit", type=float, default=2.0, help="seconds that a call may take")
    parser.add_argument("--metric", help="the only metric to time, as the table names it")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    slow = False
    for bank, outcomes in banks(options.k):
        print(f"{bank:<22}" + "".join(f"{head:>22}" for head in HEADS))
        for name, metric in metrics(options.k):
            if options.metric not in (None, name):
                continue
            found = list(seconds(metric, outcomes))
            slow |= max(filter(lambda each: each == each, found)) > options.limit
            marks = ("*" if each > options.limit else " " for each in found)
            print(
                f"{name:<22}" + "".join(f"{each:>21.3f}{mark}" for each, mark in zip(found, marks, strict=True)),
                flush=True,
            )
    sys.exit(slow)


if __name__ == "__main__":
    main()
