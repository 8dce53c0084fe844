"""The posterior variance to expect after more trials, before they are run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .._arrays import Counts
from .._special import betaincinv, betaln, gammaln
from ..errors import OutcomeError
from ..inference._learned_prior import draw_rates
from ..inference._prior import LEARNED, PriorLike, beta_prior, dirichlet_prior, is_learned
from ..metrics import Metric
from ..metrics._categorical import Categorical
from ..metrics._fits import learned_prior
from ..outcomes import OutcomeMatrix, RewardMatrix
from ._entrants import TaskPart

Vector = NDArray[np.float64]
_DRAWS = 12  # simulated futures, if there is no exact sum
_ENUMERATED = 2000  # up to this many more trials, each number of successes is summed over
_QUANTILES = 512  # beyond, this many quantiles of a rate are


def expected_variance(
    metric: Metric, outcomes: OutcomeMatrix, prior: PriorLike, random: np.random.Generator
) -> Callable[[int], float]:
    """Return the expected posterior variance of the metric as a function of further trials per question."""
    if isinstance(metric, Categorical) and isinstance(outcomes, RewardMatrix):
        means = metric.continuous_mean(outcomes).means
        if means.spread.degrees == 0.0:
            raise OutcomeError("a plan of trials needs a question with two trials, which show how much trials vary")
        return means.variance_after
    if metric.is_mean_over_questions and outcomes.has_two_categories and not is_learned(prior):
        return lru_cache(maxsize=None)(lambda n: _summed(metric, outcomes, prior, n))
    seeds = random.integers(2**63, size=_DRAWS)
    return lru_cache(maxsize=None)(lambda n: _simulated(metric, outcomes, prior, n, seeds))


def expected_overall_variance(
    parts: Sequence[TaskPart], prior: PriorLike, random: np.random.Generator
) -> Callable[[int], float]:
    """Return the expected variance of the weighted sum over tasks, as a function of further trials per question."""
    variances = [(part.weight, expected_variance(part.metric, part.outcomes, prior, random)) for part in parts]
    if len(variances) == 1 and variances[0][0] == 1.0:
        return variances[0][1]
    return lambda n: sum(weight**2 * variance(n) for weight, variance in variances if weight > 0.0)


def variance_after(metric: Metric, outcomes: OutcomeMatrix, more: Counts, futures: int) -> float:
    """Return the posterior variance to expect under the learned prior after ``more`` trials of each question."""
    rngs = map(np.random.default_rng, range(futures))
    return float(np.mean([_now(metric, _later(outcomes, LEARNED, more, rng), LEARNED) for rng in rngs]))


def _now(metric: Metric, outcomes: OutcomeMatrix, prior: PriorLike) -> float:
    return metric.posterior(outcomes, prior=prior).sigma ** 2


def _summed(metric: Metric, outcomes: OutcomeMatrix, prior: PriorLike, n: int) -> float:
    """Sum over the beta-binomial law of the successes to come."""
    alpha, beta = beta_prior(prior)
    states = outcomes.with_prior_counts._states
    total = 0.0
    for trials in np.unique(states.trials).tolist():
        here = states.trials == trials
        c, questions = states.successes[here], states.multiplicity[here]
        more, chance = _futures(n, alpha + c, beta + trials - c)
        variance = _variances(metric, (c[:, None] + more).ravel(), trials + n, prior).reshape(chance.shape)
        total += float(questions @ (chance * variance).sum(axis=1))
    return total / outcomes.n_questions**2


def _variances(metric: Metric, successes: NDArray[np.int64], trials: int, prior: PriorLike) -> Vector:
    """Return the variance of a question's value after so many successes."""
    if trials == 0:
        outcomes = OutcomeMatrix._of_table(np.zeros((len(successes), 2), dtype=np.int64), 0)
    else:
        outcomes = OutcomeMatrix.from_counts(successes, trials)
    return metric.moments(outcomes, prior=prior).variance


def _futures(n: int, a: NDArray[np.floating], b: NDArray[np.floating]) -> tuple[NDArray[np.int64], Vector]:
    """Return successes among ``n`` trials to come and their probabilities, one row per Beta; quantiles for many."""
    a, b = a[:, None], b[:, None]
    if n > _ENUMERATED:
        rates = betaincinv(a, b, (np.arange(_QUANTILES) + 0.5) / _QUANTILES)
        return np.rint(n * rates).astype(np.int64), np.full(rates.shape, 1.0 / _QUANTILES)
    x = np.arange(n + 1)
    log_choose = gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1)
    chance = np.exp(log_choose + betaln(a + x, b + n - x) - betaln(a, b))
    return np.broadcast_to(x, chance.shape), chance / chance.sum(axis=1, keepdims=True)


def _simulated(metric: Metric, outcomes: OutcomeMatrix, prior: PriorLike, n: int, seeds: NDArray[np.int64]) -> float:
    """Average over futures drawn from the posterior, with the same seeds for every ``n``."""
    if n == 0:
        return _now(metric, outcomes, prior)
    futures = (_later(outcomes, prior, n, np.random.default_rng(seed)) for seed in seeds)
    return float(np.mean([_now(metric, future, prior) for future in futures]))


def _later(outcomes: OutcomeMatrix, prior: PriorLike, n: int | Counts, rng: np.random.Generator) -> OutcomeMatrix:
    """Draw ``n`` more trials of every question, or so many of each."""
    rates = (
        _learned_rates(outcomes, rng)
        if is_learned(prior) and outcomes.has_two_categories
        else _rates(outcomes, prior, rng)
    )
    counts = outcomes.counts.copy()
    counts[:, : rates.shape[1]] += rng.multinomial(n, rates)
    return outcomes._replaced(counts=counts, planned=outcomes.planned_trials + n)


def _rates(outcomes: OutcomeMatrix, prior: PriorLike, rng: np.random.Generator) -> Vector:
    counts = outcomes.with_prior_counts.counts
    width = counts.shape[1]
    pseudo = np.full(width, 0.5) if is_learned(prior) else dirichlet_prior(prior, width)
    drawn = rng.standard_gamma(counts + pseudo)
    return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))


def _learned_rates(outcomes: OutcomeMatrix, rng: np.random.Generator) -> Vector:
    """Return rates of failure and success from one draw of the shared prior and every question's posterior under it."""
    informed = outcomes.with_prior_counts
    rate = draw_rates(learned_prior(informed), informed._state_of_question, rng)
    return np.stack([1.0 - rate, rate], axis=1)
