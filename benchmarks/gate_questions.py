"""How often verdicts about single questions are wrong, and how many questions they decide.

    python benchmarks/gate_questions.py --worlds 400
    python benchmarks/gate_questions.py --write              # also into docs/gates.md

A gate asks every question to be solved with probability .8. A pass is false if the rate is below, a fail if it is not.
The questions at the margin have a rate just below .8, so that none of their passes is right, or of .8, so that none of
their fails is. The obvious rule passes a question that is solved in 80% of its trials. For
``no_new_failures`` both runs have the same rates, so that every call is false.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from gates import with_error
from marked import fill

from scorio import OutcomeMatrix, Suite, gate

LIMIT, BELOW = 0.8, 0.8 - 1e-9
Rates = Callable[[np.random.Generator, int], np.ndarray]


def parts(*shares: tuple[float, float]) -> Rates:
    """Rates of which each has a share of the questions."""
    return lambda _, count: np.repeat([rate for rate, _ in shares], [round(share * count) for _, share in shares])


def bank(rng: np.random.Generator, count: int) -> np.ndarray:
    """Success rates of questions like those of models of today: many at 0 and at 1."""
    return np.where(rng.random(count) < 0.3, 1.0, rng.beta(1.0, 0.6, count))


WORLDS: dict[str, Rates] = {
    "half just below .8, half .99": parts((BELOW, 0.5), (0.99, 0.5)),
    "a tenth just below .8, the rest 1": parts((BELOW, 0.1), (1.0, 0.9)),
    "all just below .8": parts((BELOW, 1.0)),
    "half .8, half .5": parts((LIMIT, 0.5), (0.5, 0.5)),
    "a tenth .8, the rest .1": parts((LIMIT, 0.1), (0.1, 0.9)),
    "half .5, half .99": parts((0.5, 0.5), (0.99, 0.5)),
    "spread as in banks": bank,
}
SIZES = ((20, 3), (20, 64), (100, 1), (100, 10), (100, 40), (500, 10))
POWER = (10, 20, 40)


def rows_of(name: str, size: tuple[int, int], worlds: int, seed: int) -> dict[str, np.ndarray]:
    """Return, by rule, whether any pass was false, whether any fail was, and the shares decided and decided wrongly."""
    count, trials = size
    rng = np.random.default_rng([seed, count, trials, *map(ord, name)])
    found: dict[str, list[tuple[float, ...]]] = {"posterior": [], "binomial": [], "8 of 10": []}
    for _ in range(worlds):
        rates = WORLDS[name](rng, count)
        solved = rng.binomial(trials, rates)
        outcomes = OutcomeMatrix.from_counts(solved, trials)
        for rule, each in found.items():
            if rule == "8 of 10":
                passed, failed = solved >= 0.8 * trials - 1e-9, solved < 0.8 * trials - 1e-9
            else:
                result = gate(None, outcomes, per_question=LIMIT, question_rule=rule).questions
                verdicts = np.array([row.verdict for row in result.rows])
                passed, failed = verdicts == "passed", verdicts == "failed"
            wrong = (passed & (rates < LIMIT), failed & (rates >= LIMIT))
            decided = (passed | failed).mean()
            each.append((float(wrong[0].any()), float(wrong[1].any()), decided, (wrong[0] | wrong[1]).mean()))
    return {rule: np.mean(each, axis=0) for rule, each in found.items()}


def errors_table(worlds: int, seed: int) -> list[str]:
    """How often any verdict of a gate is false, by rule."""
    rules = ("posterior", "binomial")
    heads = [f"`{rule}` {what}" for rule in rules for what in ("false pass", "false fail", "decided")]
    rows = [f"| rates | questions | trials | {' | '.join(heads)} |", "|---|---|---|" + "---|" * len(heads)]
    for name in WORLDS:
        for size in SIZES:
            found = rows_of(name, size, worlds, seed)
            cells = [
                cell
                for rule in rules
                for cell in (*(with_error(share, worlds) for share in found[rule][:2]), f"{found[rule][2]:.2f}")
            ]
            rows.append(f"| {name} | {size[0]} | {size[1]} | {' | '.join(cells)} |")
            print(rows[-1], flush=True)
    return rows


def power_table(worlds: int, seed: int) -> list[str]:
    """How many of 100 questions, half at .5 and half at .99, are decided, beside the obvious rule."""
    rows = ["| trials | `posterior` decides | `binomial` decides | 8 of 10 decides, wrong |", "|---|---|---|---|"]
    for trials in POWER:
        found = rows_of("half .5, half .99", (100, trials), worlds, seed)
        cells = [f"{found[rule][2]:.2f}" for rule in ("posterior", "binomial")]
        rows.append(f"| {trials} | {' | '.join(cells)} | 1.00, {found['8 of 10'][3]:.3f} |")
        print(rows[-1], flush=True)
    return rows


def broken_table(worlds: int, seed: int) -> list[str]:
    """How often ``no_new_failures`` fails although no rate changed, and sees one question that broke."""
    rows = ["| questions | trials | tasks | false fail | a break from 1 to .2 is seen |", "|---|---|---|---|---|"]
    for count, trials, tasks in (
        (20, 3, 1),
        (20, 10, 1),
        (100, 4, 1),
        (100, 10, 1),
        (100, 20, 10),
        (500, 10, 1),
        (500, 64, 1),
    ):
        rng = np.random.default_rng([seed, count, trials, tasks])
        failed, seen = [], []
        for _ in range(worlds):
            rates = bank(rng, count)
            failed.append(_failed(rates, rates, trials, tasks, rng))
            broken = np.append(rates[1:], 1.0), np.append(rates[1:], 0.2)
            seen.append(_failed(broken[1], broken[0], trials, tasks, rng))
        shares = [with_error(float(np.mean(each)), worlds) for each in (failed, seen)]
        rows.append(f"| {count} | {trials} | {tasks} | {' | '.join(shares)} |")
        print(rows[-1], flush=True)
    return rows


def _failed(new: np.ndarray, old: np.ndarray, trials: int, tasks: int, rng: np.random.Generator) -> bool:
    sides = [
        Suite(
            {
                f"task {i}": {"m": OutcomeMatrix.from_counts(rng.binomial(trials, each), trials)}
                for i, each in enumerate(np.array_split(rates, tasks))
            }
        )
        for rates in (new, old)
    ]
    return gate("pass@1", *sides, max_drop=0.99, no_new_failures=True).failures.verdict == "failed"


TABLES = {"question errors": errors_table, "question power": power_table, "new failures": broken_table}


def main() -> None:
    """Print the tables, and write them into the page if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=list(TABLES), action="append")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/gates.md")
    arguments = parser.parse_args()
    for name in arguments.only or TABLES:
        rows = TABLES[name](arguments.worlds, arguments.seed)
        if arguments.write:
            note = f"{arguments.worlds} worlds per row; ± is one standard error."
            fill("gates.md", name, "\n".join([*rows, "", note]))


if __name__ == "__main__":
    main()
