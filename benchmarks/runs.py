"""Intervals and calls about runs like these: coverage, width, false calls and false alarms.

python benchmarks/runs.py cells --worlds 400        # coverage in cells that see every pair of factors
python benchmarks/runs.py calls --worlds 600        # equal models called different, by how runs are taken
python benchmarks/runs.py alarms --worlds 2000      # RunsWarning: false alarms and power
python benchmarks/runs.py left-out --data DIR       # one run of real outcomes predicted from the others
python benchmarks/runs.py speed                     # time of an interval, relative to one without runs
python benchmarks/runs.py picture                   # the picture of docs/runs.md

Question ``q`` is solved in run ``t`` with the log odds ``l_q + s x_t``; the true value is that of the mean over ``x``.
"""

import argparse
import itertools
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from scipy.special import expit
from scipy.stats import binom

from scorio import Leaderboard, Metric, OutcomeMatrix, RewardMatrix, analyze_runs, compare, gate
from scorio.errors import RunsWarning

SPREAD = 1.7  # of the log odds of questions
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(40)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
FACTORS = {
    "runs": (2, 3, 5, 8, 16),
    "s": (0.0, 0.1, 0.2, 0.3, 0.5),
    "questions": (30, 100, 500),
    "models": (1, 2, 5, 10),
    "metric": ("pass@1", "pass@4", "passhat@4", "gpass@4:tau=0.5", "avg", "rewards"),
    "target": ("questions", "population"),
}
CUTS = (-0.7, 0.7)  # between the grades 0, 1 and 2 of a rubric
GRADES = (0.0, 0.5, 1.0)
NOISE, SHIFT = 0.5, 0.25  # of continuous rewards: standard deviation within a question, and what s = 1 moves


def design(rng):
    """Cells in which every pair of two factors' levels is seen: the next one has most new pairs of many random ones."""
    names, pairs, cells = list(FACTORS), set(), []
    for (a, x), (b, y) in itertools.combinations(FACTORS.items(), 2):
        pairs |= {(a, i, b, j) for i in x for j in y}
    pairs = {pair for pair in pairs if _is_possible({pair[0]: pair[1], pair[2]: pair[3]})}
    while pairs:
        drawn = [{name: FACTORS[name][rng.integers(len(FACTORS[name]))] for name in names} for _ in range(200)]
        drawn = [cell for cell in drawn if _is_possible(cell)]
        best = max(drawn, key=lambda cell: len(_pairs(cell) & pairs))
        if not _pairs(best) & pairs:
            continue
        cells.append(best)
        pairs -= _pairs(best)
    return cells


def _is_possible(cell):
    return not ("@4" in str(cell.get("metric", "")) and cell.get("runs", 9) < 4)


def _pairs(cell):
    return {(a, x, b, y) for (a, x), (b, y) in itertools.combinations(cell.items(), 2)}


def metric_of(name):
    """The metric of a cell."""
    return Metric.from_string({"avg": "avg:weights=0,0.5,1", "rewards": "avg"}.get(name, name))


def credit(metric):
    """The value of a question by its success rate."""
    worth = np.asarray(metric.credit(), dtype=float)
    return lambda p: sum(each * binom.pmf(j, metric.k, p) for j, each in enumerate(worth))


def value(name, logits, s):
    """The true value of questions with these log odds (or means), over runs like these."""
    shifted = logits[..., None] + s * NODES
    if name == "rewards":
        return logits
    if name == "avg":
        return (0.5 * expit(shifted - CUTS[0]) + 0.5 * expit(shifted - CUTS[1])) @ WEIGHTS
    return credit(metric_of(name))(expit(shifted) @ WEIGHTS)


def outcomes(name, logits, shifts, rng):
    """Outcomes of one model: a trial of every question in every run."""
    size = (len(logits), len(shifts))
    labels = [f"run {t}" for t in range(len(shifts))]
    if name == "rewards":
        return RewardMatrix(logits[:, None] + SHIFT * shifts + NOISE * rng.standard_normal(size), runs=labels)
    if name == "avg":
        latent = logits[:, None] + shifts + rng.logistic(size=size)
        return OutcomeMatrix((latent[..., None] > CUTS).sum(axis=-1), categories=3, runs=labels)
    return OutcomeMatrix((rng.random(size) < expit(logits[:, None] + shifts)).astype(np.int8), runs=labels)


