"""What votes and selectors are worth: coverage of their intervals, calls of equal rules, speed.

python benchmarks/selection.py cells --worlds 400 --data DIR --save FILE   # coverage, cells with every pair of factors
python benchmarks/selection.py calls --worlds 1000             # equal rules called different
python benchmarks/selection.py speed                           # microseconds per question
python benchmarks/selection.py rare --worlds 1000              # where hardly a trial differs: never sure and wrong
python benchmarks/selection.py cells calls speed --page        # and write the tables into docs/selection.md

A cell has a population of 1,000 questions with known laws of answers and scores; a world draws questions from it and
trials of these. Scores have 24 levels, so that they tie. Without --data, rates are simulated only. FILE gets a line per
cell as it is done, and its cells are not simulated again, so that a run can be broken off.
"""

import argparse
import csv
import itertools
import json
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from scipy.stats import norm

from scorio import BestOfK, MinAtK, OutcomeMatrix, VoteAtK, compare_rules
from scorio._kernels import vote_at_k

FACTORS = {
    "rates": ("real", "even", "easy", "hard"),
    "answers": ("one attractive", "many rare", "none right"),
    "verifier": ("useless", "weak", "good", "perfect", "depends"),
    "questions": (30, 100),
    "N, k": ((8, 2), (8, 4), (16, 4), (16, 8), (64, 8), (64, 32)),
}
STATEMENTS = ("vote", "best", "vote, population", "best, population", "vote - best", "vote - best, population")
LEVELS, WRONG, POPULATION = 24, 30, 1000
MANY = 10**9  # trials of which a draw is as good as one with replacement
QUALITY = {"useless": 0.0, "weak": 0.7, "good": 2.0, "perfect": 12.0}
PAGE = Path(__file__).parents[1] / "docs" / "selection.md"


def design(rng):
    """Cells in which every pair of two factors' levels is seen."""
    kinds = [[(name, level) for level in levels] for name, levels in FACTORS.items()]
    pairs = {
        frozenset(pair) for one, other in itertools.combinations(kinds, 2) for pair in itertools.product(one, other)
    }
    chosen = []
    while pairs:
        drawn = [tuple(kind[rng.integers(len(kind))] for kind in kinds) for _ in range(100)]
        best = max(drawn, key=lambda cell: len(_pairs(cell) & pairs))
        if _pairs(best) & pairs:
            chosen.append(dict(best))
            pairs -= _pairs(best)
    return chosen


def _pairs(cell):
    return {frozenset(pair) for pair in itertools.combinations(cell, 2)}


def rates(kind, data, rng):
    """The success rates of a population of questions."""
    if kind == "real" and data is not None:
        with np.load(Path(data) / "monkeys_math128_n10000.npz") as file:
            return rng.choice(file["correct"].ravel() / float(file["trials"]), POPULATION)
    a, b = {"real": (0.4, 0.8), "even": (0.7, 0.7), "easy": (4.0, 0.5), "hard": (0.3, 3.0)}[kind]
    return rng.beta(a, b, POPULATION)


def population(cell, data, seed):
    """The law of answers, (Q, 1 + WRONG) with the right one first, and of scores if wrong and right, (Q, 2, LEVELS)."""
    rng = np.random.default_rng(seed)
    rate = rates(cell["rates"], data, rng)
    if cell["answers"] == "none right":
        rate = np.where(rng.random(POPULATION) < 0.3, 0.0, rate)
    wrong = np.full((POPULATION, WRONG), 1.0 / WRONG)
    if cell["answers"] != "many rare":
        wrong[:] = 0.2 / (WRONG - 1)
        wrong[:, 0] = 0.8
    answers = np.hstack([rate[:, None], (1.0 - rate)[:, None] * wrong])
    quality = QUALITY.get(cell["verifier"])
    shift = rng.normal(0.7, 1.0, POPULATION) if quality is None else np.full(POPULATION, quality)
    cuts = np.linspace(-2.5, 2.5 + min(max(shift.max(), 0.0), 12.0), LEVELS - 1)
    edges = np.concatenate([[-np.inf], cuts, [np.inf]])
    centers = np.stack([np.zeros(POPULATION), shift], axis=1)
    return answers, np.diff(norm.cdf(edges - centers[..., None]), axis=-1)


def true_votes(answers, k):
    """The worth of a vote of ``k`` new trials of each question."""
    counts = np.rint(answers * MANY).astype(np.int64)
    order = np.argsort(-counts, axis=1, kind="stable")
    counts, worth = np.take_along_axis(counts, order, 1), (order == 0).astype(float)
    keep, value, none = counts > 0, np.empty(len(answers)), np.empty(0)
    first = np.concatenate([[0], np.cumsum(keep.sum(axis=1))])
    trials = counts.sum(axis=1)
    vote_at_k.votes(counts[keep], worth[keep], first, trials, k, True, False, value, none, none, none)
    return value


