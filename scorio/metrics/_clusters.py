"""Statements about the population of questions, from the variance between questions or clusters of questions."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

import numpy as np

from .._arrays import Indices, Vector
from .._display.words import pluralize
from ..errors import OutcomeError, Remedy
from ..inference import Mixture
from ..inference._learned_prior import SharedPrior
from ..outcomes import OutcomeMatrix
from ._fits import learned_prior_of_population


class Scored(Protocol):
    """The part of a metric that these functions use."""

    is_mean_over_questions: ClassVar[bool]

    @property
    def required_trials(self) -> int:
        """The number of trials that the score needs of each question."""
        ...

    def score(self, R: Any) -> float:
        """Return the score."""
        ...

    def per_question(self, R: Any) -> Vector:
        """Return the score of each question."""
        ...

    def support(self, R: Any) -> tuple[float, float]:
        """Return the smallest and the largest possible value."""
        ...

    def without_each(self, outcomes: OutcomeMatrix, group: Indices) -> Vector:
        """Return the score without each group of questions."""
        ...


def between_questions(metric: Scored, outcomes: OutcomeMatrix) -> Mixture:
    """Return the posterior of the population's score: the clustered standard error as a number of Bernoulli draws."""
    variance, score = squared_error(metric, outcomes), metric.score(outcomes)
    low, high = metric.support(outcomes)
    share = (score - low) / (high - low) if high > low else 0.5
    spread = variance / (high - low) ** 2 if high > low else 0.0
    draws = share * (1.0 - share) / spread if spread > 0.0 else float(cluster_count(outcomes))
    alpha, beta = draws * share + 0.5, draws * (1.0 - share) + 0.5  # Jeffreys' prior
    total = alpha + beta
    sd = np.sqrt(alpha * beta / (total + 1.0)) / total
    return Mixture.single(low + (high - low) * alpha / total, (high - low) * sd)


def squared_error(metric: Scored, outcomes: OutcomeMatrix) -> float:
    """Return the variance of the score over samples of clusters."""
    if cluster_count(outcomes) < 2:
        raise OutcomeError(
            'target="population" needs at least two questions, or two clusters if questions have clusters'
        )
    if outcomes.min_trials < metric.required_trials:
        raise OutcomeError(
            f"{metric} needs {pluralize(metric.required_trials, 'trial')} of every question (N={outcomes.min_trials})"
            " for the variance between questions",
            remedies=[Remedy("prior", "learned", "needs no more than one")],
        )
    moved = shifts(metric, outcomes)
    return float(moved @ moved)


def shifts(metric: Scored, outcomes: OutcomeMatrix) -> Vector:
    """Return the effect of each cluster on the score; the squares add up to the variance over samples of clusters.

    It is the sandwich estimate, or the jackknife if the score is not a mean over questions.
    """
    group = groups(outcomes)
    if metric.is_mean_over_questions:
        return shifts_of_mean(metric.per_question(outcomes), group)
    left = metric.without_each(outcomes, group)
    return np.asarray(np.sqrt(1.0 - 1.0 / len(left)) * (left.mean() - left))


def shifts_of_mean(values: Vector, group: Indices) -> Vector:
    """Return the same for the mean of ``values``."""
    sums = np.bincount(group, values - values.mean())
    count = max(len(sums), 2)
    return np.asarray(sums * (np.sqrt(count / (count - 1)) / len(values)))


def shared_prior(outcomes: OutcomeMatrix, *, grid: bool = True) -> SharedPrior:
    """Return the prior learned from the outcomes; questions in clusters count as fewer, by their design effect."""
    if outcomes.clusters is None:
        return learned_prior_of_population(outcomes, grid=grid)
    rates = (outcomes.successes + 0.5) / (outcomes.trials + 1.0)
    return learned_prior_of_population(outcomes, 1.0 / design_effect(rates, groups(outcomes)))


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