def population_value(name, s):
    """The true value over all questions."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    return float(weights / weights.sum() @ value(name, SPREAD * nodes, s))


def covered(job):
    """Hits, widths, and widths with independent trials, of one world of a cell, one per model."""
    cell, seed = job
    rng = np.random.default_rng(seed)
    name, s, models = cell["metric"], cell["s"], cell["models"]
    logits = rng.normal(0.0, SPREAD, (models, cell["questions"]))
    made = {f"m{i}": outcomes(name, own, s * rng.standard_normal(cell["runs"]), rng) for i, own in enumerate(logits)}
    truth = value(name, logits, s).mean(axis=1)
    if cell["target"] == "population":
        truth = np.full(models, population_value(name, s))
    metric, target = metric_of(name), cell["target"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        both = [Leaderboard(metric, made, target=target, runs=runs) for runs in ("random", "independent")]
    boards = [board.rankings[0].intervals for board in both]
    hits = [each.lo <= true <= each.hi for each, true in zip(boards[0], truth, strict=True)]
    plain = [each.lo <= true <= each.hi for each, true in zip(boards[1], truth, strict=True)]
    wide, narrow = ([each.hi - each.lo for each in board] for board in boards)
    return np.mean(hits), np.mean(plain), np.mean(wide), np.mean(narrow)


def cells(options):
    """Print the coverage and the width of every cell."""
    chosen = design(np.random.default_rng(options.seed))
    heads = [*FACTORS, "covers", "plain covers", "width ratio"]
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    found = []
    with ProcessPoolExecutor(options.jobs) as pool:
        for cell in chosen:
            seeds = np.random.SeedSequence([options.seed, len(found)]).spawn(options.worlds)
            numbers = np.array(list(pool.map(covered, [(cell, seed) for seed in seeds], chunksize=20)))
            hit, plain, wide, narrow = numbers.mean(axis=0)
            error = numbers[:, 0].std() / np.sqrt(len(numbers))
            found.append((cell, hit, error, wide / narrow))
            row = [*map(str, cell.values()), f"{hit:.3f} ±{error:.3f}", f"{plain:.3f}", f"{wide / narrow:.2f}"]
            print("| " + " | ".join(row) + " |", flush=True)
    summary(found)


def summary(found):
    """Print how many cells are outside of the bars by more than three errors, and the means."""
    outside = []
    for cell, hit, error, ratio in found:
        few = cell["models"] == 1 and cell["runs"] <= 8
        least = 0.85 if cell["runs"] == 2 else 0.88 if few else 0.92
        most = 1.0 if cell["runs"] == 2 else 0.985
        if hit < least - 3 * error or hit > most + 3 * max(error, 1e-3):
            outside.append((cell, round(float(hit), 3), round(float(ratio), 2)))
    print(f"{len(found)} cells, mean coverage {np.mean([hit for _, hit, _, _ in found]):.3f}; outside: {len(outside)}")
    for each in outside:
        print(*each)


def called(job):
    """Whether each kind of call is made of two equal models, by how runs are taken."""
    runs, s, questions, name, shares, seed = job
    rng = np.random.default_rng(seed)
    logits = rng.normal(0.0, SPREAD, questions)
    shifts = s * rng.standard_normal((2, runs))
    if shares:  # half of the effect's variance is the same for both models
        shifts = (shifts + s * rng.standard_normal(runs)) / np.sqrt(2.0)
    A, B = (outcomes(name, logits, each, rng) for each in shifts)
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for taken in ("independent", "random"):
            about = {"runs": taken}
            pair = Leaderboard(metric_of(name), {"a": A, "b": B}, **about).pairs()
            found += [
                compare(metric_of(name), A, B, **about).winner is not None,
                next(iter(pair)).better is not None,
                gate(metric_of(name), A, B, max_drop=0.0, **about).verdict == "failed",
            ]
    return found


def calls(options):
    """Print how often equal models are called different, and how often a gate fails one (its error is one-sided)."""
    print("| runs | s | questions | metric | compare | with runs | pairs | with runs | gate | with runs |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    with ProcessPoolExecutor(options.jobs) as pool:
        for runs, s, questions, name in [
            (3, 0.2, 100, "pass@1"),
            (5, 0.0, 100, "pass@1"),
            (5, 0.2, 100, "pass@1"),
            (5, 0.5, 100, "pass@1"),
            (5, 0.3, 100, "pass@4"),
            (8, 0.3, 500, "passhat@4"),
            (16, 0.3, 100, "avg"),
            (5, 0.3, 100, "rewards"),
        ]:
            seeds = np.random.SeedSequence([options.seed, runs, questions]).spawn(options.worlds)
            jobs = [(runs, s, questions, name, bool(i % 2), seed) for i, seed in enumerate(seeds)]
            rates = np.mean(list(pool.map(called, jobs, chunksize=20)), axis=0)
            row = [f"{rates[i]:.3f}" for i in (0, 3, 1, 4, 2, 5)]
            print(f"| {runs} | {s} | {questions} | {name} | " + " | ".join(row) + " |", flush=True)


def alarmed(job):
    """Whether a RunsWarning is given."""
    runs, s, questions, seed = job
    rng = np.random.default_rng(seed)
    R = outcomes("pass@1", rng.normal(0.0, SPREAD, questions), s * rng.standard_normal(runs), rng)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        metric_of("pass@1").interval(R)
    return any(each.category is RunsWarning for each in said)


def alarms(options):
    """Print how often a RunsWarning is given, by the size of the effect."""
    sizes = FACTORS["s"]
    print("| runs | questions | " + " | ".join(f"s = {s}" for s in sizes) + " |\n|---|---|" + "---|" * len(sizes))
    with ProcessPoolExecutor(options.jobs) as pool:
        for runs, questions in itertools.product((2, 5, 16), (30, 100, 500)):
            row = []
            for s in sizes:
                seeds = np.random.SeedSequence([options.seed, runs, questions]).spawn(options.worlds)
                rate = np.mean(list(pool.map(alarmed, [(runs, s, questions, each) for each in seeds], chunksize=50)))
                row.append(f"{rate:.3f}")
            print(f"| {runs} | {questions} | " + " | ".join(row) + " |", flush=True)


def left_out(options):
    """Print how often the interval for one more run holds the run that was left out."""
    for name in ("taubench_airline_gpt4o_trials", "terminalbench_core011_trials", "matharena_aime2025_II_trials"):
        file = np.load(Path(options.data) / f"{name}.npz", allow_pickle=True)
        R = file["R"] if file["R"].ndim == 3 else file["R"][None]
        hits = []
        for model in R:
            for t in range(model.shape[1]):
                rest = np.delete(model, t, axis=1)
                interval = analyze_runs("pass@1", OutcomeMatrix(rest, runs=range(rest.shape[1]))).next_run()
                hits.append(interval.lo <= model[:, t].mean() <= interval.hi)
        error = np.sqrt(np.mean(hits) * (1 - np.mean(hits)) / len(hits))
        print(f"{name}: {np.mean(hits):.3f} ±{error:.3f} of {len(hits)} runs")


def speed(options):
    """Print the least CPU time of an interval of 64 runs of 10,000 questions, and how many times one without runs."""
    rng = np.random.default_rng(options.seed)
    table = (rng.random((10_000, 64)) < expit(rng.normal(0.0, SPREAD, (10_000, 1)))).astype(np.int8)
    labels = rng.permuted(np.tile(np.arange(64), (10_000, 1)), axis=1)
    absent = rng.random(table.shape) < 0.05
    some, theirs = ([row[~own] for row, own in zip(each, absent, strict=True)] for each in (table, labels))
    ways = {"per column": (table, range(64)), "per trial": (table, labels), "1 of 20 missing": (some, theirs)}
    for name in ("pass@1", "pass@4", "passhat@4", "bayes"):
        metric, least = metric_of(name), {}
        for _ in range(10):
            for way, (rows, runs) in ways.items():
                for key, made in (("plain", OutcomeMatrix(rows)), (way, OutcomeMatrix(rows, runs=runs))):
                    taken_as = "auto" if key == "plain" else "random"
                    start = time.process_time()
                    metric.interval(made, prior="learned", runs=taken_as)
                    taken = time.process_time() - start
                    least[way, key] = min(least.get((way, key), taken), taken)
        ratios = {way: least[way, way] / least[way, "plain"] for way in ways}
        cells = [f"{way} {1e3 * least[way, way]:.2f} ms, {ratio:.2f} times" for way, ratio in ratios.items()]
        print(f"{name}: {'; '.join(cells)}", flush=True)


def picture(options):
    """Draw how often intervals contain the value over runs like these, against how much runs differ."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    sizes = np.linspace(0.0, 0.6, 7)
    lines = {"random, 1 model": [], "random, 5 models": [], "independent": []}
    with ProcessPoolExecutor(options.jobs) as pool:
        for s in sizes:
            for models in (1, 5):
                cell = {"runs": 5, "s": float(s), "questions": 100, "models": models, "metric": "pass@1"}
                seeds = np.random.SeedSequence([options.seed, int(100 * s), models]).spawn(options.worlds)
                jobs = [(cell | {"target": "questions"}, seed) for seed in seeds]
                hit, plain, *_ = np.mean(list(pool.map(covered, jobs, chunksize=20)), axis=0)
                lines[f"random, {models} model{'s' * (models > 1)}"].append(hit)
            lines["independent"].append(plain)
    figure, axes = plt.subplots(figsize=(7.0, 4.0), layout="constrained")
    styles = {
        "independent": ("#b2182b", "-"),
        "random, 1 model": ("#4393c3", "-"),
        "random, 5 models": ("#2166ac", "-"),
    }
    for name, shares in lines.items():
        color, line = styles[name]
        axes.plot(sizes, shares, label=f"runs={name}", color=color, linestyle=line, marker="o", markersize=4)
        print(name, [round(float(share), 3) for share in shares])
    axes.axhline(0.95, color="0.5", linestyle=":", label="promised: 95%")
    axes.set(xlabel="s: how much runs differ, in log odds", ylabel="intervals that contain the true value")
    axes.set_ylim(0.4, 1.0)
    axes.legend(frameon=False, loc="lower left")
    figure.savefig("docs/runs.png", dpi=80)


def main():
    """Run one of the benchmarks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("cells", "calls", "alarms", "left-out", "speed", "picture"))
    parser.add_argument("--worlds", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--data", default="../shared/data")
    options = parser.parse_args()
    every = {"cells": cells, "calls": calls, "alarms": alarms, "left-out": left_out, "speed": speed, "picture": picture}
    every[options.what](options)


if __name__ == "__main__":
    main()
