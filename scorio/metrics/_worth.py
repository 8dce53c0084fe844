"""What a question is worth at each success rate: the one description of a metric that laws of the rates work on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from .._arrays import Vector, cached_property
from .._kernels import finite_scores, posterior_credit, prior_moments
from .._kernels.states import States
from ._rate_integrals import LARGE, Integrals, Pairs, credit_at, of_functions

StateMoments = Callable[[States, float, float], tuple[Vector, Vector]]  # mean and sd of every state, under one Beta


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
    def is_bounded(self) -> bool:
        """Whether the value is finite at all success rates."""
        return bool(np.isfinite(self.credits).all())

    @property
    def is_small(self) -> bool:
        """Whether the kernels take the credits."""
        return self.is_credit and self.k <= prior_moments.LARGEST_BUDGET

    @cached_property
    def integrals(self) -> Integrals:
        """The value at fixed rates, for posteriors of any strength."""
        return of_functions(max(self.k, LARGE), self.at)

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
