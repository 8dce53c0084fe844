"""The shared prior by brute force: a fine grid over everything that is unknown, no kernel of the package."""

import numpy as np
from mpmath import mp, mpf
from scipy.special import betaln, expit
from scipy.stats import binom


def log_rising(x, count):
    """``log x (x+1) .. (x + count - 1)`` with 50 digits."""
    with mp.workdps(50):
        return mp.log(mp.rf(mpf(x), int(count)))


def log_mass(alpha, beta, c, n):
    """``log`` of the chance of one order of ``c`` successes among ``n``."""
    with mp.workdps(50):
        return log_rising(alpha, c) + log_rising(beta, n - c) - log_rising(mpf(alpha) + mpf(beta), n)


def log_spiked(masses, never, always, weight, rest, points=1500):
    """``log`` of the integral over the simplex of spike weights, by the midpoint rule on squares of its logits."""
    axis = np.linspace(-16.0, 12.0, points)
    x, y = np.meshgrid(axis, axis, indexing="ij")
    top = np.maximum(np.maximum(x, y), 0.0)
    total = np.exp(x - top) + np.exp(y - top) + np.exp(-top)
    u, v, w = np.exp(x - top) / total, np.exp(y - top) / total, np.exp(-top) / total
    value = (rest + 1) * np.log(w) + np.log(u) + np.log(v)
    for mass, zero, one, count in zip(masses, never, always, weight, strict=True):
        value += count * np.log(u * zero + v * one + w * mass)
    peak = value.max()
    return peak + np.log(2.0 * np.exp(value - peak).sum() * (axis[1] - axis[0]) ** 2)


def credit_at(p, credit):
    """The expected credit of ``k`` trials at success rates ``p``."""
    k = len(credit) - 1
    return binom.pmf(np.arange(k + 1), k, np.asarray(p)[..., None]) @ np.asarray(credit, dtype=float)


def smooth_posterior(counts, credit, correlation, nodes=70):
    """Mean and deviation of the questions' mean credit, all difficulties from one Beta: quadrature over m, r and p."""
    logits = np.linspace(-9.0, 9.0, nodes)
    x, y = (axis.ravel() for axis in np.meshgrid(logits, logits, indexing="ij"))
    m, r = expit(x), expit(y)
    strength = expit(-y) / r
    a, b = strength * m, strength * expit(-x)
    log_weight = np.log(m * expit(-x)) + correlation[0] * np.log(r) + correlation[1] * np.log(expit(-y))
    for c, n in counts:
        log_weight += betaln(a + c, b + n - c) - betaln(a, b)
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    first, second = np.zeros(len(a)), np.zeros(len(a))
    for c, n in counts:
        mean, square = _moments(a + c, b + n - c, credit)
        first += mean / len(counts)
        second += (square - mean**2) / len(counts) ** 2
    centre = weight @ first
    return centre, np.sqrt(weight @ (second + (first - centre) ** 2))


def _moments(a, b, credit):
    """``E g`` and ``E g^2`` of ``g(p) = sum_j credit_j C(k, j) p^j q^(k-j)`` under Betas, term by term."""
    k = len(credit) - 1
    choose = np.array([float(mp.binomial(k, j)) for j in range(k + 1)])
    j = np.arange(k + 1)
    mean = np.exp(betaln(a[:, None] + j, b[:, None] + k - j) - betaln(a, b)[:, None]) @ (choose * credit)
    pair = np.multiply.outer(choose * credit, choose * credit).ravel()
    both = np.add.outer(j, j).ravel()
    square = np.exp(betaln(a[:, None] + both, b[:, None] + 2 * k - both) - betaln(a, b)[:, None]) @ pair
    return mean, square
