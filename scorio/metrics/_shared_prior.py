"""A metric's law under a learned prior, and statements about the population of questions.

**These questions.** Moments are those at every component, given what the questions share. At a node the success rates
are independent again, and every question's value has the mean and variance of the node's Beta posterior; a question
without a success, or without a failure, may also sit in a point mass. The grid density, if there is one, is the last
component.

**The population.** What another draw of questions would change is the variance between questions or clusters of
questions.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._base.arrays import Indices, Vector
from .._base.numbers import number
from .._base.special import ndtri, stdtrit
from .._base.words import pluralize, warn
from .._kernels import prior_moments
from .._kernels.shared_prior import SharedPrior
from .._kernels.states import States
from ..errors import OutcomeError, QuestionsWarning, Remedy
from ..inference import Mixture
from ..inference._prior import beta_priors, learn
from ..outcomes import OutcomeMatrix
from ._checks import Design, design_of
from ._worth import Worth, worth_of

if TYPE_CHECKING:
    from ._base import Metric


_WHOLE = 4.0  # times the trials, from where on nothing of the learned prior is left in an interval
_ROUNDING = 1e-6  # in degrees of freedom
_FEW_DEGREES = 2.0  # those of three clusters of one size
_UPPER = 0.975
_LEAST_DISAGREEMENT = 0.05  # of the posterior variance: of a score and a mean that hardly differ
_RARE = 5.0  # clusters with a score other than the lowest (or highest), of which half of a disagreement is believed
_FEW_CLUSTERS = (
    "clusters of questions differ so much in size that the mean over questions rests on about {count} clusters, too few"
    " to say much about the population. For the same weight of every cluster, select equally many questions of each"
)


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


def law_of_worth(worth: Worth, recorded: OutcomeMatrix, target: str) -> Mixture:
    """The posterior of the mean over questions, or of the expected value of another question of the same kind.

    It is moved beyond the trials by what the score moves it at the most trials that it has. There is no score of ``k``
    trials above ``N``. What it changes at ``N``, in units of the standard deviation, is as good as known just beyond,
    and fades as what the trials leave open grows: with ``log(k/N)``, up to 4 ``N``. The credits of ``N`` trials are
    those of the same shares of successes.
    """
    posterior = _of_questions if target == "questions" else _of_population
    law = posterior(worth, recorded)
    k, trials = worth.k, recorded.min_trials
    kept = 1.0 - share_beyond(k, trials)
    if not worth.is_credit or kept in (0.0, 1.0) or trials < 2:
        return law
    near = worth_of(np.interp(np.linspace(0.0, k, trials + 1), np.arange(k + 1), worth.credits))
    plain, scored = posterior(replace(near, score=None), recorded), posterior(near, recorded)
    unit = law.sd / plain.sd if plain.sd > 0.0 else 0.0
    means = law.means + kept * unit * (scored.means - plain.means)
    variances = law.variances + kept * unit**2 * (scored.variances - plain.variances)
    return Mixture(law.weights, np.clip(means, worth.credits.min(), worth.credits.max()), np.maximum(variances, 0.0))


def _of_questions(worth: Worth, recorded: OutcomeMatrix) -> Mixture:
    """The posterior of the mean over questions, moved toward its unbiased score."""
    prior, is_believed = learned_prior(recorded), design_of(recorded) is not Design.DEPENDENT
    scores = unbiased_scores(worth, recorded)
    return Mixture(prior.weight, *component_moments(worth, prior, scores, is_believed=is_believed))


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


def between_questions(metric: Metric, outcomes: OutcomeMatrix) -> Mixture:
    """Return the posterior of the population's score: the clustered standard error as a number of Bernoulli draws."""
    if outcomes.min_trials < metric.required_trials:
        raise OutcomeError(
            f"{metric} needs {pluralize(metric.required_trials, 'trial')} of every question (N={outcomes.min_trials})"
            " for the variance between questions",
            remedies=[Remedy("prior", "learned", "needs no more than one")],
        )
    moved, score = shifts(metric, outcomes), metric.score(outcomes)
    low, high = metric.support(outcomes)
    share = (score - low) / (high - low) if high > low else 0.5
    scaled = moved / (high - low) if high > low else np.zeros(1)
    spread = float(scaled @ scaled)
    draws = share * (1.0 - share) / spread if spread > 0.0 else float(cluster_count(outcomes))
    alpha, beta = draws * share + 0.5, draws * (1.0 - share) + 0.5  # Jeffreys' prior
    total = alpha + beta
    sd = np.sqrt(alpha * beta / (total + 1.0)) / total
    return Mixture.single(low + (high - low) * alpha / total, (high - low) * sd)


def check_clusters(outcomes: OutcomeMatrix) -> None:
    """Check that there are enough questions or clusters for a statement about the population."""
    if cluster_count(outcomes) < 2:
        raise OutcomeError(
            'target="population" needs at least two questions, or two clusters if questions have clusters'
        )


def shifts(metric: Metric, outcomes: OutcomeMatrix) -> Vector:
    """Return the effect of each cluster on the score; the squares add up to the variance over samples of clusters.

    It is the sandwich estimate, or the jackknife if the score is not a mean over questions.
    """
    group = groups(outcomes)
    if metric.is_mean_over_questions:
        return shifts_of_mean(metric.per_question(outcomes), group)
    left = metric._without_each(outcomes, group)
    return np.asarray(np.sqrt(1.0 - 1.0 / len(left)) * (left.mean() - left))


