"""Covariances: for binary outcomes, every metric of this package is, to first order, a sum of count metrics.

Credits of different budgets are first written for the larger one. If ``J`` of ``K`` trials succeed and ``k`` of them
are drawn, a credit ``x`` of budget ``k`` is worth ``X_J = E x_j``, exactly, and its steps become
``W_J = (k/K) E w_{j+1}`` with ``k - 1`` of ``K - 1`` trials drawn: both are scores of finite outcomes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._arrays import Vector
from .._kernels import posterior_credit
from .._kernels.states import States
from ..inference import PriorLike, as_prior
from ..outcomes import OutcomeMatrix
from ._worth import LARGE, at_rates, credit_scores

if TYPE_CHECKING:
    from ._base import Metric
    from ._count import CountMetric


CovarianceTerms = list[tuple[float | Vector, "CountMetric"]]  # factors, one or one per question, and count metrics


def covariance(metric: Metric, other: Any, outcomes: OutcomeMatrix, prior: PriorLike) -> float:
    """Return the posterior covariance of two metrics that are sums of count metrics on binary outcomes."""
    if metric == other:
        return metric.interval(outcomes.without_runs, prior=prior).sigma ** 2
    assumed = as_prior(prior)
    terms, others = (
        side.covariance_terms(outcomes, assumed) if hasattr(side, "covariance_terms") else None
        for side in (metric, other)
    )
    if terms is None or others is None or outcomes.is_continuous:
        raise TypeError(f"the covariance of {metric!r} and {other!r} is not known")
    informed = outcomes.with_prior_counts
    where = informed.state_of_question
    alpha, beta = assumed.pair()
    total = 0.0
    for u, x in terms:
        for v, y in others:
            by_state = state_covariance(x, y, informed.states, alpha, beta)
            total += float(np.sum(u * v * by_state[where]))
    return total / outcomes.n_questions**2


def state_covariance(x: CountMetric, y: CountMetric, states: States, alpha: float, beta: float) -> Vector:
    """Return the posterior covariance of two count metrics in every state, by a closed form if there is one."""
    out = np.empty(states.n_states)
    if not x._is_any_success:
        x, y = y, x
    if x._is_any_success and x.k == y.k and y._fill_any_success_covariance(states, alpha, beta, out):
        return out
    k = max(x.k, y.k)
    (x_credit, x_steps), (y_credit, y_steps) = to_budget(x, k), to_budget(y, k)
    if k >= LARGE:
        return np.asarray(at_rates(x_credit, y_credit).covariance(states, [(alpha, beta)])[0])
    posterior_credit.covariance(states, k, x_credit, y_credit, alpha, beta, out, x_steps, y_steps)
    return out


def to_budget(metric: CountMetric, k: int) -> tuple[Vector, Vector]:
    """Return the metric's credits and steps as those of budget ``k``, no smaller than its own."""
    smaller = metric.k
    if smaller == k:
        return metric.credit_values, metric.credit_steps
    credit, steps = credit_scores(metric.credit_values, _every_count(k)), metric.credit_steps
    return credit, (credit_scores(steps, _every_count(k - 1)) if smaller > 1 else np.repeat(steps, k)) * (smaller / k)


def _every_count(trials: int) -> States:
    """Return the states ``c = 0..trials``, one question each."""
    c = np.arange(trials + 1)
    return States(c, np.full_like(c, trials), np.ones_like(c))
