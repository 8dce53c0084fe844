"""Horizons, ratios and doubling times: coverage of intervals, and widths beside an oracle's.

A world has tasks whose log2 of human minutes is uniform over 8.5 doublings. The log-odds of success fall by the slope
per doubling, and tasks and families of tasks have normal effects. For tasks like these, the true horizon is where the
average success, over all effects, is the rate; for these tasks it is that of the logistic curve through their rates.

The oracle knows the slope, the true curve and the variances of tasks, families and trials. It has the standard error
that the curve has in truth at the horizon ("width"), or that of a curve whose slope need not be estimated ("slope
known"), and the same degrees of freedom. Intervals and oracle are cut off where the data end.
"""

import math
import warnings
from functools import cache

import numpy as np
from runner import grid, study
from scipy.optimize import brentq
from scipy.stats import t as student
from worlds import drawn, expit, hermite, inside

from scorio import OutcomeMatrix, OutcomeSet, ParameterError
from scorio.curves import horizon
from scorio.curves._logistic import Logistic, parameters_of
from scorio.errors import BiasWarning

SPAN = 4.25  # doublings to either side of the middle
NODES, SHARES = hermite(41)
NAMES = ("tasks", "runs", "families", "slope", "sd", "middle", "rate")
TARGETS = {"these tasks": "questions", "like these": "population"}
CELLS = (
    *((30, 2, 0, 0.8, (1.0, 0.0), 0.0, 0.5), (30, 8, 0, 0.6, (1.0, 0.0), 0.0, 0.5)),
    *((30, 4, 10, 0.6, (0.7, 0.7), 0.0, 0.5), (50, 1, 0, 0.8, (1.0, 0.0), 0.0, 0.5)),
    *((50, 4, 17, 0.6, (0.7, 0.7), 0.0, 0.8), (60, 8, 12, 1.2, (0.0, 0.0), 0.0, 0.8)),
    *((60, 8, 12, 1.2, (2.0, 1.0), 1.0, 0.8), (100, 1, 0, 0.6, (1.0, 0.0), 1.0, 0.5)),
    *((100, 1, 0, 0.6, (0.0, 0.0), 0.0, 0.5), (100, 2, 25, 0.4, (0.5, 1.0), 0.0, 0.5)),
    *((150, 4, 50, 0.6, (0.7, 0.7), 0.0, 0.5), (150, 4, 50, 0.6, (0.7, 0.7), 1.5, 0.5)),
    *((150, 4, 50, 0.6, (0.7, 0.7), 0.0, 0.8), (200, 1, 40, 0.6, (0.7, 0.7), 0.0, 0.8)),
    *((200, 2, 20, 1.2, (1.0, 1.0), 0.0, 0.5), (200, 8, 60, 0.8, (1.0, 0.5), -1.5, 0.5)),
)


def rows_of(cells):
    return [dict(zip(NAMES, each, strict=True)) for each in cells]


def effects(rng, tasks, families, sd):
    """The family and the effect of each task."""
    family = rng.integers(0, families, tasks) if families else np.arange(tasks)
    own = rng.normal(0.0, sd[0], tasks)
    return family, own + rng.normal(0.0, sd[1], families)[family] if families else own


def spread(families, sd):
    return math.hypot(sd[0], sd[1] if families else 0.0)


def marginal(slope, sd, x):
    """The average success of tasks of these values, with effects of this standard deviation."""
    return expit(-slope * np.asarray(x)[..., None] + sd * NODES) @ SHARES


def fitted(x, p):
    """The logistic curve through rates."""
    return parameters_of(x, p, np.ones_like(x), None, 0.0)


@cache
def covariances(families, slope, sd):
    """The covariance of the values of two tasks with equal effects of the family, by the value of each."""
    grid_, between = np.linspace(-8.0, 8.0, 321), sd[1] if families else 0.0
    given = expit(-slope * grid_[:, None, None] + between * NODES[:, None] + sd[0] * NODES)
    by_family = given @ SHARES
    mean = by_family @ SHARES
    within = (given * (1.0 - given)) @ SHARES @ SHARES
    return grid_, by_family - mean[:, None], within, (given**2) @ SHARES @ SHARES - mean**2


