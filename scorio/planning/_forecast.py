"""The posterior variance to expect after more trials, before they are run, and the fewest trials that are enough."""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .._arrays import Vector
from .._display.progress import Progress
from .._special import beta_binomial, betaincinv
from ..errors import OutcomeError
from ..inference import Level, Prior, QuestionMeans
from ..metrics import Categorical, Metric, SampleMetric
from ..outcomes import OutcomeMatrix, RewardMatrix
from ._entrants import TaskPart
from ._futures import Futures
from ._water_filling import expected_variances, fill

_DRAWS = 12  # simulated futures, if there is no exact sum
_ENUMERATED = 2000  # up to this many more trials, each number of successes is summed over
_QUANTILES = 512  # beyond, this many quantiles of a rate are
MOST = 1_000_000  # no plan has more trials per question


def expected_variance(
    metric: Metric, outcomes: OutcomeMatrix, prior: Prior, rng: np.random.Generator, level: Level | None = None
) -> Callable[[int], float]:
    """Return the expected posterior variance of the metric as a function of further trials per question.

    With a ``level``, that of a metric that needs more trials than there are is the variance of the normal law whose
    interval is as wide.
    """
    means: QuestionMeans | None = None
    if isinstance(metric, Categorical) and isinstance(outcomes, RewardMatrix):
        means = metric._continuous_mean(outcomes).means
    elif isinstance(metric, SampleMetric):  # of more trials, a draw of k has less to chance: it falls at least as fast
        means = metric._question_means(outcomes)
    if means is not None:
        if means.spread.degrees == 0.0:
            raise OutcomeError("a plan of trials needs a question with two trials, which show how much trials vary")
        return means.variance_after
    if metric._is_mean_over_questions and outcomes.has_two_categories and not prior.is_learned:
        return lru_cache(maxsize=None)(lambda n: _summed(metric, outcomes, prior, n))
    futures = Futures(metric, outcomes, prior, rng.integers(2**63, size=_DRAWS), level)
    return lru_cache(maxsize=None)(futures.variance)


def expected_overall_variance(
    parts: Sequence[TaskPart], prior: Prior, rng: np.random.Generator, level: Level | None = None
) -> Callable[[int], float]:
    """Return the expected variance of the weighted sum over tasks, as a function of further trials per question."""
    variances = [(part.weight, expected_variance(part.metric, part.outcomes, prior, rng, level)) for part in parts]
    if len(variances) == 1 and variances[0][0] == 1.0:
        return variances[0][1]
    return lambda n: sum(weight**2 * variance(n) for weight, variance in variances if weight > 0.0)


def _summed(metric: Metric, outcomes: OutcomeMatrix, prior: Prior, n: int) -> float:
    """Sum over the beta-binomial law of the successes to come."""
    alpha, beta = prior.pair()
    states = outcomes.with_prior_counts._states
    total = 0.0
    for trials in np.unique(states.trials).tolist():
        here = states.trials == trials
        c, questions = states.successes[here], states.multiplicity[here]
        more, chance = _futures(n, alpha + c, beta + trials - c)
        variance = _variances(metric, (c[:, None] + more).ravel(), trials + n, prior).reshape(chance.shape)
        total += float(questions @ (chance * variance).sum(axis=1))
    return total / outcomes.n_questions**2


def _variances(metric: Metric, successes: NDArray[np.int64], trials: int, prior: Prior) -> Vector:
    """Return the variance of a question's value after so many successes."""
    if trials == 0:
        outcomes = OutcomeMatrix._of_table(np.zeros((len(successes), 2), dtype=np.int64), 0)
    else:
        outcomes = OutcomeMatrix.from_counts(successes, trials)
    return metric.moments(outcomes, prior=prior).variance


def _futures(n: int, a: NDArray[np.floating], b: NDArray[np.floating]) -> tuple[NDArray[np.int64], Vector]:
    """Return successes among ``n`` trials to come and their probabilities, one row per Beta; quantiles for many."""
    if n > _ENUMERATED:
        rates = betaincinv(a[:, None], b[:, None], (np.arange(_QUANTILES) + 0.5) / _QUANTILES)
        return np.rint(n * rates).astype(np.int64), np.full(rates.shape, 1.0 / _QUANTILES)
    chance = beta_binomial(n, a, b)
    return np.broadcast_to(np.arange(n + 1), chance.shape), chance / chance.sum(axis=1, keepdims=True)


def fewest(enough: Callable[[int], bool]) -> int | None:
    """Return the smallest number that is enough, by doubling and halving; None above ``MOST``."""
    if enough(0):
        return 0
    high = 1
    with Progress("planning"):
        while not enough(high):
            if high >= MOST:
                return None
            high = min(2 * high, MOST)
        low = high // 2
        while high - low > max(1, low // 1000):
            middle = (low + high) // 2
            low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def fewest_questions(sigma: Sequence[float], questions: Sequence[int], target: float) -> tuple[list[int], float]:
    """Return the fewest further questions of each task with which the overall sigma is ``target``, and that sigma.

    ``sigma`` is what each task adds now, with so many ``questions``; its square falls as one over their number.

    >>> more, reached = fewest_questions([0.05, 0.01], [20, 20], 0.03)
    >>> more, round(reached, 4)
    ([43, 0], 0.0299)
    """
    variance, known = np.array(sigma) ** 2, np.array(questions, dtype=np.float64)
    price = np.ones(len(variance))

    def reached(total: int) -> float:
        return math.sqrt(float(expected_variances(variance, known, fill(variance, known, price, total)).sum()))

    high = 1
    while reached(high) > target:
        high *= 2
    low = 0 if reached(0) > target else -1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) <= target else (middle, high)
    more = fill(variance, known, price, high)
    return more.tolist(), reached(high)
