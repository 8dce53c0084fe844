"""Intervals of one model: how often they contain the truth, and how wide they are."""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
from runner import grid, study
from scipy.optimize import brentq
from scipy.special import betainc, betaincinv, gammaincinv, ndtri, stdtrit
from worlds import banks, inside, named_metric, population, rates, tried, worth

from scorio import AvgMetric, BayesMetric, MaxAtK, OutcomeMatrix, RewardMatrix, compare, next_trials

LEARNED = {"prior": "learned", "shape": "quantile"}
SPIKED = "35% at(0) + 25% at(1) + U(0, 1)"
DIFFICULTIES = (
    *("U(0, 1)", "Beta(.3, .3)", "Beta(.5, 5)", "Beta(5, .5)", "Beta(.1, 10)", SPIKED),
    *("3% at(0) + 10% U(0, .7) + Beta(8, 1.4)", "6% at(0) + 15% U(0, .7) + Beta(12, 2)"),
    "10% at(0) + 20% U(0, .7) + Beta(6, 1)",
)
COVERED = ("bayes", "pass@4", "pass@8", "pass^4", "gpass@8:tau=.5", "mgpass@8", "max@4:w=0,.5,1")


@study(
    lambda: grid(world=(*DIFFICULTIES, *banks()), questions=(10, 30, 100, 500),
                 trials=("1", "2", "4", "8", "16", "64", "1-8", "2-30")),
    worlds=300, page="RESULTS.md", mark="coverage", by=(("metric",), ("metric", "trials")),
)  # fmt: skip
def coverage(rng, world, questions, trials):
    """Coverage of 95% intervals, by the published prior and the learned one, for these questions and the population."""
    fewest, _, most = trials.partition("-")
    p, graded = rates(world, rng, questions), rng.uniform(0.2, 0.8)
    n = rng.integers(int(fewest), int(most or fewest) + 1, questions)
    c = rng.binomial(n, p)
    top = rng.binomial(c, graded)  # successes that are worth 1, the others are worth .5
    binary, rewards = OutcomeMatrix.from_counts(c, n), OutcomeMatrix.from_counts(np.stack([n - c, c - top, top], 1))
    for name in COVERED:
        metric, outcomes = named_metric(name), rewards if "w=" in name else binary
        if "w=" in name and n.min() < metric.k:
            continue
        if "w=" in name:
            value, other = ((worth("pass@4", x) + worth("pass@4", graded * x)).mean() / 2 for x in (p, _many(world)))
        else:
            binary_name = "pass@1" if name == "bayes" else name
            value, other = worth(binary_name, p).mean(), population(binary_name, world)
        plain, mine = metric.interval(outcomes, prior="uniform"), metric.interval(outcomes, **LEARNED)
        yield (
            {"metric": name},
            {
                "published": inside(plain, value),
                "calibrated": inside(mine, value),
                "population": inside(metric.interval(outcomes, target="population", **LEARNED), other),
                "width_published": plain.hi - plain.lo,
                "width_calibrated": mine.hi - mine.lo,
            },
        )


@cache
def _many(world):
    return rates(world, np.random.default_rng(0), 50_000)


ROUGH = (
    *("at(.3, .7)", "50% U(.05, .2) + U(.8, .95)", "at(0, .5, 1)", "at(.01, .25, .97)", "40% at(0) + Beta(8, 8)"),
    *("log(-4, -1)", "40% at(.1) + 10% at(.2) + 30% at(.5) + at(.85)", "30% Beta(20, 60) + Beta(70, 12)", "at(.4)"),
    *("U(0, 1)", "Beta(.5, .5)", "6% at(0) + 15% U(0, .7) + Beta(12, 2)"),
)
TRIALS_AND_METRIC = (
    *((2, "pass@2"), (4, "pass@1"), (4, "pass@4"), (4, "pass^4"), (8, "pass@4"), (8, "pass@8")),
    *((8, "gpass@8:tau=.5"), (16, "pass@1"), (16, "pass@4"), (16, "pass@8"), (16, "pass^4"), (64, "pass@16")),
)
LEAST_TRUTH = 1e-4  # below which a miss is of no consequence


