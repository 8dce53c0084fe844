"""A metric's posterior under a learned prior: moments at every component, given what the questions share.

At a node the success rates are independent again, and every question's value has the mean and variance of the node's
Beta posterior; a question without a success, or without a failure, may also sit in a point mass. The grid density, if
there is one, is the last component.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .._arrays import Vector
from .._kernels import prior_moments
from .._kernels.states import States
from ..inference import Mixture
from ..inference._learned_prior import SharedPrior, beta_priors
from ..inference._prior import PriorLike

Posterior = Callable[[States, PriorLike], tuple[Vector, Vector]]  # mean and sd of every state

_UNSEEN = States(*np.array([[0], [0], [1]]))


class GridMoments(NamedTuple):
    """A value under the grid density: mean and variance of every state, and scores of the density's coefficients.

    The squares of a sum of ``scores`` (S, 9) over questions add up to what the coefficients leave uncertain in the sum.
    """

    mean: Vector
    variance: Vector
    scores: Vector


class Law(NamedTuple):
    """The description of a metric that the learned prior works on: its credits, or its moments in every state.

    ``values`` are the credits of 0..k successes, which serve budgets up to ``LARGEST_BUDGET``. Otherwise, the first and
    the last of them are the values at rates of 0 and 1, ``posterior`` gives the moments under a Beta prior and
    ``on_grid`` those under the grid density.
    """

    values: Vector
    posterior: Posterior
    on_grid: Callable[[SharedPrior], GridMoments]
    values_are_credits: bool = True

    @property
    def is_small(self) -> bool:
        """Whether the kernels take the credits."""
        return self.values_are_credits and len(self.values) - 1 <= prior_moments.LARGEST_BUDGET


def credit_on_grid(prior: SharedPrior, credit: Vector) -> GridMoments:
    """Moments of a credit under the grid density."""
    values = prior_moments.grid_values(prior, credit)
    share = prior_moments.grid_posterior(prior)
    mean = share @ values
    away = share * (values - mean[:, None])
    return GridMoments(mean, (away * (values - mean[:, None])).sum(axis=1), prior_moments.grid_scores(prior, away))


def covariance_on_grid(prior: SharedPrior, x: Vector, y: Vector) -> Vector:
    """Covariance of two credits in every state under the grid density."""
    share = prior_moments.grid_posterior(prior)
    first, second = (prior_moments.grid_values(prior, credit) for credit in (x, y))
    away = first - (share @ first)[:, None]
    found: Vector = (share * away * (second - (share @ second)[:, None])).sum(axis=1)
    return found


def tables(posterior: Posterior, prior: SharedPrior) -> tuple[Vector, Vector]:
    """Mean and variance of every state at every node, (J, S) each."""
    found = [posterior(prior.states, pair) for pair in beta_priors(prior)]
    return np.array([mean for mean, _ in found]), np.array([sd for _, sd in found]) ** 2


def component_moments(law: Law, prior: SharedPrior) -> tuple[Vector, Vector]:
    """Mean and variance of the mean over questions, at every component."""
    count = prior.size + prior.has_grid
    mean, variance = np.empty(count), np.empty(count)
    if law.is_small:
        prior_moments.components(prior, law.values, mean, variance)
        return mean, variance
    prior_moments.components(prior, law.values, mean, variance, *tables(law.posterior, prior))
    if prior.has_grid:
        grid = law.on_grid(prior)
        questions = prior.states.multiplicity
        scores = questions @ grid.scores
        mean[-1] = questions @ grid.mean / prior.states.n_questions
        variance[-1] = (questions @ grid.variance + scores @ scores) / prior.states.n_questions**2
    return mean, variance


def pooled(law: Law, prior: SharedPrior) -> Mixture:
    """The posterior of the mean over questions."""
    return Mixture(prior.weight, *component_moments(law, prior))


def of_population(law: Law, prior: SharedPrior) -> Mixture:
    """The posterior of the expected value of another question of the same kind.

    Under the grid density, the expected value of a credit is linear in the density, whose coefficients are uncertain.
    """
    mean, variance = np.empty((2, prior.size + prior.has_grid))
    if law.is_small:
        prior_moments.of_unseen(prior, law.values, mean, variance)
    else:
        unseen = np.array([law.posterior(_UNSEEN, pair)[0][0] for pair in beta_priors(prior)])
        prior_moments.of_unseen(prior, law.values, mean, variance, unseen)
    density = prior.grid_density
    if density is not None:
        values, share = prior_moments.grid_values(prior, law.values), density[1]
        mean[-1] = share @ values
        scores = prior_moments.grid_scores(prior, (share * (values - mean[-1]))[None])
        variance[-1] = (scores**2).sum()
    return Mixture(prior.weight, mean, variance)


class Averaged(NamedTuple):
    """A state's value over all components: mean, variance given the component, variance between components."""

    mean: Vector
    within: Vector
    between: Vector


def of_states(law: Law, prior: SharedPrior) -> Averaged:
    """Moments of every state's value."""
    totals = np.zeros((3, prior.states.n_states))
    prior_moments.of_states(prior, law.values, totals, *(() if law.is_small else tables(law.posterior, prior)))
    mean, within, square = totals
    if prior.has_grid:
        grid, weight = law.on_grid(prior), prior.grid_weight
        mean += weight * grid.mean
        within += weight * grid.variance
        square += weight * (grid.mean**2 + (grid.scores**2).sum(axis=1))
    return Averaged(mean, within, np.maximum(square - mean**2, 0.0))