def oracle_like(cell, x, family, x0, parameters):
    """The standard errors of the horizon for tasks like these: with the slope estimated, and with the slope known."""
    _, runs, families, slope, sd = cell
    values, by_family, within, between = covariances(families, slope, sd)
    at, p = np.clip(np.searchsorted(values, x), 0, len(values) - 1), expit(parameters[0] + parameters[1] * x)
    lines = np.column_stack([np.ones_like(x), x])
    bread = np.linalg.inv(lines.T @ ((p * (1 - p))[:, None] * lines))
    lean = (
        (by_family[at] * SHARES) @ by_family[at].T * (family[:, None] == family) if families else 0.0 * np.outer(x, x)
    )
    np.fill_diagonal(lean, between[at] + within[at] / runs)
    both = (lines @ bread) @ np.array([1.0, x0]) / parameters[1]
    one = np.ones_like(x) / (p * (1 - p)).sum() / parameters[1]
    return math.sqrt(both @ lean @ both), math.sqrt(one @ lean @ one)


def oracle_of_these(x, p, runs, x0, parameters):
    """The same for these tasks."""
    line = Logistic(x, p, np.full_like(x, 1 / len(x)), np.arange(len(x)), None, 0.0, parameters)
    fit = line.over_trials(p * (1 - p) / runs)
    q = expit(parameters[0] + parameters[1] * x)
    both = float(np.linalg.norm(fit.influence @ [1.0, x0])) / abs(parameters[1])
    return both, math.sqrt((p * (1 - p)).sum() / runs) / (q * (1 - q)).sum() / abs(parameters[1])


def _ratios(columns):
    """Ratios of median widths."""
    width, *others = (np.nanmedian(columns[name]) for name in ("median width", "oracle", "oracle, slope known"))
    return {"width": width / others[0], "slope known": width / others[1]}


@study(rows_of(CELLS), page="RESULTS.md", mark="horizons", finish=_ratios)
def horizons(rng, tasks, runs, families, slope, sd, middle, rate):
    """Coverage of horizons, for these tasks and for tasks like these, and widths beside an oracle's."""
    x, (family, effect) = rng.uniform(middle - SPAN, middle + SPAN, tasks), effects(rng, tasks, families, sd)
    p = expit(-slope * x + effect)
    places, of_these = np.linspace(middle - SPAN, middle + SPAN, 401), fitted(x, p)
    logit, whole = math.log(rate / (1 - rate)), spread(families, sd)
    like = brentq(lambda h: float(marginal(slope, whole, h)) - rate, -20, 20)
    ends = float(x.min()), float(x.max())
    outcomes = OutcomeSet({"m": drawn(p, runs, rng)}, clusters=[f"f{i}" for i in family])
    for name, target in TARGETS.items():
        got = horizon("pass@1", outcomes, 2.0**x, at=rate, target=target)
        found, critical = got.of("m"), student.ppf(0.975, got.errors(["m"], rate)[1][0])
        lo, hi = (end if side is None else math.log2(side)
                  for end, side in zip(ends, (found.lo, found.hi), strict=True))  # fmt: skip
        if target == "questions":
            truth = (logit - of_these[0]) / of_these[1]
            errors = oracle_of_these(x, p, runs, truth, of_these)
        else:
            truth, curve = like, fitted(places, marginal(slope, whole, places))
            errors = oracle_like((tasks, runs, families, slope, sd), x, family, truth, curve)
        reach = [min(truth + critical * e, ends[1]) - max(truth - critical * e, ends[0]) for e in errors]
        yield (
            {"target": name},
            {
                "covers": (found.lo is None or lo <= truth) and (found.hi is None or truth <= hi),
                "median width": hi - lo,
                "oracle": reach[0],
                "oracle, slope known": reach[1],
                "two ends": found.lo is not None and found.hi is not None,
            },
        )


TREND_NAMES = ("models", "tasks", "runs", "families", "sd", "scatter", "growth", "about")
TRENDS = (
    # models, tasks, runs, families, sd of tasks and families, scatter of models in doublings, doublings per year
    *((6, 60, 2, 15, (0.7, 0.7), 0.3, 1.5), (8, 100, 4, 30, (0.7, 0.7), 0.5, 1.2)),
    *((12, 150, 4, 50, (1.0, 0.7), 0.0, 1.0), (12, 150, 2, 50, (1.0, 0.7), 0.7, 1.5)),
    (5, 80, 4, 0, (1.0, 0.0), 0.5, 0.3),
)


@study([dict(zip(TREND_NAMES, (*each, name), strict=True)) for each in TRENDS for name in TARGETS],
       worlds=200, page="RESULTS.md", mark="trends")  # fmt: skip
