"""What the spread between questions, or clusters of questions, says of the population they were drawn from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import OutcomeError
from ..hierarchy import Hierarchy
from ..mixture import Mixture
from ..words import amount

if TYPE_CHECKING:
    from ..outcomes import OutcomeMatrix
    from .base import Metric

Vector = NDArray[np.float64]


def between_questions(metric: Metric, bank: OutcomeMatrix) -> Mixture:
    """The clustered standard error as an effective number of Bernoulli draws, with Jeffreys' prior."""
    variance, score = squared_error(metric, bank), metric.score(bank)
    low, high = metric.range(bank)
    share = (score - low) / (high - low) if high > low else 0.5
    spread = variance / (high - low) ** 2 if high > low else 0.0
    draws = share * (1.0 - share) / spread if spread > 0.0 else float(cluster_count(bank))
    alpha, beta = draws * share + 0.5, draws * (1.0 - share) + 0.5
    total = alpha + beta
    sd = np.sqrt(alpha * beta / (total + 1.0)) / total
    return Mixture.single(low + (high - low) * alpha / total, (high - low) * sd)


def squared_error(metric: Metric, bank: OutcomeMatrix) -> float:
    """The variance of the score over draws of clusters."""
    if cluster_count(bank) < 2:
        raise OutcomeError('target="population" needs at least two questions, in two clusters where there are clusters')
    if bank.min_trials < metric.needs:
        raise OutcomeError(
            f"{metric} needs {amount(metric.needs, 'trial')} of every question (N={bank.min_trials}) for the spread"
            ' between their scores; with prior="eb" any number will do'
        )
    moved = shifts(metric, bank)
    return float(moved @ moved)


def shifts(metric: Metric, bank: OutcomeMatrix) -> Vector:
    """What each cluster does to the score; the squares add up to the variance of the score over draws of clusters.

    Sandwich, or jackknife where the score is not a mean over questions.
    """
    group = groups(bank)
    if metric.additive:
        return shifts_of_mean(metric.per_question(bank), group)
    left = metric.without_each(bank, group)
    return np.asarray(np.sqrt(1.0 - 1.0 / len(left)) * (left.mean() - left))


def shifts_of_mean(values: Vector, group: NDArray[np.intp]) -> Vector:
    """The same for the mean of these values."""
    sums = np.bincount(group, values - values.mean())
    count = max(len(sums), 2)
    return np.asarray(sums * (np.sqrt(count / (count - 1)) / len(values)))


def shared_prior(bank: OutcomeMatrix) -> Hierarchy:
    """The prior learnt from the bank, clustered questions counted as fewer."""
    if bank.clusters is None:
        return bank.learnt_finely(1.0)
    rates = (bank.successes + 0.5) / (bank.trials + 1.0)
    return bank.learnt_finely(1.0 / design_effect(rates, groups(bank)))


def clustered(values: Vector, group: NDArray[np.intp]) -> float:
    """The variance of the values' mean over draws of clusters."""
    moved = shifts_of_mean(values, group)
    return float(moved @ moved)


def design_effect(values: Vector, group: NDArray[np.intp]) -> float:
    """How many times larger clusters make the variance of a mean of these values; at least 1."""
    alone = clustered(values, np.arange(len(values)))
    return max(1.0, clustered(values, group) / alone) if alone > 0.0 else 1.0


def cluster_count(bank: OutcomeMatrix) -> int:
    """How many clusters there are; as many as questions without clusters."""
    return bank.n_questions if bank.clusters is None else len(set(bank.clusters))


def groups(bank: OutcomeMatrix) -> NDArray[np.intp]:
    """The cluster of every question as 0, 1, ..; each question its own without clusters."""
    if bank.clusters is None:
        return np.arange(bank.n_questions)
    number: dict[Any, int] = {}
    return np.array([number.setdefault(label, len(number)) for label in bank.clusters])
