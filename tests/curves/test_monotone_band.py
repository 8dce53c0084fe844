"""The band of a monotone curve: against constrained optimisation, exact tails, and worlds of known curves."""

import math

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, minimize
from scipy.special import expit, xlog1py, xlogy

from scorio.curves._monotone import monotone
from scorio.curves._monotone_band import band
from scorio.inference import Level

LEVEL = Level(0.95)


def band_of(x, y, at, *, trials=1, clusters=None):
    members = np.arange(len(x)) if clusters is None else clusters
    ones = np.ones(len(x))
    lo, hi = band(x, y, ones, np.full(len(x), trials), members, np.array(at, float), LEVEL, increasing=False)
    return lo, hi


def test_the_ends_are_those_of_constrained_optimisation():
    """An end is where the best monotone curve loses a known amount; single trials have the noise ``p (1 - p)``."""
    y = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    x, place = np.arange(12.0), 5
    lo, hi = (each[0] for each in band_of(x, y, [place]))

    def inside(p):
        return np.clip(p, 1e-9, 1.0 - 1e-9)

    def loss(p):
        return -float(np.sum(xlogy(y, inside(p)) + xlog1py(1.0 - y, -inside(p))))

    def slopes(p):
        return (1.0 - y) / (1.0 - inside(p)) - y / inside(p)

    def curvature(p):
        return np.diag((1.0 - y) / (1.0 - inside(p)) ** 2 + y / inside(p) ** 2)

    falls = LinearConstraint(np.eye(12)[:-1] - np.eye(12)[1:], 0.0, np.inf)
    start, best = np.linspace(0.9, 0.1, 12), loss(monotone(x, y, np.ones(12), increasing=False))
    fitted = monotone(x, y, np.ones(12), increasing=False)
    degrees = 12 - 1.5 * len(np.unique(fitted))
    rank = np.arange(12) - 5.5
    trend = -(rank @ y) / math.sqrt(np.sum(fitted * (1.0 - fitted)) * np.mean(rank**2))
    block = 12 * (12 * (trend - 1.3) ** 2) ** (-1 / 3)
    assert 0.75 * block < 5.5  # the questions beyond the place, so that the curve is not flat there
    for end in (lo, hi):
        through = LinearConstraint(np.eye(12)[place], end, end)
        found = minimize(loss, start, method="trust-constr", jac=slopes, hess=curvature, constraints=[falls, through],
                         bounds=[(0.0, 1.0)] * 12, options={"gtol": 1e-9, "maxiter": 3000})  # fmt: skip
        assert 2.0 * (found.fun - best) == pytest.approx(0.591 * LEVEL.critical(degrees) ** 2, rel=2e-3)
    assert lo < fitted[place] < hi


def test_where_all_agree_the_tail_is_exact():
    x = np.arange(30.0)
    lo, hi = band_of(x, np.ones(30), [9.0])
    widened = (LEVEL.critical(28.5) / LEVEL.critical()) ** 2  # 30 questions less the one and a half of a block
    assert hi[0] == 1.0
    assert lo[0] == pytest.approx(0.05 ** (widened / 21))  # 21 questions are no easier than the tenth
    failed = band_of(x, np.zeros(30), [20.0])
    assert (failed[0][0], failed[1][0]) == (0.0, pytest.approx(1.0 - 0.05 ** (widened / 21)))


def test_a_cluster_that_agrees_is_one_question():
    x, family = np.arange(40.0), np.arange(40) // 4
    alone, joined = (band_of(x, np.ones(40), [19.0], clusters=each)[0][0] for each in (np.arange(40), family))
    t = [LEVEL.critical(df) ** 2 for df in (38.5, 9)]
    assert math.log(joined) / math.log(alone) == pytest.approx(4.0 * t[1] / t[0])


def test_a_curve_that_rises_is_the_mirror_of_one_that_falls():
    rng = np.random.default_rng(0)
    x, at = rng.random(40), np.array([0.2, 0.5, 0.9])
    y = (rng.random(40) < x).astype(float)
    about = np.ones(40), np.ones(40, int), np.arange(40)
    up = band(x, y, *about, at, LEVEL, increasing=True)
    down = band(-x, y, *about, -at, LEVEL, increasing=False)
    assert np.array(up) == pytest.approx(np.array(down))
    other = band(x, 1.0 - y, *about, at, LEVEL, increasing=False)
    assert np.array(up) == pytest.approx(1.0 - np.array(other)[::-1], abs=1e-9)


@pytest.mark.simulation
@pytest.mark.parametrize("slope", [0.0, 0.8])
def test_the_band_covers(slope):
    """In 150 worlds, nine places are each covered by 92% less three errors of 2.2%, and by 98% at most on average.

    The monotone curve through the true rates of these questions is covered at least as often.
    """
    rng, hits, these = np.random.default_rng(1), np.zeros(9), np.zeros(9)
    nodes, shares = np.polynomial.hermite_e.hermegauss(41)
    for _ in range(150):
        x = rng.uniform(-4.0, 4.0, 60)
        p = expit(-slope * x + rng.normal(0.0, 1.0, 60))
        y = rng.binomial(4, p) / 4
        at = np.quantile(x, np.arange(1, 10) / 10)
        lo, hi = band_of(x, y, at, trials=4)
        truth = expit(-slope * at[:, None] + nodes) @ shares / shares.sum()
        hits += (lo <= truth) & (truth <= hi)
        order = np.argsort(x)
        of_these = np.interp(at, x[order], monotone(x, p, np.ones(60), increasing=False)[order])
        these += (lo <= of_these) & (of_these <= hi)
    assert min(hits.min(), these.min()) / 150 >= 0.92 - 3 * 0.022
    assert hits.mean() / 150 <= 0.98