def trends(rng, models, tasks, runs, families, sd, scatter, growth, about):
    """How often the intervals of doublings per year, and of the ratio of two models' horizons, hold the truth."""
    x, (family, effect) = rng.uniform(0.0, 10.0, tasks), effects(rng, tasks, families, sd)
    years = np.sort(rng.uniform(0.0, 4.0, models))
    line = 5.0 + growth * (years - 2.0)
    truth = line + rng.normal(0.0, scatter, models)
    p = expit(-0.7 * (x - truth[:, None]) + effect)
    outcomes = OutcomeSet({f"m{k}": drawn(each, runs, rng) for k, each in enumerate(p)},
                          clusters=[f"f{j}" for j in family])  # fmt: skip
    found = horizon("pass@1", outcomes, 2.0**x, at=0.5, target=TARGETS[about])
    try:
        trend = found.trend(dict(zip(outcomes, years.tolist(), strict=True)))
    except ParameterError:  # fewer than three horizons within the data
        return {}
    if about == "these tasks":  # which bend the line and move the horizons of all models
        on_line = expit(-0.7 * (x - line[:, None]) + effect)
        truth, of_line = (np.array([-a / b for a, b in (fitted(x, each) for each in of)]) for of in (p, on_line))
        growth = np.polyfit(years, of_line, 1)[0]
    ratio, held_ = found.ratio("m1", "m2"), np.nan
    if ratio.lo is not None and ratio.hi is not None:
        held_ = math.log2(ratio.lo) <= truth[1] - truth[2] <= math.log2(ratio.hi)
    return {"doublings per year": inside(trend, growth), "ratios": held_, "no upper end": trend.slowest is None}


@study([{"tasks_runs_families": size, "sd_shared_own": sd, "apart": apart}
        for size in ((8, 8, 0), (16, 2, 0), (16, 8, 0), (30, 4, 10))
        for *sd, apart in ((1.0, 0.0, 0.0), (1.0, 0.3, 0.0) if size == (16, 8, 0) else (0.3, 1.0, 0.0),
                           (1.0, 0.5, 1.5))],
       worlds=700, page="RESULTS.md", mark="ratios")  # fmt: skip
def ratios(rng, tasks_runs_families, sd_shared_own, apart):
    """How often the interval of a ratio of two horizons holds the truth, and how often p is at most .05."""
    (tasks, runs, families), (shared, own) = tasks_runs_families, sd_shared_own
    x, family = rng.uniform(-SPAN, SPAN, tasks), rng.integers(0, families, tasks) if families else np.arange(tasks)
    effect = rng.normal(0.0, shared, families or tasks)[family] + rng.normal(0.0, own, (2, tasks))
    p = expit(-0.8 * (x - np.array([apart / 2.0, -apart / 2.0])[:, None]) + effect)
    outcomes = OutcomeSet({name: drawn(each, runs, rng) for name, each in zip("ab", p, strict=True)},
                          clusters=[f"f{j}" for j in family])  # fmt: skip
    ratio = horizon("pass@1", outcomes, 2.0**x, at=0.5, target="population").ratio("a", "b")
    if ratio.lo is None:
        return {"has a ratio": False}
    held_ = math.log2(ratio.lo) <= apart <= math.log2(ratio.hi)
    return {"has a ratio": True, "covers": held_, "called": ratio.p_value <= 0.05}


LINKS = {
    "logistic": expit,
    "steps": lambda e: expit(np.where(e > 0.0, 2.0 * e, 0.6 * e)),  # log-odds fall faster above one half than below
    "plateau": lambda e: 0.8 * expit(e),
}


@cache
def _crossing(link):
    return brentq(lambda v: LINKS[link](-0.7 * v + 0.8 * NODES) @ SHARES - 0.5, -8.0, 8.0) + 5.0


@study(grid(link=list(LINKS), size=((24, 4), (60, 2), (120, 6), (200, 1), (400, 2))))
def bends(rng, link, size):
    """How often a curve that is logistic, or is not, is warned of, and its horizon's interval holds the crossing."""
    (tasks, runs), truth = size, _crossing(link)
    x = rng.uniform(-4.0, 4.0, tasks)
    p = LINKS[link](-0.7 * x + rng.normal(0.0, 0.8, tasks))
    outcomes = OutcomeMatrix.from_counts(rng.binomial(runs, p), runs)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", BiasWarning)
        found = horizon("pass@1", {"m": outcomes}, 2.0 ** (x + 5.0), at=0.5, target="population").of("m")
    held = (found.lo or 0.0) <= 2.0**truth <= (found.hi or math.inf)
    return {"covers": held, "warned": bool(said)} | ({} if said else {"covers in silence": held})
