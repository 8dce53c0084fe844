"""What a metric is of the true rates: the value that its scores and intervals are about."""

from __future__ import annotations

from functools import singledispatch

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from ..errors import OutcomeError
from ..metrics import AvgMetric, BayesMetric, CountMetric, MaxAtK, Metric
from ..metrics.blend import Blend
from ..outcomes import OutcomeMatrix
from .rates import Rates

Values = NDArray[np.float64]


def truth(metric: Metric, rates: Rates, like: OutcomeMatrix) -> Values:
    """The metric of each model, (L,), at rates (models, questions, categories) of outcomes ``like`` these."""
    if isinstance(metric, Blend) and not metric.additive:
        return _product([(truth(part, rates, like), power) for part, power in metric.parts()])
    values: Values = question_truth(metric, rates, like).mean(axis=1)
    return values


@singledispatch
def question_truth(metric: Metric, rates: Rates, like: OutcomeMatrix) -> Values:  # noqa: ARG001 - those registered look
    """The metric of each question (models, questions); ``question_truth.register`` adds a metric of one's own."""
    raise TypeError(f"the truth of {metric} is not known: add it with simulate.question_truth.register")


@question_truth.register
def _(metric: CountMetric, rates: Rates, like: OutcomeMatrix) -> Values:
    """``x_0`` and, for each further success, what it adds times the chance of so many."""
    if like.n_categories > 2:
        raise OutcomeError(f"{metric} needs binary outcomes; here are {like.n_categories} categories")
    values = np.full(rates.shape[:2], metric.credits[0])
    for j in np.flatnonzero(metric.steps) + 1:
        values += metric.steps[j - 1] * betainc(j, metric.k - j + 1.0, rates[..., 1])
    return values


@question_truth.register(AvgMetric)
@question_truth.register(BayesMetric)
def _(metric: AvgMetric | BayesMetric, rates: Rates, like: OutcomeMatrix) -> Values:
    """The mean reward."""
    values: Values = rates @ _rewards(metric, like)
    return values


@question_truth.register
def _(metric: MaxAtK, rates: Rates, like: OutcomeMatrix) -> Values:
    """The highest reward, less each step down times the chance that none of ``k`` trials is above it."""
    rewards = _rewards(metric, like)
    order = np.argsort(rewards, kind="stable")
    none_above = np.cumsum(rates[..., order], axis=2)[..., :-1] ** metric.k
    values: Values = rewards.max() - none_above @ np.diff(rewards[order])
    return values


@question_truth.register
def _(metric: Blend, rates: Rates, like: OutcomeMatrix) -> Values:
    """The product of powers of each question's two values."""
    return _product([(question_truth(part, rates, like), power) for part, power in metric.parts()])


def _rewards(metric: AvgMetric | BayesMetric | MaxAtK, like: OutcomeMatrix) -> Values:
    rewards = metric.rewards(like)
    if len(rewards) != like.n_categories:
        raise OutcomeError(f"{metric} has {len(rewards)} weights; here are {like.n_categories} categories")
    return rewards


def _product(factors: list[tuple[Values, float]]) -> Values:
    values: Values = np.prod([base**power for base, power in factors], axis=0)
    return values