def shifts_of_mean(values: Vector, group: Indices) -> Vector:
    """Return the same for the mean of ``values``.

    A cluster with the share ``w`` of the questions pulls the mean toward itself, so its distance ``d`` from the mean is
    too small. If the means of clusters vary alike, ``d^2`` is on average ``1 - 2 w + sum w^2`` times their variance,
    and the shift is ``w d`` over the root of that: with clusters of one size, the usual ``sqrt(C/(C - 1))``.
    """
    sums = np.bincount(group, values - values.mean()) / len(values)
    return np.asarray(sums / np.sqrt(_shrinkage(np.bincount(group) / len(values))))


def _shrinkage(share: Vector) -> Vector:
    """Return the mean squared distance of a cluster from the mean over the variance of clusters; 1 for one cluster."""
    return 1.0 - 2.0 * share + share @ share if len(share) > 1 else np.ones(1)


def degrees_of_mean(group: Indices) -> float:
    """Return the degrees of freedom of the variance that ``shifts_of_mean`` gives: one less than equal clusters.

    With ``z`` the means of clusters, the variance is ``sum a d^2 = z' Q z``, ``a`` the squared shares over their
    shrinkage, and Satterthwaite's degrees are ``(tr Q)^2 / tr Q^2``.

    >>> round(degrees_of_mean(np.array([0, 0, 1, 1, 2, 2])), 3)
    2.0
    >>> round(degrees_of_mean(np.array([0] * 40 + list(range(1, 41)))), 2)
    1.04
    """
    share = np.bincount(group) / len(group)
    if share.min() == share.max():
        return max(len(share) - 1.0, 1.0)
    square, shrinkage = float(share @ share), _shrinkage(share)
    a = share**2 / shrinkage
    squares = float(a**2 @ (shrinkage**2 - (square - 2.0 * share) ** 2))
    s0, s1, s2 = float(a.sum()), float(a @ share), float(a @ share**2)
    return square**2 / (squares + square**2 * s0**2 + 2.0 * s0 * s2 - 4.0 * square * s0 * s1 + 2.0 * s1**2)


def for_few_clusters(posterior: Mixture, outcomes: OutcomeMatrix, bounds: tuple[float, float]) -> Mixture:
    """Return the posterior, wider where few clusters of questions, or clusters of different sizes, decide.

    How much clusters vary is estimated. The standard deviation grows as Student's quantile with the degrees of freedom
    of that estimate does over the normal one, up to that of a uniform law. Warns where these are fewer than those of
    three clusters of one size.
    """
    if outcomes.clusters is None:
        return posterior
    group = groups(outcomes)
    if group.max() + 1 == len(group):
        return posterior
    degrees = degrees_of_mean(group)
    if degrees < _FEW_DEGREES - _ROUNDING and len(set(np.bincount(group))) > 1:
        warn(_FEW_CLUSTERS.format(count=number(degrees + 1.0, 2)), QuestionsWarning)
    growth = float(stdtrit(degrees, _UPPER) / ndtri(_UPPER)) ** 2
    means, variances, (low, high) = posterior.means, posterior.variances, bounds
    most: Any = np.inf
    if np.isfinite(high - low):
        most = (means - low) * (high - means) / 3.0  # of a uniform law in the middle
    wider = variances + (growth - 1.0) * (variances + (means - posterior.mean) ** 2)
    return replace(posterior, variances=np.minimum(wider, np.maximum(most, variances)))


def effect_of_clusters(outcomes: OutcomeMatrix) -> float:
    """Return the factor, at least 1, by which clusters make questions count as fewer; 1 without clusters."""
    if outcomes.clusters is None:
        return 1.0
    rates = (outcomes.successes + 0.5) / (outcomes.trials + 1.0)
    alone = clustered(rates, np.arange(len(rates)))
    return max(1.0, clustered(rates, groups(outcomes)) / alone) if alone > 0.0 else 1.0


def _of_population(worth: Worth, recorded: OutcomeMatrix) -> Mixture:
    """The posterior of the expected value of another question, moved toward its unbiased score.

    As for these questions (``_kernels/prior_moments.pyx``): the score ``U`` has the variance ``V`` between clusters,
    and ``D = U - mu`` about ``V - sigma^2`` if the prior is right. What ``D^2`` exceeds that is taken for the bias of a
    shape that does not fit: of clusters, which have Beta distributions only, and of few exact rates.
    """
    prior = learned_prior_of_population(recorded, 1.0 / effect_of_clusters(recorded))
    posterior = of_population(worth, prior)
    scores = unbiased_scores(worth, recorded)
    if scores is None:
        return posterior
    values, group = scores[recorded.state_of_question], groups(recorded)
    below, above = group[values < worth.credits.max()], group[values > worth.credits.min()]
    variance, score = posterior.sd**2, float(values.mean())
    error = max(clustered(values, group), variance)
    expected, distance = max(error - variance, _LEAST_DISAGREEMENT * variance), (score - posterior.mean) ** 2
    if distance <= expected:
        return posterior
    few = min(len(np.unique(below)), len(np.unique(above)))
    share = few / (few + _RARE) * (1.0 - expected / distance)
    means, variances = posterior.means, posterior.variances
    return replace(posterior, means=means + share * (score - means), variances=variances + share * (error - variances))


def clustered(values: Vector, group: Indices) -> float:
    """Return the variance of the values' mean over samples of clusters."""
    moved = shifts_of_mean(values, group)
    return float(moved @ moved)


def cluster_count(outcomes: OutcomeMatrix) -> int:
    """Return the number of clusters, or of questions if they have no clusters."""
    return outcomes.n_questions if outcomes.clusters is None else len(set(outcomes.clusters))


def groups(outcomes: OutcomeMatrix) -> Indices:
    """Return the cluster of every question as 0, 1, ..; without clusters, each question is its own."""
    if outcomes.clusters is None:
        return np.arange(outcomes.n_questions)
    number: dict[Any, int] = {}
    return np.array([number.setdefault(label, len(number)) for label in outcomes.clusters])
