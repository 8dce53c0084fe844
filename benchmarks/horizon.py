"""Horizons, the monotone band, ratios and doubling times: coverage of intervals, and widths beside those of an oracle.

python benchmarks/horizon.py horizons --worlds 400 [--page]   # for these tasks and for tasks like these
python benchmarks/horizon.py bands trends --worlds 400        # monotone curves; ratios and doubling times
python benchmarks/horizon.py flat jumps --worlds 400          # the law of flat curves; bands next to a jump
python benchmarks/horizon.py bends --worlds 400               # curves that are not logistic, and how often it is said
python benchmarks/horizon.py pairs --worlds 700 [--page]      # ratios of two models' horizons from few tasks
python benchmarks/horizon.py metr --data runs.jsonl           # METR's p50 and p80 beside scikit-learn's, on their file

A world has tasks whose log2 of human minutes is uniform over 8.5 doublings. The log-odds of success fall by the slope
per doubling, and tasks and families of tasks have normal effects. For tasks like these, the true horizon is where the
average success, over all effects, is the rate; for these tasks it is that of the logistic curve through their true
rates.

The oracle knows the slope, the true curve and the variances of tasks, families and trials. It has the standard error
that the curve has in truth at the horizon ("width"), or that of a curve whose slope need not be estimated ("slope
known"), and the same degrees of freedom. Intervals and oracle are cut off where the data end. Widths are medians over
worlds, in doublings.
"""

import argparse
import itertools
import json
import math
import re
import warnings
from collections import defaultdict
from pathlib import Path

import marked
import numpy as np
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import t as student

from scorio import OutcomeMatrix, OutcomeSet, ParameterError, curve_over, horizon
from scorio.curves._logistic import of_trials, parameters_of
from scorio.curves._monotone import monotone, pooled
from scorio.errors import BiasWarning

SPAN = 4.25  # doublings to either side of the middle
CELLS = [
    # tasks, runs, families, slope, sd of tasks, sd of families, middle of the values, rate
    (30, 2, 0, 0.8, 1.0, 0.0, 0.0, 0.5),
    (30, 8, 0, 0.6, 1.0, 0.0, 0.0, 0.5),
    (30, 4, 10, 0.6, 0.7, 0.7, 0.0, 0.5),
    (50, 1, 0, 0.8, 1.0, 0.0, 0.0, 0.5),
    (50, 4, 17, 0.6, 0.7, 0.7, 0.0, 0.8),
    (60, 8, 12, 1.2, 0.0, 0.0, 0.0, 0.8),
    (60, 8, 12, 1.2, 2.0, 1.0, 1.0, 0.8),
    (100, 1, 0, 0.6, 1.0, 0.0, 1.0, 0.5),
    (100, 1, 0, 0.6, 0.0, 0.0, 0.0, 0.5),
    (100, 2, 25, 0.4, 0.5, 1.0, 0.0, 0.5),
    (150, 4, 50, 0.6, 0.7, 0.7, 0.0, 0.5),
    (150, 4, 50, 0.6, 0.7, 0.7, 1.5, 0.5),
    (150, 4, 50, 0.6, 0.7, 0.7, 0.0, 0.8),
    (200, 1, 40, 0.6, 0.7, 0.7, 0.0, 0.8),
    (200, 2, 20, 1.2, 1.0, 1.0, 0.0, 0.5),
    (200, 8, 60, 0.8, 1.0, 0.5, -1.5, 0.5),
]
BANDS = [
    (30, 2, 0, 0.8, 1.0, 0.0, 0.0, 0.5),
    (30, 8, 0, 0.6, 1.0, 0.0, 0.0, 0.5),
    (30, 4, 10, 0.6, 0.7, 0.7, 0.0, 0.5),
    (50, 1, 0, 0.8, 1.0, 0.0, 0.0, 0.5),
    (60, 8, 12, 1.2, 0.0, 0.0, 0.0, 0.5),
    (100, 1, 0, 0.6, 1.0, 0.0, 1.0, 0.5),
    (100, 2, 25, 0.4, 0.5, 1.0, 0.0, 0.5),
    (150, 4, 50, 0.6, 0.7, 0.7, 0.0, 0.5),
    (200, 2, 20, 1.2, 1.0, 1.0, 0.0, 0.5),
    (80, 4, 0, 0.0, 1.0, 0.0, 0.0, 0.5),  # flat
]
HEADS = "tasks | runs | families | slope | sd of tasks, families | middle | rate"
NODES, SHARES = np.polynomial.hermite_e.hermegauss(41)
SHARES = SHARES / SHARES.sum()