@study(
    grid(world=ROUGH, questions=(30, 100, 300, 1000, 10_000, 30_000), design=TRIALS_AND_METRIC),
    by=(("world",), ("questions",)),
)
def shapes(rng, world, questions, design):
    """Coverage, and calls of models of equal score, where no smooth density of difficulties fits."""
    trials, name = design
    metric, p = named_metric(name), rates(world, rng, questions)
    truth = float(worth(name, p).mean())
    if truth < LEAST_TRUTH:
        return {}
    one = tried(p, trials, rng)
    found = metric.interval(one, prior="learned")
    same = brentq(lambda x: worth(name, x) - truth, 0.0, 1.0)  # the rate at which every question has this value
    other = tried(np.full(questions, same), trials, rng)
    return {
        "covers": inside(found, truth),
        "error in sigmas": (found.mu - truth) / found.sigma if found.sigma else 0.0,
        "width": found.hi - found.lo,
        "called": compare(metric, one, other, prior="learned").winner is not None,
    }


def _models():
    """Names of worlds that are the models of all banks."""
    return [f"{name}: {i}" for name, each in banks().items() for i in range(len(each))]


def _rates_of(world, rng, questions):
    bank, colon, model = world.rpartition(": ")
    return rng.choice(banks()[bank][int(model)], questions) if colon else rates(world, rng, questions)


BEYOND = ("at(.05, .5)", "at(.2)", *ROUGH[1:2], *ROUGH[4:6], "Beta(.5, .8)")


@cache
def _of_all(world, metric):
    """The value of a metric over very many questions of a world."""
    p = _rates_of(world, np.random.default_rng(0), 20_000)
    return float(np.mean(metric._worth.at(p, 1.0 - p)))


@study(
    lambda: grid(world=(*BEYOND, *_models()), trials=(16, 64, 256)),
    worlds=10, page="RESULTS.md", mark="beyond trials", by=(("k / N",), ("trials", "k / N"), ("metric", "k / N")),
)  # fmt: skip
def beyond_trials(rng, world, trials):
    """Metrics of more trials than 100 questions have, for these and for the population, and widths by that at N."""
    p = _rates_of(world, rng, 100)
    outcomes = tried(p, trials, rng)
    for name in ("pass", "passhat", "gpass:tau=.6", "maj", "auc", "geom"):
        head, _, rest = name.partition(":")
        for times in (1.0, 1.0 + 1.0 / trials, 1.5, 2.0, 4.0, 8.0):
            metric = named_metric(f"{head}@{round(times * trials)}:{rest}".rstrip(":"))
            truth = float(np.mean(metric._worth.at(p, 1.0 - p)))
            found, of_all = (metric.interval(outcomes, target=target) for target in ("questions", "population"))
            if times == 1.0:
                width = max(found.hi - found.lo, LEAST_TRUTH)
            if min(truth, 1.0 - truth) >= LEAST_TRUTH:
                columns = {"covers": inside(found, truth), "covers population": inside(of_all, _of_all(world, metric))}
                yield (
                    {"metric": head, "k / N": "N + 1" if 1.0 < times < 1.5 else f"{times:g}"},
                    columns | {"width by that at N": (found.hi - found.lo) / width},
                )


def _zero_inflated(chance, u):
    """A reward with this chance, of a Gamma law with mean 1; else nothing."""
    return np.where(u < 1.0 - chance, 0.0, 0.5 * gammaincinv(2.0, np.clip((u - 1.0 + chance) / chance, 0.0, 1.0)))


def _two_level(chance, u):
    """About .9 with this chance, else about .1, with a little noise."""
    high = u >= 1.0 - chance
    place = np.where(high, (u - 1.0 + chance) / chance, u / (1.0 - chance))
    return np.where(high, 0.9, 0.1) + 0.04 * (place - 0.5)


