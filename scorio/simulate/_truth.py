"""The true value of a metric at known rates, which its scores and intervals estimate."""

from functools import singledispatch

import numpy as np

from .._arrays import Vector
from .._special import betainc
from ..errors import OutcomeError
from ..metrics import AvgMetric, BayesMetric, Blend, CountMetric, MaxAtK, Metric, MinAtK
from ..outcomes import OutcomeMatrix


def truth(metric: Metric, rates: Vector, like: OutcomeMatrix) -> Vector:
    """Return the metric of each model, (L,), at rates (models, questions, categories) of outcomes ``like`` these."""
    if isinstance(metric, Blend) and not metric.is_mean_over_questions:
        return _product([(truth(part, rates, like), power) for part, power in metric.parts])
    return np.asarray(question_truth(metric, rates, like).mean(axis=1))


@singledispatch
def question_truth(metric: Metric, rates: Vector, like: OutcomeMatrix) -> Vector:  # noqa: ARG001 - registered functions use them
    """Return the metric of each question (models, questions); ``question_truth.register`` adds your own metric."""
    raise TypeError(f"the true value of {metric} is unknown: add it with simulate.question_truth.register")


@question_truth.register
def _(metric: CountMetric, rates: Vector, like: OutcomeMatrix) -> Vector:
    """Return ``x_0`` plus, for each number of successes, its added credit times the probability of at least so many."""
    if like.n_categories > 2:
        raise OutcomeError(f"{metric} needs binary outcomes, but these have {like.n_categories} categories")
    values = np.full(rates.shape[:2], metric.credit_values[0])
    for j in np.flatnonzero(metric.credit_steps) + 1:
        values += metric.credit_steps[j - 1] * betainc(j, metric.k - j + 1.0, rates[..., 1])
    return values


@question_truth.register(AvgMetric)
@question_truth.register(BayesMetric)
def _(metric: AvgMetric | BayesMetric, rates: Vector, like: OutcomeMatrix) -> Vector:
    """Return the mean reward."""
    return np.asarray(rates @ _rewards(metric, like))


@question_truth.register
def _(metric: MaxAtK, rates: Vector, like: OutcomeMatrix) -> Vector:
    """Return the highest reward, less each step down times the probability that none of ``k`` trials is above it."""
    rewards = _rewards(metric, like)
    order = np.argsort(rewards, kind="stable")
    none_above = np.cumsum(rates[..., order], axis=2)[..., :-1] ** metric.k
    return np.asarray(rewards.max() - none_above @ np.diff(rewards[order]))


@question_truth.register
def _(metric: MinAtK, rates: Vector, like: OutcomeMatrix) -> Vector:
    """Return the lowest reward, and each step up times the probability that all of ``k`` trials are above it."""
    rewards = _rewards(metric, like)
    order = np.argsort(rewards, kind="stable")
    all_above = np.cumsum(rates[..., order[::-1]], axis=2)[..., -2::-1] ** metric.k
    return np.asarray(rewards.min() + all_above @ np.diff(rewards[order]))


@question_truth.register
def _(metric: Blend, rates: Vector, like: OutcomeMatrix) -> Vector:
    """Return the product of powers of each question's two values."""
    return _product([(question_truth(part, rates, like), power) for part, power in metric.parts])


def _rewards(metric: AvgMetric | BayesMetric | MaxAtK | MinAtK, like: OutcomeMatrix) -> Vector:
    rewards = metric.rewards_of(like)
    if len(rewards) != like.n_categories:
        raise OutcomeError(f"{metric} has {len(rewards)} weights, but the outcomes have {like.n_categories} categories")
    return rewards


def _product(factors: list[tuple[Vector, float]]) -> Vector:
    return np.asarray(np.prod([base**power for base, power in factors], axis=0))
