"""Many comparisons: family-wise error, false-discovery rate and power of ``Leaderboard.pairs``, and of the top set.

Worlds have questions of all difficulties; every model has the success rates of its ability, and a little of its own.
Each share has its Monte Carlo error.

    python benchmarks/families.py                  # all tables, about ten minutes
    python benchmarks/families.py --worlds 100     # faster, with larger errors
    python benchmarks/families.py --joined         # two metrics and three tasks as one family
    python benchmarks/families.py --target population --page    # also into docs/leaderboard.md
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from marked import fill, made

from scorio import Leaderboard, OutcomeMatrix, OutcomeSet, PassAtK, Suite, join_pairs
from scorio.comparison._contest import Contest
from scorio.inference._level import Level
from scorio.inference._terms import Terms
from scorio.rank import MetricRanking

FAMILIES = ("each", "holm", "fdr", "simultaneous")
ERROR = 0.05
SPREAD = 2.0  # standard deviation of difficulties in logits


class World(NamedTuple):
    """Abilities of the models in logits, and how many questions and trials there are."""

    name: str
    abilities: Sequence[float]
    questions: int = 60
    trials: int = 8


EQUAL = (
    World("6 equal", [0.0] * 6),
    World("6 equal, 1 trial", [0.0] * 6, 60, 1),
    World("6 equal, 20 questions x 4", [0.0] * 6, 20, 4),
    World("20 equal", [0.0] * 20, 60, 4),
    World("50 equal", [0.0] * 50, 60, 4),
    World("2 equal, 5 questions x 64", [0.0] * 2, 5, 64),
    World("6 equal, 500 questions x 2", [0.0] * 6, 500, 2),
    World("50 equal, 1 trial", [0.0] * 50, 60, 1),
    World("50 equal, 64 trials", [0.0] * 50, 60, 64),
    World("50 equal, 5 questions x 8", [0.0] * 50, 5, 8),
    World("50 equal, 500 questions x 4", [0.0] * 50, 500, 4),
)
DIFFERENT = (
    World("6: two tied best", [0.5, 0.5, 0.0, 0.0, 0.0, 0.0]),
    World("6: one best", [0.5, 0.0, 0.0, 0.0, 0.0, 0.0]),
    World("6: all different", [1.0, 0.8, 0.6, 0.4, 0.2, 0.0]),
    World("6: far apart", [2.0, 1.6, 1.2, 0.8, 0.4, 0.0]),
    World("6: far apart, 5 questions x 4", [2.0, 1.6, 1.2, 0.8, 0.4, 0.0], 5, 4),
    World("6: far apart, 10 questions x 2", [2.0, 1.6, 1.2, 0.8, 0.4, 0.0], 10, 2),
    World("20: four groups", [*[0.9] * 5, *[0.6] * 5, *[0.3] * 5, *[0.0] * 5], 60, 4),
    World("50: two tied best", [0.8, 0.8, *np.linspace(0.6, 0.0, 48)], 60, 4),
)


def rates_of(abilities: Sequence[float], difficulty: np.ndarray) -> np.ndarray:
    """Return the success rate of each model on each question."""
    return np.asarray(1.0 / (1.0 + np.exp(difficulty - np.array(abilities)[:, None])))


def scores(rates: np.ndarray, abilities: Sequence[float], target: str, k: int = 1) -> np.ndarray:
    """Return the true Pass@k of each model, on these questions or on all that they were drawn from."""
    if target == "questions":
        return np.asarray((1.0 - (1.0 - rates) ** k).mean(axis=1))
    node, weight = np.polynomial.hermite_e.hermegauss(80)
    return np.asarray((1.0 - (1.0 - rates_of(abilities, SPREAD * node)) ** k) @ (weight / weight.sum()))


def outcomes(world: World, rng: np.random.Generator, target: str) -> tuple[dict[str, OutcomeMatrix], np.ndarray]:
    """Return the outcomes of a world, and the true mean rate of each model."""
    rates = rates_of(world.abilities, rng.normal(0.0, SPREAD, world.questions))
    models = {
        f"m{i:02d}": OutcomeMatrix.from_counts(rng.binomial(world.trials, row).tolist(), world.trials)
        for i, row in enumerate(rates)
    }
    return models, scores(rates, world.abilities, target)


class Seen(NamedTuple):
    """What one world shows: by family the false and true calls and the pairs that differ; and the top set."""

    false: list[int]
    true: list[int]
    calls: list[int]
    lost: bool
    size: int
    ranks: bool
    covered: bool


def look(world: World, seed: int, target: str) -> Seen:
    """Simulate one world, and count calls."""
    models, truth = outcomes(world, np.random.default_rng(seed), target)
    ranking = Leaderboard("pass@1", models, target=target)["pass@1"]
    place = {name: i for i, name in enumerate(ranking.models)}
    false, true, calls, covered = [], [], [], True
    for family in FAMILIES:
        pairs = ranking.pairs(family)
        gaps = np.array([truth[place[pair.first]] - truth[place[pair.second]] for pair in pairs])
        called = np.array([pair.better is not None for pair in pairs])
        false.append(int((called & (gaps <= 1e-12)).sum()))
        true.append(int((called & (gaps > 1e-12)).sum()))
        calls.append(int(called.sum()))
        if family == "simultaneous":
            covered = all(pair.lo <= gap <= pair.hi for pair, gap in zip(pairs, gaps, strict=True))
    best = truth >= truth.max() - 1e-12
    return Seen(
        false,
        true,
        calls,
        not ranking.tied_with_top[best].all(),
        int(ranking.tied_with_top.sum()),
        _ranks_hold(ranking, truth),
        covered,
    )


def _ranks_hold(ranking: MetricRanking, truth: np.ndarray) -> bool:
    """Return whether every model's true rank can be in its interval; equal models share the ranks between them."""
    above = 1 + (truth[None, :] > truth[:, None] + 1e-12).sum(axis=1)
    below = len(truth) - (truth[None, :] < truth[:, None] - 1e-12).sum(axis=1)
    reach = ranking.rank_intervals
    return bool(((reach[:, 0] <= above) & (reach[:, 1] >= below)).all())