POOL, NODES = 2000, 400
LAWS: dict[str, tuple[Callable, Callable]] = {  # a quantile function, and its parameter for each question of the pool
    "normal": (lambda q, u: q + ndtri(u), lambda rng: rng.normal(0.0, 1.0, POOL)),
    "heavy-tailed": (lambda q, u: q + stdtrit(3.0, u), lambda rng: rng.normal(0.0, 1.0, POOL)),
    "skewed": (lambda q, u: np.exp(q + 0.8 * ndtri(u)), lambda rng: rng.normal(0.0, 0.5, POOL)),
    "bounded": (lambda q, u: betaincinv(3.0 * q, 3.0 - 3.0 * q, u), lambda rng: rng.beta(2.0, 2.0, POOL)),
    "zero-inflated": (_zero_inflated, lambda rng: rng.beta(1.0, 1.5, POOL)),
    "two-level": (_two_level, lambda rng: np.clip(rng.beta(0.5, 0.5, POOL), 1e-6, 1.0 - 1e-6)),
}


@cache
def _pool(law):
    """The parameters of the questions of a pool, the true mean of each, and the true best of four."""
    quantile, draw = LAWS[law]
    about, v = draw(np.random.default_rng(0))[:, None], (np.arange(NODES) + 0.5) / NODES
    u, weight = betainc(4.0, 4.0, v), 140.0 * (v * (1.0 - v)) ** 3 / NODES  # nodes that are dense at both ends
    values = np.concatenate([quantile(part, u[None, :]) for part in np.array_split(about, 20)])
    return about, values @ weight, values @ (weight * 4.0 * u**3)


@study(
    grid(law=list(LAWS), size=((1, 64), (10, 8), (30, 2), (200, 4))),
    worlds=1000, page="RESULTS.md", mark="rewards",
)  # fmt: skip
def rewards(rng, law, size):
    """Coverage of continuous rewards: the mean, the best of four, the population, and ragged trials."""
    (questions, trials), (about, means, bests) = size, _pool(law)

    def some():
        which = rng.integers(POOL, size=questions)
        return which, LAWS[law][0](about[which], rng.random((questions, trials)))

    which, values = some()
    outcomes, mean, bayes = OutcomeMatrix.from_rewards(values), means[which].mean(), BayesMetric()
    found = {"mean": inside(bayes.interval(outcomes, **LEARNED), mean)}
    if trials >= 4:
        found["max@4"] = inside(MaxAtK(4).interval(outcomes, **LEARNED), bests[which].mean())
    if questions > 1:
        found["population"] = inside(bayes.interval(outcomes, target="population", **LEARNED), means.mean())
        length = rng.integers(1, trials + 1, questions)
        short = OutcomeMatrix.from_rewards([row[:n] for row, n in zip(values, length, strict=True)])
        found["ragged, learned"] = inside(bayes.interval(short, **LEARNED), mean)
        found["ragged, avg"] = inside(AvgMetric().interval(short, **LEARNED), mean)
    others, values = some()
    result = compare(bayes, outcomes, OutcomeMatrix.from_rewards(values), paired=False, prior="learned")
    found["unpaired"] = inside(result, mean - means[others].mean())
    return found | {"continuous": outcomes.is_continuous}


PLACES = {"2 levels": 2, "5 levels": 5, "21 levels": 21, "101 levels": 101, "continuous": 200}


def _few(rng, kind, questions, trials):
    """Rewards in [0, 1] of few questions, each with a distribution of its own, and the mean of their true means."""
    if kind == "Beta":
        about = rng.beta(4.0, 2.0, (questions, 1))
        return rng.beta(8.0 * about, 8.0 * (1.0 - about), (questions, trials)), float(about.mean())
    if kind == "rarely .3":
        return np.where(rng.random((questions, trials)) < 0.01, 0.3, 1.0), 0.993
    count = PLACES[kind]
    share = rng.dirichlet(np.full(count, 1.0 if kind == "continuous" else 0.3), questions)
    drawn = rng.random((questions, count)) if kind == "continuous" else np.linspace(0.0, 1.0, count)
    places = np.broadcast_to(drawn, (questions, count))
    at = (rng.random((questions, trials, 1)) > share.cumsum(axis=1)[:, None, :]).sum(axis=2).clip(max=count - 1)
    return np.take_along_axis(places, at, axis=1), float((places * share).sum(axis=1).mean())


