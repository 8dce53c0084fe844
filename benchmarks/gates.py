"""How often gates are wrong: false fails and false passes of every mode in worlds with known true drops.

    python benchmarks/gates.py --worlds 600
    python benchmarks/gates.py --write              # also into docs/gates.md
    python benchmarks/gates.py --bank rates.npz     # models of a real bank, whose rates are nearly known

A world has tasks of questions whose difficulties differ, a baseline, and a new model whose true score is lower by
``drop`` on every task. The rates of a question differ between the models in either direction, so that questions get
easier and harder as they do for real models; the drop is exact on these questions, or in the population that they are
drawn from. A gate with ``max_drop`` .05 decides
at 95% confidence. A fail is false if the true drop is at most .05, a pass if it is at least .05. ``family`` cells are
those of several checks (three tasks and the overall score, by two metrics).

A bank is an npz file with ``correct`` (models, questions) out of ``trials``. Its shares are taken as the
true rates of pairs of its models, gated at a ``max_drop`` of exactly the true drop: every pass and every fail is false.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
from marked import fill

from scorio import OutcomeMatrix, Suite, gate
from scorio.comparison._gate_result import MODES

MAX_DROP, CONFIDENCE = 0.05, 0.95
DROPS = (0.0, 0.05, 0.1)
POOL = 20_000  # questions of the population
CASES: dict[str, tuple[tuple[int, ...], int, str]] = {
    "100 questions, 4 trials": ((100,), 4, "questions"),
    "300 questions, 1 trial": ((300,), 1, "questions"),
    "40 questions, 16 trials": ((40,), 16, "questions"),
    "3 tasks of 200, 80 and 40 questions, 8 trials": ((200, 80, 40), 8, "questions"),
    "20 tasks of 50 questions, 1 trial, overall": ((50,) * 20, 1, "questions"),
    "100 questions, 4 trials, for the population": ((100,), 4, "population"),
}
SHAPES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "mixed": lambda rng, count: rng.beta(1.0, 0.8, count),
    "extreme": lambda rng, count: rng.beta(0.3, 0.3, count),
}


def shifted(rates: np.ndarray, drop: float, rng: np.random.Generator) -> np.ndarray:
    """Rates of the new model: other rates per question, whose mean is lower by exactly ``drop``."""
    logits = np.log(np.clip(rates, 1e-6, 1 - 1e-6) / np.clip(1 - rates, 1e-6, 1)) + rng.normal(0.0, 0.5, len(rates))
    lo, hi, goal = -40.0, 40.0, rates.mean() - drop
    for _ in range(80):
        middle = (lo + hi) / 2.0
        lo, hi = (middle, hi) if (1.0 / (1.0 + np.exp(-logits - middle))).mean() < goal else (lo, middle)
    return 1.0 / (1.0 + np.exp(-logits - lo))


def world(case: str, shape: str, drop: float, rng: np.random.Generator) -> tuple[Suite, Suite]:
    """Return the outcomes of the new model and of the baseline."""
    sizes, trials, target = CASES[case]
    sides: tuple[dict, dict] = ({}, {})
    for i, count in enumerate(sizes):
        old = SHAPES[shape](rng, POOL if target == "population" else count)
        while old.mean() <= max(DROPS) + 0.02:
            old = SHAPES[shape](rng, count)
        chosen = rng.permutation(len(old))[:count]
        for side, rates in zip(sides, (shifted(old, drop, rng), old), strict=True):
            counted = OutcomeMatrix.from_counts(rng.binomial(trials, rates[chosen]), trials)
            side[f"task {i}"] = {"model": counted}
    return Suite(sides[0]), Suite(sides[1])


def rates_of(case: str, shape: str, drop: float, worlds: int, seed: int) -> dict[str, tuple[float, float]]:
    """Return the share of gates that fail and that pass, by mode."""
    rng = np.random.default_rng([seed, *map(ord, case + shape), round(drop * 1000)])
    about = {"max_drop": MAX_DROP, "confidence": CONFIDENCE, "target": CASES[case][2]}
    about["decided_by"] = "overall" if case.endswith("overall") else "all"
    verdicts: dict[str, list[str]] = {mode: [] for mode in MODES}
    for _ in range(worlds):
        new, old = world(case, shape, drop, rng)
        for mode, each in verdicts.items():
            each.append(gate("pass@1", new, old, mode=mode, **about).verdict)
    return {
        mode: (float(np.mean([v == "failed" for v in each])), float(np.mean([v == "passed" for v in each])))
        for mode, each in verdicts.items()
    }


def bank_lines(path: Path, worlds: int, seed: int) -> list[str]:
    """The table of a real bank: all pairs of its models, and a random one in each world."""
    with np.load(path, allow_pickle=False) as bank:
        rates = bank["correct"] / bank["trials"]
    rows = ["| questions, trials | false pass | false fail | `5%` false pass | false fail |", "|---|---|---|---|---|"]
    for count, trials in ((20, 3), (20, 64), (rates.shape[1], 1), (rates.shape[1], 8)):
        rng = np.random.default_rng([seed, count, trials])
        found = np.zeros(4)
        for _ in range(worlds):
            new = np.zeros(1)
            while new.mean() == 0.0:  # a model that solves nothing has no ratio
                chosen = rng.permutation(rates.shape[1])[:count]
                new, old = sorted(rates[rng.choice(len(rates), 2, replace=False)][:, chosen], key=np.mean)
            pair = [OutcomeMatrix.from_counts(rng.binomial(trials, each), trials) for each in (new, old)]
            amount, share = float(old.mean() - new.mean()), f"{100.0 * (1.0 - new.mean() / old.mean()):.12f}%"
            for i, limit in enumerate((amount, share)):
                verdict = gate("pass@1", *pair, max_drop=limit, mode="noninferior", confidence=CONFIDENCE).verdict
                found[2 * i : 2 * i + 2] += verdict == "passed", verdict == "failed"
        cells = [with_error(float(each), worlds) for each in found / worlds]
        rows.append(f"| {count}, {trials} | {' | '.join(cells)} |")
        print(rows[-1], flush=True)
    return rows


def lines(worlds: int, seed: int) -> list[str]:
    """The table in Markdown."""
    heads = [f"`{mode}` {what}" for mode in MODES for what in ("failed", "passed")]
    rows = [
        f"| data | rates | true drop | {' | '.join(heads)} |",
        "|---|---|---|" + "---|" * len(heads),
    ]
    for case in CASES:
        for shape in SHAPES:
            for drop in DROPS:
                found = rates_of(case, shape, drop, worlds, seed)
                cells = [with_error(share, worlds) for mode in MODES for share in found[mode]]
                rows.append(f"| {case} | {shape} | {drop:g} | {' | '.join(cells)} |")
                print(rows[-1], flush=True)
    return rows


def with_error(share: float, worlds: int) -> str:
    """A share with its standard error; at 0 and 1 that of one event."""
    spread = max(share * (1 - share), (1 / worlds) * (1 - 1 / worlds))
    return f"{share:.3f} ± {np.sqrt(spread / worlds):.3f}"


def main() -> None:
    """Print the table, and write it into the page if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="write the table into docs/gates.md")
    parser.add_argument(
        "--bank", type=Path, help="npz file with the counts of a real bank, instead of simulated worlds"
    )
    arguments = parser.parse_args()
    if arguments.bank is not None:
        bank_lines(arguments.bank, arguments.worlds, arguments.seed)
        return
    rows = lines(arguments.worlds, arguments.seed)
    if arguments.write:
        note = f"{arguments.worlds} worlds per row; ± is one standard error."
        fill("gates.md", "error rates", "\n".join([*rows, "", note]))


if __name__ == "__main__":
    main()