def marginal(cell, x):
    """The average success of tasks of these values, over tasks and families."""
    _, _, families, slope, of_tasks, of_families, *_ = cell
    sd = math.hypot(of_tasks, of_families if families else 0.0)
    return expit(-slope * np.asarray(x)[..., None] + sd * NODES) @ SHARES


def draw(cell, rng):
    """Values, families, true rates and outcomes of the tasks of a world."""
    tasks, runs, families, slope, of_tasks, of_families, middle, _ = cell
    x = rng.uniform(middle - SPAN, middle + SPAN, tasks)
    family = rng.integers(0, families, tasks) if families else np.arange(tasks)
    effect = rng.normal(0.0, of_tasks, tasks)
    if families:
        effect = effect + rng.normal(0.0, of_families, families)[family]
    p = expit(-slope * x + effect)
    return x, family, p, (rng.random((tasks, runs)) < p[:, None]).astype(int)


def covariances(cell):
    """The covariance of the values of two tasks: with equal effects of the family, by the value of each."""
    _, _, families, slope, of_tasks, of_families, *_ = cell
    spread = of_families if families else 0.0
    grid = np.linspace(-8.0, 8.0, 321)
    given = expit(-slope * grid[:, None, None] + spread * NODES[:, None] + of_tasks * NODES)
    by_family = given @ SHARES  # the average of tasks, given the effect of the family
    mean = by_family @ SHARES
    return (
        grid,
        by_family - mean[:, None],
        (given * (1.0 - given)) @ SHARES @ SHARES,
        (given**2) @ SHARES @ SHARES - mean**2,
    )


def widths_of(curve, x0, critical, span):
    """The width of the oracle's interval at the horizon, cut off where the data end."""
    lo, hi = max(x0 - critical * curve, span[0]), min(x0 + critical * curve, span[1])
    return hi - lo


def oracle_like(cell, known, x, family, x0, parameters):
    """The standard error of the horizon for tasks like these, with the slope estimated and with the slope known."""
    grid, by_family, within, between = known
    runs = cell[1]
    at = np.clip(np.searchsorted(grid, x), 0, len(grid) - 1)
    own = between[at] + within[at] / runs
    p = expit(parameters[0] + parameters[1] * x)
    design = np.column_stack([np.ones_like(x), x])
    bread = np.linalg.inv(design.T @ ((p * (1 - p))[:, None] * design))
    lean = np.zeros((len(x), len(x)))
    if cell[2]:
        lean = (by_family[at] * SHARES) @ by_family[at].T * (family[:, None] == family)
    np.fill_diagonal(lean, own)
    both = (design @ bread) @ np.array([1.0, x0]) / parameters[1]
    one = np.ones_like(x) / (p * (1 - p)).sum() / parameters[1]
    return math.sqrt(both @ lean @ both), math.sqrt(one @ lean @ one)


def population_curve(cell):
    """The logistic curve of tasks like these."""
    middle = cell[6]
    x = np.linspace(middle - SPAN, middle + SPAN, 401)
    return parameters_of(x, marginal(cell, x), np.ones_like(x), None, 0.0)


def horizons(cell, worlds, seed):
    """Coverage, both ratios of widths, and how many intervals have both ends, for both targets."""
    rng, rate = np.random.default_rng(seed), cell[7]
    logit = math.log(rate / (1 - rate))
    true = brentq(lambda h: float(marginal(cell, h)) - rate, -20, 20)
    known, like = covariances(cell), population_curve(cell)
    found = {target: [] for target in ("questions", "population")}
    for _ in range(worlds):
        x, family, p, R = draw(cell, rng)
        of_these = parameters_of(x, p, np.ones_like(x), None, 0.0)
        truths = {"questions": (logit - of_these[0]) / of_these[1], "population": true}
        span = float(x.min()), float(x.max())
        outcomes = OutcomeSet({"m": R}, clusters=[f"f{i}" for i in family])
        for target, rows in found.items():
            got = horizon("pass@1", outcomes, 2.0**x, at=rate, target=target)
            interval, crossed = got.of("m"), got._crossings["m", rate]
            lo, hi = (
                side if end is None else math.log2(end)
                for side, end in zip(span, (interval.lo, interval.hi), strict=True)
            )
            truth = truths[target]
            hit = (interval.lo is None or lo <= truth) and (interval.hi is None or truth <= hi)
            critical = student.ppf(0.975, crossed.degrees)
            if target == "questions":
                fit = of_trials(x, np.ones_like(x), of_these, p * (1 - p) / cell[1])
                both = float(np.linalg.norm(fit.influence @ [1.0, truth])) / abs(of_these[1])
                q = expit(of_these[0] + of_these[1] * x)
                one = math.sqrt((p * (1 - p)).sum() / cell[1]) / (q * (1 - q)).sum() / abs(of_these[1])
            else:
                both, one = oracle_like(cell, known, x, family, truth, like)
            oracle = [widths_of(each, truth, critical, span) for each in (both, one)]
            rows.append((hit, hi - lo, *oracle, interval.lo is not None and interval.hi is not None))
    return {target: summary(np.array(rows, float)) for target, rows in found.items()}


