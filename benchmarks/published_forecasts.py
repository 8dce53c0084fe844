"""Published forecasts of Pass@k, with percentiles of a bootstrap over questions and trials: for comparison.

A power law is fitted to ``log(-log(pass@k))`` against ``log k`` by least squares (Brown et al. 2024, arXiv:2407.21787).
A Beta-binomial distribution is fitted to the counts by maximum likelihood, on a fine grid of both parameters (Kazdan et
al. 2025, arXiv:2510.05197). The latter also choose where trials go: from the first trial on, each goes to the question
with the fewest successes and, among these, with the fewest trials. The same distribution is fitted to what that gives.
"""

import heapq
from functools import cache

import numpy as np
from scipy.special import gammaln

REPLICATES = 100
POINTS = 12  # numbers of trials that the power law is fitted to


@cache
def power_table(trials):
    """The numbers of trials of a fit, and Pass@k of every count."""
    k = np.unique(np.round(np.geomspace(1, trials, POINTS)).astype(int))
    failures = trials - np.arange(trials + 1)[:, None]
    left = np.maximum(failures, k)
    log_none = gammaln(left + 1) - gammaln(left - k + 1) - gammaln(trials + 1) + gammaln(trials - k + 1)
    return np.log(k), np.where(failures >= k, -np.expm1(log_none), 1.0)


@cache
def beta_table(trials):
    """Pairs of parameters, and the log likelihood of every count under each."""
    a, b = np.meshgrid(np.geomspace(3e-3, 30, 90), np.geomspace(3e-2, 3000, 90), indexing="ij")
    a, b, c = a.reshape(-1, 1), b.reshape(-1, 1), np.arange(trials + 1)
    own = gammaln(a + c) + gammaln(b + trials - c) - gammaln(a + b + trials)
    return a[:, 0], b[:, 0], own + gammaln(a + b) - gammaln(a) - gammaln(b)


def by_power_law(counts, trials, ks):
    """Forecasts of Pass@k, (rows of counts, ks)."""
    x, table = power_table(trials)
    y = np.log(-np.log(np.clip(counts @ table / counts.sum(axis=1, keepdims=True), 1e-9, 1 - 1e-9)))
    away = x - x.mean()
    slope = y @ away / (away @ away)
    start = y.mean(axis=1) - slope * x.mean()
    return np.exp(-np.exp(start[:, None] + slope[:, None] * np.log(ks)))


def by_beta_binomial(counts, trials, ks):
    """Forecasts of Pass@k, (rows of counts, ks)."""
    a, b, own = beta_table(trials)
    best = (counts @ own.T).argmax(axis=1)
    a, b, k = a[best][:, None], b[best][:, None], np.asarray(ks)[None]
    return -np.expm1(gammaln(b + k) - gammaln(a + b + k) + gammaln(a + b) - gammaln(b))


def published(c, trials, ks, rng):
    """Estimates and 95% intervals of both fits, each (3, ks)."""
    rows = [np.bincount(c, minlength=trials + 1)]
    for _ in range(REPLICATES):
        again = rng.binomial(trials, c[rng.integers(0, len(c), len(c))] / trials)
        rows.append(np.bincount(again, minlength=trials + 1))
    counts = np.array(rows, dtype=float)
    found = {}
    for name, fit in (("power law", by_power_law), ("Beta-binomial", by_beta_binomial)):
        values = fit(counts, trials, ks)
        found[name] = np.array([values[0], *np.quantile(values[1:], [0.025, 0.975], axis=0)])
    return found


def fewest_successes(rate, trials, rng):
    """Spend so many trials by their rule; return the successes and the trials of every question."""
    waiting = [(0, 0, question) for question in rng.permutation(len(rate)).tolist()]
    heapq.heapify(waiting)
    for luck in rng.random(trials).tolist():
        successes, asked, question = waiting[0]
        heapq.heapreplace(waiting, (successes + (luck < rate[question]), asked + 1, question))
    successes, asked, question = np.array(waiting).T
    order = np.argsort(question)
    return successes[order], asked[order]


def by_beta_binomial_of(c, n, ks):
    """Forecasts of Pass@k from unequal trials, (ks,)."""
    a, b, _ = beta_table(1)
    states, questions = np.unique(np.column_stack([c, n - c]), axis=0, return_counts=True)
    log_likelihood = -(gammaln(a) + gammaln(b) - gammaln(a + b)) * len(c)
    for (solved, failed), count in zip(states, questions, strict=True):
        log_likelihood += count * (gammaln(a + solved) + gammaln(b + failed) - gammaln(a + b + solved + failed))
    a, b, k = *(each[log_likelihood.argmax()] for each in (a, b)), np.asarray(ks)
    return -np.expm1(gammaln(b + k) - gammaln(a + b + k) + gammaln(a + b) - gammaln(b))
