"""Samples of questions chosen from other models' outcomes: how often intervals hold, and how many questions they save.

    python benchmarks/choose_questions.py --worlds 400                 # simulated models
    python benchmarks/choose_questions.py --data DIR --worlds 400      # also real models at their observed rates
    python benchmarks/choose_questions.py --data DIR --page            # also into docs/choosing-questions.md

In each world one model (for comparisons, two) is left out, questions are chosen from the outcomes of the others, and
the left-out models answer them at their observed rates. The truth is the mean rate over all questions. "Effective
questions" are the variance of a uniform draw of as many questions over that of the sample, both computed exactly from
the rates of all questions: without predictions, and with those by the same other models. "Jeffreys" is how often his
interval of one rate holds, and its half width, where as many questions are drawn uniformly and have one trial each.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from marked import fill, made
from scipy.special import betaincinv

from scorio import OutcomeMatrix, OutcomeSet, choose_questions, estimate_with_predictions
from scorio.judging import QuestionSample

MODELS = 12  # that are left out
SIZES = {15: (8,), 80: (20, 40), 128: (40,), 400: (40, 150), 442: (40,)}
FILES = {
    "terminalbench_core011_trials": "Terminal-Bench",
    "monkeys_math128_n10000": "MATH",
    "lcb_codegen_2024-04-17_n10": "LiveCodeBench",
    "matharena_aime2025_II_trials": "AIME 2025",
    "lcb_testoutput_n10": "LiveCodeBench tests",
}


class Bank(NamedTuple):
    """Success rates of models (rows) on questions, and the number of trials that the history has of each."""

    name: str
    rates: np.ndarray
    trials: int


@dataclass(frozen=True)
class Row:
    """One row of the table."""

    bank: Bank
    kind: str
    n: int
    trials: int


def simulated() -> Iterator[Bank]:
    """Models whose rates follow ability, difficulty and discrimination, some with strengths of their own."""
    rng = np.random.default_rng(7)
    for name, questions, models, own, shift in (
        ("simulated, alike", 300, 12, 0.0, 0.0),
        ("simulated, each its own", 300, 12, 0.8, 0.0),
        ("simulated, hard", 200, 6, 0.8, 2.0),
    ):
        difficulty, slope = shift + 2.0 * rng.normal(size=questions), np.exp(0.4 * rng.normal(size=questions))
        logit = slope * (rng.normal(size=(models, 1)) - difficulty) + own * rng.normal(size=(models, questions))
        yield Bank(name, 1.0 / (1.0 + np.exp(-logit)), 4)


def real(data: Path) -> Iterator[Bank]:
    """Observed rates of real models."""
    for path in (data / f"{name}.npz" for name in FILES):
        if path.exists():
            with np.load(path, allow_pickle=True) as file:
                if "R" in file:
                    rates, trials = file["R"].mean(axis=-1), file["R"].shape[-1]
                else:
                    rates, trials = file["correct"] / file["trials"], int(np.max(file["trials"]))
            yield Bank(FILES[path.stem], np.asarray(rates, np.float64), min(trials, 10))


def rows(data: Path | None) -> Iterator[Row]:
    """All rows of the table."""
    for bank in (*(real(data) if data else ()), *simulated()):
        for n in SIZES.get(bank.rates.shape[1], (60,)):
            yield Row(bank, "score", n, 1)
            for kind in ("score", "difference", "new version"):
                yield Row(bank, kind, n, 4)


def answers(rates: np.ndarray, trials: int, rng: np.random.Generator) -> OutcomeMatrix:
    """Outcomes at these rates."""
    return OutcomeMatrix.from_counts(rng.binomial(trials, rates), trials)


def history(bank: Bank, left_out: tuple[int, ...], rng: np.random.Generator) -> OutcomeSet:
    """The other models, at their observed rates."""
    others = [i for i in range(len(bank.rates)) if i not in left_out]
    return OutcomeSet({f"m{i}": answers(bank.rates[i], bank.trials, rng) for i in others})


def left_out(row: Row, world: int) -> tuple[int, ...]:
    """The models of a world, of at most twelve from the best to the worst: one, two of them, or two neighbours."""
    order = np.argsort(row.bank.rates.mean(axis=1)).tolist()
    some = [order[int(i)] for i in np.linspace(0, len(order) - 1, min(len(order), MODELS))]
    place = world % len(some)
    if row.kind == "score":
        return (some[place],)
    if row.kind == "difference":
        return some[place], some[place - len(some) // 3]
    place = min(order.index(some[place]), len(order) - 2)
    return order[place], order[place + 1]


def variance(values: np.ndarray, noise: np.ndarray, stratum: np.ndarray, drawn: np.ndarray) -> float:
    """The exact variance over draws and trials of a stratified mean, from the values of all questions."""
    total = 0.0
    for h in range(int(stratum.max()) + 1):
        here = stratum == h
        size, n = int(here.sum()), int(drawn[here].sum())
        within = float(values[here].var(ddof=1)) if size > 1 else 0.0
        total += (size / len(values)) ** 2 * ((1.0 - n / size) * within + float(noise[here].mean())) / n
    return total


def variances(row: Row, models: tuple[int, ...], sample: QuestionSample) -> tuple[float, float, float]:
    """Of the sample, of a uniform draw, and of a uniform draw with the same predictions."""
    rates = row.bank.rates[list(models)]
    values, noise = rates[0], (rates * (1.0 - rates)).sum(axis=0) / row.trials
    predicted = np.array(sample.rate)
    if len(models) == 2:
        values, predicted = rates[0] - rates[1], np.zeros(len(values))
    drawn, one = np.array(sample.is_drawn), np.zeros(len(values), int)
    mine = variance(values - predicted, noise, np.array(sample.stratum), drawn)
    return mine, variance(values, noise, one, drawn), variance(values - predicted, noise, one, drawn)


def drawn_again(sample: QuestionSample, rng: np.random.Generator) -> QuestionSample:
    """Another draw from the same strata."""
    stratum, drawn = np.array(sample.stratum), np.zeros(len(sample.stratum), bool)
    for h, each in enumerate(sample.strata):
        drawn[rng.choice(np.flatnonzero(stratum == h), each.drawn, replace=False)] = True
    return replace(sample, is_drawn=tuple(drawn.tolist()))


def jackknifed(top: np.ndarray, bottom: np.ndarray) -> tuple[float, float]:
    """The ratio of two means and its standard error."""
    count = len(top)
    each = (top.sum() - top) / (bottom.sum() - bottom)
    return float(top.mean() / bottom.mean()), float(np.sqrt((count - 1) / count * ((each - each.mean()) ** 2).sum()))


def jeffreys(rates: np.ndarray, n: int, rng: np.random.Generator) -> tuple[bool, float]:
    """Whether Jeffreys' interval holds the mean rate, and its half width, from single trials of n questions."""
    some = rates[rng.permutation(len(rates))[:n]]
    solved = int((rng.random(n) < some).sum())
    lo, hi = (float(betaincinv(solved + 0.5, n - solved + 0.5, tail)) for tail in (0.025, 0.975))
    lo, hi = (0.0 if solved == 0 else lo), (1.0 if solved == n else hi)
    return lo <= rates.mean() <= hi, (hi - lo) / 2.0