def summary(rows):
    """Coverage with its Monte Carlo error, ratios of median widths, and the share of intervals with two ends."""
    cover, width = rows[:, 0].mean(), np.median(rows[:, 1:4], axis=0)
    return (
        cover,
        math.sqrt(cover * (1 - cover) / len(rows)),
        width[0] / width[1],
        width[0] / width[2],
        rows[:, 4].mean(),
    )


def table_of_horizons(worlds):
    """The table of coverage and widths, for each target."""
    lines = [
        f"| {HEADS} | target | covers | width | slope known | two ends |",
        "|" + " ---: |" * 7 + " --- |" + " ---: |" * 4,
    ]
    means = defaultdict(list)
    for i, cell in enumerate(CELLS):
        tasks, runs, families, slope, of_tasks, of_families, middle, rate = cell
        for target, (cover, error, width, known, ends) in horizons(cell, worlds, i).items():
            about = f"{tasks} | {runs} | {families or '-'} | {slope:g} | {of_tasks:g}, {of_families:g} | {middle:g}"
            name = "these tasks" if target == "questions" else "like these"
            lines.append(
                f"| {about} | {rate:g} | {name} | {cover:.3f} ± {error:.3f} | {width:.2f} | {known:.2f} | {ends:.2f} |"
            )
            print(lines[-1], flush=True)
            means[name].append((cover, error, width, known))
    for name, rows in means.items():
        mean = np.mean(rows, axis=0)
        error = math.sqrt(sum(row[1] ** 2 for row in rows)) / len(rows)
        lines.append(
            f"| mean |  |  |  |  |  |  | {name} | {mean[0]:.3f} ± {error:.3f} | {mean[2]:.2f} | {mean[3]:.2f} |  |"
        )
        print(lines[-1], flush=True)
    return "\n".join(lines)


