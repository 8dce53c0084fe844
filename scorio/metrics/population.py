"""What the spread between questions, or clusters of questions, says of the population they were drawn from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import OutcomeError
from ..hierarchy import Hierarchy
from ..mixture import Mixture

if TYPE_CHECKING:
    from ..outcomes import OutcomeMatrix
    from .base import Metric

Vector = NDArray[np.float64]


def between_questions(metric: Metric, bank: OutcomeMatrix) -> Mixture:
    """The clustered standard error as an effective number of Bernoulli draws, with Jeffreys' prior."""
    score, variance = metric.score(bank), squared_error(metric, bank)
    low, high = metric.range(bank)
    share = (score - low) / (high - low) if high > low else 0.5
    spread = variance / (high - low) ** 2 if high > low else 0.0
    draws = share * (1.0 - share) / spread if spread > 0.0 else float(len(np.unique(groups(bank))))
    alpha, beta = draws * share + 0.5, draws * (1.0 - share) + 0.5
    total = alpha + beta
    sd = np.sqrt(alpha * beta / (total + 1.0)) / total
    return Mixture.single(low + (high - low) * alpha / total, (high - low) * sd)


def squared_error(metric: Metric, bank: OutcomeMatrix) -> float:
    """The variance of the score over draws of clusters: sandwich, or jackknife where the score is not a mean."""
    group = groups(bank)
    count = int(group.max()) + 1
    if count < 2:
        raise OutcomeError('target="population" needs at least two questions, in two clusters where there are clusters')
    if metric.additive:
        return clustered(metric.per_question(bank), group)
    left = np.array([metric.score(bank.select(group != each)) for each in range(count)])
    return float((count - 1) / count * np.sum((left - left.mean()) ** 2))


def shared_prior(bank: OutcomeMatrix) -> Hierarchy:
    """The prior learnt from the bank, clustered questions counted as fewer."""
    if bank.clusters is None:
        return bank.learnt()
    rates = (bank.successes + 0.5) / (bank.trials + 1.0)
    return bank.learnt(1.0 / design_effect(rates, groups(bank)))


def clustered(values: Vector, group: NDArray[np.intp]) -> float:
    """The variance of the values' mean over draws of clusters."""
    sums = np.bincount(group, values - values.mean())
    count = max(len(sums), 2)
    return float(count / (count - 1) * sums @ sums / len(values) ** 2)


def design_effect(values: Vector, group: NDArray[np.intp]) -> float:
    """How many times larger clusters make the variance of a mean of these values; at least 1."""
    alone = clustered(values, np.arange(len(values)))
    return max(1.0, clustered(values, group) / alone) if alone > 0.0 else 1.0


def groups(bank: OutcomeMatrix) -> NDArray[np.intp]:
    """The cluster of every question as 0, 1, ..; each question its own without clusters."""
    if bank.clusters is None:
        return np.arange(bank.n_questions)
    number: dict[Any, int] = {}
    return np.array([number.setdefault(label, len(number)) for label in bank.clusters])