def share(values: Sequence[float]) -> str:
    """Return a mean with its Monte Carlo error."""
    array = np.asarray(values, dtype=float)
    return f"{array.mean():.3f} ± {array.std(ddof=1) / np.sqrt(len(array)):.3f}"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return the rows as a Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def errors(worlds: Sequence[World], runs: int, target: str) -> tuple[str, str, str]:
    """Return three tables: errors of families, power of families, and the top set."""
    wrong, power, top = [], [], []
    for number, world in enumerate(worlds):
        many = runs if len(world.abilities) <= 6 else max(runs // 4, 2)
        seen = [look(world, 100_000 * number + seed, target) for seed in range(many)]
        false, true, calls = (np.array([getattr(each, name) for each in seen]) for name in ("false", "true", "calls"))
        any_false = [share(column > 0) for column in false.T]
        proportion = share(false[:, 2] / np.maximum(calls[:, 2], 1))
        held = share([each.covered for each in seen])
        wrong.append([world.name, str(many), any_false[0], any_false[1], any_false[3], proportion, held])
        different = np.array(world.abilities)[:, None] > np.array(world.abilities)[None, :]
        if different.any():
            power.append([world.name, *(share(column / different.sum()) for column in true.T)])
        top.append(
            [
                world.name,
                share([each.lost for each in seen]),
                share([each.size for each in seen]),
                share([each.ranks for each in seen]),
            ]
        )
    return (
        table(
            [
                "world",
                "worlds",
                "each: any false",
                "Holm: any false",
                "simultaneous: any false",
                "FDR: false share",
                "simultaneous intervals hold",
            ],
            wrong,
        ),
        table(["true differences called", *FAMILIES], power),
        table(["world", "top loses a best model", "models in top", "all ranks in their intervals"], top),
    )


METRICS = (1, 4)  # the k of Pass@k
JOINED = {
    "4 equal on all tasks": [[0.0] * 4] * 3,
    "one better on one task": [[0.0] * 4, [0.0] * 4, [1.0, 0.0, 0.0, 0.0]],
    "all different": [[1.2, 0.8, 0.4, 0.0]] * 3,
}


def joined(runs: int, target: str) -> str:
    """Return the error of pairs by two metrics, overall and on three tasks of 40 questions, as one family."""
    rows = []
    for number, (name, abilities) in enumerate(JOINED.items()):
        counts = [_joined_calls(abilities, np.random.default_rng([number, seed]), target) for seed in range(runs)]
        false, true, differ, held = (np.array(each) for each in zip(*counts, strict=True))
        share_false = false[:, 2] / np.maximum(false[:, 2] + true[:, 2], 1)
        cells = [share(false[:, i] > 0) for i in (0, 1, 3)]
        power = [share(true[:, i] / differ) if differ.all() else "-" for i in range(len(FAMILIES))]
        rows.append([name, str(runs), *cells, share(share_false), share(held), *power])
    heads = ["world", "worlds", "each: any false", "Holm: any false", "simultaneous: any false", "FDR: false share"]
    return table([*heads, "simultaneous intervals hold", *(f"{family}: power" for family in FAMILIES)], rows)


def _joined_calls(
    abilities: Sequence[Sequence[float]], rng: np.random.Generator, target: str
) -> tuple[list[int], list[int], int, bool]:
    """Return the false and the true calls by each family, the pairs that differ, and whether all intervals hold."""
    tasks, truth = {}, {}
    for place, own in enumerate(abilities):
        rates = rates_of(own, rng.normal(0.0, SPREAD, 40))
        tasks[f"t{place}"] = OutcomeSet(
            {f"m{i}": OutcomeMatrix.from_counts(rng.binomial(8, row).tolist(), 8) for i, row in enumerate(rates)}
        )
        truth[f"t{place}"] = {f"pass@{k}": scores(rates, own, target, k) for k in METRICS}
    overall = {metric: np.mean([each[metric] for each in truth.values()], axis=0) for metric in truth["t0"]}
    metrics = [f"pass@{k}" for k in METRICS]
    boards = {"overall": Leaderboard(metrics, Suite(tasks), target=target)}
    boards |= {task: Leaderboard(metrics, models, target=target) for task, models in tasks.items()}
    false, true, covered = [], [], True
    for family in FAMILIES:
        pairs = join_pairs(boards, family)
        values = [overall[pair.metric] if pair.task == "overall" else truth[pair.task][pair.metric] for pair in pairs]
        gaps = np.array(
            [
                value[int(pair.first[1:])] - value[int(pair.second[1:])]
                for pair, value in zip(pairs, values, strict=True)
            ]
        )
        called = np.array([pair.better is not None for pair in pairs])
        false.append(int((called & (gaps <= 1e-12)).sum()))
        true.append(int((called & (gaps > 1e-12)).sum()))
        if family == "simultaneous":
            covered = all(pair.lo <= gap <= pair.hi for pair, gap in zip(pairs, gaps, strict=True))
    return false, true, int((np.abs(gaps) > 1e-12).sum()), covered


def few(runs: int) -> str:
    """Return how often ``compare`` calls one of two models of few trials, with and without the bound for few trials."""
    rng = np.random.default_rng(0)
    rows = []
    designs = ((2, 1), (2, 2), (3, 2), (5, 1), (10, 1), (20, 1), (8, 3), (15, 2), (30, 2), (15, 4), (30, 4))
    for (questions, trials), spread in itertools.product(designs, (SPREAD, 0.0)):
        cells = [f"{questions} x {trials}{'' if spread else ', one rate'}"]
        for gap in (0.0, 1.5):
            calls = []
            for _ in range(runs):
                difficulty = rng.normal(0.0, spread, questions)
                models = [
                    OutcomeMatrix.from_counts(rng.binomial(trials, 1.0 / (1.0 + np.exp(difficulty + shift))), trials)
                    for shift in (0.0, gap)
                ]
                contest = Contest.of_one(PassAtK(1), models, Terms())
                bounded = contest.differences(Level(1.0 - ERROR))
                free = replace(bounded, few=None)
                calls.append([bool(each.is_better(0, 1) | each.is_better(1, 0)) for each in (bounded, free)])
            cells += [share(column) for column in np.array(calls).T]
        rows.append(cells)
    heads = ["questions x trials", "equal, bounded", "equal, unbounded", "different, bounded", "different, unbounded"]
    return table(heads, rows)


def main(show: Callable[[str], None] = print) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=1000, help="worlds of six models; a quarter for more models")
    parser.add_argument("--target", choices=("questions", "population"), default="questions")
    parser.add_argument("--only", default="", help="part of the names of worlds")
    parser.add_argument("--few", action="store_true", help="only the table of two models with few trials")
    parser.add_argument("--joined", action="store_true", help="only the table of metrics and tasks as one family")
    parser.add_argument("--page", action="store_true", help="fill docs/leaderboard.md")
    options = parser.parse_args()
    if options.joined:
        show(joined(options.worlds, options.target))
        return
    if options.few:
        show(few(options.worlds))
        return
    chosen = [world for world in (*EQUAL, *DIFFERENT) if options.only in world.name]
    text = "\n\n".join(errors(chosen, options.worlds, options.target))
    show(text)
    if options.page:
        fill("leaderboard.md", f"families, {options.target}", f"{text}\n\n{made()}.")


if __name__ == "__main__":
    main()
