"""The true value of a metric at known rates, which its scores and intervals estimate."""

from __future__ import annotations

from functools import singledispatch

import numpy as np
from numpy.typing import NDArray

from .._special import betainc
from ..errors import OutcomeError
from ..metrics import AvgMetric, BayesMetric, CountMetric, MaxAtK, Metric
from ..metrics._blend import Blend
from ..outcomes import OutcomeMatrix
from ._rates import Rates

Values = NDArray[np.float64]


def truth(metric: Metric, rates: Rates, like: OutcomeMatrix) -> Values:
    """Return the metric of each model, (L,), at rates (models, questions, categories) of outcomes ``like`` these."""
    if isinstance(metric, Blend) and not metric.is_mean_over_questions:
        return _product([(truth(part, rates, like), power) for part, power in metric.parts()])
    values: Values = question_truth(metric, rates, like).mean(axis=1)
    return values


@singledispatch
def question_truth(metric: Metric, rates: Rates, like: OutcomeMatrix) -> Values:  # noqa: ARG001 - registered functions use them
    """Return the metric of each question (models, questions); ``question_truth.register`` adds your own metric."""
    raise TypeError(f"the true value of {metric} is unknown: add it with simulate.question_truth.register")


@question_truth.register
def _(metric: CountMetric, rates: Rates, like: OutcomeMatrix) -> Values:
    """Return ``x_0`` plus, for each number of successes, its added credit times the probability of at least so many."""
    if like.n_categories > 2:
        raise OutcomeError(f"{metric} needs binary outcomes, but these have {like.n_categories} categories")
    values = np.full(rates.shape[:2], metric.credits[0])
    for j in np.flatnonzero(metric.steps) + 1:
        values += metric.steps[j - 1] * betainc(j, metric.k - j + 1.0, rates[..., 1])
    return values


@question_truth.register(AvgMetric)
@question_truth.register(BayesMetric)
def _(metric: AvgMetric | BayesMetric, rates: Rates, like: OutcomeMatrix) -> Values:
    """Return the mean reward."""
    values: Values = rates @ _rewards(metric, like)
    return values


@question_truth.register
def _(metric: MaxAtK, rates: Rates, like: OutcomeMatrix) -> Values:
    """Return the highest reward, less each step down times the probability that none of ``k`` trials is above it."""
    rewards = _rewards(metric, like)
    order = np.argsort(rewards, kind="stable")
    none_above = np.cumsum(rates[..., order], axis=2)[..., :-1] ** metric.k
    values: Values = rewards.max() - none_above @ np.diff(rewards[order])
    return values


@question_truth.register
def _(metric: Blend, rates: Rates, like: OutcomeMatrix) -> Values:
    """Return the product of powers of each question's two values."""
    return _product([(question_truth(part, rates, like), power) for part, power in metric.parts()])


def _rewards(metric: AvgMetric | BayesMetric | MaxAtK, like: OutcomeMatrix) -> Values:
    rewards = metric.rewards(like)
    if len(rewards) != like.n_categories:
        raise OutcomeError(f"{metric} has {len(rewards)} weights, but the outcomes have {like.n_categories} categories")
    return rewards


def _product(factors: list[tuple[Values, float]]) -> Values:
    values: Values = np.prod([base**power for base, power in factors], axis=0)
    return values
