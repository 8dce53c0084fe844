"""The beta-binomial law and moments of a credit under a Beta distribution: numpy alone, nothing of the package."""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln
from scipy.stats import binom


def rising(x, counts):
    """``sum_{i < c} log(1 + i/x)`` for every ``x`` and count, (X, C): summed term by term up to 3000, then Stirling."""
    counts = np.asarray(counts)
    x = np.asarray(x, dtype=np.float64)
    direct = int(min(counts.max(initial=0), 3000))
    out = np.empty((len(x), len(counts)))
    running, wanted = np.zeros(len(x)), {}
    needed = set(np.minimum(counts, direct).tolist())
    for i in range(direct + 1):
        if i in needed:
            wanted[i] = running.copy()
        if i < direct:
            running += np.log1p(i / x)
    for column, count in enumerate(counts.tolist()):
        out[:, column] = wanted[min(count, direct)]
        if count > direct:
            out[:, column] += _long(x, direct, count)
    return out


def _long(x, start, stop):
    """The same from ``start`` by Euler and Maclaurin's formula on ``log(x + i)``, in long double."""
    low, high = (np.asarray(x + bound, dtype=np.longdouble) for bound in (start, stop))
    x = np.asarray(x, dtype=np.longdouble)
    count = np.longdouble(stop - start)
    t = count / low
    whole = np.where(t < 1e-4, low * (t * t / 2 - t**3 / 6 + t**4 / 12), high * np.log1p(t) - count)
    total = whole + count * np.log1p(start / x) - np.log1p(t) / 2
    return (total + (1 / high - 1 / low) / 12 - (1 / high**3 - 1 / low**3) / 360).astype(np.float64)


@dataclass
class Outcomes:
    """Distinct states with the number of questions in each."""

    c: np.ndarray
    n: np.ndarray
    m: np.ndarray

    @classmethod
    def of(cls, c, n):
        """From the successes and trials of every question."""
        c, n = np.broadcast_arrays(np.asarray(c), np.asarray(n))
        pairs, m = np.unique(np.stack([n, c]), axis=1, return_counts=True)
        return cls(pairs[1], pairs[0], m.astype(float))

    def log_likelihood(self, x, y, m=None):
        """``log`` probability of the ordered outcomes of all questions, at points of (logit m, logit r), (P,)."""
        m = self.m if m is None else m
        log_m, log_f = -np.logaddexp(0.0, -x), -np.logaddexp(0.0, x)
        s = np.exp(-y)
        value = (m @ self.c) * log_m + (m @ (self.n - self.c)) * log_f
        for strength, counts, sign in (
            (s * np.exp(log_m), self.c, 1.0), (s * np.exp(log_f), self.n - self.c, 1.0), (s, self.n, -1.0),
        ):  # fmt: skip
            distinct, where = np.unique(counts, return_inverse=True)
            value = value + sign * (rising(strength, distinct) @ np.bincount(where, m))
        return value

    def log_states(self, x, y):
        """``log`` probability of one ordered outcome of every state, at points of (logit m, logit r), (P, S)."""
        log_m, log_f = -np.logaddexp(0.0, -x), -np.logaddexp(0.0, x)
        s = np.exp(-y)
        parts = (self.c * log_m[:, None], (self.n - self.c) * log_f[:, None])
        return (
            parts[0]
            + parts[1]
            + rising(s * np.exp(log_m), self.c)
            + rising(s * np.exp(log_f), self.n - self.c)
            - rising(s, self.n)
        )


def log_hyperprior(x, y):
    """``m`` uniform and ``r ~ Beta(3/4, 1)`` on the logit scale."""
    log_r = -np.logaddexp(0.0, -y)
    return -np.logaddexp(0.0, -x) - np.logaddexp(0.0, x) + np.log(0.75) + 0.75 * log_r + (log_r - y)


def parameters(x, y):
    """Alpha and beta."""
    return np.exp(-y - np.logaddexp(0, -x)), np.exp(-y - np.logaddexp(0, x))


def beta_moments(alpha, beta, credit):
    """``E g`` and ``Var g`` of ``g(p) = sum_j x_j C(k, j) p^j q^(k - j)``; k small.

    The variance is taken of the distance from the value at 1 and from the value at 0: the smaller is the better one.
    """
    k = len(credit) - 1
    first, variance = _expectation(alpha, beta, np.asarray(credit, dtype=float)), []
    for end in (credit[0], credit[-1]):
        own = binom.pmf(np.arange(k + 1), k, 0.5) * 2.0**k * (np.asarray(credit, dtype=float) - end)
        scaled = np.convolve(own, own) / (binom.pmf(np.arange(2 * k + 1), 2 * k, 0.5) * 4.0**k)
        away = _expectation(alpha, beta, np.asarray(credit, dtype=float) - end)
        variance.append((np.abs(away), np.maximum(_expectation(alpha, beta, scaled) - away**2, 0.0)))
    (far, one), (near, other) = variance
    return first, np.where(far < near, one, other)


def _expectation(alpha, beta, credit):
    k = len(credit) - 1
    alpha, beta = np.asarray(alpha)[..., None], np.asarray(beta)[..., None]
    j = np.arange(k)
    log_up = np.concatenate([np.zeros_like(alpha), np.cumsum(np.log(alpha + j), axis=-1)], axis=-1)
    log_down = np.concatenate([np.zeros_like(beta), np.cumsum(np.log(beta + j), axis=-1)], axis=-1)
    log_all = np.sum(np.log(alpha + beta + j), axis=-1, keepdims=True)
    i = np.arange(k + 1)
    log_choose = gammaln(k + 1) - gammaln(i + 1) - gammaln(k - i + 1)
    return np.exp(log_choose + log_up + log_down[..., ::-1] - log_all) @ credit
