"""Pass@k far above the trials: forecasts beside published fits, and where trials should go.

Of the published forecasts, a power law is fitted to ``log(-log(pass@k))`` against ``log k`` by least squares (Brown et
al. 2024, arXiv:2407.21787), and a Beta-binomial distribution to the counts by maximum likelihood, on a fine grid
(Kazdan et al. 2025, arXiv:2510.05197); both with percentiles of a bootstrap over questions and trials. The
latter also choose where trials go: each goes to the question with the fewest successes and, among these, with the
fewest trials. The interval score (Gneiting and Raftery 2007) is the width plus 40 times the distance by which the
interval misses; smaller is better.
"""

import heapq
from functools import cache

import numpy as np
from runner import grid, study
from scipy.special import gammaln
from worlds import banks, inside, named_metric, rates, tried, worth

from scorio import OutcomeMatrix, PassAtK, forecast, next_trials

QUESTIONS, FARTHEST, PENALTY, REPLICATES = 100, 10_000, 40.0, 100
WORLDS = (
    *("Beta(.4, 2)", "Beta(1, 3)", "Beta(.3, .3)", "20% at(0) + Beta(1, 1.5)", "20% at(0) + Beta(.3, 1)", "log(-4, 0)"),
    *("log(-6, 0)", "logit(-4, 2)", "at(.003, .05, .4, .9)", "at(0, .01, .5)", "at(0, .02, .2, .6)", "at(.02)"),
)
CHOSEN = tuple(WORLDS[i] for i in (0, 4, 5, 6, 7, 9))


def _models():
    return [f"{name}: {i}" for name, each in banks().items() for i in range(len(each)) if "n10000" in name]


def rates_of(world, rng):
    """Rates of questions, or those of a model of a bank whose questions were tried many times."""
    bank, colon, model = world.rpartition(": ")
    return banks()[bank][int(model)] if colon else rates(world, rng, QUESTIONS)


def pass_at(k, p):
    """The true Pass@k, also for large k."""
    return float(np.mean(-np.expm1(k * np.log1p(-np.minimum(p, 1.0 - 1e-16)))))


@cache
def _power_table(trials):
    """The numbers of trials of a fit, and Pass@k of every count."""
    k = np.unique(np.round(np.geomspace(1, trials, 12)).astype(int))
    failures = trials - np.arange(trials + 1)[:, None]
    left = np.maximum(failures, k)
    none = gammaln(left + 1) - gammaln(left - k + 1) - gammaln(trials + 1) + gammaln(trials - k + 1)
    return np.log(k), np.where(failures >= k, -np.expm1(none), 1.0)


@cache
def _beta_table(trials):
    """Pairs of parameters, and the log likelihood of every count under each."""
    a, b = (each.reshape(-1, 1) for each in np.meshgrid(np.geomspace(3e-3, 30, 90), np.geomspace(3e-2, 3000, 90)))
    c = np.arange(trials + 1)
    own = gammaln(a + c) + gammaln(b + trials - c) - gammaln(a + b + trials)
    return a[:, 0], b[:, 0], own + gammaln(a + b) - gammaln(a) - gammaln(b)


def _beyond(a, b, k):
    return -np.expm1(gammaln(b + k) - gammaln(a + b + k) + gammaln(a + b) - gammaln(b))


def power_law(counts, trials, ks):
    """Forecasts of Pass@k, (rows of counts, ks)."""
    x, table = _power_table(trials)
    y = np.log(-np.log(np.clip(counts @ table / counts.sum(axis=1, keepdims=True), 1e-9, 1 - 1e-9)))
    away = x - x.mean()
    slope = y @ away / (away @ away)
    return np.exp(-np.exp((y.mean(axis=1) - slope * x.mean())[:, None] + slope[:, None] * np.log(ks)))


def beta_binomial(counts, trials, ks):
    """The same by a Beta-binomial distribution."""
    a, b, own = _beta_table(trials)
    best = (counts @ own.T).argmax(axis=1)
    return _beyond(a[best][:, None], b[best][:, None], np.asarray(ks)[None])


def published(solved, trials, ks, rng):
    """Estimates and 95% intervals of both fits, each (3, ks)."""
    rows = [np.bincount(solved, minlength=trials + 1)]
    for _ in range(REPLICATES):
        again = rng.binomial(trials, solved[rng.integers(0, len(solved), len(solved))] / trials)
        rows.append(np.bincount(again, minlength=trials + 1))
    for name, fit in (("power law", power_law), ("Beta-binomial", beta_binomial)):
        values = fit(np.array(rows, dtype=float), trials, ks)
        yield name, np.array([values[0], *np.quantile(values[1:], [0.025, 0.975], axis=0)])


def judged(mean, lo, hi, truth):
    """Whether it covers, the width, the error and the interval score."""
    miss = max(lo - truth, truth - hi, 0.0)
    return {"covers": miss <= 1e-6, "width": hi - lo, "error": abs(mean - truth), "score": hi - lo + PENALTY * miss}


@study(lambda: grid(world=(*WORLDS, *_models()), trials=(8, 16, 64, 256)), worlds=80, page="RESULTS.md",
       mark="forecasts", by=(("world", "way"), ("trials", "k", "way")))  # fmt: skip
