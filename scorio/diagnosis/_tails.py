r"""Small sums of independent variables: bounds that hold for every sound data set, whatever the success rates are.

- *Two models* with ``n`` trials each of a question: if they have one success rate ``p``, the successes ``c`` of one are
  hypergeometric given those of both, ``s``. If their rates differ, outcomes with the difference ``d = |2 c - s|`` gain
  the factor ``cosh(theta d / 2)``, which increases with ``d``, so that differences are larger. Questions on which all
  or no trials succeed say nothing and are left out; on the others, the bound is the largest over ``p``.
- *Trials of a question* with the rate ``p`` have the disagreement ``c (n - c) / (n (n - 1))`` with mean ``p (1 - p)``.
  An exponential (Chernoff) bound over all rates whose ``p (1 - p)`` have a given mean maximizes each factor with a
  Lagrange multiplier.
"""

import numpy as np

from .._arrays import Counts, Vector
from .._special import log_choose

_STEPS = np.geomspace(0.01, 300.0, 48)  # of lambda; the last one is as good as infinite
_MULTIPLIERS = 64
_RATES = 2.0 * np.linspace(0.0, 0.5, 129) ** 2  # from 0 to 1/2, more of the low ones
_FEW = 50  # trials from which on the successes of both models are taken as given


def equal_successes(trials: Counts, successes: Counts) -> float:
    """Return a bound of the probability that two models with so many trials each have equally many successes.

    >>> round(equal_successes(np.array([2, 2]), np.array([1, 2])), 3)  # p = 1/2: 4 / 14, and 1
    0.286
    """
    inner = (successes > 0) & (successes < trials)
    few = inner & (trials <= _FEW)
    log = float(_log_equal(trials[inner & ~few], successes[inner & ~few]).sum())
    for n, times in zip(*np.unique(trials[few], return_counts=True), strict=True):
        equal = _log_equal(np.full(n - 1, n), np.arange(1, n))
        log += float(times * _log_sum(_log_inner_successes(int(n))[:, 1::2] + equal).max())
    return float(np.exp(min(0.0, log)))


def _log_equal(n: Counts, c: Counts) -> Vector:
    """Return the log-probability that one of two equal models has c of the 2 c successes of both."""
    return np.asarray(2.0 * log_choose(n, c) - log_choose(2 * n, 2 * c))


def _log_inner_successes(n: int) -> Vector:
    """Return the log-probabilities of 1 to 2 n - 1 successes of both models, if neither 0 nor 2 n, a row per rate."""
    logs = _log_binomial(2 * n, _RATES[1:])[:, 1:-1]
    return np.asarray(logs - _log_sum(logs)[:, None])


def _log_sum(logs: Vector) -> Vector:
    """Return the logarithm of the sum of each row."""
    top = logs.max(axis=-1)
    return np.asarray(top + np.log(np.exp(logs - top[..., None]).sum(axis=-1)))


def disagreement(successes: Counts, trials: Counts, mean: float) -> float:
    """Return a bound of the probability that trials of the same question differ so little.

    It holds for all success rates for which ``p (1 - p)`` has at least this mean over questions.

    >>> bound = disagreement(np.array([0, 0, 2]), np.array([2, 2, 2]), 0.1)
    >>> bool(abs(bound - 0.8**3) < 1e-3)  # two trials agree with probability 1 - 2 p (1 - p)
    True
    """
    numbers, times = np.unique(trials, return_counts=True)
    observed = float((successes * (trials - successes) / (trials * (trials - 1.0))).sum())
    if observed >= mean * len(trials):
        return 1.0
    within = _RATES * (1.0 - _RATES)
    multipliers = np.concatenate([[0.0], np.geomspace(0.1, 8.0 * float(numbers.max()), _MULTIPLIERS)])
    logs = [_log_binomial(int(n), _RATES) for n in numbers]
    best = 0.0
    for step in _STEPS * float(numbers.max()):
        total = step * observed - multipliers * mean * len(trials)
        for n, each, log in zip(numbers, times, logs, strict=True):
            k = np.arange(n + 1)
            factor = _log_sum(log - step * (k * (n - k) / (n * (n - 1.0))))
            total += each * (factor + multipliers[:, None] * within).max(axis=1)
        best = min(best, float(total.min()))
    return float(np.exp(best))


def _log_binomial(n: int, rates: Vector) -> Vector:
    """Return the log-probabilities of 0..n successes, a row per rate, of which the first may be 0."""
    k = np.arange(n + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        success = np.where(k > 0, k * np.log(rates)[:, None], 0.0)
    return np.asarray(log_choose(float(n), k) + success + (n - k) * np.log1p(-rates)[:, None])
