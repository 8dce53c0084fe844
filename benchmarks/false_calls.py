"""How often ``compare`` calls one of two equal models better, for each model of a real bank: error 5% is nominal.

    python benchmarks/false_calls.py BANK.npz --worlds 400

``BANK`` holds ``correct`` (models, questions), ``trials`` and ``models``. A world draws questions with replacement, and
the trials of two models that both have the bank's shares of successes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from scorio import OutcomeMatrix, compare


def false_calls(rates: np.ndarray, worlds: int, questions: int, trials: int, rng: np.random.Generator) -> float:
    """Return the share of worlds in which the interval of the difference excludes zero."""
    called = 0
    for _ in range(worlds):
        p = rng.choice(rates, questions)
        one, other = (OutcomeMatrix.from_counts(rng.binomial(trials, p), trials) for _ in range(2))
        result = compare("pass@1", one, other)
        called += bool(result.lo > 0.0 or result.hi < 0.0)
    return called / worlds


def main() -> None:
    """Print the share for each model and over all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bank", type=Path)
    parser.add_argument("--worlds", type=int, default=400)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--trials", type=int, default=5)
    arguments = parser.parse_args()
    with np.load(arguments.bank, allow_pickle=False) as bank:
        rates, models = bank["correct"] / bank["trials"], bank["models"]
    shares = [
        false_calls(p, arguments.worlds, arguments.questions, arguments.trials, np.random.default_rng(seed))
        for seed, p in enumerate(rates)
    ]
    for name, share in zip(models, shares, strict=True):
        print(f"{name}: {share:.3f}")
    mean = np.mean(shares)
    error = np.sqrt(mean * (1.0 - mean) / (arguments.worlds * len(shares)))
    print(f"over all models: {mean:.3f} ± {error:.3f}")


if __name__ == "__main__":
    main()
