"""A metric's posterior under a learned prior: moments at every component, given what the questions share.

At a node the success rates are independent again, and every question's value has the mean and variance of the node's
Beta posterior; a question without a success, or without a failure, may also sit in a point mass. The grid density, if
there is one, is the last component.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from .._arrays import Vector
from .._kernels import prior_moments
from .._kernels.states import States
from ..inference import Mixture, SharedPrior, beta_priors, learn
from ..outcomes import OutcomeMatrix
from ._checks import Design, design_of
from ._worth import Worth, worth_of

_WHOLE = 4.0  # times the trials, from where on nothing of the learned prior is left in an interval


def learned_prior(outcomes: OutcomeMatrix) -> SharedPrior:
    """Return the prior that these questions share."""
    return outcomes.cached("learned prior", learn, outcomes.states)


def learned_prior_of_population(outcomes: OutcomeMatrix, discount: float = 1.0, *, grid: bool = True) -> SharedPrior:
    """Return the same on more nodes, for statements about other questions; each question counts as ``discount``.

    The grid density has no discount and is left out where there is one.
    """
    has_grid = grid and discount == 1.0
    name = f"learned prior of the population, {discount}, {has_grid}"
    return outcomes.cached(name, lambda: learn(outcomes.states, discount, grid=has_grid, fine=True))


_UNSEEN = States(*np.array([[0], [0], [1]]))


class GridMoments(NamedTuple):
    """A value under the grid density: mean and variance of every state, and scores of the density's coefficients.

    The squares of a sum of ``scores`` (S, 9) over questions add up to what the coefficients leave uncertain in the sum.
    """

    mean: Vector
    variance: Vector
    scores: Vector


def on_grid(worth: Worth, prior: SharedPrior) -> GridMoments:
    """Moments under the grid density."""
    values = at_points(worth, prior)
    share = prior_moments.grid_posterior(prior)
    mean = share @ values
    away = share * (values - mean[:, None])
    return GridMoments(mean, (away * (values - mean[:, None])).sum(axis=1), prior_moments.grid_scores(prior, away))


def at_points(worth: Worth, prior: SharedPrior) -> Vector:
    """What a question is worth at the points of the grid density."""
    assert prior.grid_density is not None
    rates = prior.grid_density[0]
    return worth.at(rates, 1.0 - rates)


def tables(worth: Worth, prior: SharedPrior) -> tuple[Vector, Vector]:
    """Mean and variance of every state at every node, (J, S) each; J may be 0."""
    mean, sd = worth.moments(prior.states, beta_priors(prior))
    return mean, sd**2


def component_moments(
    worth: Worth, prior: SharedPrior, scores: Vector | None = None, *, is_believed: bool = True
) -> tuple[Vector, Vector]:
    """Mean and variance of the mean over questions at every component, moved toward unbiased ``scores`` of the states.

    A prior that ``is_believed`` moves no further than the scores contradict it.
    """
    table = np.empty((3, prior.size + prior.has_grid))
    states = prior.states
    about = 0.0 if scores is None else states.mean(scores)
    if worth.is_small:
        prior_moments.components(prior, worth.credits, table, about)
    else:
        prior_moments.components(prior, worth.credits, table, about, *tables(worth, prior))
        if prior.has_grid:
            grid, questions = on_grid(worth, prior), states.multiplicity
            shared = questions @ grid.scores
            second = states.mean(grid.variance + (grid.mean - about) ** 2)
            variance = (questions @ grid.variance + shared @ shared) / states.n_questions**2
            table[:, -1] = states.mean(grid.mean), variance, second
    if scores is not None:
        prior_moments.toward_scores(prior, worth.credits, scores, prior.weight, is_believed, table)
    return table[0], table[1]


def unbiased_scores(worth: Worth, outcomes: OutcomeMatrix) -> Vector | None:
    """The scores of the states, if they have no bias: the outcomes did not end the trials, and there are enough."""
    design, needed = design_of(outcomes), len(worth.credits) - 1
    if worth.score is None or outcomes.min_trials < needed or design in (Design.DECLARED, Design.STOPPED):
        return None
    return worth.score(outcomes.states)


def pooled(worth: Worth, prior: SharedPrior, outcomes: OutcomeMatrix) -> Mixture:
    """The posterior of the mean over questions."""
    is_believed = design_of(outcomes) is not Design.DEPENDENT

    def posterior(near: Worth) -> Mixture:
        scores = unbiased_scores(near, outcomes)
        return Mixture(prior.weight, *component_moments(near, prior, scores, is_believed=is_believed))

    return moved_beyond(worth, outcomes, posterior)


def moved_beyond(worth: Worth, outcomes: OutcomeMatrix, posterior: Callable[[Worth], Mixture]) -> Mixture:
    """The posterior, moved beyond the trials by what the score moves it at the most trials that it has.

    There is no score of ``k`` trials above ``N``. What it changes at ``N``, in units of the standard deviation, is as
    good as known just beyond, and fades as what the trials leave open grows: with ``log(k/N)``, up to 4 ``N``. The
    credits of ``N`` trials are those of the same shares of successes.
    """
    law = posterior(worth)
    k, trials = worth.k, outcomes.min_trials
    kept = 1.0 - share_beyond(k, trials)
    if not worth.is_credit or kept in (0.0, 1.0) or trials < 2:
        return law
    near = worth_of(np.interp(np.linspace(0.0, k, trials + 1), np.arange(k + 1), worth.credits))
    plain, scored = posterior(replace(near, score=None)), posterior(near)
    unit = law.sd / plain.sd if plain.sd > 0.0 else 0.0
    means = law.means + kept * unit * (scored.means - plain.means)
    variances = law.variances + kept * unit**2 * (scored.variances - plain.variances)
    return Mixture(law.weights, np.clip(means, worth.credits.min(), worth.credits.max()), np.maximum(variances, 0.0))


def share_beyond(k: float, trials: float) -> float:
    """Return how far ``k`` is beyond the trials: 0 up to them, 1 from 4 times as many on, between by the logarithm.

    >>> [share_beyond(k, 8) for k in (8, 16, 32, 1000)]
    [0.0, 0.5, 1.0, 1.0]
    """
    return 0.0 if k <= trials else min(math.log(k / trials) / math.log(_WHOLE), 1.0) if trials > 0.0 else 1.0


def of_population(worth: Worth, prior: SharedPrior) -> Mixture:
    """The posterior of the expected value of another question of the same kind.

    Under the grid density, the expected value is linear in the density, whose coefficients are uncertain.
    """
    mean, variance = np.empty((2, prior.size + prior.has_grid))
    if worth.is_small:
        prior_moments.of_unseen(prior, worth.credits, mean, variance)
    else:
        unseen = np.ascontiguousarray(worth.moments(_UNSEEN, beta_priors(prior))[0][:, 0])
        prior_moments.of_unseen(prior, worth.credits, mean, variance, unseen)
    density = prior.grid_density
    if density is not None:
        values, share = at_points(worth, prior), density[1]
        mean[-1] = share @ values
        scores = prior_moments.grid_scores(prior, (share * (values - mean[-1]))[None])
        variance[-1] = (scores**2).sum()
    return Mixture(prior.weight, mean, variance)


class Averaged(NamedTuple):
    """A state's value over all components: mean, variance given the component, variance between components."""

    mean: Vector
    within: Vector
    between: Vector


def of_states(worth: Worth, prior: SharedPrior) -> Averaged:
    """Moments of every state's value."""
    totals = np.zeros((3, prior.states.n_states))
    prior_moments.of_states(prior, worth.credits, totals, *(() if worth.is_small else tables(worth, prior)))
    mean, within, square = totals
    if prior.has_grid:
        grid, weight = on_grid(worth, prior), prior.grid_weight
        mean += weight * grid.mean
        within += weight * grid.variance
        square += weight * (grid.mean**2 + (grid.scores**2).sum(axis=1))
    return Averaged(mean, within, np.maximum(square - mean**2, 0.0))
