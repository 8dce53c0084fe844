"""Votes and choices among samples by the estimators that are in use, against the truth.

python benchmarks/selection_bias.py --worlds 2000 [--page]   # the table of docs/selection.md

A question is solved with a rate of its own. A wrong sample gives the question's attractive wrong answer in six of ten
cases, else one of eight others; a right one scores higher with a verifier by 1.5 standard deviations on average.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from marked import fill, made

from scorio import BestOfK, MajAtK, OutcomeMatrix, VoteAtK

PAGE = Path(__file__).parents[1] / "docs" / "selection.md"
QUESTIONS, TRIALS, K = 60, 16, 8
RIGHT, TRAP = 0, 1
TRUTH_DRAWS = 40_000
Array = np.ndarray


def samples(rate: Array, n: int, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Return outcomes, answers and scores of n samples of each question."""
    shape = (len(rate), n)
    right = rng.random(shape) < rate[:, None]
    wrong = np.where(rng.random(shape) < 0.6, TRAP, 2 + rng.integers(0, 8, shape))
    return right.astype(int), np.where(right, RIGHT, wrong), rng.normal(size=shape) + 1.5 * right


def vote(answers: Array, rng: np.random.Generator) -> float:
    """Return the share of rows whose most frequent answer is right; ties are broken at random."""
    counts = (answers[:, :, None] == np.arange(10)).sum(axis=1) + rng.random((len(answers), 10)) / 2
    return float((counts.argmax(axis=1) == RIGHT).mean())


def best(right: Array, scores: Array) -> float:
    """Return the share of rows whose sample with the highest score is right."""
    return float(np.take_along_axis(right, scores.argmax(axis=1)[:, None], 1).mean())


def truth(rate: Array, rng: np.random.Generator) -> tuple[float, float]:
    """Return the vote and the best of K new samples, on average."""
    drawn = [samples(np.full(TRUTH_DRAWS // len(rate) * 10, each), K, rng) for each in rate]
    return (
        float(np.mean([vote(answers, rng) for _, answers, _ in drawn])),
        float(np.mean([best(right, scores) for right, _, scores in drawn])),
    )


def resampled(right: Array, answers: Array, scores: Array, rng: np.random.Generator) -> tuple[float, float]:
    """Return both by 100 draws of K samples with replacement."""
    found = []
    for _ in range(100):
        places = rng.integers(0, TRIALS, (len(right), K))
        own = [np.take_along_axis(each, places, 1) for each in (right, answers, scores)]
        found.append((vote(own[1], rng), best(own[0], own[2])))
    return tuple(np.mean(found, axis=0))


def table(worlds: int) -> str:
    """Return the rows: the mean error of each estimator, with its Monte Carlo error."""
    rng = np.random.default_rng(1)
    rate = rng.beta(1.0, 1.0, QUESTIONS)
    vote_truth, best_truth = truth(rate, rng)
    errors: dict[str, list[float]] = {}
    for _ in range(worlds):
        right, answers, scores = samples(rate, TRIALS, rng)
        R = OutcomeMatrix(right, answers=answers, scores={"verifier": scores}, normalize=None)
        drawn = resampled(right, answers, scores, rng)
        for name, value, true in (
            ("vote@8, every draw without replacement: `VoteAtK(8)`", VoteAtK(8).score(R), vote_truth),
            ("vote@8, resampled with replacement", drawn[0], vote_truth),
            ("vote of all 16 samples, reported as vote@8", vote(answers, rng), vote_truth),
            ("maj@8 of right and wrong: `MajAtK(8)`", MajAtK(8).score(R), vote_truth),
            ("best@8, every draw without replacement: `BestOfK(8)`", BestOfK(8).score(R), best_truth),
            ("best@8, resampled with replacement", drawn[1], best_truth),
            ("best of all 16 samples, reported as best@8", best(right, scores), best_truth),
        ):
            errors.setdefault(name, []).append(value - true)
    lines = ["| estimate | mean error |", "|---|---|"]
    for name, each in errors.items():
        lines.append(f"| {name} | {np.mean(each):+.4f} ± {np.std(each) / np.sqrt(worlds):.4f} |")
    truths = f"True values: vote@8 {vote_truth:.3f}, best@8 {best_truth:.3f}. {made()}; {worlds} worlds."
    return "\n".join([*lines, "", truths])


def main() -> None:
    """Print the table, or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=500)
    parser.add_argument("--page", action="store_true")
    asked = parser.parse_args()
    rows = table(asked.worlds)
    print(rows)
    if asked.page:
        fill(PAGE.name, "estimates", rows)


if __name__ == "__main__":
    main()
