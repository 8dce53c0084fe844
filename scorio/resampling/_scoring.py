"""Replicates of a task: trials drawn from the counts of each question, and the scores of the first n of them.

For binary outcomes, a metric that is a mean over questions is a function of (n, successes) per question: one table
gives the scores of all replicates. A blend of dataset means is a product of powers of two such means. Categories, prior
outcomes and other kinds of metrics are scored from the counts, which is slower and gives the same numbers.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._arrays import Vector
from .._kernels import resample
from ..metrics import Blend, Metric
from ..outcomes import OutcomeMatrix, OutcomeSet

Seeds = NDArray[np.uint64]
Grid = NDArray[np.intp]
Factors = tuple[tuple[Metric, float], ...]  # means over questions and their powers, whose product is a score
_ROWS = 1 << 18  # questions times replicates that are scored at once


@dataclass(frozen=True, eq=False)
class TaskDraws:
    """One task: its models, metrics and weight, and the ``n`` of which replicates are scored.

    ``tables`` has the values of a question by (n, successes), for each metric whose scores are made of these.
    """

    models: OutcomeSet
    metrics: tuple[Metric, ...]
    weight: float
    n: Grid
    replace: bool
    tables: dict[Metric, Vector]

    @classmethod
    def of(cls, models: OutcomeSet, metrics: tuple[Metric, ...], weight: float, n: Grid, replace: bool) -> "TaskDraws":
        """Return the task with its tables."""
        needed = [part for metric in metrics for part, _ in _factors(metric, models) or ()]
        first = next(iter(models.values()))
        tables = {metric: _table(metric, first, n) for metric in dict.fromkeys(needed)}
        return cls(models, metrics, weight, n, replace, tables)

    def scores(self) -> Vector:
        """Return the scores on all trials, (metrics, models)."""
        return np.array([[metric.score(matrix) for matrix in self.models.values()] for metric in self.metrics])

    def replicates(self, seeds: Seeds) -> Vector:
        """Return the scores of replicates, (metrics, models, replicates, n); NaN if ``n`` is below what is needed."""
        pairs = zip(self.models.values(), seeds, strict=True)
        return np.stack([self._of_model(matrix, words) for matrix, words in pairs], axis=1)

    def _of_model(self, outcomes: OutcomeMatrix, seeds: Seeds) -> Vector:
        """Return one model's scores, (metrics, replicates, n), with one seed per replicate."""
        entries = np.ascontiguousarray(outcomes.counts, dtype=np.int32)
        totals = np.zeros((len(seeds), len(self.tables), len(self.n)))
        tables = np.array(list(self.tables.values())).reshape(len(self.tables), len(self.n), self.n[-1] + 1)
        resample.sums(entries, self.replace, seeds, self.n, tables, totals)
        means = dict(zip(self.tables, np.moveaxis(totals / outcomes.n_questions, 1, 0), strict=True))
        scores = []
        for metric in self.metrics:
            factors = _factors(metric, self.models)
            if factors is None:
                scores.append(self._from_counts(metric, outcomes, entries, seeds))
            else:
                scores.append(np.prod([means[part] ** power for part, power in factors], axis=0))
        return np.array(scores)

    def _from_counts(self, metric: Metric, outcomes: OutcomeMatrix, entries: NDArray[np.int32], seeds: Seeds) -> Vector:
        """Return the metric of the replicates' counts, (replicates, n)."""
        batch = max(1, _ROWS // (len(self.n) * outcomes.n_questions))
        scores = []
        for start in range(0, len(seeds), batch):
            some = seeds[start : start + batch]
            counts = np.zeros((len(some), len(self.n), *entries.shape), np.int64)
            resample.counts(entries, self.replace, some, self.n, counts)
            scores.append(_scores_of_counts(metric, outcomes, counts))
        return np.concatenate(scores)


def _factors(metric: Metric, models: OutcomeSet) -> Factors | None:
    """Return the means over questions that the score is made of; None if successes and trials do not determine them."""
    is_alike = len({matrix.levels for matrix in models.values()}) == 1
    if not is_alike or models.n_categories != 2 or any(each.prior_counts is not None for each in models.values()):
        return None
    if metric.is_mean_over_questions:
        return ((metric, 1.0),)
    return metric.parts if isinstance(metric, Blend) else None


def _table(metric: Metric, like: OutcomeMatrix, n: Grid) -> Vector:
    """Return the metric of a question with ``n`` trials and each number of successes, (n, largest n + 1)."""
    trials = np.repeat(n, n + 1)
    successes = np.concatenate([np.arange(count + 1) for count in n])
    states = _with_counts(like, np.stack([trials - successes, successes], axis=1))
    table = np.zeros((len(n), n[-1] + 1))
    table[np.repeat(np.arange(len(n)), n + 1), successes] = metric.per_question(states, too_few="nan")
    return table


def _scores_of_counts(metric: Metric, like: OutcomeMatrix, counts: NDArray[np.int64]) -> Vector:
    shape, (questions, categories) = counts.shape[:2], counts.shape[2:]
    if metric.is_mean_over_questions:
        values = metric.per_question(_with_counts(like, counts.reshape(-1, categories)), too_few="nan")
        return np.asarray(values.reshape(*shape, -1).mean(axis=-1))
    matrices = counts.reshape(-1, questions, categories)
    return np.array([metric.score(_with_counts(like, one), too_few="nan") for one in matrices]).reshape(shape)


def _with_counts(like: OutcomeMatrix, counts: NDArray[np.int64]) -> OutcomeMatrix:
    """Return these counts with the levels of ``like``, and its prior outcomes repeated to fit."""
    prior = like.prior_counts
    if prior is not None:
        prior = np.tile(prior, (len(counts) // len(prior), 1))
    return like.replaced(counts=counts, planned=counts.sum(axis=1), prior=prior, questions=None, clusters=None)
