"""How often calls about single questions are wrong: the false-discovery rate of ``diff_questions``, and false flags.

    python benchmarks/question_calls.py --worlds 400 --write      # also into docs/questions.md

Diff: questions have Beta(.5, .5) rates; of ``changed`` of them the new model draws another rate, all others are
unchanged. The false-discovery proportion of a world is the share of unchanged questions among those called.

Flags: models with standard normal abilities (times 1.2) and questions with normal difficulties (times 1.5) follow the
Rasch model; in "noisy" worlds each model also has a normal deviation of its own on each question, which its trials
share. No question is odd by construction, so every "solved less by better models" and every "ambiguous label
suspected" is false, and "flaky" is false where two trials disagree less often than the flag says. Planted: ten
questions whose order of models is reversed, and ten that each model gets always right or always wrong at random.
"""

from __future__ import annotations

import argparse

import numpy as np
from marked import fill

from scorio import OutcomeMatrix, OutcomeSet, describe_questions, diff_questions
from scorio.comparison._question_flags import AMBIGUOUS, FLAKY, INVERTED

FDR = 0.1
DIFFS = [(100, 4, 0.0), (100, 8, 0.0), (100, 8, 0.2), (500, 4, 0.2), (500, 8, 0.02), (500, 8, 0.2), (500, 32, 0.2)]
TABLES = [(200, 10, 4), (200, 40, 1), (200, 40, 4), (200, 40, 16)]
PLANTED = 10


def diff_world(questions: int, trials: int, changed: float, rng: np.random.Generator) -> tuple[float, float, float]:
    """Return the false-discovery proportion, whether anything false is called, and the share of changes found."""
    old = rng.beta(0.5, 0.5, questions)
    is_changed = np.arange(questions) < round(changed * questions)
    new = np.where(is_changed, rng.beta(0.5, 0.5, questions), old)
    pair = [OutcomeMatrix.from_counts(rng.binomial(trials, rates), trials) for rates in (new, old)]
    called = np.array([row.change in ("improved", "worse") for row in diff_questions(*pair, fdr=FDR).rows])
    false = int((called & ~is_changed).sum())
    power = float(called[is_changed].mean()) if is_changed.any() else np.nan
    return false / max(int(called.sum()), 1), float(false > 0), power


def rates_of(questions: int, models: int, noise: float, planted: int, rng: np.random.Generator) -> np.ndarray:
    """Return the true rates, (models, questions)."""
    ability, difficulty = rng.normal(0.0, 1.2, models), rng.normal(0.0, 1.5, questions)
    logits = ability[:, None] - difficulty + rng.normal(0.0, noise, (models, questions)) * (noise > 0)
    rates = 1.0 / (1.0 + np.exp(-logits))
    if planted:
        turned = np.sort(ability)[::-1][np.argsort(np.argsort(ability))]
        rates[:, :planted] = 1.0 / (1.0 + np.exp(-2.0 * turned))[:, None]
        rates[:, planted : 2 * planted] = np.where(rng.random((models, planted)) < 0.5, 0.99, 0.01)
    return rates


def table_world(
    questions: int, models: int, trials: int, noise: float, planted: int, rng: np.random.Generator
) -> list[float]:
    """Return the false-discovery proportions of three flags, and the shares of planted questions that are found."""
    rates = rates_of(questions, models, noise, planted, rng)
    outcomes = OutcomeSet(
        {str(i): OutcomeMatrix.from_counts(rng.binomial(trials, p), trials) for i, p in enumerate(rates)}
    )
    names = [{flag.name for flag in row.flags} for row in describe_questions(outcomes).rows]
    inverted, flaky, ambiguous = (np.array([name in each for each in names]) for name in (INVERTED, FLAKY, AMBIGUOUS))
    place = np.arange(questions)
    kinds = [
        place < planted,
        (2.0 * rates * (1.0 - rates)).mean(axis=0) > 0.32,
        (place >= planted) & (place < 2 * planted),
    ]
    false = [
        (flag & ~kind).sum() / max(flag.sum(), 1)
        for flag, kind in zip((inverted, flaky, ambiguous), kinds, strict=True)
    ]
    found = [
        flag[kind].mean() if kind.any() else np.nan
        for flag, kind in zip((inverted, ambiguous), kinds[::2], strict=True)
    ]
    return [*map(float, false), *map(float, found)]


def cells(values: np.ndarray) -> list[str]:
    """Means with their standard errors; at 0 and 1 that of one event."""
    count = len(values)
    shown = []
    for column in values.T:
        spread = float(np.std(column)) or np.sqrt((1 / count) * (1 - 1 / count))
        known = not np.isnan(column).any()
        shown.append(f"{column.mean():.3f} ± {spread / np.sqrt(count):.3f}" if known else "-")
    return shown


def diffs(worlds: int, seed: int) -> list[str]:
    """The table of the diff."""
    rows = [
        "| questions | trials in each run | changed | false-discovery rate | any false call | changes found |",
        "|" + "---|" * 6,
    ]
    for questions, trials, changed in DIFFS:
        rng = np.random.default_rng([seed, questions, trials, round(1000 * changed)])
        found = np.array([diff_world(questions, trials, changed, rng) for _ in range(worlds)])
        rows.append(f"| {questions} | {trials} | {changed:.0%} | {' | '.join(cells(found))} |")
        print(rows[-1], flush=True)
    return rows


def flags(worlds: int, seed: int) -> list[str]:
    """The table of the flags."""
    head = ["models", "trials", "world", f"false {INVERTED}", f"false {FLAKY}", f"false {AMBIGUOUS}"]
    rows = [f"| {' | '.join(head)} | reversed ones found | random ones found |", "|" + "---|" * 8]
    for questions, models, trials in TABLES:
        for noise, planted in ((0.0, 0), (1.0, 0), (0.0, PLANTED)):
            rng = np.random.default_rng([seed, models, trials, round(10 * noise), planted])
            found = np.array([table_world(questions, models, trials, noise, planted, rng) for _ in range(worlds)])
            world = "planted" if planted else "noisy" if noise else "clean"
            rows.append(f"| {models} | {trials} | {world} | {' | '.join(cells(found))} |")
            print(rows[-1], flush=True)
    return rows


def main() -> None:
    """Print the tables, and write them into the page if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="write the tables into docs/questions.md")
    arguments = parser.parse_args()
    for name, table, worlds in (
        ("diff rates", diffs, arguments.worlds),
        ("flag rates", flags, (arguments.worlds + 1) // 2),
    ):
        rows = table(worlds, arguments.seed)
        if arguments.write:
            note = f"{worlds} worlds per row; ± is one standard error, and that of one event where there was none."
            fill("questions.md", name, "\n".join([*rows, "", note]))


if __name__ == "__main__":
    main()
