"""Statements about the population of questions, from the variance between questions or clusters of questions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .._arrays import Indices, Vector
from .._display.numbers import number
from .._display.words import pluralize, warn
from .._special import ndtri, stdtrit
from ..errors import OutcomeError, QuestionsWarning, Remedy
from ..inference import Mixture, SharedPrior
from ..outcomes import OutcomeMatrix
from ._shared_prior import learned_prior_of_population, moved_beyond, of_population, unbiased_scores
from ._worth import Worth

if TYPE_CHECKING:
    from ._base import Metric

_ROUNDING = 1e-6  # in degrees of freedom
_FEW_DEGREES = 2.0  # those of three clusters of one size
_UPPER = 0.975
_LEAST_DISAGREEMENT = 0.05  # of the posterior variance: of a score and a mean that hardly differ
_RARE = 5.0  # clusters with a score other than the lowest (or highest), of which half of a disagreement is believed
_FEW_CLUSTERS = (
    "clusters of questions differ so much in size that the mean over questions rests on about {count} clusters, too few"
    " to say much about the population. For the same weight of every cluster, select equally many questions of each"
)


def between_questions(metric: Metric, outcomes: OutcomeMatrix) -> Mixture:
    """Return the posterior of the population's score: the clustered standard error as a number of Bernoulli draws."""
    moved, score = _checked_shifts(metric, outcomes), metric.score(outcomes)
    low, high = metric.support(outcomes)
    share = (score - low) / (high - low) if high > low else 0.5
    scaled = moved / (high - low) if high > low else np.zeros(1)
    spread = float(scaled @ scaled)
    draws = share * (1.0 - share) / spread if spread > 0.0 else float(cluster_count(outcomes))
    alpha, beta = draws * share + 0.5, draws * (1.0 - share) + 0.5  # Jeffreys' prior
    total = alpha + beta
    sd = np.sqrt(alpha * beta / (total + 1.0)) / total
    return Mixture.single(low + (high - low) * alpha / total, (high - low) * sd)


def _checked_shifts(metric: Metric, outcomes: OutcomeMatrix) -> Vector:
    """Return the effect of each cluster on the score; an error says why there is none."""
    if outcomes.min_trials < metric.required_trials:
        raise OutcomeError(
            f"{metric} needs {pluralize(metric.required_trials, 'trial')} of every question (N={outcomes.min_trials})"
            " for the variance between questions",
            remedies=[Remedy("prior", "learned", "needs no more than one")],
        )
    return shifts(metric, outcomes)


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


def shared_prior(outcomes: OutcomeMatrix, *, grid: bool = True) -> SharedPrior:
    """Return the prior learned from the outcomes; questions in clusters count as fewer, by their design effect."""
    return learned_prior_of_population(outcomes, 1.0 / effect_of_clusters(outcomes), grid=grid)


def effect_of_clusters(outcomes: OutcomeMatrix) -> float:
    """Return the factor, at least 1, by which clusters make questions count as fewer; 1 without clusters."""
    if outcomes.clusters is None:
        return 1.0
    rates = (outcomes.successes + 0.5) / (outcomes.trials + 1.0)
    return design_effect(rates, groups(outcomes))


def law_of_population(worth: Worth, outcomes: OutcomeMatrix) -> Mixture:
    """Return the posterior of the expected value of another question of the same kind, moved toward its unbiased score.

    As for these questions (``_kernels/prior_moments.pyx``): the score ``U`` has the variance ``V`` between clusters,
    and ``D = U - mu`` about ``V - sigma^2`` if the prior is right. What ``D^2`` exceeds that is taken for the bias of a
    shape that does not fit: of clusters, which have Beta distributions only, and of few exact rates.
    """
    recorded = outcomes.with_prior_counts
    return moved_beyond(worth, recorded, lambda near: _of_population(near, recorded))


def _of_population(worth: Worth, recorded: OutcomeMatrix) -> Mixture:
    posterior = of_population(worth, shared_prior(recorded))
    scores = unbiased_scores(worth, recorded)
    if scores is None:
        return posterior
    values, group = scores[recorded.state_of_question], groups(recorded)
    below, above = (_present(group[side]) for side in (values < worth.credits.max(), values > worth.credits.min()))
    variance, score = posterior.sd**2, float(values.mean())
    error = max(clustered(values, group), variance)
    expected, distance = max(error - variance, _LEAST_DISAGREEMENT * variance), (score - posterior.mean) ** 2
    if distance <= expected:
        return posterior
    few = min(below, above)
    share = few / (few + _RARE) * (1.0 - expected / distance)
    means, variances = posterior.means, posterior.variances
    return replace(posterior, means=means + share * (score - means), variances=variances + share * (error - variances))


def _present(group: Indices) -> int:
    """Return how many clusters occur.

    >>> _present(np.array([3, 0, 3]))
    2
    """
    return int(np.count_nonzero(np.bincount(group)))


def clustered(values: Vector, group: Indices) -> float:
    """Return the variance of the values' mean over samples of clusters."""
    moved = shifts_of_mean(values, group)
    return float(moved @ moved)


def design_effect(values: Vector, group: Indices) -> float:
    """Return the factor, at least 1, by which the clusters increase the variance of the values' mean."""
    alone = clustered(values, np.arange(len(values)))
    return max(1.0, clustered(values, group) / alone) if alone > 0.0 else 1.0


def cluster_count(outcomes: OutcomeMatrix) -> int:
    """Return the number of clusters, or of questions if they have no clusters."""
    return outcomes.n_questions if outcomes.clusters is None else len(set(outcomes.clusters))


def groups(outcomes: OutcomeMatrix) -> Indices:
    """Return the cluster of every question as 0, 1, ..; without clusters, each question is its own."""
    if outcomes.clusters is None:
        return np.arange(outcomes.n_questions)
    number: dict[Any, int] = {}
    return np.array([number.setdefault(label, len(number)) for label in outcomes.clusters])