def true_bests(answers, scores, k):
    """The worth of the best of ``k`` new trials of each question."""
    rate = answers[:, :1]
    right, wrong = rate * scores[:, 1], (1.0 - rate) * scores[:, 0]
    up_to = np.cumsum(right + wrong, axis=1)
    chance = np.diff(np.hstack([np.zeros_like(rate), up_to]) ** k, axis=1)
    share = np.divide(right, right + wrong, out=np.zeros_like(right), where=right + wrong > 0)
    return (chance * share).sum(axis=1)


def draw(law, size, rng):
    """Draws from one law per row."""
    steps = np.cumsum(law, axis=-1)
    return (rng.random((*law.shape[:-1], size))[..., None] > steps[..., None, :-1]).sum(axis=-1)


def outcomes(answers, scores, n, rng):
    """Outcomes of ``n`` trials of questions with these laws."""
    given = draw(answers, n, rng)
    right = (given == 0).astype(np.int64)
    both = np.stack([draw(scores[:, side], n, rng) for side in (0, 1)], axis=-1)
    score = np.take_along_axis(both, right[..., None], -1)[..., 0]
    return OutcomeMatrix(right, answers=given, scores={"verifier": score.astype(float)})


def covered(job):
    """Whether each interval of a world contains the truth, and its width."""
    laws, truths, cell, seed = job
    rng = np.random.default_rng(seed)
    n, k = cell["N, k"]
    which = rng.integers(POPULATION, size=cell["questions"])
    R = outcomes(laws[0][which], laws[1][which], n, rng)
    rules = (VoteAtK(k), BestOfK(k))
    hits, widths = [], []
    for target in ("questions", "population"):
        here = truths[:, which].mean(axis=1) if target == "questions" else truths.mean(axis=1)
        found = [rule.interval(R, target=target) for rule in rules]
        found.append(compare_rules(*rules, R, target=target))
        for each, truth in zip(found, (*here, here[0] - here[1]), strict=True):
            hits.append(each.lo - 1e-9 <= truth <= each.hi + 1e-9)
            widths.append(each.hi - each.lo)
    order = [0, 1, 3, 4, 2, 5]
    return np.array(hits)[order], np.array(widths)[order]


_LAWS = {}


def _start(laws, truths, cell):
    _LAWS["job"] = (laws, truths, cell)


def _of_seed(seed):
    return covered((*_LAWS["job"], seed))


def cells(options):
    """Return a summary of the coverage of all cells as rows of a table; print each, and write them beside the page."""
    known = {line["cell"]: line for line in map(json.loads, options.save.open())} if _exists(options.save) else {}
    found = []
    for i, cell in enumerate(design(np.random.default_rng(options.seed))):
        line = known.get(i) or _of_cell(i, cell, options)
        found.append((cell, np.array(line["covered"])))
        print(*_named(cell), *(f"{each:.3f}" for each in line["covered"]), sep=" | ", flush=True)
        if options.save and i not in known:
            with options.save.open("a") as file:
                file.write(json.dumps(line) + "\n")
    if options.page:
        with PAGE.with_suffix(".csv").open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([*list(FACTORS)[:-1], "trials", "k", *STATEMENTS])
            writer.writerows([*_named(cell), *(f"{each:.4f}" for each in rate)] for cell, rate in found)
    return summary(found, options.worlds)


def _exists(path):
    return path is not None and path.exists()


def _named(cell):
    return [*(cell[name] for name in list(FACTORS)[:-1]), *cell["N, k"]]


def _of_cell(i, cell, options):
    """Return the share of worlds in which each interval contains the truth."""
    laws, k = population(cell, options.data, [options.seed, i]), cell["N, k"][1]
    truths = np.stack([true_votes(laws[0], k), true_bests(*laws, k)])
    seeds = np.random.SeedSequence([options.seed, i]).spawn(options.worlds)
    with ProcessPoolExecutor(options.jobs, initializer=_start, initargs=(laws, truths, cell)) as pool:
        hits, widths = zip(*pool.map(_of_seed, seeds, chunksize=10), strict=True)
    return {"cell": i, "covered": np.mean(hits, axis=0).tolist(), "width": np.mean(widths, axis=0).tolist()}


def summary(found, worlds):
    """Return the mean and the range of the coverage of each statement, by k, as rows of a table, and print them."""
    rows = [["interval of", "k", "cells", "mean", "lowest", "highest", f"error of a cell ({worlds} worlds)"]]
    for i, name in enumerate(STATEMENTS):
        rate = np.array([each[i] for _, each in found])
        wide = np.array([cell["N, k"][0] == 2 * cell["N, k"][1] for cell, _ in found])
        for which, each in (("below N/2", rate[~wide]), ("N/2", rate[wide])):
            numbers = [f"{x:.3f}" for x in (each.mean(), each.min(), each.max(), np.sqrt(0.05 * 0.95 / worlds))]
            rows.append([name, which, str(len(each)), *numbers])
            print(" | ".join(rows[-1]), flush=True)
    return rows