@study(grid(kind=[*PLACES, "Beta", "rarely .3"],
            size=((2, 1), (3, 1), (5, 1), (10, 1), (2, 2), (2, 4), (3, 3), (5, 2), (5, 4), (10, 2), (10, 4), (30, 4))),
       worlds=500, page="RESULTS.md", mark="few rewards")  # fmt: skip
def few_rewards(rng, kind, size):
    """Rewards of few questions: coverage and width as read and without categories, and those of Student's interval."""
    (questions, trials), (table, truth) = size, _few(rng, kind, *size)
    variance = table.var(ddof=1) / questions if trials == 1 else table.var(axis=1, ddof=1).mean() / table.size
    degrees = questions - 1 if trials == 1 else questions * (trials - 1)
    reach = float(stdtrit(degrees, 0.975)) * np.sqrt(variance)
    lo, hi = max(table.mean() - reach, 0.0), min(table.mean() + reach, 1.0)
    found = {"Student's covers": lo - 1e-12 <= truth <= hi + 1e-12, "Student's width": hi - lo}
    read = OutcomeMatrix.from_rewards(table, questions=range(questions))
    for name, each in (("avg", read), ("RewardMatrix", RewardMatrix(table))):
        interval = AvgMetric().interval(each)
        found[f"{name} covers"] = interval.lo - 1e-12 <= truth <= interval.hi + 1e-12
        found[f"{name} width"] = interval.hi - interval.lo
    return found


def _extremes(columns):
    """The median, the 99% point and the largest size of every error."""
    return {
        f"{name}: {words}": float(np.quantile(np.abs(each), at))
        for name, each in columns.items()
        for words, at in (("median", 0.5), ("99%", 0.99), ("largest", 1.0))
        if name in ("mean", "sigma", "low", "high")
    }


@study([{"sets": "of every size and shape"}], worlds=2000, finish=_extremes)
def learned_prior(rng, sets):
    """The learned prior against dense quadrature: errors in sigmas, of sigma, and of both ends in widths."""
    sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
    from oracles.learned_prior_sets import answer, draw, errors, truth

    c, n, _, metric, target = draw(int(rng.integers(2**31)))
    mine, prior = answer(c, n, metric, target)
    return errors(mine, truth(c, n, metric, target)) | {"trusted by itself": prior.trusted}


FIRST, LAST = 4, 16  # trials per question


@study(
    lambda: grid(world=(*DIFFICULTIES[:4], SPIKED, *_models()), metric=("pass@1", "pass@4")),
    worlds=40, page="RESULTS.md", mark="allocation",
)  # fmt: skip
def allocation(rng, world, metric):
    """What next_trials saves, and the errors of the raw mean and of the learned posterior after it."""
    bank, colon, model = world.rpartition(": ")
    p, rule = banks()[bank][int(model)] if colon else rates(world, rng, 100), named_metric(metric)

    def grown(adaptive):
        trials = np.full(len(p), FIRST)
        solved, sigmas = rng.binomial(trials, p), []
        for _ in range(FIRST, LAST + 1):
            outcomes = OutcomeMatrix.from_counts(solved, trials)
            outcomes = outcomes.as_adaptive() if np.ptp(trials) else outcomes
            sigmas.append(rule.interval(outcomes, prior="learned").sigma)
            if len(sigmas) <= LAST - FIRST:
                more = next_trials(rule, outcomes, len(p)).trials[0] if adaptive else np.ones(len(p), int)
                trials, solved = trials + more, solved + rng.binomial(more, p)
        return np.array(sigmas), outcomes

    even, (mine, outcomes) = grown(False)[0], grown(True)
    reached, truth = np.flatnonzero(mine <= even[-1]), float(worth(metric, p).mean())
    found, enough = rule.interval(outcomes, **LEARNED), outcomes.trials >= rule.k
    return {
        "trials needed": (FIRST + reached[0] if reached.size else LAST) / LAST,
        "bias of the raw mean": rule.score(outcomes.select(enough)) - truth if enough.any() else np.nan,
        "bias of the learned posterior": found.mu - truth,
        "inside": inside(found, truth),
    }
