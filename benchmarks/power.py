"""The power that ``Design`` promises, against ``compare`` on simulated models.

python benchmarks/power.py [--runs 400]
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from marked import made
from scipy.stats import norm

from scorio import Design, OutcomeMatrix, compare
from scorio.planning._design import better_by, rates_of, values_and_noise

NORMALS = norm.ppf((np.arange(20_000) + 0.5) / 20_000)


def copula(one: np.ndarray, other: np.ndarray, correlation: float, rng: np.random.Generator) -> float:
    """The correlation of normals that gives values (by quantile) this correlation."""
    z, e = NORMALS, rng.permutation(NORMALS)
    low, high = 0.0, 1.0
    for _ in range(20):
        r = 0.5 * (low + high)
        x, y = at(one, z), at(other, r * z + np.sqrt(1 - r * r) * e)
        low, high = (r, high) if np.corrcoef(x, y)[0, 1] < correlation else (low, r)
    return 0.5 * (low + high)


def at(quantiles: np.ndarray, z: np.ndarray) -> np.ndarray:
    """The quantiles at normal scores."""
    return quantiles[np.minimum((norm.cdf(z) * len(quantiles)).astype(int), len(quantiles) - 1)]


def share_called(design: Design, difference: float, runs: int, rng: np.random.Generator) -> float:
    """How often ``compare`` calls the better model better."""
    rates = rates_of(design.profile)
    better = better_by(design.metric, rates, design.n_trials, difference) if difference else rates
    n, calls = design.n_questions, 0
    values = [values_and_noise(design.metric, each, design.n_trials)[0] for each in (rates, better)]
    is_drawn = design.target == "population" or design.n_trials == 1  # else the spread between questions does not count
    r = copula(*values, design.correlation, rng) if is_drawn and design.paired else 0.0
    even = ((np.arange(n) + 0.5) / n * len(rates)).astype(int)
    for _ in range(runs):
        p, q = rates[even], better[even]
        if is_drawn:
            z = rng.normal(size=n)
            p, q = at(rates, z), at(better, r * z + np.sqrt(1 - r * r) * rng.normal(size=n))
        A, B = (OutcomeMatrix.from_counts(rng.binomial(design.n_trials, each), design.n_trials) for each in (q, p))
        paired = design.paired if design.target == "population" else None
        found = compare(design.metric, A, B, target=design.target, confidence=design.confidence, paired=paired)
        calls += found.winner == "A" if difference else found.winner is not None
    return calls / runs


def table(runs: int) -> str:
    """Rows of designs: the detectable difference, and the share of simulated comparisons that detect it."""
    lines = [
        "| profile | metric | about | difference | power promised | power of `compare` |",
        "|---|---|---|---|---|---|",
    ]
    jobs = [
        Design(200, 8, metric, profile, target=target)
        for profile in ("typical", "hard", "two-sided")
        for metric in ("pass@1", "pass@4")
        for target in ("questions", "population")
    ]
    jobs += [Design(200, 8, target="population", paired=False), Design(60, 4), Design(60, 4, target="population")]
    jobs += [Design(200, 1, correlation=rho) for rho in (0.5, 0.7, 0.9)] + [
        Design(60, 1),
        Design(500, 1, profile="hard"),
    ]
    for seed, design in enumerate(jobs):
        gap = design.detectable()
        share = share_called(design, gap, runs, np.random.default_rng(seed))
        about = "these questions" if design.target == "questions" else "population"
        about += "" if design.target == "questions" else ", paired" if design.paired else ", unpaired"
        usual = (design.n_questions, design.n_trials) == (200, 8)
        size = "" if usual else f", {design.n_questions} x {design.n_trials}"
        size += "" if design.n_trials > 1 else f", correlation {design.correlation:g}"
        lines.append(
            f"| {design.profile} | {design.metric} | {about}{size} | {gap:.3f} "
            f"| {design.power(gap):.2f} | {share:.3f} |"
        )
        print(lines[-1], flush=True)
    return "\n".join(lines)


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=400)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    table(arguments.runs)
    error = np.sqrt(0.16 / arguments.runs)
    print(f"{arguments.runs:,} runs per row, standard error of a power of .8: {error:.3f} ({made()}).")


if __name__ == "__main__":
    main()