def bands(worlds):
    """How often the band of the monotone curve holds the true curve, by the place in the data.

    For these tasks, that is the monotone curve through their true rates.
    """
    heads = "tasks | runs | families | slope | sd of tasks, families | target | covers, 9 places | least | mean width"
    lines = [f"| {heads} |", "|" + " ---: |" * 5 + " --- |" + " ---: |" * 3]
    means = defaultdict(list)
    for i, cell in enumerate(BANDS):
        rng, hits, widths = np.random.default_rng(100 + i), defaultdict(lambda: np.zeros(9)), defaultdict(float)
        for _ in range(worlds):
            x, family, p, R = draw(cell, rng)
            places = np.quantile(x, np.arange(1, 10) / 10)
            outcomes, order = OutcomeSet({"m": R}, clusters=[f"f{i}" for i in family]), np.argsort(x)
            of_these = np.interp(places, x[order], monotone(x, p, np.ones_like(x), increasing=False)[order])
            for name, target, truth in (
                ("these tasks", "questions", of_these),
                ("like these", "population", marginal(cell, places)),
            ):
                points = curve_over("pass@1", outcomes, 2.0**x, target=target)["m"].points(2.0**places)
                ends = np.array([(each.monotone_lo, each.monotone_hi) for each in points])
                hits[name] += (ends[:, 0] <= truth) & (truth <= ends[:, 1])
                widths[name] += float(np.mean(ends[:, 1] - ends[:, 0])) / worlds
        tasks, runs, families, slope, of_tasks, of_families, *_ = cell
        for name, each in hits.items():
            share = each / worlds
            error = math.sqrt(share.min() * (1.0 - share.min()) / worlds)
            means[name].append((share.mean(), widths[name]))
            lines.append(
                f"| {tasks} | {runs} | {families or '-'} | {slope:g} | {of_tasks:g}, {of_families:g} | {name} "
                f"| {share.mean():.3f} | {share.min():.3f} ± {error:.3f} | {widths[name]:.2f} |"
            )
            print(lines[-1], flush=True)
    for name, rows in means.items():
        mean = np.mean(rows, axis=0)
        lines.append(f"| mean |  |  |  |  | {name} | {mean[0]:.3f} |  | {mean[1]:.2f} |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def flat(worlds):
    """The 95% points of the loss of a flat monotone curve under normal noise, by the share of questions beyond."""
    shares, rng = (0.02, 0.05, 0.1, 0.2, 0.5), np.random.default_rng(0)
    print(f"| questions | {' | '.join(f'{each:g} beyond' for each in shares)} |")
    for count in (30, 100, 400):
        losses = np.zeros((worlds, len(shares)))
        for row in losses:
            y = rng.normal(size=count)
            whole = height_of(y)
            for i, share in enumerate(shares):
                cut = max(1, int(count * share))
                through = [np.minimum(height_of(y[:cut]), 0.0), np.maximum(height_of(y[cut:]), 0.0)]
                row[i] = ((y - np.concatenate(through)) ** 2).sum() - ((y - whole) ** 2).sum()
        print(f"| {count} | {' | '.join(f'{each:.2f}' for each in np.quantile(losses, 0.95, axis=0))} |", flush=True)


def height_of(y):
    """The monotone fit."""
    blocks = pooled(y, np.ones_like(y))
    return np.repeat(blocks.height, blocks.size)


def jumps(worlds):
    """How often the band holds a curve that falls from .9 to .2 in the middle, at the nine deciles."""
    for tasks, runs in ((60, 1), (60, 4), (200, 2)):
        rng, hits = np.random.default_rng(tasks), np.zeros(9)
        for _ in range(worlds):
            x = np.sort(rng.uniform(0.0, 1.0, tasks))
            places = np.quantile(x, np.arange(1, 10) / 10)
            R = (rng.random((tasks, runs)) < np.where(x < 0.5, 0.9, 0.2)[:, None]).astype(int)
            points = curve_over("pass@1", {"m": R}, 2.0**x, target="population")["m"].points(2.0**places)
            truth = np.where(places < 0.5, 0.9, 0.2)
            hits += [each.monotone_lo <= true <= each.monotone_hi for each, true in zip(points, truth, strict=True)]
        print(f"| {tasks} | {runs} | {' | '.join(f'{each:.2f}' for each in hits / worlds)} |", flush=True)


TRENDS = [
    # models, tasks, runs, families, sd of tasks, of families, scatter of models in doublings, doublings per year
    (6, 60, 2, 15, 0.7, 0.7, 0.3, 1.5),
    (8, 100, 4, 30, 0.7, 0.7, 0.5, 1.2),
    (12, 150, 4, 50, 1.0, 0.7, 0.0, 1.0),
    (12, 150, 2, 50, 1.0, 0.7, 0.7, 1.5),
    (5, 80, 4, 0, 1.0, 0.0, 0.5, 0.3),
]


def of_these_tasks(x, p):
    """The true horizons of models for these tasks."""
    fits = [parameters_of(x, each, np.ones_like(x), None, 0.0) for each in p]
    return np.array([-a / b for a, b in fits])


def grown(cell, target, rng):
    """Whether the doublings per year and a ratio of horizons are held in one world; None with too few horizons."""
    models, tasks, runs, families, of_tasks, of_families, scatter, growth = cell
    x = rng.uniform(0.0, 10.0, tasks)
    family = rng.integers(0, families, tasks) if families else np.arange(tasks)
    effect = rng.normal(0.0, of_tasks, tasks)
    effect += rng.normal(0.0, of_families, families)[family] if families else 0.0
    years = np.sort(rng.uniform(0.0, 4.0, models))
    line = 5.0 + growth * (years - 2.0)
    truth = line + rng.normal(0.0, scatter, models)
    p = expit(-0.7 * (x - truth[:, None]) + effect)
    R = {f"m{k}": (rng.random((tasks, runs)) < p[k][:, None]).astype(int) for k in range(models)}
    found = horizon("pass@1", OutcomeSet(R, clusters=[f"f{j}" for j in family]), 2.0**x, at=0.5, target=target)
    try:
        trend = found.trend(dict(zip(R, years.tolist(), strict=True)))
    except ParameterError:  # fewer than three horizons within the data
        return None
    if target == "questions":  # these tasks bend the line and move the horizons of all models
        truth = of_these_tasks(x, p)
        growth = np.polyfit(years, of_these_tasks(x, expit(-0.7 * (x - line[:, None]) + effect)), 1)[0]
    ratio, inside = found.ratio("m1", "m2"), np.nan
    if ratio.lo is not None and ratio.hi is not None:
        inside = math.log2(ratio.lo) <= truth[1] - truth[2] <= math.log2(ratio.hi)
    return trend.lo <= growth <= trend.hi, inside, trend.slowest is None


def trends(worlds):
    """How often the intervals of doublings per year, and of the ratio of two models' horizons, hold the truth."""
    heads = "models | tasks | runs | families | scatter | target | doublings per year | ratios | no upper end"
    lines = [f"| {heads} |", "|" + " ---: |" * 5 + " --- |" + " ---: |" * 3]
    for i, cell in enumerate(TRENDS):
        models, tasks, runs, families, _, _, scatter, _ = cell
        for target in ("questions", "population"):
            rng = np.random.default_rng(200 + i)
            rows = [row for row in (grown(cell, target, rng) for _ in range(worlds)) if row is not None]
            kept = np.array(rows, float)
            own, pair = kept[:, 0].mean(), np.nanmean(kept[:, 1])
            errors = [math.sqrt(each * (1 - each) / len(kept)) for each in (own, pair)]
            name = "these tasks" if target == "questions" else "like these"
            lines.append(
                f"| {models} | {tasks} | {runs} | {families or '-'} | {scatter:g} | {name} "
                f"| {own:.3f} ± {errors[0]:.3f} | {pair:.3f} ± {errors[1]:.3f} | {kept[:, 2].mean():.2f} |"
            )
            print(lines[-1], flush=True)
    return "\n".join(lines)


PAIRS = [
    # tasks, runs, families, sd of tasks that both models share, of those of one model, doublings apart
    *[(8, 8, 0, *rest) for rest in ((1.0, 0.0, 0.0), (0.3, 1.0, 0.0), (1.0, 0.5, 1.5))],
    *[(16, 2, 0, *rest) for rest in ((1.0, 0.0, 0.0), (0.3, 1.0, 0.0), (1.0, 0.5, 1.5))],
    *[(16, 8, 0, *rest) for rest in ((1.0, 0.0, 0.0), (1.0, 0.3, 0.0), (1.0, 0.5, 1.5))],
    *[(30, 4, 10, *rest) for rest in ((1.0, 0.0, 0.0), (0.3, 1.0, 0.0), (1.0, 0.5, 1.5))],
]


def pairs(worlds):
    """How often the interval of a ratio holds the truth for tasks like these, and how often p is at most .05."""
    heads = "tasks | runs | families | sd shared, own | doublings apart | ratios | covers | called"
    lines = [f"| {heads} |", "|" + " ---: |" * 8]
    for i, (tasks, runs, families, shared, own, apart) in enumerate(PAIRS):
        rng, rows, truth = np.random.default_rng(300 + i), [], np.array([apart / 2.0, -apart / 2.0])
        for _ in range(worlds):
            x = rng.uniform(-SPAN, SPAN, tasks)
            family = rng.integers(0, families, tasks) if families else np.arange(tasks)
            effect = rng.normal(0.0, shared, families or tasks)[family] + rng.normal(0.0, own, (2, tasks))
            p = expit(-0.8 * (x - truth[:, None]) + effect)
            R = {
                name: (rng.random((tasks, runs)) < each[:, None]).astype(int)
                for name, each in zip("ab", p, strict=True)
            }
            both = OutcomeSet(R, clusters=[f"f{j}" for j in family])
            ratio = horizon("pass@1", both, 2.0**x, at=0.5, target="population").ratio("a", "b")
            if ratio.lo is not None:
                rows.append((math.log2(ratio.lo) <= apart <= math.log2(ratio.hi), ratio.p_value <= 0.05))
        covers, called = np.mean(rows, axis=0)
        error = math.sqrt(covers * (1.0 - covers) / len(rows))
        about = f"{tasks} | {runs} | {families or '-'} | {shared:g}, {own:g} | {apart:g} | {len(rows)}"
        lines.append(f"| {about} | {covers:.3f} ± {error:.3f} | {called:.3f} |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


LINKS = {
    "logistic": expit,
    "steps": lambda e: expit(np.where(e > 0.0, 2.0 * e, 0.6 * e)),  # log-odds fall faster above one half than below
    "plateau": lambda e: 0.8 * expit(e),
}
SIZES = [(24, 4), (60, 2), (120, 6), (200, 1), (400, 2)]


def bends(worlds):
    """How often a curve that is logistic, or is not, is warned of, and intervals hold where average success crosses.

    The last column is how often the range of the monotone curve that the warning names holds it.
    """
    print("| curve | tasks | runs | covers | warned | of those silent, covers | range named covers |")
    for link, (tasks, runs) in itertools.product(LINKS, SIZES):
        truth = brentq(lambda v, link=link: LINKS[link](-0.7 * v + 0.8 * NODES) @ SHARES - 0.5, -8.0, 8.0) + 5.0
        rng, rows = np.random.default_rng(tasks), []
        for _ in range(worlds):
            x = rng.uniform(-4.0, 4.0, tasks)
            p = LINKS[link](-0.7 * x + rng.normal(0.0, 0.8, tasks))
            outcomes = OutcomeMatrix.from_counts(rng.binomial(runs, p), runs)
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always", BiasWarning)
                found = horizon("pass@1", {"m": outcomes}, 2.0 ** (x + 5.0), at=0.5, target="population").of("m")
            lo, hi = (found.lo or 0.0), (found.hi or math.inf)
            named = re.search(r"between ([\d.]+) and ([\d.]+)", str(said[0].message)) if said else None
            ends = [math.log2(float(each)) for each in named.groups()] if named else [math.nan] * 2
            rows.append((lo <= 2.0**truth <= hi, bool(said), ends[0] - 0.07 <= truth <= ends[1] + 0.07))  # of the grid
        covers, called, _ = np.mean(rows, axis=0)
        silent = np.mean([row[0] for row in rows if not row[1]])
        ranges = np.mean([row[2] for row in rows if row[1]] or [math.nan])
        print(f"| {link} | {tasks} | {runs} | {covers:.3f} | {called:.3f} | {silent:.3f} | {ranges:.3f} |", flush=True)


def metr(path):
    """METR's horizons of a file of runs beside a fit by scikit-learn that is run to the end."""
    from sklearn.linear_model import LogisticRegression

    from scorio import read

    found = horizon("pass@1", read(path, keep="human_minutes"), "human_minutes", fit="metr")
    runs = defaultdict(list)
    with Path(path).open(encoding="utf-8") as file:
        for row in map(json.loads, file):
            runs[row["alias"]].append(row)
    print("| model | p50 | scikit-learn | p80 | scikit-learn |\n| --- | ---: | ---: | ---: | ---: |")
    for model, rows in runs.items():
        x = np.log2([[row["human_minutes"]] for row in rows])
        y = [row["score_binarized"] for row in rows]
        if len(set(y)) < 2:
            continue
        weights = [row["invsqrt_task_weight"] for row in rows]
        fit = LogisticRegression(C=10.0, tol=1e-12, max_iter=10_000).fit(x, y, sample_weight=weights)
        other = [2.0 ** ((math.log(rate / (1 - rate)) - fit.intercept_[0]) / fit.coef_[0, 0]) for rate in (0.5, 0.8)]
        ours = [found.of(model, rate).extrapolated for rate in (0.5, 0.8)]
        print(f"| {model} | {ours[0]:.4f} | {other[0]:.4f} | {ours[1]:.4f} | {other[1]:.4f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "what", nargs="+", choices=["horizons", "bands", "trends", "pairs", "flat", "jumps", "bends", "metr"]
    )
    parser.add_argument("--worlds", type=int, default=400)
    parser.add_argument("--data", help="a file runs.jsonl of METR")
    parser.add_argument("--page", action="store_true", help="write the tables into docs/horizon.md")
    options = parser.parse_args()
    tables = {"horizons": table_of_horizons, "bands": bands, "trends": trends, "pairs": pairs}
    for name in options.what:
        if name == "metr":
            metr(options.data)
            continue
        if name in ("flat", "jumps", "bends"):
            {"flat": flat, "jumps": jumps, "bends": bends}[name](options.worlds)
            continue
        text = tables[name](options.worlds)
        if options.page:
            marked.fill("horizon.md", name, f"{text}\n\n{options.worlds} worlds a row.")


if __name__ == "__main__":
    main()
