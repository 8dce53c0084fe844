"""Scores of replicates: tables over (n, successes) where they serve, else the metric itself on the counts.

On binary outcomes an additive metric is the mean over questions of what its ``per_question`` says of (n, successes):
one table serves every replicate. A blend of dataset means is a product of powers of two such means. Categories, prior
outcomes and metrics of other kinds take the slow way, which gives the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..metrics import Metric
from ..metrics.blend import Blend
from ..outcome_set import OutcomeSet
from ..outcomes import OutcomeMatrix
from .banks import Bank, Grid, Seeds

Scores = NDArray[np.float64]
_ROWS = 1 << 18  # questions of replicates that are scored at once


@dataclass(frozen=True, eq=False)
class Scorer:
    """Scores of replicates by several metrics: ``factors[i]`` are the tables and powers of metric i, or None."""

    metrics: tuple[Metric, ...]
    n: Grid
    tables: NDArray[np.float64]  # (tables, n, successes)
    factors: tuple[tuple[tuple[int, float], ...] | None, ...]

    def __call__(self, bank: Bank, seeds: Seeds) -> Scores:
        """One model's scores, (metrics, replicates, n); NaN where ``n`` is below what a metric needs."""
        out = np.empty((len(self.metrics), len(seeds), len(self.n)))
        means = bank.sums(seeds, self.n, self.tables) / bank.outcomes.n_questions
        for scores, metric, factors in zip(out, self.metrics, self.factors, strict=True):
            if factors is None:
                scores[:] = _scores_of_counts(metric, bank, seeds, self.n)
                continue
            scores[:] = np.prod([means[:, table] ** power for table, power in factors], axis=0)
        return out


def scorer(metrics: Sequence[Metric], models: OutcomeSet, n: Grid) -> Scorer:
    """The fastest way to score these metrics at these ``n``."""
    parts = [_parts(metric) if _one_table_serves(models) else None for metric in metrics]
    distinct = list(dict.fromkeys(part for found in parts if found for part, _ in found))
    first = next(iter(models.values()))
    tables = np.array([_table(metric, first, n) for metric in distinct]).reshape(len(distinct), len(n), n[-1] + 1)
    index = {metric: i for i, metric in enumerate(distinct)}
    factors = tuple(None if found is None else tuple((index[part], power) for part, power in found) for found in parts)
    return Scorer(tuple(metrics), n, tables, factors)


def _parts(metric: Metric) -> tuple[tuple[Metric, float], ...] | None:
    """The additive metrics of which the score is a product of powers."""
    if metric.additive:
        return ((metric, 1.0),)
    return metric.parts() if isinstance(metric, Blend) else None


def _one_table_serves(models: OutcomeSet) -> bool:
    """Whether successes and trials say all there is about a question, of every model alike."""
    matrices = models.values()
    alike = len({matrix.levels for matrix in matrices}) == 1
    return alike and models.n_categories == 2 and all(matrix.prior_counts is None for matrix in matrices)


def _table(metric: Metric, like: OutcomeMatrix, n: Grid) -> NDArray[np.float64]:
    """The metric of a question with ``n`` trials and each number of successes, (n, largest n + 1)."""
    trials = np.repeat(n, n + 1)
    successes = np.concatenate([np.arange(each + 1) for each in n])
    states = _bank(like, np.stack([trials - successes, successes], axis=1))
    table = np.zeros((len(n), n[-1] + 1))
    table[np.repeat(np.arange(len(n)), n + 1), successes] = metric.per_question(states, short="nan")
    return table


def _scores_of_counts(metric: Metric, bank: Bank, seeds: Seeds, n: Grid) -> Scores:
    """The metric of the replicates' counts, (replicates, n)."""
    batch = max(1, _ROWS // (len(n) * bank.outcomes.n_questions))
    batches = [seeds[start : start + batch] for start in range(0, len(seeds), batch)]
    return np.concatenate([_scores_of_batch(metric, bank, some, n) for some in batches])


def _scores_of_batch(metric: Metric, bank: Bank, seeds: Seeds, n: Grid) -> Scores:
    counts = bank.counts(seeds, n)
    shape, categories = counts.shape[:2], counts.shape[-1]
    if metric.additive:
        values = metric.per_question(_bank(bank.outcomes, counts.reshape(-1, categories)), short="nan")
        means: Scores = values.reshape(*shape, -1).mean(axis=-1)
        return means
    scores = [metric.score(_bank(bank.outcomes, each), short="nan") for each in counts.reshape(-1, *counts.shape[2:])]
    return np.array(scores).reshape(shape)


def _bank(like: OutcomeMatrix, counts: NDArray[np.int64]) -> OutcomeMatrix:
    """These counts, with the levels and the prior outcomes of ``like`` repeated to fit."""
    prior = like.prior_counts
    if prior is not None:
        prior = np.tile(prior, (len(counts) // len(prior), 1))
    return like.replaced(counts=counts, planned=counts.sum(axis=1), prior=prior, questions=None, clusters=None)
