"""What a question is worth at each success rate: the one description of a metric that laws of the rates work on.

**Covariances.** For binary outcomes, every metric of this package is, to first order, a sum of count metrics. Credits
of different budgets are first written for the larger one. If ``J`` of ``K`` trials succeed and ``k`` of them are drawn,
a credit ``x`` of budget ``k`` is worth ``X_J = E x_j``, exactly, and its steps become ``W_J = (k/K) E w_{j+1}`` with
``k - 1`` of ``K - 1`` trials drawn: both are scores of finite outcomes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base.arrays import Vector, cached_property
from .._kernels import finite_scores, posterior_credit, prior_moments, rate_integrals
from .._kernels.states import States
from ..inference._prior import PriorLike, as_prior
from ..outcomes import OutcomeMatrix

if TYPE_CHECKING:
    from ._base import Metric
    from ._count import CountMetric


LARGE = 2000  # the budget from which on sums over the numbers of successes cost more than integrals over the rate
LOG_PANELS = 21
NEAREST = 1e-18  # the rate next to 0, times the sharpness

Pairs = list[tuple[float, float]]  # pseudo-successes and pseudo-failures of priors
StateMoments = Callable[[States, float, float], tuple[Vector, Vector]]  # mean and sd of every state, under one Beta
CovarianceTerms = list[tuple[float | Vector, "CountMetric"]]  # factors, one or one per question, and count metrics


@cache
def rule() -> Vector:
    """Return the points and weights of a panel, (2, 16); the kernel knows their number."""
    return np.array(np.polynomial.legendre.leggauss(16))


@dataclass(frozen=True)
class Integrals:
    """A function of the success rate at fixed rates, for posteriors of any strength."""

    points: Vector  # log p, log q, weight: (3, points)
    values: Vector  # at the points
    widest: float  # the strength of posteriors that the points can tell from their neighbours

    def moments(self, states: States, priors: Pairs) -> tuple[Vector, Vector]:
        """Return mean and standard deviation under every prior in every state, (J, S) each."""
        alpha, beta = np.maximum(np.reshape(priors, (-1, 2)), 1e-290).T.copy()  # whose inverse is finite
        mean, variance = np.empty((2, len(alpha), states.n_states))
        arrays = alpha, beta, self.points, rule(), LOG_PANELS, self.values, self.values, self.widest
        rate_integrals.moments(states, *arrays, mean, variance)
        return np.clip(mean, self.values.min(), self.values.max()), np.sqrt(np.maximum(variance, 0.0))


def credit_at(credit: Vector, p: Vector, q: Vector) -> Vector:
    """Return the expected credit at success rates ``p``, ``q = 1 - p``."""
    out = np.empty(len(p))
    rate_integrals.values(credit, p, q, out)
    return np.clip(out, credit.min(), credit.max(), out=out)


def integrals_of(k: int, function: Callable[[Vector, Vector], Vector]) -> Integrals:
    """Evaluate a function of ``p`` and ``q = 1 - p`` that changes no faster than credits of the budget ``k >= LARGE``.

    A budget of ``k`` changes over no less than ``sqrt(p q/k)``, and so do the densities of ``2 k`` trials. In the angle
    whose squared sine is ``p``, that is the same everywhere: panels of a Gauss rule have equal widths there, down to
    ``p = 1/sharpness``. Below, they have equal widths in ``log p``, for densities ``p^a``.
    """
    sharpness = 4.0 * k
    least = np.arcsin(np.sqrt(1.0 / sharpness))
    angle, share = _panels(least, np.pi / 4.0, int(np.ceil((np.pi / 4.0 - least) * np.sqrt(sharpness) / 3.0)))
    exponent, length = _panels(np.log(NEAREST / sharpness), np.log(1.0 / sharpness), LOG_PANELS)
    p = np.concatenate([[NEAREST / sharpness], np.exp(exponent), np.sin(angle) ** 2])
    q = np.concatenate([1.0 - p[: len(exponent) + 1], np.cos(angle) ** 2])
    weight = np.concatenate([[0.0], length / q[1 : len(exponent) + 1], 4.0 * share / np.sin(2.0 * angle)])
    below = np.array([np.log(p), np.log1p(-p), weight])
    points = np.concatenate([below, below[[1, 0, 2], ::-1]], axis=1)
    values = function(np.concatenate([p, q[::-1]]), np.concatenate([q, p[::-1]]))
    return Integrals(points, values, 2.0 * k)


def _panels(low: float, high: float, count: int) -> tuple[Vector, Vector]:
    """Return the points and weights of Gauss rules on ``count`` equal panels."""
    edges = np.linspace(low, high, count + 1)
    middle, half = (edges[1:] + edges[:-1]) / 2.0, (edges[1] - edges[0]) / 2.0
    nodes, weights = rule()
    return (middle[:, None] + half * nodes).ravel(), np.tile(half * weights, count)


@dataclass(frozen=True, eq=False)
class Worth:
    """The value ``at`` success rates p, with q = 1 - p, which changes no faster than that of ``k`` trials.

    ``credits`` are those of 0..k successes, whose expectation it is; if it ``is_credit`` of no draw, the first and the
    last of them are the values at rates of 0 and 1. ``closed`` gives the moments in every state under a Beta, if there
    is a formula, and ``score`` gives the score of every state, if it has no bias.
    """

    k: int
    credits: Vector
    at: Callable[[Vector, Vector], Vector]
    closed: StateMoments | None = None
    score: Callable[[States], Vector] | None = None
    is_credit: bool = True

    @property
    def is_small(self) -> bool:
        """Whether the kernels take the credits."""
        return self.is_credit and self.k <= prior_moments.LARGEST_BUDGET

    @cached_property
    def integrals(self) -> Integrals:
        """The value at fixed rates, for posteriors of any strength."""
        return integrals_of(max(self.k, LARGE), self.at)

    def moments(self, states: States, priors: Pairs) -> tuple[Vector, Vector]:
        """Return the mean and standard deviation of every state under every Beta, (J, S) each."""
        if self.closed is None:
            return self.integrals.moments(states, priors)
        rows = [self.closed(states, *pair) for pair in priors]
        mean, sd = (np.reshape([row[i] for row in rows], (len(priors), states.n_states)) for i in (0, 1))
        return mean, sd


def worth_of(
    credit: Vector, closed: StateMoments | None = None, score: Callable[[States], Vector] | None = None
) -> Worth:
    """Return the worth of a draw by what 0..k successes are worth.

    >>> worth_of(np.array([0.0, 0.5, 1.0])).at(np.array([0.2]), np.array([0.8])).round(6).tolist()
    [0.2]
    """
    k = len(credit) - 1
    if closed is None and k < LARGE:
        closed = partial(credit_moments, credit, np.diff(credit))
    return Worth(k, credit, partial(credit_at, credit), closed, score or partial(credit_scores, credit))


def credit_moments(credit: Vector, steps: Vector, states: States, alpha: float, beta: float) -> tuple[Vector, Vector]:
    """Return the posterior mean and standard deviation of the expected credit in every state."""
    mean, sd = np.empty((2, states.n_states))
    posterior_credit.moments(states, len(steps), credit, alpha, beta, mean, sd, steps)
    return mean, sd


def credit_scores(credit: Vector, states: States) -> Vector:
    """Return the score of every state."""
    scores = np.empty(states.n_states)
    finite_scores.credit(states, len(credit) - 1, credit, scores)
    return scores


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
        parts = x_credit + y_credit, x_credit, y_credit
        of_sum, of_x, of_y = (worth_of(part).integrals.moments(states, [(alpha, beta)])[1][0] ** 2 for part in parts)
        return np.asarray((of_sum - of_x - of_y) / 2.0)
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
