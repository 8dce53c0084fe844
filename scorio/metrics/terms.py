"""Covariances: every metric of binary outcomes is, to first order, a sum of count metrics.

Two credits of different budgets are brought to the larger one first. Drawing ``k`` of ``K`` trials of which ``J``
succeed lifts a credit exactly, ``X_J = E x_j``, and its steps by ``W_J = (k/K) E w_{j+1}``, with ``k - 1`` drawn of
``K - 1``: both are scores of a finite bank.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from .._kernels import bank as finite
from .._kernels import hahn, power, spectrum
from .._kernels.states import States
from ..outcomes import OutcomeMatrix, as_outcomes
from ..prior import PriorLike, beta_prior
from .base import Metric, Vector

if TYPE_CHECKING:
    from typing import Any

    from .count import CountMetric

Terms = list[tuple["float | Vector", "CountMetric"]]


@runtime_checkable
class Linear(Protocol):
    """A metric that is, of binary outcomes and to first order, a sum of count metrics."""

    def linear_terms(self, bank: OutcomeMatrix, prior: PriorLike) -> Terms:
        """Each count metric of the sum, with its factor."""
        ...


def covariance(metric: Metric, other: Metric, R: Any, prior: PriorLike) -> float:
    """Posterior covariance of two linear metrics, on binary outcomes."""
    bank = as_outcomes(R)
    if metric == other:
        return metric.interval(bank, prior=prior).sigma ** 2
    if not (isinstance(metric, Linear) and isinstance(other, Linear)):
        raise TypeError(f"no joint posterior is known of {metric!r} and {other!r}")
    informed = bank.informed
    where = informed.state_of_question
    alpha0, beta0 = beta_prior(prior)
    total = 0.0
    for u, x in metric.linear_terms(bank, prior):
        for v, y in other.linear_terms(bank, prior):
            of_state = state_covariance(x, y, informed.states, alpha0, beta0)
            total += float(np.sum(u * v * of_state[where]))
    return total / bank.n_questions**2


def state_covariance(x: CountMetric, y: CountMetric, states: States, alpha0: float, beta0: float) -> Vector:
    """Covariance of two count metrics' latents in every state."""
    from .spectrum import MGPass
    from .threshold import PassAtK, PassHatK

    out = np.empty(states.n_states)
    if type(x) is not PassAtK:
        x, y = y, x
    if type(x) is PassAtK and x.k == y.k and type(y) is PassHatK:
        power.cross(states, x.k, alpha0, beta0, out)
    elif type(x) is PassAtK and x.k == y.k and type(y) is MGPass:
        hahn.any_success_excess_cov(states, x.k, (x.k + 1) // 2, alpha0, beta0, out)
    else:
        k = max(x.k, y.k)
        (x_credit, x_steps), (y_credit, y_steps) = lifted(x, k), lifted(y, k)
        spectrum.covariance(states, k, x_credit, y_credit, alpha0, beta0, out, x_steps, y_steps)
    return out


def lifted(metric: CountMetric, k: int) -> tuple[Vector, Vector]:
    """The metric's credit and steps, as those of budget ``k``."""
    small = metric.k
    if small == k:
        return metric.credits, metric.steps
    credit, steps = np.empty(k + 1), np.empty(k)
    finite.credit(_every_count(k), small, metric.credits, credit)
    if small == 1:
        steps[:] = metric.steps[0]
    else:
        finite.credit(_every_count(k - 1), small - 1, metric.steps, steps)
    return credit, steps * (small / k)


def _every_count(trials: int) -> States:
    """The states ``c = 0..trials``, one question each."""
    c = np.arange(trials + 1)
    return States(c, np.full_like(c, trials), np.ones_like(c))
