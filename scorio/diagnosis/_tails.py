r"""Small sums of independent variables: bounds that hold for every sound data set, whatever the success rates are.

All are exponential (Chernoff) bounds: for ``lambda > 0``, the sum ``S = sum_q X_q`` is at most ``s`` with probability
at most ``exp(lambda s) prod_q E exp(-lambda X_q)``. If ``s`` is the least value of the sum, that is the probability.

- *Two trials* of a question with the outcomes ``c_k`` times each among ``n`` trials differ with probability
  ``1 - sum_k c_k (c_k - 1) / (n (n - 1))`` given the ``c_k``, because trials of a question are exchangeable.
- *Two models* with ``n`` trials each of a question: if they have one success rate ``p``, the successes ``c`` of one are
  hypergeometric given those of both, ``s``. If their rates differ, outcomes with the difference ``d = |2 c - s|`` gain
  the factor ``cosh(theta d / 2)``, which increases with ``d``, so that differences are larger. Questions on which all
  or no trials succeed say nothing and are left out; on the others, the bound is the largest over ``p``.
- *Trials of a question* with the rate ``p`` have the disagreement ``c (n - c) / (n (n - 1))`` with mean ``p (1 - p)``.
  A bound over all rates whose ``p (1 - p)`` have a given mean maximizes each factor with a Lagrange multiplier.
"""

import numpy as np

from .._arrays import Counts, Vector
from .._special import log_choose

_STEPS = np.geomspace(0.01, 300.0, 48)  # of lambda; the last one is as good as infinite
_MULTIPLIERS = 64
_RATES = 2.0 * np.linspace(0.0, 0.5, 129) ** 2  # from 0 to 1/2, more of the low ones
_FEW = 50  # trials from which on the successes of both models are taken as given


def events(chances: Vector, observed: float) -> float:
    """Return a bound of the probability that at most so many of independent events happen.

    >>> round(events(np.array([0.5, 0.5, 0.5]), 0), 6)
    0.125
    """
    chances, times = np.unique(chances, return_counts=True)
    with np.errstate(divide="ignore"):
        logs = np.log(np.stack([1.0 - chances, chances], axis=1))
    return _at_most(np.array([0.0, 1.0]), logs, times, observed)


def differences(trials: Counts, one: Counts, two: Counts) -> float:
    """Return a bound of the probability that the successes of two models with so many trials differ so little in sum.

    >>> round(differences(np.array([2, 2]), np.array([1, 2]), np.array([1, 2])), 3)  # p = 1/2: 4 / 14, and 1
    0.286
    """
    total = one + two
    inner = (total > 0) & (total < 2 * trials)
    observed = float(np.abs(one - two)[inner].sum())
    few = inner & (trials <= _FEW)
    numbers, times = np.unique(trials[few], return_counts=True)
    states, of_state = np.unique(np.stack([trials, total], axis=1)[inner & ~few], axis=0, return_counts=True)
    logs = [_log_differences(np.full(2 * n - 1, n), np.arange(1, 2 * n)) for n in numbers.tolist()]
    given = [_log_inner_successes(n) for n in numbers.tolist()]
    many = _log_differences(states[:, 0], states[:, 1])

    def log_bound(step: float) -> float:
        sums = [_log_sum(_log_sum(each - step * gap) + weight) for (each, gap), weight in zip(logs, given, strict=True)]
        most = float(sum(number * each.max() for number, each in zip(times.tolist(), sums, strict=True)))
        return step * observed + most + float(of_state @ _log_sum(many[0] - step * many[1]))

    return float(np.exp(min(0.0, *map(log_bound, _STEPS.tolist()))))


def _log_differences(n: Counts, s: Counts) -> tuple[Vector, Counts]:
    """Return log-probabilities of the successes of one of two equal models given those of both, and differences."""
    n, s = n[:, None], s[:, None]
    c = np.arange(int(n.max(initial=0)) + 1)
    possible = (c <= n) & (c <= s) & (s - c <= n)
    own, other = np.where(possible, c, 0), np.where(possible, s - c, 0)
    logs = log_choose(n, own) + log_choose(n, other) - log_choose(2 * n, s)
    return np.where(possible, logs, -np.inf), np.abs(2 * c - s)


def _log_inner_successes(n: int) -> Vector:
    """Return the log-probabilities of 1 to 2 n - 1 successes of both models, if neither 0 nor 2 n, a row per rate."""
    logs = _log_binomial(2 * n, _RATES[1:])[:, 1:-1]
    return np.asarray(logs - _log_sum(logs)[:, None])


def shared_successes(trials: Counts, one: Counts, two: Counts, observed: float) -> float:
    """Return a bound of the probability that two models differ in so few trials, given their successes per question.

    >>> round(shared_successes(np.array([4]), np.array([2]), np.array([2]), 0), 3)  # 1 / C(4, 2)
    0.167
    """
    states, times = np.unique(np.stack([trials, one, two], axis=1), axis=0, return_counts=True)
    n, a, b = states[:, :1], states[:, 1:2], states[:, 2:]
    both = np.arange(int(n.max()) + 1)
    possible = (both <= a) & (both <= b) & (a - both <= n - b)
    first, rest = np.where(possible, both, 0), np.where(possible, a - both, 0)
    logs = log_choose(b, first) + log_choose(n - b, rest) - log_choose(n, a)
    return _at_most(a + b - 2 * both, np.where(possible, logs, -np.inf), times, observed)


def _at_most(values: Vector | Counts, logs: Vector, times: Counts, observed: float) -> float:
    """Return the bound for sums of ``times`` variables of each row, with their values and log-probabilities."""
    if observed < 0.0:
        return 0.0
    log_bounds = [step * observed + float(times @ _log_sum(logs - step * values)) for step in _STEPS]
    return float(np.exp(min(0.0, *log_bounds)))


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
