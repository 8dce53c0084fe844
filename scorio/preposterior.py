"""What more trials are expected to do to the variance of a posterior, before they are run."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, betaln, gammaln

from .metrics import Metric
from .outcomes import OutcomeMatrix
from .prior import PriorLike, beta_prior, dirichlet_prior, is_learnt

Vector = NDArray[np.float64]
_DRAWS = 12  # simulated futures, where there is no sum
_ENUMERATED = 2000  # trials to come whose successes are all gone through
_QUANTILES = 512  # of a rate, that stand for them beyond


def expected_variance(
    metric: Metric, bank: OutcomeMatrix, prior: PriorLike, random: np.random.Generator
) -> Callable[[int], float]:
    """The posterior variance of the metric to expect after more trials of every question, as a function of them."""
    if metric.additive and bank.is_binary and not is_learnt(prior):
        return lru_cache(maxsize=None)(lambda n: _summed(metric, bank, prior, n))
    seeds = random.integers(2**63, size=_DRAWS)
    return lru_cache(maxsize=None)(lambda n: _simulated(metric, bank, prior, n, seeds))


def _now(metric: Metric, bank: OutcomeMatrix, prior: PriorLike) -> float:
    return metric.posterior(bank, prior=prior).sigma ** 2


def _summed(metric: Metric, bank: OutcomeMatrix, prior: PriorLike, n: int) -> float:
    """By the beta-binomial law of the successes to come."""
    alpha, beta = beta_prior(prior)
    states = bank.informed.states
    total = 0.0
    for trials in np.unique(states.trials).tolist():
        here = states.trials == trials
        c, questions = states.successes[here], states.multiplicity[here]
        more, chance = _futures(n, alpha + c, beta + trials - c)
        variance = _variances(metric, (c[:, None] + more).ravel(), trials + n, prior).reshape(chance.shape)
        total += float(questions @ (chance * variance).sum(axis=1))
    return total / bank.n_questions**2


def _variances(metric: Metric, successes: NDArray[np.int64], trials: int, prior: PriorLike) -> Vector:
    """The variance of a question's value after so many successes."""
    if trials == 0:
        bank = OutcomeMatrix.of_table(np.zeros((len(successes), 2), dtype=np.int64), 0)
    else:
        bank = OutcomeMatrix.from_counts(successes, trials)
    return metric.moments(bank, prior=prior).variance


def _futures(n: int, a: NDArray[np.floating], b: NDArray[np.floating]) -> tuple[NDArray[np.int64], Vector]:
    """Successes among ``n`` trials to come and their chances, a row for each Beta; of very many trials, quantiles."""
    a, b = a[:, None], b[:, None]
    if n > _ENUMERATED:
        rates = betaincinv(a, b, (np.arange(_QUANTILES) + 0.5) / _QUANTILES)
        return np.rint(n * rates).astype(np.int64), np.full(rates.shape, 1.0 / _QUANTILES)
    x = np.arange(n + 1)
    log_choose = gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1)
    chance = np.exp(log_choose + betaln(a + x, b + n - x) - betaln(a, b))
    return np.broadcast_to(x, chance.shape), chance / chance.sum(axis=1, keepdims=True)


def _simulated(metric: Metric, bank: OutcomeMatrix, prior: PriorLike, n: int, seeds: NDArray[np.int64]) -> float:
    """The mean over futures drawn from the posterior, the same futures for every ``n``."""
    if n == 0:
        return _now(metric, bank, prior)
    found = [_now(metric, _later(bank, prior, n, np.random.default_rng(seed)), prior) for seed in seeds]
    return float(np.mean(found))


def _later(bank: OutcomeMatrix, prior: PriorLike, n: int, rng: np.random.Generator) -> OutcomeMatrix:
    """The bank with ``n`` more trials of every question."""
    rates = _learnt_rates(bank, rng) if is_learnt(prior) and bank.is_binary else _rates(bank, prior, rng)
    counts = bank.counts.copy()
    counts[:, : rates.shape[1]] += rng.multinomial(n, rates)
    return bank.replaced(counts=counts, planned=bank.planned_trials + n)


def _rates(bank: OutcomeMatrix, prior: PriorLike, rng: np.random.Generator) -> Vector:
    counts = bank.informed.counts
    width = counts.shape[1]
    pseudo = np.full(width, 0.5) if is_learnt(prior) else dirichlet_prior(prior, width)
    drawn = rng.standard_gamma(counts + pseudo)
    return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))


def _learnt_rates(bank: OutcomeMatrix, rng: np.random.Generator) -> Vector:
    """Rates of failure and success from one draw of the shared prior and every question's posterior under it."""
    informed = bank.informed
    hierarchy = informed.learnt()
    branches = hierarchy.branches
    branch = branches[rng.choice(len(branches), p=[branch.weight.sum() for branch in branches])]
    share = branch.weight.ravel() / branch.weight.sum()
    node, pair = np.unravel_index(rng.choice(len(share), p=share), branch.weight.shape)
    rate = rng.beta(branch.alpha[node] + informed.successes, branch.beta[node] + informed.trials - informed.successes)
    zero, one = np.zeros(informed.states.n_states), np.zeros(informed.states.n_states)
    zero[hierarchy.ends], one[hierarchy.ends] = branch.at_zero[node, pair], branch.at_one[node, pair]
    where, spot = informed.state_of_question, rng.random(informed.n_questions)
    rate[spot < zero[where]] = 0.0
    rate[spot > 1.0 - one[where]] = 1.0
    return np.stack([1.0 - rate, rate], axis=1)
