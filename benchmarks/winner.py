"""How often the interval of the winner holds, plain and corrected for having been chosen: 95% is nominal.

    python benchmarks/winner.py --worlds 400                 # scores that are normal around true values
    python benchmarks/winner.py --outcomes --worlds 200      # outcomes of models, and boards of them
    python benchmarks/winner.py --bank BANK.npz --worlds 200 # models of a real bank
    python benchmarks/winner.py --near --bank BANK.npz --worlds 200 # near-equal models on 30 questions of it
    python benchmarks/winner.py --records --worlds 200       # real records of histories in which nothing changes
    python benchmarks/winner.py --weighed --worlds 200       # bias of several estimators where one model is ahead

``--write`` puts the table into docs/winner.md. ``BANK`` holds ``correct`` (models, questions), ``trials`` and
``models``; a world draws 100 of its questions and trials with its shares of successes. Bias is in standard errors
of the plain score, and width relative to the plain interval; "points" is the bias of the corrected score times 100.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
from marked import fill

from scorio import Leaderboard, OutcomeMatrix, OutcomeSet, analyze_history, simulate
from scorio.inference import ChosenScore, Interval, chosen_scores
from scorio.inference._chosen import Groups

Z = 1.959963984540054
MANY = 20_000  # worlds of plain scores
SPREAD = 2.0  # of difficulties, on the scale of logits
World = functools.partial[tuple[ChosenScore, float]]  # a board's leader, and its true value
HEAD = "| world | models | plain covers | corrected covers | plain bias | corrected bias | points | width |"


def of_scores(true: Callable[[np.random.Generator], np.ndarray], sd: np.ndarray, rng: np.random.Generator):
    """Return the leader of scores that are normal around true values."""
    values = true(rng)
    scores = values + sd * rng.standard_normal(len(values))
    plain = [Interval(x, s, x - Z * s, x + Z * s) for x, s in zip(scores.tolist(), sd.tolist(), strict=True)]
    names, reach = list(map(str, range(len(values)))), np.full(len(values), Z)
    [best] = chosen_scores(names, scores, np.diag(sd**2), plain, reach)
    return best, float(values[int(best.model)])


def normal_worlds() -> list[tuple[str, int, World]]:
    """Return worlds of normal scores: true values in standard errors."""
    found = []

    def add(name: str, models: int, true: Callable[[np.random.Generator], np.ndarray], sd=1.0) -> None:
        spread = np.broadcast_to(sd, models).astype(float)
        found.append((name, models, functools.partial(of_scores, true, spread)))

    for models in (2, 5, 10, 40, 100):
        add("equal", models, lambda _, n=models: np.zeros(n))
    for models in (2, 5, 10, 40, 100):
        add("spread 1", models, lambda rng, n=models: rng.standard_normal(n))
    for models in (10, 40):
        add("spread 2", models, lambda rng, n=models: 2.0 * rng.standard_normal(n))
    for gap, models in ((2, 10), (2, 40), (2, 100), (4, 10), (4, 40), (4, 100)):
        add(f"two groups {gap} apart", models, lambda _, n=models, g=gap: np.where(np.arange(n) % 2, 0.0, g))
    for models in (2, 10, 40):
        sd = np.where(np.arange(models) % 2, 2.0, 0.7)
        add("equal, unequal errors", models, lambda _, n=models: np.zeros(n), sd)
        add("spread 1, unequal errors", models, lambda rng, n=models: rng.standard_normal(n), sd)
    for lead in (2, 3, 4):
        for models in (2, 10, 40):
            add(f"one {lead} ahead", models, lambda _, n=models, g=lead: np.where(np.arange(n), 0.0, g))
    return found


def plain_bias(world: World, rng: np.random.Generator) -> tuple[float, float] | None:
    """Return the bias of the plain score of normal worlds in its standard errors, of many worlds, and its error."""
    if world.func is not of_scores:
        return None
    true, sd = world.args
    off = []
    for _ in range(MANY):
        noise = sd * rng.standard_normal(len(sd))
        best = np.argmax(true(rng) + noise)
        off.append(noise[best] / sd[best])
    return float(np.mean(off)), float(np.std(off) / np.sqrt(MANY))


def of_outcomes(
    make: Callable[[np.random.Generator], np.ndarray],
    trials: int | np.ndarray,
    metric: str,
    rng: np.random.Generator,
    truth: np.ndarray | None = None,
):
    """Return the leader of outcomes with rates that ``make`` draws; the truth is that of these questions."""
    rates = make(rng)
    each = np.broadcast_to(trials, len(rates))
    models = {
        str(i): OutcomeMatrix.from_counts(rng.binomial(n, p), n)
        for i, (n, p) in enumerate(zip(each, rates, strict=True))
    }
    best = Leaderboard(metric, OutcomeSet(models), target="questions" if truth is None else "population").leader_score
    k = int(metric.partition("@")[2])
    values = (1.0 - (1.0 - rates) ** k).mean(axis=1) if truth is None else truth
    return best, float(values[int(best.model)])


def outcome_worlds() -> list[tuple[str, int, World]]:
    """Return worlds of outcomes: abilities of models on the scale of logits, normal difficulties."""
    found = []

    def add(name, abilities, questions, trials, metric="pass@1", *, population=False) -> None:
        fixed = np.asarray(abilities, dtype=float)
        truth = None
        if population:
            nodes, weights = np.polynomial.hermite_e.hermegauss(60)
            truth = (weights / weights.sum() / (1.0 + np.exp(SPREAD * nodes - fixed[:, None]))).sum(axis=1)
        make = functools.partial(_rates, fixed, questions)
        world = functools.partial(of_outcomes, make, trials, metric, truth=truth)
        about = f"{name}, {questions} x {'2 or 8' if np.ndim(trials) else trials}"
        found.append((f"{about}{', ' + metric if metric != 'pass@1' else ''}", len(fixed), world))

    mixed = np.where(np.arange(10) % 2, 2, 8)
    add("equal", np.zeros(2), 100, 4)
    add("equal", np.zeros(10), 100, 4)
    add("equal", np.zeros(40), 100, 4)
    add("equal", np.zeros(10), 500, 1)
    add("equal", np.zeros(40), 500, 1)
    add("equal", np.zeros(10), 100, 4, "pass@4")
    add("equal", np.zeros(10), 100, mixed)
    add("spread", np.linspace(-0.3, 0.3, 10), 100, 4)
    add("spread", np.linspace(-0.3, 0.3, 40), 100, 4)
    add("two groups", np.where(np.arange(10) % 2, 0.0, 0.5), 100, 4)
    add("one ahead by .8", np.where(np.arange(10), 0.0, 0.8), 100, 4)
    add("equal, population", np.zeros(10), 100, 4, population=True)
    add("spread, population", np.linspace(-0.3, 0.3, 10), 100, 4, population=True)
    return found


def _rates(abilities: np.ndarray, questions: int, rng: np.random.Generator) -> np.ndarray:
    return simulate.rates(abilities, rng.normal(0.0, SPREAD, questions))


def bank_worlds(path: Path) -> list[tuple[str, int, World]]:
    """Return worlds of a real bank: 100 of its questions, one, two or four trials."""
    with np.load(path, allow_pickle=False) as bank:
        rates = bank["correct"] / bank["trials"]

    def some(rng: np.random.Generator) -> np.ndarray:
        return rates[:, rng.choice(rates.shape[1], min(100, rates.shape[1]), replace=False)]

    return [
        (f"{path.stem}, {trials} per question", len(rates), functools.partial(of_outcomes, some, trials, "pass@1"))
        for trials in (1, 2, 4)
    ]


def near(paths: list[Path], worlds: int) -> list[str]:
    """Return how often the plain and the corrected interval of the best of near-equal models hold."""
    kinds = list(itertools.product((4, 16), (0.0, 0.1)))
    rows = [
        f"| 30 questions of | models | {' | '.join(f'{trials} trials, {apart:.1f}' for trials, apart in kinds)} |",
        "|" + "---|" * 6,
    ]
    for path, models in itertools.product(paths, (10, 40)):
        with np.load(path, allow_pickle=False) as bank:
            rates = bank["correct"] / bank["trials"]
        best, cells = rates[np.argsort(-rates.mean(axis=1))[:5]], []
        for trials, apart in kinds:
            world = functools.partial(of_outcomes, functools.partial(_near, best, models, apart), trials, "pass@1")
            rng, found = np.random.default_rng([models, trials]), []
            for _ in range(worlds):
                chosen, true = world(rng)
                found.append([true in chosen.plain, chosen.lo <= true <= chosen.hi])
            plain, held = np.mean(found, axis=0)
            cells.append(f"{plain:.2f}, {held:.2f}")
        rows.append(f"| {path.stem} | {models} | {' | '.join(cells)} |")
        print(rows[-1], flush=True)
    return rows


def _near(best: np.ndarray, models: int, apart: float, rng: np.random.Generator) -> np.ndarray:
    """Return the rates of checkpoints of one of these models, on 30 questions, shifted on the scale of logits."""
    rates = rng.choice(best)[rng.choice(best.shape[1], 30, replace=False)].clip(1e-4, 1.0 - 1e-4)
    odds = rates / (1.0 - rates) * np.exp(apart * rng.standard_normal((models, 1)))
    return odds / (1.0 + odds)


def row(name: str, models: int, world: World, worlds: int) -> str:
    """Return the line of a world."""
    rng = np.random.default_rng([zlib.crc32(name.encode()), models])
    found = []
    for _ in range(worlds):
        best, true = world(rng)
        plain = best.plain
        error = max((plain.hi - plain.lo) / (2.0 * Z), 1e-9)
        held = plain.lo <= true <= plain.hi, best.lo <= true <= best.hi
        off = (best.observed - true) / error, (best.score - true) / error, 100.0 * (best.score - true)
        found.append([*held, *off, (best.hi - best.lo) / (plain.hi - plain.lo)])
    table = np.array(found)
    mean, error = table.mean(axis=0), table.std(axis=0) / np.sqrt(worlds)
    cells = [f"{m:.3f} ± {max(e, 0.5 / worlds):.3f}" for m, e in zip(mean[:2], error[:2], strict=True)]
    off = list(zip(mean[2:5], error[2:5], strict=True))
    many = plain_bias(world, rng)
    if many is not None:  # what is corrected varies less than the score itself
        excess = table[:, 2] - table[:, 3]
        off[:2] = many, (many[0] - excess.mean(), np.hypot(many[1], excess.std() / np.sqrt(worlds)))
    cells += [f"{m:+.2f} ± {e:.2f}" for m, e in off]
    points = cells[4] if " x " in name or "per question" in name else "-"  # scores of outcomes are between 0 and 1
    return f"| {name} | {models} | {' | '.join(cells[:4])} | {points} | {mean[5]:.2f} |"


def records(worlds: int) -> list[str]:
    """Return how many histories of equal runs have a record, and one that is called real."""
    rows = ["| runs | histories with a record | with one called real |", "|---|---|---|"]
    for runs in (5, 20):
        rng, found = np.random.default_rng(runs), []
        for _ in range(worlds):
            rates = rng.beta(1.0, 0.8, 100)
            each = {str(i): OutcomeMatrix.from_counts(rng.binomial(4, rates), 4) for i in range(runs)}
            highest = analyze_history("pass@1", each, records=True).series[0].highest
            found.append([bool(highest), any(point.record for point in highest)])
        mean = np.mean(found, axis=0)
        error = np.sqrt(np.maximum(mean * (1.0 - mean), 1.0 / worlds) / worlds)
        rows.append(f"| {runs} | {mean[0]:.3f} ± {error[0]:.3f} | {mean[1]:.3f} ± {error[1]:.3f} |")
        print(rows[-1], flush=True)
    return rows


def weighed(worlds: int) -> list[str]:
    """Return the bias of several corrected scores where one model is ahead of equal ones, in standard errors."""
    rows = [
        "| models | ahead by | plain | mean | median | averaged excess | decided excess |",
        "|---|---|---|---|---|---|---|",
    ]
    for models, lead in itertools.product((2, 10, 40, 100), (0, 2, 3, 4)):
        rng, found = np.random.default_rng([models, lead]), []
        true = np.where(np.arange(models), 0.0, lead)
        plain, error = plain_bias(functools.partial(of_scores, lambda _, t=true: t, np.ones(models)), rng)
        for _ in range(worlds if models <= 10 else worlds // 3):
            x = np.sort(true + rng.standard_normal(models))[::-1]
            groups = Groups(x, np.ones(models))
            law = groups.law(0, 2.0)
            middles = law.mean, float(law.icdf(0.5))
            found.append([*(x[0] - each for each in middles), *(groups.excess(1, 0, power)[0] for power in (1.0, 3.0))])
        off, errors = plain - np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(len(found))
        cells = [f"{b:+.2f} ± {np.hypot(e, error):.2f}" for b, e in zip(off, errors, strict=True)]
        rows.append(f"| {models} | {lead} | {plain:+.2f} | {' | '.join(cells)} |")
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    """Print a table, and write it into the page if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=100)
    parser.add_argument("--outcomes", action="store_true")
    parser.add_argument("--records", action="store_true")
    parser.add_argument("--weighed", action="store_true")
    parser.add_argument("--near", action="store_true")
    parser.add_argument("--bank", type=Path, action="append", default=[])
    parser.add_argument("--write", action="store_true", help="write the table into docs/winner.md")
    arguments = parser.parse_args()
    name = next((each for each in ("records", "outcomes", "weighed", "near") if getattr(arguments, each)), "scores")
    if arguments.near:
        rows = near(arguments.bank, arguments.worlds)
    elif arguments.records or arguments.weighed:
        rows = (records if arguments.records else weighed)(arguments.worlds)
    else:
        listed = outcome_worlds() if arguments.outcomes else [] if arguments.bank else normal_worlds()
        for path in arguments.bank:
            name, listed = "banks", listed + bank_worlds(path)
        rows = [HEAD, "|" + "---|" * 8]
        for world, models, make in listed:
            rows.append(row(world, models, make, arguments.worlds))
            print(rows[-1], flush=True)
    if arguments.write:
        fewer = f", {arguments.worlds // 3} with 40 models or more" if arguments.weighed else ""
        note = f"{arguments.worlds} worlds per row{fewer}" + ("." if arguments.near else "; ± is one standard error.")
        fill("winner.md", name, "\n".join([*rows, "", note]))


if __name__ == "__main__":
    main()