def run(row: Row, worlds: int) -> str:
    """One row of the table."""
    plain = []
    rng = np.random.default_rng([worlds, row.n, row.trials, *map(ord, row.bank.name + row.kind)])
    hits, widths, exact, samples = [], [], {}, {}
    for world in range(worlds):
        models = left_out(row, world)
        if models not in samples:
            samples[models] = choose_questions(history(row.bank, models, rng), row.n, rng=rng)
        sample = drawn_again(samples[models], rng)
        rates = row.bank.rates[list(models)]
        outcomes = [answers(each, row.trials, rng) for each in rates]
        minus = outcomes[1] if len(outcomes) == 2 else None
        found = estimate_with_predictions("pass@1", outcomes[0], minus=minus, probabilities=sample)
        truth = float(rates[0].mean() - (rates[1].mean() if len(rates) == 2 else 0.0))
        hits.append(found.lo <= truth <= found.hi)
        widths.append(found.hi - found.lo)
        if row.trials == 1:
            plain.append(jeffreys(rates[0], row.n, rng))
        exact.setdefault(models, variances(row, models, sample))
    covered = float(np.mean(hits))
    mine, uniform, predicted = np.array([*exact.values()]).T
    ratios = [jackknifed(each, mine) for each in (uniform, predicted)]
    cells = [f"{ratio:.2f} ± {error:.2f}" for ratio, error in ratios[: 2 if row.kind == "score" else 1]]
    cells += ["same"] * (row.kind != "score")
    name = f"{row.n} of {row.bank.rates.shape[1]}"
    half = float(np.mean(widths)) / 2.0
    error = float(np.sqrt(max(covered * (1.0 - covered), 1.0 / worlds) / worlds))
    other = "{:.3f}, {:.3f}".format(*np.mean(plain, axis=0)) if plain else ""
    coverage = f"{covered:.3f} ± {error:.3f}"
    every = [row.bank.name, row.kind, name, str(row.trials), coverage, f"{half:.3f}", other, *cells]
    return f"| {' | '.join(every)} |"


HEADS = (
    "models",
    "estimate",
    "questions",
    "trials",
    "coverage",
    "half width",
    "Jeffreys",
    "effective questions",
    "with predictions",
)


def samples_table(data: Path | None, worlds: int) -> list[str]:
    """Coverage and effective questions."""
    lines = ["| " + " | ".join(HEADS) + " |", "|" + "---|" * len(HEADS)]
    for row in rows(data):
        lines.append(run(row, worlds))
        print(lines[-1], flush=True)
    return lines


def main() -> None:
    """Print the tables, and write them into the page if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=400)
    parser.add_argument("--data", type=Path, help="a folder of real banks")
    parser.add_argument("--page", action="store_true", help="write the tables into docs/choosing-questions.md")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = samples_table(arguments.data, arguments.worlds)
    note = f"{arguments.worlds} worlds per row; ± is one standard error ({made()})."
    print(note)
    if arguments.page:
        fill("choosing-questions.md", "samples", "\n".join([*lines, "", note]))


if __name__ == "__main__":
    main()