def equal_rules(job):
    """Whether two verifiers that know nothing, or two of equal quality, are called different."""
    questions, n, k, shift, target, seed = job
    rng = np.random.default_rng(seed)
    rate = rng.beta(0.7, 0.7, questions)[:, None]
    right = rng.random((questions, n)) < rate
    scores = {name: rng.standard_normal((questions, n)) + shift * right for name in ("one", "other")}
    R = OutcomeMatrix(right.astype(np.int64), scores=scores)
    return compare_rules(BestOfK(k, "one"), BestOfK(k, "other"), R, target=target).winner is not None


def calls(options):
    """Return how often equal rules are called different as rows of a table, and print them."""
    rows = [["questions", "N, k", "verifiers", "these questions", "questions like these"]]
    with ProcessPoolExecutor(options.jobs) as pool:
        for questions, (n, k), shift in itertools.product((30, 100), ((8, 2), (8, 4), (16, 8), (64, 16)), (0.0, 1.0)):
            shares = []
            for target in ("questions", "population"):
                seeds = np.random.SeedSequence([options.seed, questions, n, k]).spawn(options.worlds)
                jobs = [(questions, n, k, shift, target, seed) for seed in seeds]
                shares.append(f"{np.mean(list(pool.map(equal_rules, jobs, chunksize=50))):.3f}")
            rows.append([str(questions), f"{n}, {k}", "alike" if shift else "useless", *shares])
            print(" | ".join(rows[-1]), flush=True)
    return rows


def certain(job):
    """Whether intervals contain the truth where nearly all trials agree."""
    questions, n, k, rate, seed = job
    rng = np.random.default_rng(seed)
    laws = np.array([[rate, 1.0 - rate]]).repeat(questions, axis=0), np.full((questions, 2, 1), 1.0)
    R = outcomes(*laws, n, rng)
    truths = [float(each[0]) for each in (true_votes(laws[0][:1], k), true_bests(laws[0][:1], laws[1][:1], k))]
    truths.append(rate**k)
    found = [rule.interval(R) for rule in (VoteAtK(k), BestOfK(k), MinAtK(k))]
    return [each.lo - 1e-9 <= truth <= each.hi + 1e-9 for each, truth in zip(found, truths, strict=True)]


def rare(options):
    """Return the coverage where hardly a trial is wrong as rows of a table, and print them."""
    rows = [["questions", "N, k", "wrong trials expected", "vote", "best of a useless verifier", "worst"]]
    with ProcessPoolExecutor(options.jobs) as pool:
        for questions, (n, k), wrong in itertools.product(
            (30, 100), ((8, 4), (8, 8), (64, 32), (64, 64)), (0.3, 1.0, 3.0)
        ):
            seeds = np.random.SeedSequence([options.seed, questions, n, k]).spawn(options.worlds)
            jobs = [(questions, n, k, 1.0 - wrong / (questions * n), seed) for seed in seeds]
            hits = np.mean(list(pool.map(certain, jobs, chunksize=50)), axis=0)
            rows.append([str(questions), f"{n}, {k}", str(wrong), *(f"{each:.3f}" for each in hits)])
            print(" | ".join(rows[-1]), flush=True)
    return rows


def speed(options):
    """Return the time per question of 64 trials with 20 answers as rows of a table, and print them."""
    rng = np.random.default_rng(options.seed)
    law = rng.dirichlet(np.full(20, 0.7), 1000) * 0.9 + 0.005
    given = draw(law, 64, rng)
    scores = {"verifier": np.exp(rng.standard_normal(given.shape))}
    rows = [["rule", "score", "interval"]]
    for rule in (VoteAtK(8), VoteAtK(32), BestOfK(8), BestOfK(32)):
        best = [np.inf, np.inf]
        for _ in range(options.repeats):
            for i, ask in enumerate((rule.score, rule.interval)):
                R = OutcomeMatrix((given == 0).astype(np.int64), answers=given, scores=scores)
                start = time.perf_counter()
                ask(R)
                best[i] = min(best[i], time.perf_counter() - start)
        rows.append([str(rule), *(f"{each * 1e6 / len(given):.1f} us" for each in best)])
        print(" | ".join(rows[-1]), flush=True)
    return rows


def write(name, rows):
    """Write a table between its marks in the page."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    table = "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])
    begin, end = f"<!-- table of {name} -->", f"<!-- end of table of {name} -->"
    text = PAGE.read_text()
    head, _, rest = text.partition(begin)
    _, found, tail = rest.partition(end)
    if not found:
        raise SystemExit(f"{PAGE} has no line {begin!r} with {end!r} after it")
    PAGE.write_text(f"{head}{begin}\n{table}\n{end}{tail}")


TABLES = {"cells": cells, "calls": calls, "rare": rare, "speed": speed}


def main():
    """Run what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="+", choices=TABLES)
    parser.add_argument("--worlds", type=int, default=400)
    parser.add_argument("--seed", type=int, default=28)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--data", help="the folder with monkeys_math128_n10000.npz, for real rates")
    parser.add_argument("--save", type=Path, help="a file that keeps each cell, so that a run can go on where it ended")
    parser.add_argument("--page", action="store_true", help="write the tables into docs/selection.md")
    options = parser.parse_args()
    for name in options.tables:
        rows = TABLES[name](options)
        if options.page:
            write(name, rows)


if __name__ == "__main__":
    main()