def forecasts(rng, world, trials):
    """Forecasts of Pass@k, 2 to 100 times the trials and at 10,000, beside published fits."""
    p = rates_of(world, rng)
    outcomes, ks = tried(p, trials, rng), sorted({min(n * trials, FARTHEST) for n in (2, 4, 8, 16, 100, FARTHEST)})
    fits = dict(published(outcomes.successes, trials, np.array(ks), rng))
    for at, k in enumerate(ks):
        truth, [found] = pass_at(k, p), forecast("pass@1", outcomes, [k]).points
        yield {"k": k, "way": "scorio"}, judged(found.mu, found.lo, found.hi, truth)
        for name, each in fits.items():
            yield {"k": k, "way": name}, judged(*each[:, at], truth)


@study(
    lambda: [
        *grid(metric=("pass",), world=(*WORLDS, *_models()), trials=(8, 16, 64, 256), target=("questions",)),
        *grid(metric=("passhat", "gpass:tau=.5", "maj", "auc"), world=CHOSEN, trials=(8, 16), target=("questions",)),
        *grid(metric=("pass",), world=CHOSEN, trials=(8, 16), target=("population",)),
    ],
    worlds=80,
    by=(("metric", "target", "times", "way"), ("metric", "target", "world", "way")),
)
def beyond(rng, metric, world, trials, target):
    """Intervals of k from 1 to 100 times the trials, beside the learned law alone and, of Pass@k, forecasts."""
    p = rates_of(world, rng)
    outcomes, name, parameter = tried(p, trials, rng), *metric.partition(":")[::2]
    of_many = rates(world, rng, 100_000) if target == "population" else p
    for times in (1.0, 1.125, 1.5, 2.0, 4.0, 8.0, 100.0):
        k = round(times * trials)
        asked = named_metric(f"{name}@{k}:{parameter}".rstrip(":"))
        truth = pass_at(k, of_many) if metric == "pass" else float(np.mean(worth(str(asked), p)))
        found, law = asked.interval(outcomes, target=target), asked.posterior(outcomes, target=target)
        ways = {"interval": found[2:], "learned": law.on(0.0, 1.0).equal_tailed(0.025)}
        if metric == "pass" and target == "questions":
            [point] = forecast("pass@1", outcomes, [k]).points
            ways["forecast"] = point.lo, point.hi
        for way, ends in ways.items():
            yield {"times": times, "way": way}, {"covers": inside(ends, truth), "width": ends[1] - ends[0]}


def fewest_successes(p, trials, rng):
    """Spend so many trials by the published rule; return the successes and the trials of every question."""
    waiting = [(0, 0, question) for question in rng.permutation(len(p)).tolist()]
    heapq.heapify(waiting)
    for luck in rng.random(trials).tolist():
        solved, asked, question = waiting[0]
        heapq.heapreplace(waiting, (solved + (luck < p[question]), asked + 1, question))
    solved, asked, question = np.array(waiting).T
    order = np.argsort(question)
    return solved[order], asked[order]


def _their_fit(solved, asked):
    """A Beta-binomial forecast of Pass@10,000 from unequal trials."""
    a, b, _ = _beta_table(1)
    likelihood = -(gammaln(a) + gammaln(b) - gammaln(a + b)) * len(solved)
    for (c, n), count in zip(*np.unique(np.stack([solved, asked], axis=1), axis=0, return_counts=True), strict=True):
        likelihood += count * (gammaln(a + c) + gammaln(b + n - c) - gammaln(a + b + n))
    best = likelihood.argmax()
    return float(_beyond(a[best], b[best], FARTHEST))


def _by_next_trials(p, trials, rng):
    """A quarter of the trials evenly, and the rest by ``next_trials`` in six rounds."""
    asked = np.full(len(p), trials // 4)
    solved = rng.binomial(asked, p)
    for part in np.diff(np.linspace(asked.sum(), trials * len(p), 7).astype(int)):
        outcomes = OutcomeMatrix.from_counts(solved, asked)
        outcomes = outcomes.as_adaptive() if np.ptp(asked) else outcomes
        [more] = next_trials(PassAtK(FARTHEST), outcomes, int(part)).trials
        asked, solved = asked + more, solved + rng.binomial(more, p)
    return OutcomeMatrix.from_counts(solved, asked).as_adaptive()


@study(lambda: grid(world=(*CHOSEN, *_models()), trials=(16, 64)), worlds=24, page="RESULTS.md",
       mark="forecast spending")  # fmt: skip
def forecast_spending(rng, world, trials):
    """Trials spent evenly, by the published rule and by ``next_trials``, for a forecast of Pass@10,000."""
    p = rates_of(world, rng)
    truth, theirs = pass_at(FARTHEST, p), fewest_successes(p, trials * len(p), rng)
    ways = {"even": tried(p, trials, rng), "published": OutcomeMatrix.from_counts(*theirs).as_adaptive()}
    ways["next_trials"] = _by_next_trials(p, trials, rng)
    for way, outcomes in ways.items():
        [found] = forecast("pass@1", outcomes, [FARTHEST]).points
        yield {"way": way}, {"half width": (found.hi - found.lo) / 2} | judged(found.mu, found.lo, found.hi, truth)
    yield {"way": "their fit"}, {"error": abs(_their_fit(*theirs) - truth)}
