"""What next_trials saves: trials for the same interval, and the errors of the raw mean and of the learned posterior.

    python benchmarks/allocation.py --runs 40
    python benchmarks/allocation.py --data DIR ...      # also real models at their observed rates

Runs start with 4 trials per question and get one more per question on average, again and again, up to 16: spread
evenly, or by ``next_trials``. ``share`` is the number of trials per question after which the adaptive run is as precise
as the even one is after 16, over 16. ``raw`` leaves out questions with fewer trials than the metric needs.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from looked_at import WORLDS, real_rates, value

from scorio import OutcomeMatrix, PassAtK, next_trials

FIRST, LAST, QUESTIONS = 4, 16, 100
METRICS = {"pass@1": PassAtK(1), "pass@4": PassAtK(4)}


def sigmas(metric: PassAtK, rates: np.ndarray, adaptive: bool, rng: np.random.Generator) -> tuple[np.ndarray, tuple]:
    """Posterior deviations from FIRST to LAST mean trials; at the end the errors of both means, and a hit."""
    count = len(rates)
    trials = np.full(count, FIRST)
    successes = rng.binomial(FIRST, rates)
    found = []
    for _ in range(FIRST, LAST + 1):
        R = OutcomeMatrix.from_counts(successes, trials)
        found.append(metric.interval(R, prior="learned").sigma)
        if len(found) == LAST - FIRST + 1:
            break
        more = next_trials(metric, R, count).trials[0] if adaptive else np.ones(count, int)
        trials, successes = trials + more, successes + rng.binomial(more, rates)
    truth = value(metric, rates)
    interval = metric.interval(R, prior="learned", shape="quantile")
    enough = trials >= metric.k
    raw = metric.score(R.select(enough)) if enough.any() else np.nan
    return np.array(found), (raw - truth, interval.mu - truth, interval.lo <= truth <= interval.hi)


def main() -> None:
    """Print one line per world and metric."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    worlds: dict[str, np.ndarray | None] = dict.fromkeys(WORLDS) | real_rates(arguments.data)
    print(f"{'world':28} {'metric':7} share (se)      bias: raw (se)      learned (se)       inside 95% (se)")
    for number, (world, known) in enumerate(worlds.items()):
        rng = np.random.default_rng([arguments.seed, number])
        for name, metric in METRICS.items():
            shares, ends = [], []
            for run in range(arguments.runs):
                rates = WORLDS[world](rng, QUESTIONS) if known is None else known[run % len(known)]
                even, _ = sigmas(metric, rates, False, rng)
                mine, end = sigmas(metric, rates, True, rng)
                reached = np.flatnonzero(mine <= even[-1])
                shares.append((FIRST + int(reached[0]) if reached.size else LAST) / LAST)
                ends.append(end)
            raw, learned, inside = np.array(ends, dtype=float).T
            numbers = [f"{each.mean():+.4f} ({each.std() / np.sqrt(len(each)):.4f})" for each in (raw, learned)]
            share = f"{np.mean(shares):.3f} ({np.std(shares) / np.sqrt(len(shares)):.3f})"
            hit = f"{inside.mean():.3f} ({np.sqrt(max(inside.mean() * (1 - inside.mean()), 0.02) / len(inside)):.3f})"
            print(f"{world:28} {name:7} {share}  {numbers[0]}  {numbers[1]}  {hit}")


if __name__ == "__main__":
    main()
